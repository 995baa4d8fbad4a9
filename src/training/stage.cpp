#include <cauchy/training/stage.hpp>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/networks/linear_parameters.hpp>
#include <cauchy/optimizers/first_order.hpp>

namespace cauchy {
namespace {

const Words<ScheduleShape> schedule_words = {{"constant", ScheduleShape::constant},
                                             {"exponential", ScheduleShape::exponential},
                                             {"cosine", ScheduleShape::cosine},
                                             {"step", ScheduleShape::step},
                                             {"plateau", ScheduleShape::plateau}};
const Words<LossTransform> transform_words = {{"none", LossTransform::none},
                                              {"square_root", LossTransform::square_root},
                                              {"logarithm", LossTransform::logarithm}};

/// The schedule of the learning rate. It ends with its stage unless it says otherwise.
void visit_schedule(Schedule& o, std::uint64_t stage_steps, OptionVisitor& v) {
  v.word("schedule", o.shape, schedule_words);
  v.count("warmup", o.warmup_steps, 0);
  const bool shrinks = o.shape == ScheduleShape::exponential || o.shape == ScheduleShape::cosine;
  if (v.gives("schedule") && shrinks && stage_steps > o.warmup_steps) {
    o.steps = stage_steps - o.warmup_steps;
  }
  v.count("schedule_steps", o.steps, 1);
  v.number("final_factor", o.final_factor, NumberRange::up_to_one);
  v.number("drop_factor", o.drop_factor, NumberRange::inside_one);
  v.count("patience", o.plateau.patience, 0);
  v.number("threshold", o.plateau.threshold, NumberRange::below_one);
  v.count("cooldown", o.plateau.cooldown, 0);
  v.number("min_factor", o.plateau.min_factor, NumberRange::up_to_one);
}

}  // namespace

void visit_options(Stage& o, OptionVisitor& v) {
  v.alternative("optimizer", "optimizer", o.method, all_optimizers(), entry_of(o.method), true);
  const OptimizerKind kind = entry_of(o.method).kind;
  v.count("steps", o.steps, 1);
  v.count("redraw", o.redraw, 0);
  v.number("max_seconds", o.max_seconds, NumberRange::not_negative);
  v.count("max_evaluations", o.max_evaluations, 0);
  v.number("target_loss", o.target_loss, NumberRange::not_negative);
  v.number("gradient_tolerance", o.gradient_tolerance, NumberRange::not_negative);
  if (kind != OptimizerKind::first_order) {
    v.number("relative_decrease", o.relative_decrease, NumberRange::below_one);
  }
  if (kind == OptimizerKind::quasi_newton) v.word("transform", o.transform, transform_words);
  visit_options(o.method, v);
  if (kind == OptimizerKind::first_order) visit_schedule(o.schedule, o.steps, v);
  v.check([&] { (void)make_optimizer(o.method, o.schedule); });
}

void check_options(const Stage& stage) {
  const auto require = [](bool good, const char* message) {
    if (!good) throw Error(message, "[training.stage]");
  };
  require(stage.transform == LossTransform::none ||
              entry_of(stage.method).kind == OptimizerKind::quasi_newton,
          "only quasi-Newton methods minimise a transformed loss");
  require(stage.max_seconds >= 0 && stage.target_loss >= 0 && stage.gradient_tolerance >= 0,
          "limits and targets of a stage must not be negative");
  require(stage.relative_decrease >= 0 && stage.relative_decrease < 1,
          "the relative decrease of a stage must be in [0, 1)");
}

std::vector<Stage> default_stages(std::size_t n_parameters, Precision precision) {
  constexpr std::size_t dense_limit = 6000;
  if (n_parameters <= dense_limit && precision == Precision::f64) {
    return {{AdamOptions{}, 500}, {QuasiNewtonOptions{}, 4000}};
  }
  return {{AdamOptions{}, 1000}, {LbfgsOptions{}, 4000}};
}

std::vector<Stage> default_stages(const Graph& network, bool linear_problem, Precision precision) {
  constexpr std::size_t most_weights = 4000;
  std::size_t weights = 0;
  for (const ParameterBlock& b : network.parameters()) {
    if (b.role != ParameterBlock::Role::constant) weights += static_cast<std::size_t>(b.size());
  }
  if (weights > most_weights || linear_parameters(network).size() != weights) {
    return default_stages(network.n_parameters(), precision);
  }
  if (linear_problem) return {{GaussNewtonOptions{}, 2}};
  return {{LevenbergMarquardtOptions{}, 100}};
}

std::unique_ptr<Optimizer> make_optimizer(const Stage& stage,
                                          std::span<const ParameterBlock> parameters,
                                          std::shared_ptr<Threads> pool) {
  OptimizerOptions options = stage.method;
  if (auto* soap = std::get_if<SoapOptions>(&options); soap != nullptr && soap->blocks.empty()) {
    for (const ParameterBlock& b : parameters) {
      if (b.role != ParameterBlock::Role::weight) continue;
      const auto rows = static_cast<std::size_t>(b.rows / b.groups);
      const auto cols = static_cast<std::size_t>(b.cols);
      for (std::size_t g = 0; g < static_cast<std::size_t>(b.groups); ++g) {
        soap->blocks.push_back({static_cast<std::size_t>(b.offset) + g * rows * cols, rows, cols});
      }
    }
  }
  if (auto* dense = std::get_if<QuasiNewtonOptions>(&options); dense != nullptr) {
    if (dense->threads == 0 && !dense->pool) dense->pool = pool;
  }
  auto optimizer = make_optimizer(options, stage.schedule);
  if (auto* first = dynamic_cast<FirstOrder*>(optimizer.get()); first != nullptr) {
    first->share(std::move(pool));
  }
  return optimizer;
}

}  // namespace cauchy
