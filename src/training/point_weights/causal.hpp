#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cauchy/training/point_weights.hpp>

namespace cauchy {

void visit_options(CausalWeights& options, OptionVisitor& visitor);

namespace detail {

/// w_i = exp(-epsilon (L_0 + ... + L_{i-1})) for the chunks i = 1 ... N, from L_0 (the start) and
/// L_1 ... L_N (the chunks, the last of which gates nothing). Not increasing; 1 where all L are 0.
[[nodiscard]] std::vector<double> causal_factors(std::span<const double> losses, double epsilon);

/// The chunk, from 0 on, of a share of time in [0, 1]: chunk i holds (i / chunks, (i + 1) /
/// chunks], the first one 0 as well.
[[nodiscard]] std::size_t chunk_of(double share, std::size_t chunks);

[[nodiscard]] std::unique_ptr<PointWeights> make_causal(const CausalWeights& options,
                                                        const TrainingPoints& points);

}  // namespace detail
}  // namespace cauchy
