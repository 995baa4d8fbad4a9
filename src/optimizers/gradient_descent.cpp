#include <cauchy/optimizers/gradient_descent.hpp>

#include "optimizers/option_checks.hpp"

namespace cauchy {
namespace {

constexpr std::string_view momentum_place = "[optimizers.momentum]";
constexpr std::string_view nesterov_place = "[optimizers.nesterov]";

}  // namespace

GradientDescent::GradientDescent(const GradientDescentOptions& options, const Schedule& schedule)
    : FirstOrder({"[optimizers.gradient_descent]", options.learning_rate, options.clip_norm, {}},
                 schedule) {}

bool GradientDescent::update(std::span<double> x, std::span<const double> g, double rate,
                             std::uint64_t /*t*/, Moments /*moments*/) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= rate * g[i];
  return false;
}

Momentum::Momentum(const MomentumOptions& options, const Schedule& schedule)
    : FirstOrder({momentum_place, options.learning_rate, options.clip_norm, {"velocity"}},
                 schedule),
      momentum_(options.momentum) {
  detail::require_fraction("momentum", options.momentum, momentum_place);
}

bool Momentum::update(std::span<double> x, std::span<const double> g, double rate,
                      std::uint64_t /*t*/, Moments moments) {
  const std::span<double> v = moments[0];
  bool can_move = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double push = -rate * g[i];
    can_move = can_move || x[i] + push != x[i];
    v[i] = momentum_ * v[i] + push;
    x[i] += v[i];
  }
  return can_move;
}

Nesterov::Nesterov(const MomentumOptions& options, const Schedule& schedule)
    : FirstOrder({nesterov_place, options.learning_rate, options.clip_norm, {"velocity"}},
                 schedule),
      momentum_(options.momentum) {
  detail::require_fraction("momentum", options.momentum, nesterov_place);
}

bool Nesterov::update(std::span<double> x, std::span<const double> g, double rate,
                      std::uint64_t /*t*/, Moments moments) {
  const std::span<double> v = moments[0];
  bool can_move = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double push = -rate * g[i];
    can_move = can_move || x[i] + push != x[i];
    v[i] = momentum_ * v[i] + push;
    x[i] += momentum_ * v[i] + push;
  }
  return can_move;
}

}  // namespace cauchy
