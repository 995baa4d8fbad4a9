#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/training/balancer.hpp>
#include <cauchy/training/loss.hpp>
#include <cauchy/training/target.hpp>

#include "operators/deeponet/deeponet_executor.hpp"
#include "operators/deeponet/deeponet_samples.hpp"
#include "operators/epoch_log.hpp"
#include "operators/symmetries.hpp"

namespace cauchy::detail {

/// A DeepONet over batches of functions and points as a target of the training loop. First-order
/// methods get one batch of functions per step, every function once per epoch in an order that is
/// drawn anew, at points that are drawn anew from those of each term; other methods, and the value
/// at both ends of a run, all functions at all points. A balancer weighs the terms. Where the
/// equations have symmetries, first-order methods meet every function carried over by one of them,
/// drawn anew for every epoch.
class DeepOnetTarget final : public TrainingTarget, private Objective {
 public:
  /// Executor and samples must outlive it.
  DeepOnetTarget(DeepOnetExecutor& executor, const DeepOnetSamples& samples, const DeepOnet& method,
                 EpochLog::Validation validation);

  /// Symmetries of functions on `grid`, where the answers are; `sensors`: where they are looked at.
  void use_symmetries(Symmetries symmetries, FieldGrid grid, FieldGrid sensors);
  [[nodiscard]] std::uint64_t steps_per_epoch() const noexcept;
  [[nodiscard]] EpochLog& log() noexcept { return log_; }
  /// To be called after every step of the loop (TrainingSetup::finished); true: patience is over.
  bool after_step(std::span<const double> theta, std::uint64_t step);

  [[nodiscard]] Objective& objective() override { return *this; }
  [[nodiscard]] std::span<const double> parts() const override { return loss_.parts(); }
  [[nodiscard]] bool change_the_loss() const noexcept override { return balancer_ != nullptr; }
  void start() override;
  void begin_stage(std::size_t stage, bool all) override;
  bool ask(const TrainingStep& step) override;
  void end(const TrainingStep& step) override;
  [[nodiscard]] std::vector<News> take_news() override { return log_.take_news(); }
  void save(Checkpoint& checkpoint) const override;
  void restore(const Checkpoint& checkpoint, std::size_t stage) override;

 private:
  [[nodiscard]] std::size_t size() const override { return loss_.size(); }
  [[nodiscard]] double value(std::span<const double> x) override;
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override;
  [[nodiscard]] std::size_t batch_size() const noexcept;
  /// Puts items at points of the terms into the executor; step 0: all points.
  void load(std::span<const std::size_t> items, std::uint64_t step);
  /// Draws a symmetry for every function of the batch, and carries its values at the sensors over.
  void carry_over(std::uint64_t epoch, std::size_t width);
  /// Where the value of a function of the batch at an answer comes from.
  [[nodiscard]] std::size_t answer(int place, std::size_t i) const {
    if (picks_.empty()) return i;
    const std::vector<std::size_t>& picks = picks_[static_cast<std::size_t>(place)];
    return i / picks.size() * picks.size() + picks[i % picks.size()];
  }
  /// Triples of the functions of the batch; all, or so many of them, drawn anew.
  void load_triples(std::size_t term, std::uint64_t step);
  void load_all();

  DeepOnetExecutor& executor_;
  const DeepOnetSamples& samples_;
  std::size_t batch_, points_;
  std::uint64_t seed_;
  Symmetries symmetries_;  // none: no maps
  FieldGrid grid_, sensors_;
  TrainingLoss loss_;
  std::unique_ptr<Balancer> balancer_;
  EpochLog log_;
  bool all_ = true, loaded_all_ = false;
  std::uint64_t stage_epoch_ = 0, step_in_stage_ = 0;
  std::uint64_t order_epoch_ = ~std::uint64_t{0};
  std::vector<std::size_t> order_, items_, functions_, chosen_;
  std::vector<int> labelled_, physical_;  // places of both kinds of functions in the batch
  std::vector<int> places_;               // of the functions of triples
  std::vector<double> rows_, point_rows_, weights_;
  std::vector<std::vector<double>> values_;  // of the data of a term
  std::vector<AlignedData> data_;
  std::uint64_t symmetry_epoch_ = 0;             // 0: functions as they are
  std::vector<std::vector<std::size_t>> picks_;  // of nodes, for every function of the batch
  std::vector<std::size_t> shift_, sensor_picks_;
  std::vector<double> before_symmetry_;
  double last_value_ = 0;
};

}  // namespace cauchy::detail
