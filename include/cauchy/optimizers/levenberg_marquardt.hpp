#pragma once

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
}  // namespace detail
class LeastSquares;

/// The matrix D of the damping mu D.
///   identity   D = I: small steps turn towards minus the gradient
///   marquardt  D_j = largest |J_j|^2 seen so far (Marquardt 1963, More 1978): the steps do not
///              depend on the units of the parameters; not matrix-free
enum class DampingScale { identity, marquardt };

/// How mu follows the trials.
///   gain_ratio  rho > 0: mu <- mu max(1/3, 1 - (2 rho - 1)^3), nu <- 2; else mu <- mu nu,
///               nu <- 2 nu (Nielsen 1999). Few rejected trials, short steps
///   delayed     lower: mu <- mu / 5; else mu <- 1.5 mu, after 12 rejections faster (delayed
///               gratification, Transtrum and Sethna 2012). About four trials a step, each at
///               residuals only, and larger steps
enum class DampingRule { gain_ratio, delayed };

/// The name of the enumerator; "unknown" for a value outside the enumeration.
[[nodiscard]] std::string_view to_string(DampingScale scale) noexcept;
[[nodiscard]] std::string_view to_string(DampingRule rule) noexcept;

struct LevenbergMarquardtOptions {
  /// First mu over the largest |J_j|^2 (with marquardt scaling: mu itself); positive.
  double initial_damping = 1e-3;
  DampingRule rule = DampingRule::delayed;
  DampingScale scale = DampingScale::identity;
  /// Adds the second-order correction of geodesic acceleration: one more residual evaluation and
  /// one more solution per trial.
  bool acceleration = true;
  std::uint64_t max_rejected = 40;  ///< trials that do not lower f within one step, positive
  StepEquations equations = {};
};

/// Levenberg-Marquardt: d minimises |r + J d|^2 + mu |D^1/2 d|^2, a trial x + d that lowers f is
/// taken, and mu follows the trials by a rule that may use the gain ratio
///   rho = (f(x) - f(x + d)) / (|r|^2 - |r + J d|^2)
/// Rejected trials of the same step need residuals only. With acceleration the trial is
/// x + d + c / 2, where c minimises |r'' + J c|^2 + mu |D^1/2 c|^2 and r'' is the second derivative
/// of r along d, from one more evaluation; a trial with |D^1/2 c| > 3/4 |D^1/2 d| is rejected
/// (Transtrum and Sethna 2012). A trial where r or J is not finite is rejected as well; where J
/// alone is not, that costs the Jacobian there and a second one at x.
///   report   at x; an evaluation is one call of residuals() or jacobian(); matrix-free products
///            are not counted
///   status   stalled when the predicted decrease is below rounding or x + d = x;
///            line_search_failed after max_rejected trials; not_finite when no trial was finite. A
///            step that rejected trials and did not move starts anew from initial_damping
///   memory   see StepEquations; restore() is followed by one evaluation more than an uninterrupted
///            run, since J is not saved
///   error    throws Error on options outside their ranges, an objective that is not a LeastSquares
///            and equations larger than the memory allowed
class LevenbergMarquardt final : public Optimizer {
 public:
  explicit LevenbergMarquardt(const LevenbergMarquardtOptions& options = {});
  ~LevenbergMarquardt() override;

  [[nodiscard]] std::string_view name() const noexcept override { return "levenberg_marquardt"; }
  StepReport step(Objective& objective, std::span<double> x) override;
  void check_fits(const Objective& objective) const override;
  void objective_changed() override;
  void save(OptimizerState& state) const override;
  void restore(const OptimizerState& state) override;

  /// mu of the next trial; 0 before the first step.
  [[nodiscard]] double damping() const noexcept { return mu_; }

 private:
  void apply_scale();
  bool accelerate(LeastSquares& f, std::span<const double> x, StepReport& report);
  void adapt(double gain, std::uint64_t rejected);
  void reset_damping() noexcept;
  bool move(LeastSquares& f, std::span<double> x, StepReport& report);
  bool come_back(LeastSquares& f, std::span<const double> x, StepReport& report);

  LevenbergMarquardtOptions options_;
  std::unique_ptr<detail::LinearModel> model_;
  std::size_t n_ = 0;
  double mu_ = 0, nu_ = 2;
  double last_gradient_ = 0, forcing_ = 0;  ///< of Eisenstat and Walker
  std::vector<double> scale_;               ///< D, empty for identity
  std::vector<double> d_, c_, jd_, second_, trial_x_, trial_r_;
};

}  // namespace cauchy
