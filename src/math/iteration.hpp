#pragma once

#include <span>
#include <utility>

#include <cauchy/math/iterative.hpp>

namespace cauchy::detail {

[[nodiscard]] double dot_product(std::span<const double> a, std::span<const double> b) noexcept;

/// What all iterations for A x = b share: history, the end, the case b = 0.
///   while (iteration.go_on(|b - A x|)) { one iteration }
class Iteration final {
 public:
  /// error    throws Error for options out of range
  Iteration(const IterationOptions& options, std::span<const double> b, std::span<double> x);

  /// Takes the residual of the present x; false: it is over.
  [[nodiscard]] bool go_on(double residual);
  void break_down() { result_.status = IterationStatus::breakdown; }
  [[nodiscard]] IterationResult result() { return std::move(result_); }

 private:
  const IterationOptions& options_;
  double scale_ = 0;  // |b|
  std::size_t size_ = 0;
  IterationResult result_;
};

}  // namespace cauchy::detail
