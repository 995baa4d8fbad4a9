#pragma once

#include <memory>

#include <cauchy/training/point_weights.hpp>

namespace cauchy {

void visit_options(DistanceWeights& options, OptionVisitor& visitor);

namespace detail {
[[nodiscard]] std::unique_ptr<PointWeights> make_distance(const DistanceWeights& options,
                                                          const TrainingPoints& points);
}  // namespace detail

}  // namespace cauchy
