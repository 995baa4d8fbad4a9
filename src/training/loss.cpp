#include <cauchy/training/loss.hpp>

#include <algorithm>

namespace cauchy {

double TrainingLoss::value(std::span<const double> x) {
  const double sum = executor_.loss(x);
  std::ranges::copy(executor_.last_terms(), parts_.begin());
  return sum;
}

double TrainingLoss::gradient(std::span<const double> x, std::span<double> g) {
  const double sum = executor_.gradient(x, g);
  std::ranges::copy(executor_.last_terms(), parts_.begin());
  return sum;
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

}  // namespace cauchy
