#pragma once

#include <optional>

#include "solvers/pinn/pinn_terms.hpp"

namespace cauchy::detail {

/// The sparsity of a mixture of experts as a term of the loss, over points of the domain:
///   sparsity * sum_i |mean lambda_i|^power
/// Nothing where the network is no mixture, has one expert, or a sparsity of 0.
[[nodiscard]] std::optional<PinnTerm> sparsity_term(const Problem& problem, const Pinn& method);

}  // namespace cauchy::detail
