#pragma once

#include <memory>

#include "solvers/pinn/pieces.hpp"
#include "solvers/pinn/pinn_terms.hpp"

namespace cauchy::detail {

/// The loss of a problem for networks on pieces: every term is split into those of the pieces in
/// which its points lie, weighed by their share of the measure, so that the sum is the same mean;
/// small pieces have more than their share of points. Integrals stay whole. The interface
/// conditions of the problem follow, one term for each pair of pieces that meet.
///   error    throws Error for an interface on which no cut lies
[[nodiscard]] PinnLoss split_loss(PinnLoss loss, const std::shared_ptr<const Problem>& problem,
                                  const Pinn& method, const Lowering& lower, const Sizes& sizes,
                                  const std::shared_ptr<const Pieces>& pieces);

/// Throws Error (unsupported) when the problem has interface conditions: one network is smooth.
void refuse_interfaces(const Problem& problem);

}  // namespace cauchy::detail
