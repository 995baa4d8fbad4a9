#include <cauchy/dynamics/dynamics_method.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

namespace cauchy {
namespace {

const Words<StartRule> start_words = {
    {"data", StartRule::data}, {"trained", StartRule::trained}, {"affine", StartRule::affine}};
const Words<ReadOut> read_out_words = {{"states", ReadOut::states}, {"affine", ReadOut::affine}};
const Words<FlowGradient> gradient_words = {{"discrete", FlowGradient::discrete},
                                            {"continuous", FlowGradient::continuous}};

const Words<RowCell> cell_words = {{"gru", RowCell::gru}, {"lstm", RowCell::lstm}};

void check_stages_of_dynamics(const std::vector<Stage>& stages, std::size_t batch) {
  for (const Stage& stage : stages) {
    check_options(stage);
    const OptimizerEntry& entry = entry_of(stage.method);
    if (entry.kind == OptimizerKind::least_squares) {
      throw Error(fmt::format("{} needs rows of residuals, which the loss of trajectories does "
                              "not give",
                              entry.name),
                  "[train]", "use adam, soap, lbfgs or ssbroyden");
    }
    if (stage.redraw != 0) {
      throw Error("trajectories have no points to be drawn anew", "[train]", "remove redraw");
    }
    if (stage.schedule.shape == ScheduleShape::plateau && batch != 0) {
      throw Error(
          "the schedule 'plateau' compares losses of steps, which belong to different "
          "pieces",
          "[train]", "use schedule = \"cosine\", or batch = 0");
    }
  }
}

void check_method(const NeuralOde& o) {
  check_stages_of_dynamics(o.stages, o.batch);
  if (o.gradient == FlowGradient::continuous &&
      (o.flow.scheme == FlowScheme::esdirk || o.flow.steps > 0)) {
    throw Error("the continuous adjoint is integrated by adaptive explicit pairs", "[train]",
                "use scheme = \"dopri5\" or \"dop853\" without steps, or gradient = \"discrete\"");
  }
  for (const std::size_t w : o.windows) {
    if (w != 1) continue;
    throw Error("a window of one row has nothing to learn from", "[train]",
                "give 2 or more, or 0: whole trajectories");
  }
}

void check_method(const LatentOde& o) {
  check_stages_of_dynamics(o.stages, 1);
  for (const Stage& stage : o.stages) {
    if (entry_of(stage.method).kind == OptimizerKind::first_order || o.kl == 0) continue;
    throw Error(fmt::format("the starts of a latent ODE are drawn anew at every step, which {} "
                            "cannot bear",
                            entry_of(stage.method).name),
                "[train]", "use adam or soap, or kl = 0 behind them");
  }
}

void check_method(const OdeRnn& o) {
  check_stages_of_dynamics(o.stages, 1);
  if (!(o.drop >= 0 && o.drop < 1)) {
    throw Error(fmt::format("the share of rows that are not shown must be below 1, got {}", o.drop),
                "[train]", "drop = 0.3");
  }
  for (const Stage& stage : o.stages) {
    if (entry_of(stage.method).kind == OptimizerKind::first_order || o.drop == 0) continue;
    throw Error(fmt::format("rows are dropped anew at every step, which {} cannot bear",
                            entry_of(stage.method).name),
                "[train]", "use adam or soap, or drop = 0");
  }
}

void visit_options(OdeRnn& o, OptionVisitor& v) {
  v.count("units", o.units, 1, 10'000);
  v.word("cell", o.cell, cell_words);
  v.section("network", o.network);
  v.section("flow", o.flow);
  v.number("drop", o.drop, NumberRange::not_negative);
  v.seed("seed", o.seed);
  v.list("stage", o.stages);
  v.check([&] { check_method(o); });
}

void visit_options(LatentOde& o, OptionVisitor& v) {
  v.count("latent", o.latent, 1, 1000);
  v.count("units", o.units, 1, 10'000);
  v.word("cell", o.cell, cell_words);
  v.section("network", o.network);
  v.section("flow", o.flow);
  v.number("kl", o.kl, NumberRange::not_negative);
  v.seed("seed", o.seed);
  v.list("stage", o.stages);
  v.check([&] { check_method(o); });
}

void visit_options(NeuralOde& o, OptionVisitor& v) {
  v.section("network", o.network);
  v.section("flow", o.flow);
  v.word("gradient", o.gradient, gradient_words);
  v.word("start", o.start, start_words);
  v.word("read_out", o.read_out, read_out_words);
  std::vector<double> windows(o.windows.begin(), o.windows.end());
  v.numbers("windows", windows, NumberRange::not_negative);
  v.check([&] {
    for (const double w : windows) {
      if (w == std::floor(w) && w <= 1e9) continue;
      throw Error(fmt::format("a number of rows must be whole, got {}", w), "[train]");
    }
  });
  o.windows.clear();
  for (const double w : windows) o.windows.push_back(static_cast<std::size_t>(w));
  v.count("batch", o.batch, 0);
  v.seed("seed", o.seed);
  v.list("stage", o.stages);
  v.check([&] { check_method(o); });
}

}  // namespace

const std::vector<DynamicsMethodEntry>& all_dynamics_methods() {
  static const std::vector<DynamicsMethodEntry> all = {
      {"neural_ode", "a vector field (equations, network or both) is fitted to trajectories",
       NeuralOde{}},
      {"latent_ode", "an ODE-RNN encodes rows with gaps, a hidden field is integrated and read out",
       LatentOde{}},
      {"ode_rnn", "a hidden state flows between rows, and takes up each of them by a gated unit",
       OdeRnn{}}};
  return all;
}

const DynamicsMethodEntry& entry_of(const DynamicsMethod& method) {
  return all_dynamics_methods()[method.index()];
}

void visit_options(DynamicsMethod& method, OptionVisitor& v) {
  v.alternative("kind", "dynamics method", method, all_dynamics_methods(), entry_of(method));
  std::visit([&](auto& options) { visit_options(options, v); }, method);
}

void check_options(const DynamicsMethod& method) {
  std::visit([](const auto& options) { check_method(options); }, method);
}

std::vector<Stage>& stages_of(DynamicsMethod& method) {
  return std::visit([](auto& o) -> std::vector<Stage>& { return o.stages; }, method);
}

std::uint64_t& seed_of(DynamicsMethod& method) {
  return std::visit([](auto& o) -> std::uint64_t& { return o.seed; }, method);
}

}  // namespace cauchy
