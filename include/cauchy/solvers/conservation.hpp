#pragma once

#include <cstddef>
#include <vector>

#include <cauchy/problem/solution.hpp>
#include <cauchy/problem/training_diagnosis.hpp>  // BalanceHistory

namespace cauchy {

/// The integrals of the conserved quantities of an answer over time, with what flows out through
/// the boundary (the outward normal: Phi = int F.n, for u_t = D u_xx it is -D u_n) and what sources
/// give. For every equation that can be read as q_t + div F = s; none where a problem has no time,
/// no space, ranges of parameters, or equations of another form.
///   cost     about 3,000 values at each of n_times times
[[nodiscard]] std::vector<BalanceHistory> measure_balances(const Solution& solution,
                                                           std::size_t n_times = 21);

}  // namespace cauchy
