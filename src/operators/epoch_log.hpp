#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <cauchy/base/clock.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/operators/learn.hpp>  // EpochEntry
#include <cauchy/training/target.hpp>

namespace cauchy::detail {

/// The order of all items in an epoch: a pure function of seed and epoch.
void epoch_order(std::uint64_t seed, std::uint64_t epoch, std::span<std::size_t> order);

/// The epochs of a training: their mean losses, validation errors, and the parameters of the lowest
/// one; when patience is over.
class EpochLog final {
 public:
  using Validation = std::function<double(std::span<const double> theta)>;
  /// Validation may be empty; patience 0: without end.
  EpochLog(Validation validation, std::size_t patience)
      : validation_(std::move(validation)), patience_(patience) {}

  [[nodiscard]] const std::vector<EpochEntry>& epochs() const noexcept { return epochs_; }
  /// Number of the epoch with the lowest validation error, from 1; 0: none, or there was none.
  [[nodiscard]] std::size_t best_epoch() const noexcept { return best_epoch_; }
  [[nodiscard]] const std::vector<double>& best_theta() const noexcept { return best_theta_; }
  /// Validation error at theta; asked again with the same numbers it is not computed again.
  [[nodiscard]] double validation_error(std::span<const double> theta);
  [[nodiscard]] bool patience_is_over() const noexcept { return stop_; }

  /// Losses before the first one of a stage do not belong to an epoch of it.
  void forget_losses();
  void add_loss(double loss);
  [[nodiscard]] bool has_losses() const noexcept { return n_losses_ > 0; }
  /// The losses since the last one are an epoch, which ends at this step with theta.
  void end_epoch(std::span<const double> theta, std::uint64_t step);
  [[nodiscard]] std::vector<TrainingTarget::News> take_news() { return std::move(news_); }

  /// Under names that begin with "operator/".
  void save(Checkpoint& checkpoint) const;
  ///   error    throws Error unless best parameters have this size
  void restore(const Checkpoint& checkpoint, std::size_t n_parameters);

 private:
  [[nodiscard]] double seconds() const;

  Validation validation_;
  std::size_t patience_;
  std::vector<EpochEntry> epochs_;
  double loss_sum_ = 0;
  std::uint64_t n_losses_ = 0;
  std::size_t best_epoch_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
  std::vector<double> best_theta_, seen_theta_;
  double seen_error_ = 0;
  bool stop_ = false;
  double before_ = 0;  // seconds of earlier parts of the run
  double begin_ = clock_seconds();
  std::vector<TrainingTarget::News> news_;
};

}  // namespace cauchy::detail
