#include <algorithm>

#include <cauchy/base/error.hpp>
#include <cauchy/math/ode.hpp>

#include "math/ode/dense_polynomial.hpp"

namespace cauchy {

std::vector<double> OdeCurve::knots() const {
  std::vector<double> all = starts_;
  if (!all.empty()) all.push_back(end_);
  return all;
}

void OdeCurve::add(double t, double h, std::span<const double> coefficients) {
  starts_.push_back(t);
  steps_.push_back(h);
  coefficients_.insert(coefficients_.end(), coefficients.begin(), coefficients.end());
  end_ = t + h;
}

void OdeCurve::evaluate(double t, std::span<double> y, std::span<double> dy) const {
  if (starts_.empty() || (!y.empty() && y.size() != n_) || (!dy.empty() && dy.size() != n_)) {
    throw Error("a curve without steps, or of another size, was asked for its values",
                "[math.ode]");
  }
  const bool up = steps_.front() > 0;
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), t,
                                      [up](double a, double b) { return up ? a < b : a > b; });
  const auto k = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - starts_.begin() - 1, 0));
  detail::dense_polynomial({coefficients_.data() + k * per_step_, per_step_}, n_, steps_[k],
                           (t - starts_[k]) / steps_[k], y, dy);
}

void OdeCurve::value(double t, std::span<double> y) const { evaluate(t, y, {}); }
void OdeCurve::derivative(double t, std::span<double> dy) const { evaluate(t, {}, dy); }

}  // namespace cauchy
