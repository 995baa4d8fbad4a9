#include <cauchy/training/loss.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <cauchy/base/error.hpp>

namespace cauchy {

TrainingLoss::TrainingLoss(Executor& executor)
    : executor_(executor), parts_(executor.n_terms(), 0.0) {
  for (std::size_t t = 0; t < parts_.size(); ++t) base_.push_back(executor.weight(t));
  for (auto& layer : factors_) layer.assign(parts_.size(), 1.0);
}

double TrainingLoss::value(std::span<const double> x) {
  const double sum = executor_.loss(x);
  std::ranges::copy(executor_.last_terms(), parts_.begin());
  return penalty_ ? sum + penalty_(x, {}) : sum;
}

double TrainingLoss::gradient(std::span<const double> x, std::span<double> g) {
  double sum = 0;
  if (combination_) {
    sum = combination_(x, g, parts_);
  } else {
    sum = executor_.gradient(x, g);
    std::ranges::copy(executor_.last_terms(), parts_.begin());
  }
  return penalty_ ? sum + penalty_(x, g) : sum;
}

void TrainingLoss::expect_squares() const {
  if (!penalty_) return;
  throw Error(ErrorKind::unsupported, "a penalty of the weights is no sum of squares", "[training]",
              "use adam or lbfgs, or train without the penalty");
}

std::size_t TrainingLoss::n_residuals() const {
  expect_squares();
  return executor_.n_rows();
}

void TrainingLoss::residuals(std::span<const double> x, std::span<double> r) {
  executor_.rows(x, r);
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    parts_[t] = 0;
    for (const double v : r.first(executor_.n_rows(t))) parts_[t] += v * v;
    r = r.subspan(executor_.n_rows(t));
  }
}

void TrainingLoss::jacobian(std::span<const double> x, std::span<double> r, std::span<double> j) {
  residuals(x, r);
  executor_.rows_jacobian(x, j);
}

void TrainingLoss::jacobian_times(std::span<const double> x, std::span<const double> v,
                                  std::span<double> out) {
  executor_.rows_jacobian_times(x, v, out);
}

void TrainingLoss::jacobian_transposed_times(std::span<const double> x, std::span<const double> w,
                                             std::span<double> out) {
  executor_.rows_jacobian_transposed_times(x, w, out);
}

void TrainingLoss::weigh(std::size_t term, double factor, WeightLayer layer) {
  double& now = factors_[static_cast<std::size_t>(layer)].at(term);
  const double before = std::exchange(now, factor);
  double weight = base_[term];
  for (const auto& factors : factors_) weight *= factors[term];
  if (factor >= 0 && std::isfinite(factor) && std::isfinite(weight)) {
    executor_.set_weight(term, weight);
  } else {
    now = before;
    refused_ = true;
  }
}

void TrainingLoss::parts_at(std::span<const double> x, std::span<double> losses,
                            std::span<double> gradients) {
  if (gradients.empty()) {
    (void)executor_.loss(x);
  } else {
    std::vector<double> sum(size());
    (void)executor_.gradient(x, sum, {.terms = gradients});
  }
  const auto& balance = factors_[static_cast<std::size_t>(WeightLayer::balancer)];
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    const double undo = balance[t] > 0 ? 1 / balance[t] : 0;
    if (!losses.empty()) losses[t] = undo * executor_.last_terms()[t];
    if (gradients.empty()) continue;
    for (double& g : gradients.subspan(t * size(), size())) g *= undo;
  }
}

}  // namespace cauchy
