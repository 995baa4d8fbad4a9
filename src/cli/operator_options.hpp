#pragma once

#include <string>
#include <vector>

#include <cauchy/files/operator_file.hpp>

#include "cli/options.hpp"

namespace cauchy::cli {

/// The operator problem of a file, of a run folder or of the library, with the options applied.
[[nodiscard]] OperatorFile read_operator(const std::string& file, const CommonOptions& options);

/// Numbers of nodes from "256" (all axes) or "256x128", one or one per axis.
///   error    throws Error at --grid: not of this form, fewer than 4 nodes
[[nodiscard]] std::vector<int> parse_sizes(const std::string& text);
/// The same, one per axis; another number of axes is an Error too.
[[nodiscard]] std::vector<int> parse_sizes(const std::string& text, std::size_t axes);

}  // namespace cauchy::cli
