#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/io/checkpoint.hpp>
#include <cauchy/training/rules.hpp>

namespace cauchy::detail {

/// The rules of a training: asked in their order, saved and restored together. One that spoils the
/// loss is switched off for the rest of the run and what it did is undone: factors 1, the sum of
/// the gradients, the first points of the sampler. A factor or a point that is no number is never
/// handed to the loss.
class RuleSet final {
 public:
  /// Loss and points must outlive it.
  RuleSet(const TrainingRules& rules, std::size_t stages, TrainingLoss& loss,
          TrainingPoints& points);

  /// Whether they may change the function, and not only its points.
  [[nodiscard]] bool change_the_loss() const noexcept {
    return balancer_ || !weights_.empty() || curriculum_;
  }

  /// Before the first step of a stage: the task of the curriculum; `all`: no batches.
  void begin_stage(std::size_t stage, bool all);
  /// Before a step: points, then their weights, then the weights of terms; true when the loss
  /// changed.
  bool ask(const TrainingStep& step);
  /// After the last step: all points, and the sum of the gradients.
  void end(const TrainingStep& step);

  /// An optimiser found loss or gradient at theta not finite. True when they are finite without
  /// one of the rules, or without all of them, which are off from then on: the loss has changed.
  bool blame(std::span<const double> theta, std::uint64_t step);

  /// What happened since the last call.
  struct News {
    std::string text;
    bool trouble = false;  ///< belongs to the findings
  };
  [[nodiscard]] std::vector<News> take_news();

  void save(Checkpoint& checkpoint) const;
  /// Brings loss and points back as well; the run goes on to the same bits.
  ///   error    throws Error when the checkpoint does not fit
  void restore(const Checkpoint& checkpoint, std::size_t stage);

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
