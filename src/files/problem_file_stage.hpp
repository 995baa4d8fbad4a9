#pragma once

#include <string>

#include <cauchy/solvers/pinn.hpp>

#include "files/toml_node.hpp"

namespace cauchy::detail {

/// One table of [[method.stage]].
[[nodiscard]] Stage read_stage(const TomlNode& node);
/// The same as text, every key that the optimiser knows.
[[nodiscard]] std::string write_stage(const Stage& stage);

}  // namespace cauchy::detail
