#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <cauchy/problem/solution.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy::detail {

/// A place where a source stands out on a small part of the domain: cells that are larger than it
/// do not see it.
struct NarrowSource {
  std::size_t equation = 0;
  std::vector<double> at;  ///< one number per coordinate of the problem
  std::vector<double>
      width;  ///< half of it at half the height; infinity: not narrow along this one
};

/// Narrow places of the terms of equations that hold no field. Candidates are the vertices of
/// squares and the roots of differences in their formulas, and the places among 20,000 points where
/// they are farthest from their median, followed uphill; widths are measured on the values. Narrow
/// is less than 1/25 of the domain.
///   returns  at most 32, the strongest ones; none where terms are smooth
///   cost     one evaluation at 20,000 points where nothing stands out, some hundred small ones
///   else
[[nodiscard]] std::vector<NarrowSource> narrow_sources(const Problem& problem);

/// Points on a source, and close to it.
[[nodiscard]] Points points_on(const Problem& problem, const NarrowSource& source);

/// Nodes along a coordinate (column of the problem's coordinates) with which grids and steps meet
/// the sources that are narrow along it: parts of their width around them, then ever longer.
/// Ascending, inside of (lower, upper).
[[nodiscard]] std::vector<double> source_nodes(std::span<const NarrowSource> sources,
                                               std::size_t column, double lower, double upper);

/// Why fields do not see one of the sources: the residual at its points is half of its terms or
/// more. Empty: they do.
[[nodiscard]] std::string unseen_source(const Solution& solution,
                                        std::span<const NarrowSource> sources);

}  // namespace cauchy::detail
