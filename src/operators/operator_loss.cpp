#include "operators/operator_loss.hpp"

#include "operators/ensemble_loss.hpp"

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
///   noise   of an ensemble: channels from `first` on are those of the first step
///   blocks  parameters from there on are used again; -1: new ones
int add_steps(TensorGraph& g, const FieldMap& map, int in, std::size_t steps, int noise = -1,
              int first = 0, std::ptrdiff_t blocks = -1) {
  const auto noise_at = [&](std::size_t k) {
    if (noise < 0) return -1;
    return g.slice(noise, first + static_cast<int>(k) * map.n_noise(), map.n_noise());
  };
  if (blocks >= 0) g.reuse(static_cast<std::size_t>(blocks));
  if (steps == 1) {
    const int answer = map.add(g, in, map.grid, {}, noise_at(0));
    if (blocks >= 0) g.stop_reuse();
    return answer;
  }
  const auto fields = static_cast<int>(map.channels.fields.size());
  const std::size_t history = map.channels.history;
  std::vector<int> frames = frames_in(g, in, history, fields);
  const auto fixed = static_cast<int>(map.channels.fixed.size());
  const int rest = fixed > 0 ? g.slice(in, static_cast<int>(history) * fields, fixed) : -1;
  const std::size_t first_block =
      blocks >= 0 ? static_cast<std::size_t>(blocks) : g.parameters().size();
  for (std::size_t k = 0; k < steps; ++k) {
    std::vector<int> seen(frames.end() - static_cast<std::ptrdiff_t>(history), frames.end());
    if (rest >= 0) seen.push_back(rest);
    const int x = k == 0 ? in : seen.size() == 1 ? seen[0] : g.concatenate(seen);
    if (k > 0) g.reuse(first_block);
    frames.push_back(map.add(g, x, map.grid, {}, noise_at(k)));
    if (k > 0 || blocks >= 0) g.stop_reuse();
  }
  return g.concatenate(std::span(frames).last(steps));
}

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
  for (int m = 0; m < ensemble.members; ++m) {
    answers.push_back(add_steps(g, map, in, steps, noise, m * per_member, m > 0 ? 0 : -1));
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
    if (physics->values) in = g.input(physics_input_values, {n_in, physics->grid.sizes()});
    for (TensorTerm& term :
         add_physics(g, map, method.physics, problem, *physics, in, answer, times)) {
      made.terms.push_back(std::move(term));
    }
  }
  made.graph = std::move(graph);
  return made;
}

}  // namespace cauchy::detail
