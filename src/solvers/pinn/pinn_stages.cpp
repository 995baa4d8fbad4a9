#include "solvers/pinn/pinn_stages.hpp"

#include <cauchy/base/error.hpp>

namespace cauchy {

std::vector<Stage> default_stages(std::size_t n_parameters, Precision precision) {
  constexpr std::size_t dense_limit = 6000;
  if (n_parameters <= dense_limit && precision == Precision::f64) {
    return {{AdamOptions{}, 500}, {QuasiNewtonOptions{}, 4000}};
  }
  return {{AdamOptions{}, 1000}, {LbfgsOptions{}, 4000}};
}

namespace detail {

std::unique_ptr<Optimizer> make_stage(const Stage& stage, const Graph& graph, int threads) {
  OptimizerOptions options = stage.method;
  if (auto* soap = std::get_if<SoapOptions>(&options); soap != nullptr && soap->blocks.empty()) {
    for (const ParameterBlock& b : graph.parameters()) {
      if (b.role != ParameterBlock::Role::weight) continue;
      soap->blocks.push_back({static_cast<std::size_t>(b.offset), static_cast<std::size_t>(b.rows),
                              static_cast<std::size_t>(b.cols)});
    }
  }
  if (auto* dense = std::get_if<QuasiNewtonOptions>(&options); dense != nullptr) {
    if (dense->threads == 0) dense->threads = threads;
  }
  return make_optimizer(options, stage.schedule);
}

bool StageRules::ended_by(const Stage& stage, const StepReport& report, double loss) {
  ++steps;
  evaluations_ += report.evaluations;
  const bool level = levelled_off(stage, loss);
  return report.status != StepStatus::progress || level || loss <= stage.target_loss ||
         report.gradient_norm <= stage.gradient_tolerance || steps >= stage.steps ||
         (stage.max_evaluations > 0 && evaluations_ >= stage.max_evaluations) ||
         (stage.max_seconds > 0 && seconds >= stage.max_seconds);
}

bool StageRules::levelled_off(const Stage& stage, double loss) {
  constexpr std::uint64_t window = 200;
  if (stage.relative_decrease <= 0) return false;
  if (has_window_ && steps - window_start_ < window) return false;
  const bool little = has_window_ && window_loss_ - loss <= stage.relative_decrease * window_loss_;
  has_window_ = true;
  window_start_ = steps;
  window_loss_ = loss;
  return little;
}

void StageRules::save(Checkpoint& c) const {
  c.numbers["step"] = steps;
  c.numbers["stage_evaluations"] = evaluations_;
  c.numbers["window_start"] = window_start_;
  c.numbers["has_window"] = has_window_ ? 1 : 0;
  c.arrays["stage_rules"] = Array::list({seconds, window_loss_});
}

void StageRules::restore(const Checkpoint& c) {
  const auto& values = c.array("stage_rules").values;
  if (values.size() != 2) throw Error("the checkpoint is damaged", "[solvers.pinn]");
  steps = c.number("step");
  evaluations_ = c.number("stage_evaluations");
  window_start_ = c.number("window_start");
  has_window_ = c.number("has_window") != 0;
  seconds = values[0];
  window_loss_ = values[1];
}

}  // namespace detail
}  // namespace cauchy
