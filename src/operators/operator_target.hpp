#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/tensor/executor.hpp>
#include <cauchy/training/target.hpp>

#include "operators/epoch_log.hpp"
#include "operators/operator_samples.hpp"
#include "operators/symmetries.hpp"

namespace cauchy::detail {

/// How the items of a training become batches.
struct BatchOptions {
  std::size_t batch = 20;  ///< items; 0: all
  std::uint64_t seed = 1;
  /// Standard deviations of noise on "in", per channel; empty: none.
  std::vector<double> noise = {};
  /// Of which every item of a batch of a first-order method meets one, drawn anew in every epoch;
  /// without maps: none.
  Symmetries symmetries = {};
  FieldGrid grid = {};  ///< of the arrays, for symmetries
  /// Replaces the inputs "in" of n items by what the network makes of them (pushforward); empty:
  /// nothing does.
  std::function<void(std::span<const double> theta, std::size_t n, std::span<double> in)> push = {};
  /// Numbers of one item of the input that is the noise of an ensemble, and what draws them: anew
  /// for every item and step of a first-order method.
  std::size_t noise_width = 0;
  std::function<void(const Rng& rng, std::span<double> out)> draw_noise = {};
};

/// A network over batches of items as a target of the training loop. First-order methods get one
/// batch per step, every item once per epoch in an order that is drawn anew; other methods, and the
/// value at both ends of a run, the mean over all items.
///   allocation  none in a step after the first epoch
///   validation  asked at the end of every epoch; the parameters of its lowest value are kept
class OperatorTarget final : public TrainingTarget, private Objective {
 public:
  using Validation = EpochLog::Validation;
  /// Executor and samples must outlive it; validation may be empty.
  OperatorTarget(TensorExecutor& executor, const OperatorSamples& samples, BatchOptions options,
                 Validation validation, std::size_t patience);

  [[nodiscard]] std::uint64_t steps_per_epoch() const noexcept;
  [[nodiscard]] EpochLog& log() noexcept { return log_; }
  /// To be called after every step of the loop (TrainingSetup::finished); true: patience is over.
  bool after_step(std::span<const double> theta, std::uint64_t step);

  [[nodiscard]] Objective& objective() override { return *this; }
  [[nodiscard]] std::span<const double> parts() const override { return parts_; }
  void start() override;
  void begin_stage(std::size_t stage, bool all) override;
  bool ask(const TrainingStep& step) override;
  void end(const TrainingStep& step) override;
  [[nodiscard]] std::vector<News> take_news() override { return log_.take_news(); }
  void save(Checkpoint& checkpoint) const override;
  void restore(const Checkpoint& checkpoint, std::size_t stage) override;

 private:
  [[nodiscard]] std::size_t size() const override { return executor_.n_parameters(); }
  [[nodiscard]] double value(std::span<const double> x) override;
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override;

  [[nodiscard]] std::size_t batch_size() const noexcept;
  /// `before`: items of this step that were loaded before.
  void load(std::span<const std::size_t> items, std::span<const double> theta,
            std::size_t before = 0);
  /// Carries the arrays of an item over by a symmetry.
  void carry_over(std::size_t item, bool outputs, std::span<double> arrays);
  double over_all(std::span<const double> x, std::span<double> g);

  TensorExecutor& executor_;
  const OperatorSamples& samples_;
  BatchOptions options_;
  EpochLog log_;
  std::vector<std::string> inputs_;           // names of the inputs of the graph
  std::vector<std::vector<double>> buffers_;  // one per input
  std::vector<std::span<const double>> spans_;
  std::vector<double> parts_, chunk_;
  bool all_ = true;
  std::uint64_t noise_step_ = 0;      // 0: no noise now
  std::uint64_t symmetry_epoch_ = 0;  // 0: no symmetries now
  std::vector<std::size_t> picks_, shift_;
  std::vector<double> before_symmetry_;
  // Batches.
  std::uint64_t stage_epoch_ = 0;  // epochs that began before this stage
  std::uint64_t order_epoch_ = ~std::uint64_t{0};
  std::vector<std::size_t> order_, items_;  // of an epoch; all in their own order
  std::uint64_t step_in_stage_ = 0;
  double last_value_ = 0;
};

}  // namespace cauchy::detail
