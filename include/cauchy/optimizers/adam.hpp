#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cauchy {

struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// Adam (Kingma and Ba 2015) with bias correction:
///   m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2
///   theta <- theta - rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
///   error    throws Error on a rate or epsilon that is not positive, or a beta outside [0, 1)
class Adam final {
 public:
  explicit Adam(std::size_t n_parameters, const AdamOptions& options = {});

  /// One step along the gradient at theta.
  void step(std::span<double> theta, std::span<const double> gradient);
  void set_learning_rate(double rate);
  [[nodiscard]] double learning_rate() const noexcept { return options_.learning_rate; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return t_; }

 private:
  AdamOptions options_;
  std::uint64_t t_ = 0;
  std::vector<double> m_, v_;
};

}  // namespace cauchy
