#pragma once

#include <cauchy/optimizers/first_order.hpp>

namespace cauchy {

struct GradientDescentOptions {
  double learning_rate = 1e-2;
  double clip_norm = 0;  ///< 0: off
};

/// Gradient descent, theta <- theta + v with v = -rate * g.
/// On a quadratic with curvature E'' the error is multiplied by 1 - rate * E'' in each step: it
/// falls without change of sign for rate < 1 / E'', vanishes in one step for rate = 1 / E'',
/// alternates and falls up to 2 / E'', and grows beyond.
///   memory   3n doubles
///   error    throws Error on a rate that is not positive or a negative clip_norm
class GradientDescent final : public FirstOrder {
 public:
  explicit GradientDescent(const GradientDescentOptions& options = {},
                           const Schedule& schedule = {});
  [[nodiscard]] std::string_view name() const noexcept override { return "gradient_descent"; }

 private:
  bool update(std::span<double> x, std::span<const double> g, double rate, std::uint64_t t,
              Moments moments) override;
};

struct MomentumOptions {
  double learning_rate = 1e-2;
  double momentum = 0.9;
  double clip_norm = 0;  ///< 0: off
};

/// Momentum, the heavy ball of Polyak (1964), from v = 0:
///   v <- momentum * v - rate * g,  theta <- theta + v
/// A constant gradient is in the end followed with rate / (1 - momentum).
///   memory   4n doubles
///   error    as GradientDescent, and on a momentum outside [0, 1)
class Momentum final : public FirstOrder {
 public:
  explicit Momentum(const MomentumOptions& options = {}, const Schedule& schedule = {});
  [[nodiscard]] std::string_view name() const noexcept override { return "momentum"; }

 private:
  bool update(std::span<double> x, std::span<const double> g, double rate, std::uint64_t t,
              Moments moments) override;
  double momentum_;
};

/// Nesterov's accelerated gradient with a constant momentum. In Nesterov's form the gradient is
/// taken at the point y ahead of theta,
///   y = theta + momentum * v,  v <- momentum * v - rate * g(y),  theta <- theta + v
/// Here x is y, so that the gradient is at x as for all methods, and the step becomes
///   v <- momentum * v - rate * g(x),  x <- x + momentum * v - rate * g(x)
/// which is the same sequence as long as the rate does not change. Both points meet at the minimum.
///   memory   4n doubles
///   error    as Momentum
class Nesterov final : public FirstOrder {
 public:
  explicit Nesterov(const MomentumOptions& options = {}, const Schedule& schedule = {});
  [[nodiscard]] std::string_view name() const noexcept override { return "nesterov"; }

 private:
  bool update(std::span<double> x, std::span<const double> g, double rate, std::uint64_t t,
              Moments moments) override;
  double momentum_;
};

}  // namespace cauchy
