#pragma once

#include <string>

#include <cauchy/solvers/pinn.hpp>

#include "files/toml_node.hpp"

namespace cauchy::detail {

/// The table [method].
[[nodiscard]] Pinn read_method(const TomlNode& node);
/// The same as text, every key.
[[nodiscard]] std::string write_method(const Pinn& method);

/// The shortest TOML number that reads back as the same double.
[[nodiscard]] std::string toml_number(double value);
/// A string between quotes; several lines when it has line breaks.
[[nodiscard]] std::string toml_text(const std::string& text);
[[nodiscard]] std::string toml_texts(const std::vector<std::string>& texts);

}  // namespace cauchy::detail
