#pragma once

#include <cauchy/base/function_ref.hpp>
#include <cstdint>
#include <span>

namespace cauchy::detail {

struct CglsResult {
  std::uint64_t iterations = 0;
  double relative_gradient = 1;  ///< |J'(J d + r) + mu d| / |J'r|
  double decrease = 0;           ///< |r|^2 - |J d + r|^2 - mu |d|^2, summed without cancellation
};

/// min |J d + r|^2 + mu |d|^2 from d = 0 by conjugate gradients on the normal equations, without
/// forming them (Hestenes and Stiefel 1952). Every iterate lowers the minimised function, so a
/// truncated d is still a descent direction of |r|^2.
///   times       out = J v (m entries); transposed  out = J' w (n entries)
///   tolerance   ends at relative_gradient <= tolerance, or after max_iterations, or when a
///               product is not finite (d is then the last finite iterate)
///   memory      3 m + 3 n doubles
CglsResult cgls(FunctionRef<void(std::span<const double> v, std::span<double> out)> times,
                FunctionRef<void(std::span<const double> w, std::span<double> out)> transposed,
                double mu, std::span<const double> r, double tolerance,
                std::uint64_t max_iterations, std::span<double> d);

}  // namespace cauchy::detail
