#pragma once

#include <cauchy/optimizers/first_order.hpp>

namespace cauchy {

struct RmsPropOptions {
  double learning_rate = 1e-3;
  double beta = 0.9;  ///< memory of the mean square
  double epsilon = 1e-8;
  double clip_norm = 0;  ///< 0: off
};

/// RMSprop (Hinton 2012): each entry is divided by its running root mean square, from s = 0:
///   s <- beta s + (1 - beta) g^2,  theta <- theta - rate * g / (sqrt(s) + epsilon)
/// There is no bias correction: the first step is rate / sqrt(1 - beta) long in each entry.
///   memory   4n doubles
///   error    throws Error on a rate or epsilon that is not positive, a beta outside [0, 1) or a
///            negative clip_norm
class RmsProp final : public FirstOrder {
 public:
  explicit RmsProp(const RmsPropOptions& options = {}, const Schedule& schedule = {});
  [[nodiscard]] std::string_view name() const noexcept override { return "rmsprop"; }

 private:
  bool update(std::span<double> x, std::span<const double> g, double rate, std::uint64_t t,
              Moments moments) override;
  double beta_, epsilon_;
};

}  // namespace cauchy
