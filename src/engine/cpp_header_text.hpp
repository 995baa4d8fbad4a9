#pragma once

#include <set>
#include <string>

#include <cauchy/engine/activation.hpp>

namespace cauchy::detail {

/// The part of a written header that all networks share: operations on jets.
[[nodiscard]] std::string cpp_operations();
/// Derivatives of these activations, void NAME_derivatives(double x, int order, double* s), after
/// what they need.
[[nodiscard]] std::string cpp_activations(const std::set<Activation>& used);

}  // namespace cauchy::detail
