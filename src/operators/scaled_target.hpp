#pragma once

#include <vector>

#include <cauchy/training/target.hpp>

namespace cauchy::detail {

/// A target in other units of its parameters, theta_i = unit_i y_i: first steps of quasi-Newton
/// methods then know what nobody else tells them, how much each number moves the answer.
class ScaledTarget final : public TrainingTarget, private Objective {
 public:
  /// The target must outlive it; units are positive, one per parameter.
  ScaledTarget(TrainingTarget& inner, std::vector<double> units);

  [[nodiscard]] std::vector<double> to_units(std::span<const double> theta) const;
  [[nodiscard]] std::vector<double> from_units(std::span<const double> y) const;

  [[nodiscard]] Objective& objective() override { return *this; }
  [[nodiscard]] std::span<const double> parts() const override { return inner_.parts(); }
  [[nodiscard]] bool change_the_loss() const noexcept override { return inner_.change_the_loss(); }
  void start() override { inner_.start(); }
  void begin_stage(std::size_t stage, bool all) override { inner_.begin_stage(stage, all); }
  bool ask(const TrainingStep& step) override { return inner_.ask(step); }
  void end(const TrainingStep& step) override { inner_.end(step); }
  void finish(TrainingRecord& record) const override { inner_.finish(record); }
  [[nodiscard]] std::vector<News> take_news() override { return inner_.take_news(); }
  void save(Checkpoint& checkpoint) const override { inner_.save(checkpoint); }
  void restore(const Checkpoint& checkpoint, std::size_t stage) override {
    inner_.restore(checkpoint, stage);
  }

 private:
  [[nodiscard]] std::size_t size() const override { return units_.size(); }
  [[nodiscard]] double value(std::span<const double> y) override;
  [[nodiscard]] double gradient(std::span<const double> y, std::span<double> g) override;
  void set(std::span<const double> y);

  TrainingTarget& inner_;
  std::vector<double> units_, theta_;
};

}  // namespace cauchy::detail
