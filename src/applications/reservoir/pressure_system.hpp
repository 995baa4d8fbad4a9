#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <cauchy/math/algebraic_multigrid.hpp>
#include <cauchy/math/sparse.hpp>

#include "applications/reservoir/flow_grid.hpp"

namespace cauchy::detail {

/// Symmetric positive definite systems for the pressures of all cells: neighbours are coupled, and
/// the cells of a well with a given rate.
///   solver   direct up to `most_direct` cells, beyond that conjugate gradients with multigrid
class PressureSystem final {
 public:
  static constexpr std::size_t most_direct = 60'000;
  PressureSystem(const ReservoirGrid& grid, const std::vector<WellColumn>& wells);

  void clear();
  /// c (p_a - p_b) flows from a to b.
  void add_face(std::size_t face, double c);
  void add_diagonal(std::size_t cell, double c) { matrix_.values()[diagonal_[cell]] += c; }
  /// The part of a well's rates that is linear in the pressures; what is left comes onto the right
  /// side of sum = rhs.
  void add_well(std::size_t well, const WellFlow& flow);
  [[nodiscard]] std::vector<double>& rhs() noexcept { return rhs_; }
  [[nodiscard]] const SparseMatrix& matrix() const noexcept { return matrix_; }

  /// Factors the matrix; false: it is singular.
  [[nodiscard]] bool prepare();
  /// x = the inverse times b; false: the iteration has failed.
  ///   error   throws Error (ErrorKind::interrupted) when the limit of the thread ended it
  [[nodiscard]] bool solve(const std::vector<double>& b, std::vector<double>& x) const;
  /// Solves for the right side, and once more for what is left of it: fluxes differ from their
  /// sum by rounding alone.
  [[nodiscard]] bool solve_refined(std::vector<double>& x);

 private:
  const ReservoirGrid& grid_;
  const std::vector<WellColumn>& wells_;
  SparseMatrix matrix_;
  SparseCholesky direct_;
  std::optional<AlgebraicMultigrid> multigrid_;  // of large systems
  std::vector<double> rhs_, left_, correction_;
  std::vector<std::size_t> diagonal_, upper_, lower_;  // places in the values
  std::vector<std::vector<std::size_t>> well_places_;  // of pairs of cells, row by row
};

}  // namespace cauchy::detail
