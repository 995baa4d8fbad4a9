#pragma once

#include "problem/point_evaluator.hpp"

namespace cauchy::detail {

// Points that no method has seen, always the same for a problem: at least 300 random ones, and some
// where thin layers and narrow sources hide. All rows lie in the closed domain.
//   layers   at distances of 1e-1 to 1e-6 of the size from the surface of each condition
//   peaks    where the known functions of an equation are farthest from their mean, among 20,000
//            points, and on its narrow sources (narrow_sources.hpp)

/// For an equation; also layers at every condition, and peaks.
[[nodiscard]] Points fresh_points(const PointEvaluator& evaluator, const ProblemEquation& equation);
/// For a general condition; also layers at the conditions of the other kind: an initial value close
/// to the boundary, a boundary value close to the initial time.
[[nodiscard]] Points fresh_points(const PointEvaluator& evaluator, const Condition& condition);

/// Points of layers at the surface of a condition: each at a distance of 10^(-decade) of the size,
/// 8 for every decade from 1 to 6, those outside of the domain left out.
struct LayerPoints {
  Points points;
  std::vector<int> decade;
};
[[nodiscard]] LayerPoints layer_points(const Problem& problem, const Condition& condition);

}  // namespace cauchy::detail
