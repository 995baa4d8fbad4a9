#pragma once

#include <cauchy/optimizers/line_search.hpp>
#include <cauchy/optimizers/optimizer.hpp>
#include <cauchy/optimizers/step_equations.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace cauchy {

namespace detail {
class LinearModel;
class ResidualSearch;
}  // namespace detail

/// How far to go along a direction d, from phi(a) = |r(x + a d)|^2.
///   backtracking  the first of a = 1, 1/2, 1/4, ... with phi(a) <= phi(0) + 1e-4 a phi'(0); the
///                 lowest point seen when there is none
///   grid          the lowest of a = 1, 1/2, ..., 2^-(max_trials - 1)
///   wolfe         strong Wolfe conditions from a = 1; needs gradients instead of residuals
enum class StepSearch { backtracking, grid, wolfe };

/// The name of the enumerator; "unknown" for a value outside the enumeration.
[[nodiscard]] std::string_view to_string(StepSearch search) noexcept;

struct GaussNewtonOptions {
  double damping = 0;  ///< mu, not negative; 0 gives the step of (nearly) least norm
  StepSearch search = StepSearch::backtracking;
  std::uint64_t max_trials = 31;       ///< points of backtracking and grid, positive
  LineSearchOptions line_search = {};  ///< of wolfe
  StepEquations equations = {};
};

/// Damped Gauss-Newton: x <- x + a d, where d minimises |r + J d|^2 + mu |d|^2.
/// Where no lower point is found along d, mu is raised a thousandfold and d turns towards minus the
/// gradient, up to eight times within the step. Where J is not finite at the point found, a quarter
/// of the way is tried, up to 20 times.
///   report   at x; an evaluation is one call of residuals(), jacobian() or gradient()
///   status   stalled when the decrease in sight is below rounding or x + d = x;
///            line_search_failed when no direction leads down; not_finite when no trial was finite,
///            or no point with a finite J was found (x is then the point before)
///   memory   see StepEquations; restore() is followed by one evaluation more than an uninterrupted
///            run, since J is not saved
///   error    throws Error on options outside their ranges, an objective that is not a LeastSquares
///            and equations larger than the memory allowed
class GaussNewton final : public Optimizer {
 public:
  explicit GaussNewton(const GaussNewtonOptions& options = {});
  ~GaussNewton() override;

  [[nodiscard]] std::string_view name() const noexcept override { return "gauss_newton"; }
  StepReport step(Objective& objective, std::span<double> x) override;
  void check_fits(const Objective& objective) const override;
  void objective_changed() override;
  void save(OptimizerState& state) const override;
  void restore(const OptimizerState& state) override;

 private:
  GaussNewtonOptions options_;
  std::unique_ptr<detail::LinearModel> model_;
  std::unique_ptr<detail::ResidualSearch> search_;
  std::size_t n_ = 0;
  double last_gradient_ = 0, forcing_ = 0;  ///< of Eisenstat and Walker
  std::vector<double> d_;
};

}  // namespace cauchy
