#pragma once

#include <memory>

#include <cauchy/training/point_weights.hpp>

namespace cauchy {

void visit_options(LinearTimeWeights& options, OptionVisitor& visitor);

namespace detail {
[[nodiscard]] std::unique_ptr<PointWeights> make_linear_time(const LinearTimeWeights& options,
                                                             const TrainingPoints& points);
}  // namespace detail

}  // namespace cauchy
