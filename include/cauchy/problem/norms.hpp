#pragma once

#include <cstddef>
#include <string_view>

#include <cauchy/problem/solution.hpp>

namespace cauchy {

/// An integral of an answer and how it was found.
struct SolutionIntegral {
  double value = 0;
  std::size_t n_points = 0;
  bool gauss = true;  ///< false: the region has no Gauss rule, the value is a mean over points
};

/// Integral of an expression of the answer over the domain: space, time, ranges.
///   where    "domain", or a part of the boundary, where u_n and n_x are known
///   order    Gauss nodes along every axis; regions without a Gauss rule get as many points in all
///   error    throws Error naming what is not known
[[nodiscard]] SolutionIntegral integral(const Solution& solution, const Expr& e,
                                        std::string_view where = "domain", std::size_t order = 40);
/// The same for text: "u_x^2 + u_y^2".
[[nodiscard]] SolutionIntegral integral(const Solution& solution, std::string_view text,
                                        std::string_view where = "domain", std::size_t order = 40);

/// The norm of W^{k,p}: (sum over derivatives D by space of order at most k, int |D e|^p)^(1/p),
/// each mixed derivative once. H^k is p = 2, L^p is k = 0. For p = infinity the largest |D e| at
/// the nodes.
///   error    throws Error unless k is 0 to 4 and p at least 1
[[nodiscard]] double sobolev_norm(const Solution& solution, const Expr& e, int k, double p = 2,
                                  std::size_t order = 40);
[[nodiscard]] double sobolev_norm(const Solution& solution, std::string_view text, int k,
                                  double p = 2, std::size_t order = 40);

}  // namespace cauchy
