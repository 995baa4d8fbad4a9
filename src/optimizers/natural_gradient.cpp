#include <cauchy/optimizers/natural_gradient.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cmath>

#include "optimizers/linear_model.hpp"
#include "optimizers/residual_search.hpp"
#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

constexpr std::string_view ng_place = "[optimizers.natural_gradient]";

}  // namespace

NaturalGradient::NaturalGradient(const NaturalGradientOptions& options)
    : options_(options),
      model_(std::make_unique<detail::LinearModel>(options.equations, ng_place)),
      search_(std::make_unique<detail::ResidualSearch>(options.search, options.max_trials,
                                                       options.line_search, ng_place)) {
  if (!(options.damping > 0) || std::isinf(options.damping)) {
    throw Error(fmt::format("damping must be positive and finite, got {}", options.damping),
                ng_place);
  }
  if (!(options.relative_damping >= 0) || std::isinf(options.relative_damping)) {
    throw Error(fmt::format("relative_damping must be finite and not negative, got {}",
                            options.relative_damping),
                ng_place);
  }
  if (!(options.momentum >= 0 && options.momentum < 1)) {
    throw Error(fmt::format("momentum must be in [0, 1), got {}", options.momentum), ng_place);
  }
}

NaturalGradient::~NaturalGradient() = default;

void NaturalGradient::check_fits(const Objective& objective) const {
  model_->check_fits(objective);
}

void NaturalGradient::objective_changed() { model_->forget(); }

StepReport NaturalGradient::step(Objective& objective, std::span<double> x) {
  LeastSquares& f = detail::require_residuals(objective, name(), ng_place);
  detail::check_sizes(objective, x.size(), n_, ng_place);
  n_ = x.size();
  d_.resize(n_);
  StepReport report;
  if (!search_->begin(f, *model_, x, report)) return report;
  forcing_ = detail::forcing_term(report.gradient_norm, last_gradient_);
  last_gradient_ = report.gradient_norm;
  double mu = options_.damping;
  if (options_.relative_damping > 0) mu = std::min(mu, options_.relative_damping * report.value);
  bool solved = false;
  if (options_.momentum > 0 && !last_d_.empty()) {
    std::vector<double> shifted(model_->r().size());
    model_->times(f, last_d_, shifted);
    for (std::size_t i = 0; i < shifted.size(); ++i) {
      shifted[i] = model_->r()[i] + options_.momentum * shifted[i];
    }
    solved = detail::all_finite(shifted) && model_->solve(f, mu, shifted, forcing_, d_);
    detail::add_scaled(options_.momentum, last_d_, d_);
    solved = solved && detail::dot(model_->g(), d_) < 0;
  }
  if (!solved && !model_->solve(f, mu, model_->r(), forcing_, d_)) d_.assign(n_, 0.0);
  search_->finish(f, *model_, x, mu, forcing_, d_, report);
  if (options_.momentum > 0) last_d_ = d_;
  return report;
}

void NaturalGradient::save(OptimizerState& state) const {
  state = {};
  state.numbers["natural_gradient"] = 1;
  state.numbers["parameters"] = n_;
  state.arrays["forcing"] = {last_gradient_, forcing_};
  state.arrays["direction"] = last_d_;
}

void NaturalGradient::restore(const OptimizerState& state) {
  (void)detail::number_of(state, "natural_gradient", ng_place);
  const std::uint64_t n = detail::number_of(state, "parameters", ng_place);
  const auto forcing = detail::array_of(state, "forcing", ng_place);
  const auto direction = detail::array_of(state, "direction", ng_place);
  detail::require_consistent(
      forcing.size() == 2 && (n_ == 0 || n_ == n) &&
          (direction.empty() || (options_.momentum > 0 && direction.size() == n)),
      ng_place);
  n_ = n;
  last_gradient_ = forcing[0];
  forcing_ = forcing[1];
  last_d_.assign(direction.begin(), direction.end());
  model_->forget();
}

}  // namespace cauchy
