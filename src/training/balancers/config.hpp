#pragma once

#include <cstddef>
#include <span>

namespace cauchy::detail {

/// (sum_i g_i . d) d with d = U(pinv([U(g_1) ... U(g_m)]') 1), U(v) = v / |v|: the unit vector with
/// equal positive cosines to all gradients where there is one, in the sense of least squares where
/// they are linearly dependent. Gradients that are 0 take no part; 0 where no direction lowers all.
///   gradients  row-major m x n; when one is not finite the result is their sum, which shows it
///   cost       O(m^2 n): the system has the cosines as its matrix, m x m
void config_direction(std::span<const double> gradients, std::size_t n, std::span<double> result);

}  // namespace cauchy::detail
