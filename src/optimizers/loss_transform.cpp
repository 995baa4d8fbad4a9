#include <cauchy/optimizers/loss_transform.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cauchy {

std::string_view to_string(LossTransform transform) noexcept {
  switch (transform) {
    case LossTransform::none:
      return "none";
    case LossTransform::square_root:
      return "square_root";
    case LossTransform::logarithm:
      return "logarithm";
  }
  return "unknown";
}

double TransformedObjective::apply(double loss) const noexcept {
  if (transform_ == LossTransform::none) return loss;
  if (loss < 0) return std::nan("");
  if (transform_ == LossTransform::square_root) return std::sqrt(loss);
  return std::log(loss == 0 ? std::numeric_limits<double>::denorm_min() : loss);
}

double TransformedObjective::invert(double value) const noexcept {
  if (transform_ == LossTransform::none) return value;
  if (transform_ == LossTransform::square_root) return value < 0 ? std::nan("") : value * value;
  return std::exp(value);
}

double TransformedObjective::value(std::span<const double> x) { return apply(f_.value(x)); }

double TransformedObjective::gradient(std::span<const double> x, std::span<double> g) {
  const double loss = f_.gradient(x, g), transformed = apply(loss);
  if (transform_ == LossTransform::none) return loss;
  if (!std::isfinite(transformed)) {
    std::fill(g.begin(), g.end(), std::nan(""));
  } else if (loss == 0) {
    std::fill(g.begin(), g.end(), 0.0);
  } else {
    // A division, not a product with the reciprocal, which overflows for the smallest losses.
    const double by = transform_ == LossTransform::square_root ? 2 * transformed : loss;
    for (double& v : g) v /= by;
  }
  return transformed;
}

}  // namespace cauchy
