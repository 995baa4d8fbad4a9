#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <cauchy/expr/expr.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/sampling/points.hpp>
#include <cauchy/solvers/kansa.hpp>

#include "solvers/kansa/rbf_field.hpp"

namespace cauchy::detail {

/// Rows of a collocation system from one equation or condition: row j is the weighted sum of the
/// residual at its points, minus a target.
struct CollocationTerm {
  std::string name;
  Expr residual;                      // lowered
  Points points;                      // coordinates of the problem, with normals on the boundary
  std::vector<std::size_t> row = {};  // of each point; empty: each point is a row
  std::vector<double> weight = {};    // of each point, where row is given
  std::vector<double> target = {};    // one per row, where row is given

  [[nodiscard]] std::size_t n_rows() const { return row.empty() ? points.size() : target.size(); }
};

/// Centres and rows of one resolution.
struct Collocation {
  std::vector<double> centres;         // in the unit frame, row-major
  double spacing = 0;                  // of them
  std::vector<CollocationTerm> terms;  // the equations first
  std::vector<double> mean_points;     // nodes of a mean over the domain, in the unit frame
  std::vector<double> mean_weights;    // their sum is 1
  std::vector<std::string> remarks;
};

/// n centres along the longest side; see Kansa.
///   error    throws Error (unsupported) for a square system that would not be square
[[nodiscard]] Collocation make_collocation(const Problem& problem, const Kansa& method, int n);

}  // namespace cauchy::detail
