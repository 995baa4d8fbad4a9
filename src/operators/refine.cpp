#include <cauchy/operators/refine.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/training/training.hpp>

#include "operators/fixed_boundary.hpp"
#include "operators/operator_loss.hpp"
#include "operators/operator_target.hpp"
#include "operators/physics_energy.hpp"
#include "operators/scaled_target.hpp"
#include "operators/trained_field_operator.hpp"

namespace cauchy {
namespace {

constexpr const char* refine_place = "[refine]";

const detail::TrainedFieldOperator& field_operator(const TrainedOperator& model) {
  const auto* made = dynamic_cast<const detail::TrainedFieldOperator*>(&model);
  if (made != nullptr && made->map().channels.kind != detail::Channels::Kind::roll_out) {
    return *made;
  }
  throw Error(ErrorKind::unsupported,
              made == nullptr ? "only field networks are refined"
                              : "an answer that is rolled out step by step is not refined",
              refine_place, "train an operator that answers at once");
}

/// The physics terms alone, a mean over the one sample.
double residual_of(TensorExecutor& executor, std::span<const double> theta, bool anchored) {
  (void)executor.loss(theta);
  double sum = 0;
  for (std::size_t k = anchored ? 1 : 0; k < executor.terms().size(); ++k) {
    sum += executor.last_terms()[k];
  }
  return std::sqrt(sum);
}

/// Units of the parameters, about the fourth root of 1 / sum_x (du(x)/dtheta)^2: half of the way to
/// parameters that all move the answer alike. The squares are found from J' w of random w.
std::vector<double> units_of(TensorExecutor& executor, int answer, std::span<const double> theta,
                             int probes) {
  constexpr double least = 1e-3;  // of the mean: a parameter that moves nothing stays where it is
  std::vector<double> squares(theta.size(), 0.0), g(theta.size());
  std::vector<double> w(executor.graph().shape(answer).size());
  const Rng rng(1);
  for (int k = 0; k < probes; ++k) {
    rng.split(static_cast<std::uint64_t>(k)).fill_normal(w);
    std::ranges::fill(g, 0.0);
    executor.adjoint(answer, theta, w, g);
    for (std::size_t i = 0; i < g.size(); ++i) squares[i] += g[i] * g[i];
  }
  double mean = 0;
  for (const double s : squares) mean += s / static_cast<double>(squares.size());
  if (!(mean > 0) || !std::isfinite(mean)) return std::vector<double>(theta.size(), 1.0);
  for (double& s : squares) s = std::pow(s / mean + least, -0.25);
  return squares;
}

/// Answers with the values on the boundary put in.
std::vector<double> with_boundary(const OperatorProblem& problem,
                                  const std::vector<std::string>& fields, const FieldGrid& grid,
                                  std::vector<double> answer) {
  const auto given = detail::boundary_values(problem, fields, grid);
  if (!given) return answer;
  const auto g = std::make_shared<TensorGraph>();
  const int u = g->input("u", {static_cast<int>(fields.size()), grid.sizes()});
  const int value = detail::add_boundary_values(*g, u, grid, *given);
  const auto executor = make_tensor_executor(g, {}, {.threads = 1, .precision = Precision::f64});
  std::vector<double> made(answer.size());
  const std::span<const double> inputs[] = {answer};
  executor->predict(value, {}, 1, inputs, made);
  return made;
}

/// How many times as many cells a grid has along every axis.
int times_as_fine(const FieldGrid& fine, const FieldGrid& grid) {
  const auto cells = [](const FieldGrid::Axis& a) { return a.periodic ? a.n : a.n - 1; };
  const int k = cells(fine.axes[0]) / std::max(1, cells(grid.axes[0]));
  for (std::size_t a = 0; a < grid.axes.size(); ++a) {
    if (k < 1 || cells(fine.axes[a]) != k * cells(grid.axes[a])) {
      throw Error(
          fmt::format("the nodes of {} are not all nodes of {}", to_string(grid), to_string(fine)),
          refine_place, "take a grid with twice as many cells along every axis");
    }
  }
  return k;
}

/// Draws the inputs of a sample where the equations hold. Returns them as data without answers.
DataSet drawn_inputs(const detail::FieldMap& map, const OperatorProblem& problem,
                     const DataSet& one, const detail::PhysicsTerms& terms,
                     std::optional<std::uint64_t> number, detail::OperatorSamples& samples,
                     Threads& pool) {
  if (!number) {
    throw Error(
        "the equations need the input function itself, and nobody says which sample of the "
        "problem it is",
        refine_place, "use data that were made from the problem, and give the number");
  }
  const std::uint64_t numbers[] = {*number};
  DataSet drawn{.name = one.name, .grid = terms.grid, .inputs = map.channels.inputs};
  drawn.in = detail::physics_inputs(map, problem, one, terms.grid, numbers, false, pool);
  samples.set_physics_inputs(drawn.in, 1);
  if (terms.values) {
    samples.set_physics_values(
        detail::physics_inputs(map, problem, one, terms.grid, numbers, true, pool));
  }
  return drawn;
}

/// What is minimised and how, as a training in double precision with one sample.
FieldOperator method_of(const detail::FieldMap& map, const RefineOptions& options) {
  FieldOperator method;
  method.network = map.network;
  method.batch = 0;
  method.loss = OperatorLoss::mean_square;
  method.precision = Precision::f64;
  method.physics = options.physics;
  method.physics.samples = 0;
  method.physics.data = options.anchor;
  method.stages = options.stages;
  if (method.stages.empty()) method.stages = {{LbfgsOptions{}, options.steps}};
  check_options(OperatorMethod(method));
  return method;
}

/// The sign of the energy for the input functions of the sample; 0: none.
int sign_for(const detail::FieldMap& map, const PhysicsLoss& physics,
             const OperatorProblem& problem, const detail::PhysicsTerms& terms,
             const detail::OperatorSamples& samples, const std::shared_ptr<Threads>& pool) {
  const char* name = terms.values       ? detail::physics_input_values
                     : terms.own_inputs ? detail::physics_input
                                        : "in";
  std::vector<double> values(samples.width(name));
  samples.read(0, name, values);
  return detail::energy_sign(map, physics, problem, terms, values, pool);
}

/// The last term in units of what it is now.
void scale_last_term(TensorExecutor& executor, double weight) {
  const double size = std::abs(executor.last_terms().back()) / weight;
  if (size > 0 && std::isfinite(size)) {
    executor.set_weight(executor.terms().size() - 1, weight / size);
  }
}

}  // namespace

Refinement refine(const TrainedOperator& model, const OperatorProblem& problem, const DataSet& data,
                  std::size_t sample, const RefineOptions& options, const RunOptions& run) {
  const detail::TrainedFieldOperator& trained = field_operator(model);
  if (sample >= data.size()) {
    throw Error(ErrorKind::not_found,
                fmt::format("there is no sample {} in a data set of {}", sample, data.size()),
                refine_place, fmt::format("they are numbered from 0 to {}", data.size() - 1));
  }
  if (!(options.physics.weight > 0) || !(options.anchor >= 0)) {
    throw Error("the weight of the equations must be positive, and the anchor not negative",
                refine_place);
  }
  DataSet one = data.part(sample, 1);
  Refinement made;
  made.before = model.predict(one, run.threads);
  DataSet anchor = one;
  if (anchor.outputs.empty()) anchor.outputs = model.outputs();
  anchor.out = made.before;

  detail::FieldMap map = trained.map();
  map.grid = one.grid;
  map.input = map.input.on(one.grid);
  map.output = map.output.on(one.grid);
  map.precision = Precision::f64;
  const FieldOperator method = method_of(map, options);

  const auto pool = std::make_shared<Threads>(run.threads);
  detail::OperatorSamples samples(map.channels, anchor, 1, detail::norm_of(method.loss, map.grid),
                                  1, 0);
  detail::PhysicsTerms terms = detail::physics_terms(map, method, problem);
  const int fine = terms.own_inputs ? times_as_fine(terms.grid, map.grid) : 1;
  terms.sizes = detail::physics_sizes(map, method, problem, samples, pool);
  const DataSet asked = terms.own_inputs
                            ? drawn_inputs(map, problem, one, terms, options.number, samples, *pool)
                            : one;
  if (options.exact_boundary && method.physics.derivative != GridDerivative::exact) {
    terms.boundary = detail::boundary_values(problem, map.channels.fields, terms.grid);
    const auto has_ends = [](const FieldGrid::Axis& axis) { return !axis.periodic; };
    made.exact_boundary =
        terms.boundary && std::any_of(terms.grid.axes.begin(), terms.grid.axes.end(), has_ends);
  }
  const auto loss_of = [&] {
    return detail::make_loss(map, method, problem, samples.table().times, 1, &terms);
  };
  const auto executor_of = [&](const detail::LossGraph& loss) {
    return make_tensor_executor(loss.graph, loss.terms,
                                {.pool = pool, .precision = Precision::f64});
  };
  const detail::LossGraph residuals = loss_of();
  const auto measured = executor_of(residuals);
  const std::vector<double> theta = trained.theta();
  detail::OperatorTarget all(*measured, samples, {.batch = 0}, {}, 0);
  all.start();
  (void)all.objective().value(theta);  // the sample is the batch from now on
  made.residual_before = residual_of(*measured, theta, options.anchor > 0);
  if (options.energy) terms.energy = sign_for(map, method.physics, problem, terms, samples, pool);
  made.energy = terms.energy != 0;
  const detail::LossGraph loss = loss_of();
  const auto executor = executor_of(loss);
  detail::OperatorTarget target(*executor, samples, {.batch = 0}, {}, 0);
  TrainingSetup setup{.stages = method.stages,
                      .parameters = loss.graph->parameters(),
                      .pool = pool,
                      .fingerprint = "refinement"};
  for (const TensorTerm& t : loss.terms) setup.record.term_names.push_back(t.name);
  target.start();
  (void)target.objective().value(theta);
  if (made.energy) scale_last_term(*executor, options.physics.weight);
  const bool scaled = options.stages.empty() && options.probes > 0;
  detail::ScaledTarget in_units(target,
                                scaled ? units_of(*executor, loss.answer, theta, options.probes)
                                       : std::vector<double>(theta.size(), 1.0));
  TrainingResult result = train(scaled ? static_cast<TrainingTarget&>(in_units) : target,
                                scaled ? in_units.to_units(theta) : theta, setup, run);
  if (scaled) result.theta = in_units.from_units(result.theta);
  made.residual_after = residual_of(*measured, result.theta, options.anchor > 0);
  made.training = std::move(result.record);
  made.seconds = result.seconds;
  made.model = std::make_shared<detail::TrainedFieldOperator>(std::move(map), result.theta);
  made.after = made.model->predict(asked, run.threads);
  if (made.exact_boundary) {
    made.after = with_boundary(problem, made.model->outputs(), terms.grid, std::move(made.after));
  }
  if (fine > 1) {
    DataSet answer = asked;
    answer.outputs = made.model->outputs();
    answer.out = std::move(made.after);
    made.after = answer.thinned(fine).out;
  }
  if (!one.out.empty()) {
    made.error_before = measure(made.before, one);
    made.error_after = measure(made.after, one);
  }
  return made;
}

}  // namespace cauchy
