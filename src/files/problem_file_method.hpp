#pragma once

#include <string>
#include <vector>

#include <cauchy/io/option_text.hpp>  // toml_number, toml_text
#include <cauchy/solvers/method.hpp>

#include "files/toml_node.hpp"

namespace cauchy::detail {

/// The table [method].
[[nodiscard]] Method read_method(const TomlNode& node);
/// Whether the text has no [method], and what --set gives for it names no kind: then it changes
/// what the default chooses.
[[nodiscard]] bool changes_default(const TomlNode& node);
/// The default with these changes: keys of the recipe itself, or of what it expands to.
[[nodiscard]] Method changed_default(const TomlNode& node, const Problem& problem);

[[nodiscard]] std::string toml_texts(const std::vector<std::string>& texts);

}  // namespace cauchy::detail
