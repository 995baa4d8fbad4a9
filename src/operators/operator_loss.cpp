#include "operators/operator_loss.hpp"

#include "operators/ensemble_loss.hpp"
#include "operators/fixed_boundary.hpp"

namespace cauchy::detail {
namespace {

/// A relative error of this size counts as none: the square root has no derivative at 0.
double least_error(Precision precision) { return precision == Precision::f64 ? 1e-15 : 1e-7; }

/// Frames of a roll-out as values: slices of a value of many frames.
std::vector<int> frames_in(TensorGraph& g, int value, std::size_t n, int fields) {
  if (n == 1 && g.shape(value).channels == fields) return {value};
  std::vector<int> all;
  for (std::size_t k = 0; k < n; ++k) {
    all.push_back(g.slice(value, static_cast<int>(k) * fields, fields));
  }
  return all;
}

/// The network again and again: [steps x fields, grid].
int add_steps(TensorGraph& g, const FieldMap& map, int in, std::size_t steps) {
  if (steps == 1) return map.add(g, in, map.grid, {});
  const auto fields = static_cast<int>(map.channels.fields.size());
  const std::size_t history = map.channels.history;
  std::vector<int> frames = frames_in(g, in, history, fields);
  const auto fixed = static_cast<int>(map.channels.fixed.size());
  const int rest = fixed > 0 ? g.slice(in, static_cast<int>(history) * fields, fixed) : -1;
  const std::size_t first_block = g.parameters().size();
  for (std::size_t k = 0; k < steps; ++k) {
    std::vector<int> seen(frames.end() - static_cast<std::ptrdiff_t>(history), frames.end());
    if (rest >= 0) seen.push_back(rest);
    const int x = k == 0 ? in : seen.size() == 1 ? seen[0] : g.concatenate(seen);
    if (k > 0) g.reuse(first_block);
    frames.push_back(map.add(g, x, map.grid, {}));
    if (k > 0) g.stop_reuse();
  }
  return g.concatenate(std::span(frames).last(steps));
}

/// The network of an ensemble in a graph: built once, then the same operations with the same
/// parameters and tables for every member and step.
class MemberSteps final {
 public:
  MemberSteps(TensorGraph& graph, const FieldMap& map) : g_(graph), map_(map) {}

  /// One member: [steps x fields, grid]; noise: channels of all steps, one behind the other.
  int add(int in, std::size_t steps, int noise) {
    const auto fields = static_cast<int>(map_.channels.fields.size());
    const auto fixed = static_cast<int>(map_.channels.fixed.size());
    const auto history = static_cast<int>(map_.channels.history);
    const int K = map_.n_noise();
    std::vector<int> frames = frames_in(g_, in, static_cast<std::size_t>(history), fields);
    const int rest = fixed > 0 ? g_.slice(in, history * fields, fixed) : -1;
    for (std::size_t k = 0; k < steps; ++k) {
      std::vector<int> seen(frames.end() - history, frames.end());
      if (rest >= 0) seen.push_back(rest);
      seen.push_back(g_.slice(noise, static_cast<int>(k) * K, K));
      frames.push_back(step(g_.concatenate(seen)));
    }
    return steps == 1 ? frames.back() : g_.concatenate(std::span(frames).last(steps));
  }

 private:
  int step(int seen) {
    if (answer_ >= 0) return g_.again(answer_, seen_, seen);
    seen_ = seen;
    const auto n_in = static_cast<int>(map_.n_in());
    const int in = g_.slice(seen, 0, n_in), noise = g_.slice(seen, n_in, map_.n_noise());
    return answer_ = map_.add(g_, in, map_.grid, {}, noise);
  }

  TensorGraph& g_;
  const FieldMap& map_;
  int seen_ = -1, answer_ = -1;
};

}  // namespace

FieldNorm norm_of(OperatorLoss loss, const FieldGrid& grid) {
  if (loss == OperatorLoss::sphere || loss == OperatorLoss::crps) return FieldNorm::on_sphere(grid);
  return FieldNorm(grid, loss == OperatorLoss::relative_h1);
}

int add_error(TensorGraph& g, int answer, int truth, int scale, const FieldNorm& norm,
              const RelativeError& o) {
  const std::size_t channels = o.field.size(), groups = o.steps * o.n_fields;
  const std::size_t per_step = channels / o.steps;
  const int squares = norm.add_squared(g, g.subtract(answer, truth));
  const int row = g.reshape(squares, {1, {static_cast<int>(channels)}});
  std::vector<double> to_groups(groups * channels, 0.0), to_steps(o.steps * groups, 0.0);
  for (std::size_t c = 0; c < channels; ++c) {
    to_groups[(c / per_step * o.n_fields + o.field[c]) * channels + c] = 1;
  }
  for (std::size_t i = 0; i < groups; ++i) {
    to_steps[i / o.n_fields * groups + i] = 1 / static_cast<double>(o.n_fields);
  }
  int v = g.multiply(g.along(row, 0, static_cast<int>(groups), std::move(to_groups)), scale);
  v = g.along(v, 0, static_cast<int>(o.steps), std::move(to_steps));
  const double least = least_error(o.precision);
  v = g.add(v, g.constant({1, {}}, {least * least}));
  return g.reduce(g.activation(v, Activation::sqrt));
}

namespace {

/// The error of an answer against the truth of the data.
int add_data_loss(TensorGraph& g, const FieldMap& map, const FieldOperator& method, int answer,
                  const std::vector<std::size_t>& field, std::size_t steps) {
  const std::size_t F = map.channels.fields.size();
  const int truth = g.input("out", g.shape(answer));
  if (method.loss != OperatorLoss::mean_square && method.loss != OperatorLoss::sphere) {
    const int scale = g.input("scale", {1, {static_cast<int>(steps * F)}});
    return add_error(g, answer, truth, scale, norm_of(method.loss, map.grid),
                     {field, F, steps, method.precision});
  }
  std::vector<std::size_t> all;  // channels of the normalisation
  const bool by_field = map.channels.kind != Channels::Kind::all;
  for (std::size_t c = 0; c < field.size(); ++c) all.push_back(by_field ? field[c] : c);
  const Normalizer units = map.units().picked(all);
  const int misfit = units.add_scaled(g, g.subtract(answer, truth));
  const FieldNorm norm = norm_of(method.loss, map.grid);
  const auto n = static_cast<double>(field.size());
  const int row = g.reshape(norm.add_squared(g, misfit), {1, {static_cast<int>(field.size())}});
  return g.reduce(row, std::vector<double>(field.size(), 1 / (n * norm.measure())));
}

/// Field of each channel of an answer.
std::vector<std::size_t> answer_fields(const FieldMap& map, std::size_t steps) {
  const std::size_t F = map.channels.fields.size();
  std::vector<std::size_t> field;
  if (map.channels.kind == Channels::Kind::roll_out) {
    for (std::size_t i = 0; i < steps * F; ++i) field.push_back(i % F);
    return field;
  }
  return table_of(map.channels, DataSet{.name = "",
                                        .grid = map.grid,
                                        .inputs = map.channels.inputs,
                                        .outputs = map.channels.outputs})
      .field;
}

/// Members of an ensemble against the truth of the data.
LossGraph make_ensemble_loss(const FieldMap& map, const Ensemble& ensemble, std::size_t steps) {
  auto graph = std::make_shared<TensorGraph>();
  TensorGraph& g = *graph;
  const auto per_member = static_cast<int>(steps) * map.n_noise();
  const int in = g.input("in", {static_cast<int>(map.n_in()), map.grid.sizes()});
  const int noise = g.input(noise_input, {ensemble.members * per_member, map.grid.sizes()});
  std::vector<int> answers;
  MemberSteps network(g, map);
  for (int m = 0; m < ensemble.members; ++m) {
    answers.push_back(network.add(in, steps, g.slice(noise, m * per_member, per_member)));
  }
  const int truth = g.input("out", g.shape(answers[0]));
  const Normalizer units = map.units().picked(answer_fields(map, steps));
  for (int& a : answers) a = units.add_scaled(g, g.subtract(a, truth));
  LossGraph made;
  made.terms.push_back({"crps", add_spatial_crps(g, answers, map.grid), 1});
  if (ensemble.spectral > 0) {
    made.terms.push_back({"spectrum", add_spectral_crps(g, answers, map.grid), ensemble.spectral});
  }
  made.graph = std::move(graph);
  return made;
}

}  // namespace

LossGraph make_loss(const FieldMap& map, const FieldOperator& method,
                    const OperatorProblem& problem, const std::vector<double>& times,
                    std::size_t steps, const PhysicsTerms* physics) {
  if (map.ensemble) return make_ensemble_loss(map, *map.ensemble, steps);
  auto graph = std::make_shared<TensorGraph>();
  TensorGraph& g = *graph;
  const auto n_in = static_cast<int>(map.n_in());
  const auto add_network = [&](int x, const FieldGrid& grid, GridDerivative derivative) {
    if (map.channels.kind != Channels::Kind::roll_out || derivative == GridDerivative::exact) {
      return add_answer(g, map, x, grid, times, derivative);
    }
    return MapAnswer{add_steps(g, map, x, steps)};
  };
  LossGraph made;
  const bool data = method.physics.data > 0, twice = data && physics && physics->own_inputs;
  const GridDerivative derivative = method.physics.derivative;
  int in = -1;
  MapAnswer answer;
  if (data) {
    in = g.input("in", {n_in, map.grid.sizes()});
    answer =
        add_network(in, map.grid, physics && !twice ? derivative : GridDerivative::difference_3);
    made.terms.push_back(
        {"data", add_data_loss(g, map, method, answer.value, answer_fields(map, steps), steps),
         method.physics.data});
  }
  if (physics) {
    if (twice || !data) {
      const char* name = physics->own_inputs ? physics_input : "in";
      in = g.input(name, {n_in, physics->grid.sizes()});
      if (twice) g.reuse(0);
      answer = add_network(in, physics->grid, derivative);
      if (twice) g.stop_reuse();
    }
    if (physics->boundary) {
      answer.value = add_boundary_values(g, answer.value, physics->grid, *physics->boundary);
    }
    if (physics->values) in = g.input(physics_input_values, {n_in, physics->grid.sizes()});
    for (TensorTerm& term :
         add_physics(g, map, method.physics, problem, *physics, in, answer, times)) {
      made.terms.push_back(std::move(term));
    }
  }
  made.answer = answer.value;
  made.graph = std::move(graph);
  return made;
}

}  // namespace cauchy::detail
