#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "optimizers/option_checks.hpp"

namespace cauchy::detail {

/// The numbers of step t = 1, 2, ... of Adam:
///   theta <- theta - rate * m / (sqrt(v * correction) + epsilon)
struct AdamStep {
  double b1, b2, epsilon;
  double rate;        ///< learning rate / (1 - b1^t)
  double correction;  ///< 1 / (1 - b2^t)

  template <class Options>
  AdamStep(const Options& o, double learning_rate, std::uint64_t t)
      : b1(o.beta1),
        b2(o.beta2),
        epsilon(o.epsilon),
        rate(learning_rate / (1 - std::pow(b1, static_cast<double>(t)))),
        correction(1 / (1 - std::pow(b2, static_cast<double>(t)))) {}

  [[nodiscard]] double mean(double m, double g) const noexcept { return b1 * m + (1 - b1) * g; }
  [[nodiscard]] double square(double v, double g) const noexcept {
    return b2 * v + (1 - b2) * g * g;
  }
  [[nodiscard]] double move(double m, double v) const noexcept {
    return rate * m / (std::sqrt(v * correction) + epsilon);
  }
};

inline void adam_update(const AdamStep& step, std::span<double> x, std::span<const double> g,
                        std::span<double> m, std::span<double> v) noexcept {
  for (std::size_t i = 0; i < x.size(); ++i) {
    m[i] = step.mean(m[i], g[i]);
    v[i] = step.square(v[i], g[i]);
    x[i] -= step.move(m[i], v[i]);
  }
}

/// Throws Error on an epsilon that is not positive or a beta outside [0, 1).
template <class Options>
void check_adam_options(const Options& options, std::string_view place) {
  require_positive("epsilon", options.epsilon, place);
  require_fraction("beta1", options.beta1, place);
  require_fraction("beta2", options.beta2, place);
}

}  // namespace cauchy::detail
