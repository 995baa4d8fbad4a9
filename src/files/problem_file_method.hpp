#pragma once

#include <map>
#include <string>
#include <vector>

#include <cauchy/io/option_text.hpp>  // toml_number, toml_text
#include <cauchy/solvers/method.hpp>

#include "files/toml_node.hpp"

namespace cauchy::detail {

/// The table [method], keys that are not given as in `method`.
[[nodiscard]] Method read_method(const TomlNode& node, Method method = {});
/// Whether the text has no [method], and what --set gives for it names no kind: then it changes
/// what the default chooses.
[[nodiscard]] bool changes_default(const TomlNode& node);
/// The default with these changes: keys of the recipe itself, or of what it expands to.
[[nodiscard]] Method changed_default(const TomlNode& node, const Problem& problem);

/// A problem as text, without a method; to_toml() says more.
///   inputs   functions that are given elsewhere and not written here
[[nodiscard]] std::string problem_text(const Problem& problem,
                                       const std::map<std::string, std::string>& surfaces,
                                       const std::vector<std::string>& inputs = {});
/// Numbers as numbers, everything else as a string.
[[nodiscard]] std::string toml_expr(const Expr& e, const Context* context);
[[nodiscard]] std::string toml_texts(const std::vector<std::string>& texts);

}  // namespace cauchy::detail
