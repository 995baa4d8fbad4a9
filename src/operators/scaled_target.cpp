#include "operators/scaled_target.hpp"

#include <utility>

namespace cauchy::detail {

ScaledTarget::ScaledTarget(TrainingTarget& inner, std::vector<double> units)
    : inner_(inner), units_(std::move(units)), theta_(units_.size()) {}

std::vector<double> ScaledTarget::to_units(std::span<const double> theta) const {
  std::vector<double> y(theta.begin(), theta.end());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] /= units_[i];
  return y;
}

std::vector<double> ScaledTarget::from_units(std::span<const double> y) const {
  std::vector<double> theta(y.begin(), y.end());
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] *= units_[i];
  return theta;
}

void ScaledTarget::set(std::span<const double> y) {
  for (std::size_t i = 0; i < theta_.size(); ++i) theta_[i] = units_[i] * y[i];
}

double ScaledTarget::value(std::span<const double> y) {
  set(y);
  return inner_.objective().value(theta_);
}

double ScaledTarget::gradient(std::span<const double> y, std::span<double> g) {
  set(y);
  const double value = inner_.objective().gradient(theta_, g);
  for (std::size_t i = 0; i < g.size(); ++i) g[i] *= units_[i];
  return value;
}

}  // namespace cauchy::detail
