#include <cauchy/training/learning_errors.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {

RiskDecomposition decompose_risk(std::span<const double> risks,
                                 std::span<const double> training_risks, std::size_t learnt) {
  if (risks.size() != training_risks.size() || learnt >= risks.size()) {
    throw Error(fmt::format("{} risks, {} training risks, number {} of them", risks.size(),
                            training_risks.size(), learnt),
                "[training.learning_errors]", "give one of each per member");
  }
  RiskDecomposition d{.approximation = *std::ranges::min_element(risks), .risk = risks[learnt]};
  d.optimization = training_risks[learnt] - *std::ranges::min_element(training_risks);
  for (std::size_t i = 0; i < risks.size(); ++i) {
    d.estimation = std::max(d.estimation, std::abs(risks[i] - training_risks[i]));
  }
  return d;
}

double training_risk_bound(double stability, double training_risk, double sigma,
                           std::size_t n_points, double z) {
  const double gap = z * sigma / std::sqrt(static_cast<double>(n_points));
  return std::sqrt(stability * (training_risk + gap));
}

double fitted_order(std::span<const double> x, std::span<const double> y) {
  const bool good = x.size() == y.size() && x.size() >= 2 &&
                    std::ranges::all_of(x, [](double v) { return v > 0; }) &&
                    std::ranges::all_of(y, [](double v) { return v > 0; });
  if (!good) throw Error("an order needs two positive numbers or more", "[training.fitted_order]");
  const auto n = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace cauchy
