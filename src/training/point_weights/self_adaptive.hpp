#pragma once

#include <memory>

#include <cauchy/training/point_weights.hpp>

namespace cauchy {

void visit_options(SelfAdaptiveWeights& options, OptionVisitor& visitor);

namespace detail {
[[nodiscard]] std::unique_ptr<PointWeights> make_self_adaptive(const SelfAdaptiveWeights& options);
}  // namespace detail

}  // namespace cauchy
