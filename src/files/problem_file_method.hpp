#pragma once

#include <string>
#include <vector>

#include <cauchy/io/option_text.hpp>  // toml_number
#include <cauchy/solvers/method.hpp>

#include "files/toml_node.hpp"

namespace cauchy::detail {

/// The table [method].
[[nodiscard]] Method read_method(const TomlNode& node);
/// The same as text, every key.
[[nodiscard]] std::string write_method(const Method& method);

/// A string between quotes; several lines when it has line breaks.
[[nodiscard]] std::string toml_text(const std::string& text);
[[nodiscard]] std::string toml_texts(const std::vector<std::string>& texts);

}  // namespace cauchy::detail
