#include <cauchy/operators/refine.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/training/training.hpp>

#include "operators/operator_loss.hpp"
#include "operators/operator_target.hpp"
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
  FieldOperator method;
  method.network = map.network;
  method.batch = 0;
  method.loss = OperatorLoss::mean_square;
  method.precision = Precision::f64;
  method.physics = options.physics;
  method.physics.grid.clear();
  method.physics.samples = 0;
  method.physics.data = options.anchor;
  method.stages = options.stages;
  if (method.stages.empty()) method.stages = {{LbfgsOptions{}, options.steps}};
  check_options(OperatorMethod(method));

  const auto pool = std::make_shared<Threads>(run.threads);
  const detail::OperatorSamples samples(map.channels, anchor, 1,
                                        detail::norm_of(method.loss, map.grid), 1, 0);
  detail::PhysicsTerms terms = detail::physics_terms(map, method);
  terms.sizes = detail::physics_sizes(map, method, problem, samples, pool);
  const detail::LossGraph loss =
      detail::make_loss(map, method, problem, samples.table().times, 1, &terms);
  const auto executor =
      make_tensor_executor(loss.graph, loss.terms, {.pool = pool, .precision = Precision::f64});
  detail::OperatorTarget target(*executor, samples, {.batch = 0}, {}, 0);
  TrainingSetup setup{.stages = method.stages,
                      .parameters = loss.graph->parameters(),
                      .pool = pool,
                      .fingerprint = "refinement"};
  for (const TensorTerm& t : loss.terms) setup.record.term_names.push_back(t.name);
  target.start();
  (void)target.objective().value(trained.theta());
  made.residual_before = residual_of(*executor, trained.theta(), options.anchor > 0);
  TrainingResult result = train(target, trained.theta(), setup, run);
  made.residual_after = residual_of(*executor, result.theta, options.anchor > 0);
  made.training = std::move(result.record);
  made.seconds = result.seconds;
  made.model = std::make_shared<detail::TrainedFieldOperator>(std::move(map), result.theta);
  made.after = made.model->predict(one, run.threads);
  if (!one.out.empty()) {
    made.error_before = measure(made.before, one);
    made.error_after = measure(made.after, one);
  }
  return made;
}

}  // namespace cauchy
