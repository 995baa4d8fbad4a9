#pragma once

#include <span>
#include <vector>

#include "solvers/classical/semi_discrete.hpp"

namespace cauchy::detail {

/// Consistent values and rates of F(t, y, y') = 0 of index 1. Row i goes with unknown i: unknowns
/// of algebraic rows are found from these, the others are integrated.
///   M = dF/dy' in the differential rows, G the algebraic rows
class Rates final {
 public:
  explicit Rates(SemiDiscrete& system);

  /// G(t, y) = 0 for the algebraic unknowns, the others stay as they are.
  ///   returns  false when that has no solution near y
  bool project(double t, std::span<double> y);
  /// y' with F(t, y, y') = 0 in the differential rows. The rates of algebraic unknowns follow from
  /// dG/dt = 0 where M holds them, else they are 0.
  ///   returns  false when M is singular or nothing is found
  bool rate(double t, std::span<const double> y, std::span<double> dy);
  /// M k = -force in the differential rows, for rows that are linear in y'.
  bool solve_mass(double t, std::span<const double> y, std::span<const double> force,
                  std::span<double> k);
  /// What a small change v of the differential unknowns makes of y': the linear operator whose
  /// eigenvalues decide on stability. `j` is dF/dy at (t, y); rate() has been called there.
  void linear(const SparseMatrix& j, std::span<const double> v, std::span<double> out);
  /// M has entries on its diagonal only; then mass() is this.
  [[nodiscard]] bool diagonal_mass() const noexcept { return diagonal_; }
  [[nodiscard]] const std::vector<double>& mass() const noexcept { return mass_; }

 private:
  bool look_at_mass(double t, std::span<const double> y, std::span<const double> dy);
  void solve_force(double t, std::span<const double> y, std::span<const double> force,
                   std::span<double> k);
  void solve_rows(std::span<double> b) const;  // M and, where needed, dG/dy
  [[nodiscard]] bool factor_algebraic(double t, std::span<const double> y);

  SemiDiscrete& system_;
  std::vector<char> differential_;
  std::vector<std::size_t> algebraic_;        // unknowns
  std::vector<std::size_t> algebraic_place_;  // of an unknown among them
  std::vector<double> zero_, force_, trial_;
  bool known_ = false, diagonal_ = false, mixed_ = false;
  std::vector<double> mass_;
  SparseLu full_, constraints_;
  bool constraints_known_ = false;
};

}  // namespace cauchy::detail
