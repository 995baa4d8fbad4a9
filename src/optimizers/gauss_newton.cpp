#include <cauchy/optimizers/gauss_newton.hpp>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cmath>

#include "optimizers/linear_model.hpp"
#include "optimizers/residual_search.hpp"
#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

constexpr std::string_view gn_place = "[optimizers.gauss_newton]";

}  // namespace

GaussNewton::GaussNewton(const GaussNewtonOptions& options)
    : options_(options),
      model_(std::make_unique<detail::LinearModel>(options.equations, gn_place)),
      search_(std::make_unique<detail::ResidualSearch>(options.search, options.max_trials,
                                                       options.line_search, gn_place)) {
  if (!(options.damping >= 0) || std::isinf(options.damping)) {
    throw Error(fmt::format("damping must be finite and not negative, got {}", options.damping),
                gn_place);
  }
}

GaussNewton::~GaussNewton() = default;

void GaussNewton::check_fits(const Objective& objective) const { model_->check_fits(objective); }

void GaussNewton::objective_changed() { model_->forget(); }

StepReport GaussNewton::step(Objective& objective, std::span<double> x) {
  LeastSquares& f = detail::require_residuals(objective, name(), gn_place);
  detail::check_sizes(objective, x.size(), n_, gn_place);
  n_ = x.size();
  d_.resize(n_);
  StepReport report;
  if (!search_->begin(f, *model_, x, report)) return report;
  forcing_ = detail::forcing_term(report.gradient_norm, last_gradient_);
  last_gradient_ = report.gradient_norm;
  if (!model_->solve(f, options_.damping, model_->r(), forcing_, d_)) d_.assign(n_, 0.0);
  search_->finish(f, *model_, x, options_.damping, forcing_, d_, report);
  return report;
}

void GaussNewton::save(OptimizerState& state) const {
  state = {};
  state.numbers["gauss_newton"] = 1;
  state.numbers["parameters"] = n_;
  state.arrays["forcing"] = {last_gradient_, forcing_};
}

void GaussNewton::restore(const OptimizerState& state) {
  (void)detail::number_of(state, "gauss_newton", gn_place);
  const std::uint64_t n = detail::number_of(state, "parameters", gn_place);
  const auto forcing = detail::array_of(state, "forcing", gn_place);
  detail::require_consistent(forcing.size() == 2 && (n_ == 0 || n_ == n), gn_place);
  n_ = n;
  last_gradient_ = forcing[0];
  forcing_ = forcing[1];
  model_->forget();
}

}  // namespace cauchy
