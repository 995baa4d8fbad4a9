#include "training/balancers/periodic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <cauchy/base/error.hpp>

#include "optimizers/vector_ops.hpp"

namespace cauchy::detail {
namespace {

constexpr double least_factor = 1e-12, most_factor = 1e12;

class Periodic final : public Balancer {
 public:
  Periodic(std::uint64_t period, std::unique_ptr<FactorRule> rule)
      : period_(period), rule_(std::move(rule)) {
    if (period == 0) throw Error("the period must be positive", balancer_place);
  }

  bool update(TrainingLoss& loss, const TrainingStep& step) override {
    if (step.step % period_ != 0) return false;
    factors_.resize(loss.n_terms(), 1.0);
    std::vector<double> wanted = factors_;
    rule_->update(loss, step.theta, wanted);
    bool changed = false;
    for (std::size_t t = 0; t < wanted.size(); ++t) {
      if (!std::isfinite(wanted[t])) continue;
      const double factor = std::clamp(wanted[t], least_factor, most_factor);
      if (factor == factors_[t]) continue;
      factors_[t] = factor;
      loss.weigh(t, factor, WeightLayer::balancer);
      changed = true;
    }
    return changed;
  }

  void save(TrainingState& state) const override {
    state.arrays["factors"] = factors_;
    rule_->save(state);
  }
  void restore(const TrainingState& state, TrainingLoss& loss) override {
    std::vector<double> factors = saved_terms(state, "factors", loss.n_terms());
    const auto good = [](double f) { return f >= least_factor && f <= most_factor; };
    require_consistent(std::ranges::all_of(factors, good), balancer_place);
    rule_->restore(state, loss.n_terms());
    factors_ = std::move(factors);
    for (std::size_t t = 0; t < factors_.size(); ++t) {
      loss.weigh(t, factors_[t], WeightLayer::balancer);
    }
  }

 private:
  std::uint64_t period_;
  std::unique_ptr<FactorRule> rule_;
  std::vector<double> factors_;  // empty before the first update
};

void drop_incomparable(TrainingLoss& loss, std::span<double> losses) {
  for (std::size_t t = 0; t < losses.size(); ++t) {
    const bool square = loss.executor().term(t).form == TermForm::square;
    if (!square || !std::isfinite(losses[t])) losses[t] = 0;
  }
}

}  // namespace

std::unique_ptr<Balancer> make_periodic(std::uint64_t period, std::unique_ptr<FactorRule> rule) {
  return std::make_unique<Periodic>(period, std::move(rule));
}

std::vector<double> comparable_losses(TrainingLoss& loss, std::span<const double> theta) {
  std::vector<double> losses(loss.n_terms());
  loss.parts_at(theta, losses, {});
  drop_incomparable(loss, losses);
  return losses;
}

LossesAndNorms losses_and_norms(TrainingLoss& loss, std::span<const double> theta) {
  LossesAndNorms found{std::vector<double>(loss.n_terms()), {}};
  std::vector<double> gradients(loss.n_terms() * loss.size());
  loss.parts_at(theta, found.losses, gradients);
  drop_incomparable(loss, found.losses);
  for (std::size_t t = 0; t < loss.n_terms(); ++t) {
    const double length = norm(std::span(gradients).subspan(t * loss.size(), loss.size()));
    found.norms.push_back(std::isfinite(length) ? length : 0);
  }
  return found;
}

void softmax_factors(std::span<const double> exponents, const std::vector<bool>& part,
                     std::span<double> factors) {
  double largest = -std::numeric_limits<double>::infinity(), total = 0, sum = 0;
  for (std::size_t t = 0; t < factors.size(); ++t) {
    if (!part[t]) continue;
    largest = std::max(largest, exponents[t]);
    total += factors[t];
  }
  for (std::size_t t = 0; t < factors.size(); ++t) {
    if (part[t]) sum += factors[t] = std::exp(exponents[t] - largest);
  }
  for (std::size_t t = 0; t < factors.size(); ++t) {
    if (part[t]) factors[t] *= total / sum;
  }
}

void share_inversely(std::span<const double> sizes, double old_share, std::span<double> factors) {
  double total = 0;
  for (const double size : sizes) total += size > 0 ? size : 0;
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    if (!(sizes[t] > 0)) continue;
    factors[t] = old_share * factors[t] + (1 - old_share) * (total / sizes[t]);
  }
}

std::vector<double> saved_terms(const TrainingState& state, const char* name, std::size_t n_terms) {
  const std::span<const double> values = array_of(state, name, balancer_place);
  require_consistent(values.empty() || values.size() == n_terms, balancer_place);
  return {values.begin(), values.end()};
}

}  // namespace cauchy::detail
