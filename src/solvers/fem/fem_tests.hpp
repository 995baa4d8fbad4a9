#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problem/tested_model.hpp"
#include "solvers/fem/fem_space.hpp"

namespace cauchy::detail {

/// A field of elements: its values at the places, differentiated by time, at a time.
using NodalValues = std::function<std::vector<double>(std::size_t field, int rate, double time)>;

/// What is to be tested.
struct FemTestInput {
  const Problem& problem;
  const FemMesh& mesh;
  std::span<const std::string> fields;  ///< those of the problem, then auxiliary ones
  std::span<const FemSpace> spaces;     ///< of the fields
  std::vector<double> times;            ///< one that has no meaning for a steady problem
  NodalValues values;
};

/// One entry per equation and condition of the problem; see TestedModel::means.
struct FemTestResult {
  std::vector<std::optional<WeakMeans>> equations, conditions;
};

/// Equations and fluxes against the functions (1 - |x - c|^2 / r^2)^3 of balls inside the region,
/// and of balls around points of the boundary that stay away from given values. They are no
/// elements: what is left is the error times the error of their interpolation, O(h^(2k)) for order
/// k. Integrals are taken cell by cell.
///   returns  nothing for terms that no ball with enough cells fits, for equations that hold on a
///            part of the domain, and for problems with sources on inner surfaces
[[nodiscard]] FemTestResult test_elements(const FemTestInput& input);

}  // namespace cauchy::detail
