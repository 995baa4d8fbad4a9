#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cauchy/training/target.hpp>

#include "dynamics/neural_ode_form.hpp"

namespace cauchy::detail {

/// Trajectories against data as a target of the training loop.
class FlowTarget final : public TrainingTarget, private Objective {
 public:
  FlowTarget(const NeuralOdeForm& form, const NeuralOde& method, const TrajectoryData& data,
             std::shared_ptr<Threads> pool);

  /// What became of the last integration.
  [[nodiscard]] const FlowReport& report() const noexcept { return report_; }
  /// Pieces of a step, for people.
  [[nodiscard]] std::size_t n_pieces() const noexcept { return pieces_.size(); }

  [[nodiscard]] Objective& objective() override { return *this; }
  [[nodiscard]] std::span<const double> parts() const override { return {&last_, 1}; }
  [[nodiscard]] bool change_the_loss() const noexcept override { return windows_.size() > 1; }
  void start() override;
  void begin_stage(std::size_t stage, bool all) override;
  bool ask(const TrainingStep& step) override;
  void end(const TrainingStep& step) override;
  void save(Checkpoint& checkpoint) const override;
  void restore(const Checkpoint& checkpoint, std::size_t stage) override;

 private:
  /// Rows [first, first + count) of a trajectory.
  struct Piece {
    std::size_t trajectory, first, count;
  };
  [[nodiscard]] std::size_t size() const override { return n_field_ + n_more_; }
  [[nodiscard]] double value(std::span<const double> x) override { return evaluate(x, {}); }
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override {
    return evaluate(x, g);
  }
  double evaluate(std::span<const double> x, std::span<double> g);
  void make_pieces(std::size_t window);
  void load(std::vector<Piece> pieces);
  [[nodiscard]] std::size_t window_of(std::size_t stage) const;
  [[nodiscard]] std::span<const double> row_of(const Piece& piece) const;
  [[nodiscard]] std::ptrdiff_t number_of(const Piece& piece) const;

  const NeuralOdeForm& form_;
  const TrajectoryData& data_;
  OdeLayer layer_;
  FlowGradient gradient_;
  std::vector<std::size_t> windows_;
  std::size_t batch_, n_field_, n_more_;
  std::uint64_t seed_;
  bool all_ = true;
  std::vector<double> sizes_;  // of the columns
  std::vector<Piece> pieces_, loaded_;
  std::size_t window_ = ~std::size_t{0};
  double count_ = 1;  // numbers that count
  std::vector<double> starts_, values_, seeds_, start_bar_, answer_, answer_bar_;
  double last_ = 0;
  FlowReport report_;
};

}  // namespace cauchy::detail
