#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <cauchy/engine/executor.hpp>
#include <cauchy/optimizers/least_squares.hpp>

namespace cauchy {

/// Who sets a factor of a term; the factors of all are multiplied.
enum class WeightLayer : std::uint8_t { curriculum, balancer };

/// The loss of an executor as a function to be minimised: value, gradient, and the rows of its sum
/// of squares, all with the weights that the executor has at the time of the call.
///   error    rows throw Error when a term is an energy (TermForm::identity) or there is a penalty
class TrainingLoss final : public LeastSquares {
 public:
  /// The executor must outlive the loss; its weights of terms at this time are those of the
  /// problem.
  explicit TrainingLoss(Executor& executor);

  [[nodiscard]] std::size_t size() const override { return executor_.n_parameters(); }
  [[nodiscard]] double value(std::span<const double> x) override;
  /// Where a combination is set, g is what it makes of the gradients of the terms.
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override;

  [[nodiscard]] std::size_t n_residuals() const override;
  void residuals(std::span<const double> x, std::span<double> r) override;
  void jacobian(std::span<const double> x, std::span<double> r, std::span<double> j) override;
  void jacobian_times(std::span<const double> x, std::span<const double> v,
                      std::span<double> out) override;
  void jacobian_transposed_times(std::span<const double> x, std::span<const double> w,
                                 std::span<double> out) override;

  /// Weighted loss of each term at the last value(), gradient(), residuals() or jacobian().
  [[nodiscard]] std::span<const double> parts() const noexcept { return parts_; }
  [[nodiscard]] Executor& executor() noexcept { return executor_; }
  [[nodiscard]] std::size_t n_terms() const noexcept { return parts_.size(); }

  /// The weight of a term becomes that of the problem times the factors of all layers. A factor
  /// that is negative or not finite, or would make the weight so, is refused: the old one stays.
  void weigh(std::size_t term, double factor, WeightLayer layer);
  [[nodiscard]] double factor(std::size_t term, WeightLayer layer) const {
    return factors_[static_cast<std::size_t>(layer)].at(term);
  }

  /// Whether weigh() has refused a factor since the last call.
  [[nodiscard]] bool take_refusal() noexcept { return std::exchange(refused_, false); }

  /// Losses of the terms at x, and their gradients (row-major n_terms x n_parameters), in one pass;
  /// without the factors of the balancer, which must not be 0. Either may be empty.
  void parts_at(std::span<const double> x, std::span<double> losses, std::span<double> gradients);

  /// From now on gradient() is this: it fills the direction g in place of the gradient at x, the
  /// losses of the terms as they are known, and returns their sum. Empty: the gradient again.
  using Combination = std::function<double(std::span<const double> x, std::span<double> g,
                                           std::span<double> parts)>;
  void combine(Combination combination) { combination_ = std::move(combination); }

  /// From now on this function of x alone is part of value() and gradient(): it returns its value
  /// and adds its gradient to g, where g is not empty. Empty: none. It is no sum of squares.
  using Penalty = std::function<double(std::span<const double> x, std::span<double> g)>;
  void penalize(Penalty penalty) { penalty_ = std::move(penalty); }

 private:
  void expect_squares() const;
  Executor& executor_;
  std::vector<double> parts_, base_;
  std::array<std::vector<double>, 2> factors_;
  Combination combination_;
  Penalty penalty_;
  bool refused_ = false;
};

}  // namespace cauchy
