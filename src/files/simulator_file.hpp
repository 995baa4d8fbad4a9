#pragma once

#include <string>

#include <cauchy/files/operator_file.hpp>

#include "files/toml_node.hpp"

namespace cauchy::detail {

/// Reads a file with [simulator] in place of a domain and equations; [train] has been read.
///   error    throws Error "file:line:column: what; fix"
void read_simulated(const TomlNode& root, OperatorFile& file);
/// Such a file as text, without [train].
[[nodiscard]] std::string simulated_text(const OperatorFile& file);

}  // namespace cauchy::detail
