#pragma once

#include <memory>

#include <cauchy/training/point_weights.hpp>

namespace cauchy {

void visit_options(AttentionWeights& options, OptionVisitor& visitor);

namespace detail {
[[nodiscard]] std::unique_ptr<PointWeights> make_attention(const AttentionWeights& options);
}  // namespace detail

}  // namespace cauchy
