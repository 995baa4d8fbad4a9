#include <cauchy/optimizers/adam.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

void require_positive(std::string_view what, double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(fmt::format("{} must be positive, got {}", what, value), "[optimizers.adam]");
  }
}

void require_fraction(std::string_view what, double value) {
  if (!(value >= 0 && value < 1)) {
    throw Error(fmt::format("{} must be in [0, 1), got {}", what, value), "[optimizers.adam]");
  }
}

}  // namespace

Adam::Adam(std::size_t n_parameters, const AdamOptions& options)
    : options_(options), m_(n_parameters, 0.0), v_(n_parameters, 0.0) {
  require_positive("learning_rate", options.learning_rate);
  require_positive("epsilon", options.epsilon);
  require_fraction("beta1", options.beta1);
  require_fraction("beta2", options.beta2);
}

void Adam::set_learning_rate(double rate) {
  require_positive("learning_rate", rate);
  options_.learning_rate = rate;
}

void Adam::step(std::span<double> theta, std::span<const double> gradient) {
  if (theta.size() != m_.size() || gradient.size() != m_.size()) {
    throw Error(fmt::format("this optimiser is for {} parameters, got {} and a gradient of {}",
                            m_.size(), theta.size(), gradient.size()),
                "[optimizers.adam]");
  }
  ++t_;
  const double b1 = options_.beta1, b2 = options_.beta2;
  const double rate = options_.learning_rate / (1 - std::pow(b1, static_cast<double>(t_)));
  const double correction = 1 / (1 - std::pow(b2, static_cast<double>(t_)));
  for (std::size_t i = 0; i < m_.size(); ++i) {
    const double g = gradient[i];
    m_[i] = b1 * m_[i] + (1 - b1) * g;
    v_[i] = b2 * v_[i] + (1 - b2) * g * g;
    theta[i] -= rate * m_[i] / (std::sqrt(v_[i] * correction) + options_.epsilon);
  }
}

}  // namespace cauchy
