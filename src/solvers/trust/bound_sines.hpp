#pragma once

#include <optional>
#include <span>
#include <vector>

#include <cauchy/math/quadrature.hpp>
#include <cauchy/sampling/points.hpp>

#include "solvers/trust/bound_form.hpp"

namespace cauchy::detail {

/// Points of a box in tensor order, Gauss points of cells that become finer towards the faces, and
/// its sine functions: phi_k = prod_i (2 / L_i)^(1/2) sin(k_i pi (x_i - a_i) / L_i), k_i = 1, ...,
/// modes, an orthonormal basis of L2 whose gradients are orthogonal, too.
class SineGrid final {
 public:
  /// cuts     surfaces that no cell crosses
  ///   error    throws Error for more than three dimensions
  SineGrid(Bounds box, std::size_t max_points, std::span<const BoundForm::Plane> cuts = {});

  [[nodiscard]] std::size_t dimension() const noexcept { return axes_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return weights_.size(); }
  [[nodiscard]] std::size_t modes() const noexcept { return modes_; }
  [[nodiscard]] const std::vector<double>& weights() const noexcept { return weights_; }
  [[nodiscard]] const Bounds& box() const noexcept { return box_; }

  /// Rows of the coordinates of space.
  [[nodiscard]] std::vector<double> row(std::size_t point) const;
  /// The points inside a shape as points of a problem, at one time where it has one; `inside` gets
  /// their numbers.
  [[nodiscard]] Points points(const BoundForm& form, std::optional<double> time,
                              std::vector<std::size_t>& inside) const;
  /// The same for the surface x_axis = at: numbers count points of the grid of the other axes.
  [[nodiscard]] Points points_on(const BoundForm& form, BoundForm::Plane plane,
                                 std::vector<std::size_t>& inside) const;
  [[nodiscard]] std::vector<double> weights_on(std::size_t axis) const;

  /// int f phi_k for all k, the last axis fastest; along: int f d(phi_k)/dx_along.
  [[nodiscard]] std::vector<double> coefficients(std::span<const double> values,
                                                 std::optional<std::size_t> along = {}) const;
  /// int over the surface x_axis = at of f phi_k; values on the grid of the other axes. `square`
  /// gets the sum of the squares of f's own coefficients on the surface.
  [[nodiscard]] std::vector<double> coefficients_on(BoundForm::Plane plane,
                                                    std::span<const double> values,
                                                    double& square) const;
  /// k_i pi / L_i.
  [[nodiscard]] double wave(std::size_t axis, std::size_t k) const;
  /// sum_i factor_i wave_i^2 of every coefficient.
  [[nodiscard]] std::vector<double> eigenvalues(std::span<const double> factors) const;
  /// The smallest of those that are not among them, and that of k = 1.
  [[nodiscard]] double next_eigenvalue(std::span<const double> factors) const;
  [[nodiscard]] double first_eigenvalue(std::span<const double> factors) const;

 private:
  [[nodiscard]] std::vector<double> contracted(std::vector<double> values,
                                               std::optional<std::size_t> along,
                                               std::optional<std::size_t> left_out) const;
  Bounds box_;
  std::vector<Rule> axes_;
  std::size_t modes_ = 1;
  std::vector<double> weights_;
};

}  // namespace cauchy::detail
