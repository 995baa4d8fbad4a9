#pragma once

#include <memory>

#include <cauchy/training/point_weights.hpp>

namespace cauchy {

class OptionVisitor;
void visit_options(NoiseWeights& weights, OptionVisitor& visitor);

namespace detail {

/// Null where no term has noise of known size.
[[nodiscard]] std::unique_ptr<PointWeights> make_noise_weights(const NoiseWeights& options,
                                                               const TrainingPoints& points);

}  // namespace detail
}  // namespace cauchy
