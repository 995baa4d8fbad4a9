#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/base/reduce.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/training/target.hpp>

namespace cauchy::detail {

/// Trajectories that networks over blocks take together.
inline constexpr std::size_t trajectories_per_block = 16;

/// The loss of trajectories, block by block.
class BlockLoss {
 public:
  virtual ~BlockLoss() = default;
  [[nodiscard]] virtual std::size_t n_parameters() const = 0;
  [[nodiscard]] virtual std::size_t n_trajectories() const = 0;
  [[nodiscard]] virtual std::size_t n_parts() const = 0;
  virtual void prepare(std::span<const double> theta) = 0;
  /// Adds the loss of the trajectories of a block to its parts, and the gradient unless that is
  /// empty; false: an integration has failed. Several threads call it, each for another block.
  ///   step     0: nothing is drawn at random
  virtual bool add(std::size_t block, IndexRange range, std::uint64_t step, std::span<double> parts,
                   std::span<double> gradient) = 0;
};

/// Such a loss as a target of the training loop, with the same bits for any number of threads.
/// First-order methods meet what is drawn anew at every step, others what is not drawn.
class BlockTarget final : public TrainingTarget, private Objective {
 public:
  /// The loss must outlive it.
  BlockTarget(BlockLoss& loss, std::shared_ptr<Threads> pool);

  [[nodiscard]] Objective& objective() override { return *this; }
  [[nodiscard]] std::span<const double> parts() const override { return parts_; }
  void start() override { step_ = 0; }
  void begin_stage(std::size_t /*stage*/, bool /*all*/) override { step_ = 0; }
  bool ask(const TrainingStep& step) override;
  void end(const TrainingStep& /*step*/) override { step_ = 0; }
  void save(Checkpoint& /*checkpoint*/) const override {}
  void restore(const Checkpoint& /*checkpoint*/, std::size_t /*stage*/) override { step_ = 0; }

 private:
  [[nodiscard]] std::size_t size() const override { return loss_.n_parameters(); }
  [[nodiscard]] double value(std::span<const double> x) override { return evaluate(x, {}); }
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override {
    return evaluate(x, g);
  }
  double evaluate(std::span<const double> x, std::span<double> g);

  BlockLoss& loss_;
  std::shared_ptr<Threads> pool_;
  std::size_t n_blocks_;
  std::uint64_t step_ = 0;
  std::vector<double> slots_, parts_;
};

}  // namespace cauchy::detail
