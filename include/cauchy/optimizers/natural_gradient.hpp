#pragma once

#include <cauchy/optimizers/gauss_newton.hpp>  // StepSearch

namespace cauchy {

struct NaturalGradientOptions {
  double damping = 1e-7;  ///< mu, positive
  /// mu = min(damping, relative_damping * f) when positive: less damping as f falls.
  double relative_damping = 0;
  double momentum = 0;  ///< beta of SPRING, in [0, 1)
  StepSearch search = StepSearch::backtracking;
  std::uint64_t max_trials = 31;       ///< points of backtracking and grid, positive
  LineSearchOptions line_search = {};  ///< of wolfe
  StepEquations equations = {};
};

/// Natural gradient in the metric J'J of the residuals (energy natural gradient of Mueller and
/// Zeinhofer 2023 for a loss of strong residuals, Gauss-Newton natural gradient of Jnini et al.
/// 2024):
///   d = -(J'J + mu I)^-1 J'r
/// With momentum (SPRING, Goldshlager et al. 2024) the last direction d_ is the centre of the
/// damping: d minimises |r + J d|^2 + mu |d - beta d_|^2, that is
///   d = beta d_ + e,  e minimises |r + beta J d_ + J e|^2 + mu |e|^2
/// Then x <- x + a d with a from the search. A direction that does not descend drops the momentum;
/// a search that fails raises mu as in GaussNewton.
///   report, status, memory, error  as GaussNewton; a changed objective keeps the momentum
class NaturalGradient final : public Optimizer {
 public:
  explicit NaturalGradient(const NaturalGradientOptions& options = {});
  ~NaturalGradient() override;

  [[nodiscard]] std::string_view name() const noexcept override { return "natural_gradient"; }
  StepReport step(Objective& objective, std::span<double> x) override;
  void check_fits(const Objective& objective) const override;
  void objective_changed() override;
  void save(OptimizerState& state) const override;
  void restore(const OptimizerState& state) override;

 private:
  NaturalGradientOptions options_;
  std::unique_ptr<detail::LinearModel> model_;
  std::unique_ptr<detail::ResidualSearch> search_;
  std::size_t n_ = 0;
  double last_gradient_ = 0, forcing_ = 0;  ///< of Eisenstat and Walker
  std::vector<double> d_, last_d_;          ///< last_d_ is empty without momentum
};

}  // namespace cauchy
