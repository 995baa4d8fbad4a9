#pragma once

#include <string>

#include <cauchy/problem/solution.hpp>
#include <cauchy/training/points.hpp>

namespace cauchy::detail {

/// Why a grid would not see the residual of an answer: a part of it that counts stands in a layer
/// at a condition, or at an inner surface, that is thinner than any grid. Weighed are the mean of
/// |residual| inside and the integral of |residual| over the layers at 1e-6 to 1e-1 of the size.
/// Or it stands in places that a few hundred points miss and 20,000 find. Empty: nothing hides.
[[nodiscard]] std::string hidden_defects(const Solution& solution);

/// The same layers, at every condition, for the training of an equation that holds everywhere.
[[nodiscard]] ThinLayers thin_layers(const Problem& problem, const std::string& equation);

}  // namespace cauchy::detail
