#pragma once

#include <cauchy/optimizers/first_order.hpp>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cauchy {

struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip_norm = 0;  ///< 0: off
};

/// Adam (Kingma and Ba 2015) with bias correction:
///   m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2
///   theta <- theta - rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
/// One gradient per step, rate learning_rate * schedule factor; report, status and clipping as in
/// FirstOrder.
///   memory   5n doubles
///   error    throws Error on a rate or epsilon that is not positive, a beta outside [0, 1), a
///            negative clip_norm, and on options that Schedule does not accept
class Adam final : public FirstOrder {
 public:
  explicit Adam(const AdamOptions& options = {}, const Schedule& schedule = {});
  [[nodiscard]] std::string_view name() const noexcept override { return "adam"; }

 private:
  bool update(std::span<double> x, std::span<const double> g, double rate, std::uint64_t t,
              Moments moments) override;
  AdamOptions options_;
};

struct AdamWOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 1e-2;
  double clip_norm = 0;  ///< 0: off
};

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019):
///   theta <- (1 - rate * weight_decay) theta, then the step of Adam
/// The decay takes no part in the moments, so every entry shrinks by the same factor whatever its
/// gradient; a penalty in the objective would be divided by sqrt(v) with the rest. The method does
/// not minimise the objective alone: it settles where the step of Adam balances the decay.
///   memory   5n doubles
///   error    as Adam, and on a negative weight_decay
class AdamW final : public FirstOrder {
 public:
  explicit AdamW(const AdamWOptions& options = {}, const Schedule& schedule = {});
  [[nodiscard]] std::string_view name() const noexcept override { return "adamw"; }

 private:
  bool update(std::span<double> x, std::span<const double> g, double rate, std::uint64_t t,
              Moments moments) override;
  AdamWOptions options_;
};

}  // namespace cauchy
