#pragma once

#include <string>
#include <vector>

#include <cauchy/io/option_text.hpp>  // toml_number, toml_text
#include <cauchy/solvers/method.hpp>

#include "files/toml_node.hpp"

namespace cauchy::detail {

/// The table [method].
[[nodiscard]] Method read_method(const TomlNode& node);

[[nodiscard]] std::string toml_texts(const std::vector<std::string>& texts);

}  // namespace cauchy::detail
