#pragma once

#include <cauchy/math/matrix.hpp>
#include <cauchy/optimizers/least_squares.hpp>
#include <cauchy/optimizers/step_equations.hpp>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "optimizers/damped_solver.hpp"

namespace cauchy::detail {

/// Throws Error on a max_cg of 0.
void check_options(const StepEquations& equations, std::string_view place);

/// The sum of squares behind an objective; throws Error naming the method when there is none.
[[nodiscard]] LeastSquares& require_residuals(Objective& objective, std::string_view method,
                                              std::string_view place);

/// |r|^2 - |t|^2 as a sum of (r - t)(r + t), which does not cancel where the values agree.
[[nodiscard]] double decrease(std::span<const double> r, std::span<const double> t);

/// Accuracy of the next matrix-free solution: eta = 0.9 (|g| / |g_last|)^2 (Eisenstat and Walker
/// 1996, choice 2), within [1e-8, 0.1]. Their safeguard for eta above 0.33 has nothing to do here:
/// with a bound of 0.9 Levenberg-Marquardt needs about twice the products. A last norm of 0 stands
/// for no last step and gives 0.1.
[[nodiscard]] double forcing_term(double gradient_norm, double last_norm);

/// r(x + d) = r + J d around one point: what all least-squares methods share.
class LinearModel {
 public:
  LinearModel(const StepEquations& equations, std::string_view place);

  /// Throws Error when the dense equations of this objective would not fit into the memory allowed.
  void check_fits(const Objective& objective) const;

  /// Evaluates r and, unless matrix-free, J at x, and g = J'r. False when one is not finite; the
  /// model is then unknown. Throws Error when the equations would not fit into the memory allowed.
  bool evaluate(LeastSquares& f, std::span<const double> x);
  /// True when the model was evaluated at x for a sum of squares of the same size.
  [[nodiscard]] bool at(const LeastSquares& f, std::span<const double> x) const;
  void forget() noexcept { known_ = false; }

  [[nodiscard]] double value() const noexcept { return value_; }  ///< |r|^2
  [[nodiscard]] std::span<const double> x() const noexcept { return x_; }
  [[nodiscard]] std::span<const double> r() const noexcept { return r_; }
  [[nodiscard]] std::span<const double> g() const noexcept { return g_; }  ///< J'r
  /// |J_j|^2 by column; empty when matrix-free.
  [[nodiscard]] std::span<const double> diagonal() const noexcept { return diagonal_; }
  /// max_j |J_j|^2; matrix-free |J g|^2 / |g|^2, one product.
  [[nodiscard]] double curvature(LeastSquares& f) const;
  [[nodiscard]] bool matrix_free() const noexcept {
    return equations_.space == StepSpace::matrix_free;
  }

  /// Damps |d_j / scale_j| instead of |d_j| from now on; before the first solve() at this point,
  /// and not matrix-free. Every scale is positive.
  void scale(std::span<const double> scale);
  /// out = J v.
  void times(LeastSquares& f, std::span<const double> v, std::span<double> out) const;
  /// d of min |J d + r|^2 + mu |d / scale|^2, for r as given instead of the model's own. False when
  /// it is not finite. forcing: relative accuracy of the matrix-free solution.
  bool solve(LeastSquares& f, double mu, std::span<const double> r, double forcing,
             std::span<double> d);
  /// |d / scale|.
  [[nodiscard]] double scaled_norm(std::span<const double> d) const;
  /// |r|^2 - |J d + r|^2 for the d that solve() gave for the model's own r.
  [[nodiscard]] double predicted(std::span<const double> d, double mu) const;

 private:
  [[nodiscard]] double qr_below(double diagonal) const;
  void reserve(std::size_t m, std::size_t n);
  void check_memory(std::size_t m, std::size_t n) const;
  [[nodiscard]] bool in_sample_space(std::size_t m, std::size_t n) const noexcept;

  StepEquations equations_;
  std::string_view place_;
  bool known_ = false, sample_ = false;
  double value_ = 0, cg_decrease_ = 0;
  std::vector<double> x_, r_, g_, diagonal_, scale_, j_;
  DampedSolver solver_;
};

}  // namespace cauchy::detail
