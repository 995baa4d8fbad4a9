#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dynamics/neural_ode_form.hpp"

namespace cauchy::detail {

/// A trained one.
class TrainedNeuralOde final : public TrainedDynamics {
 public:
  TrainedNeuralOde(NeuralOdeForm form, std::vector<double> theta);
  [[nodiscard]] std::string_view kind() const noexcept override { return "neural_ode"; }
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] std::size_t n_parameters() const noexcept override { return theta_.size(); }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override {
    return form_.columns;
  }
  [[nodiscard]] std::vector<std::vector<double>> predict(
      const TrajectoryData& known, const std::vector<std::vector<double>>& times, int threads,
      std::string* trouble) const override;
  [[nodiscard]] std::vector<double> slopes(double t, std::span<const double> states) const override;
  [[nodiscard]] std::map<std::string, double> constants() const override;
  void save(Checkpoint& checkpoint) const override;
  [[nodiscard]] static std::shared_ptr<const TrainedDynamics> load(const Checkpoint& checkpoint,
                                                                   const DynamicsProblem& problem,
                                                                   const NeuralOde& method);

 private:
  NeuralOdeForm form_;
  std::vector<double> theta_;
};

}  // namespace cauchy::detail
