#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/io/checkpoint.hpp>
#include <cauchy/training/rules.hpp>
#include <cauchy/training/target.hpp>

namespace cauchy::detail {

/// Residuals over points as a target, with the rules that change it: asked in their order, saved
/// and restored together. One that spoils the loss is switched off for the rest of the run and what
/// it did is undone: factors 1, the sum of the gradients, the first points of the sampler. A factor
/// or a point that is no number is never handed to the loss.
class RuleSet final : public TrainingTarget {
 public:
  /// Loss and points must outlive it.
  RuleSet(const TrainingRules& rules, std::size_t stages, TrainingLoss& loss,
          TrainingPoints& points);

  [[nodiscard]] Objective& objective() override { return loss_; }
  [[nodiscard]] std::span<const double> parts() const override { return loss_.parts(); }
  /// Draws the first points.
  void start() override { points_.draw(0); }
  /// The points of all terms that are no sums over them.
  void finish(TrainingRecord& record) const override;
  [[nodiscard]] bool change_the_loss() const noexcept override {
    return balancer_ || !weights_.empty() || curriculum_;
  }

  /// The task of the curriculum.
  void begin_stage(std::size_t stage, bool all) override;
  /// Points, then their weights, then the weights of terms.
  bool ask(const TrainingStep& step) override;
  /// All points, and the sum of the gradients.
  void end(const TrainingStep& step) override;

  /// True when loss and gradient are finite without one of the rules, or without all of them, which
  /// are off from then on.
  bool blame(std::span<const double> theta, std::uint64_t step) override;
  [[nodiscard]] std::vector<News> take_news() override;

  void save(Checkpoint& checkpoint) const override;
  /// Brings loss and points back as well.
  void restore(const Checkpoint& checkpoint, std::size_t stage) override;

 private:
  struct Weights {
    std::string name;
    std::unique_ptr<PointWeights> rule;
  };
  // Numbers of the rules that can be switched off: the balancer, the weights of points, the scheme.
  static constexpr std::size_t balancer_number = 0;
  [[nodiscard]] std::size_t scheme_number() const noexcept { return 1 + weights_.size(); }
  [[nodiscard]] std::string name_of(std::size_t rule) const;

  bool weigh_points(const TrainingStep& step, bool moved);
  bool put_factors(std::uint64_t step);
  bool multiply(std::size_t term, std::span<const double> factors, std::vector<double>& product);
  void switch_off(std::size_t rule, std::uint64_t step);
  void undo_balancer();
  void bring_back(const Checkpoint& states);
  [[nodiscard]] std::string trouble_at(std::span<const double> theta);

  TrainingLoss& loss_;
  TrainingPoints& points_;
  std::string balancer_name_, scheme_name_;
  std::unique_ptr<Balancer> balancer_;
  std::vector<Weights> weights_;
  std::unique_ptr<PointScheme> scheme_;
  std::unique_ptr<Curriculum> curriculum_;
  std::vector<bool> off_;  // by the number of the rule
  std::size_t stage_ = 0;
  bool moved_ = false;  // points changed outside of the scheme, and the rules do not know yet
  std::vector<News> news_;
};

}  // namespace cauchy::detail
