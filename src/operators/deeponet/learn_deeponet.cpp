#include "operators/deeponet/learn_deeponet.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/training/training.hpp>

#include "operators/deeponet/deeponet_target.hpp"
#include "operators/deeponet/sensor_check.hpp"
#include "operators/deeponet/trained_deeponet.hpp"
#include "operators/learn_parts.hpp"

namespace cauchy::detail {
namespace {

constexpr std::uint64_t use_of_deeponet_parameters = 0;

/// The blocks of branch and trunk as one list.
std::vector<ParameterBlock> blocks_of(const DeepOnetMap& map,
                                      const std::shared_ptr<Threads>& pool) {
  const auto branch = make_branch(map, pool, map.method.precision);
  std::vector<ParameterBlock> all(branch->parameters().begin(), branch->parameters().end());
  const auto n = static_cast<std::ptrdiff_t>(branch->n_parameters());
  const auto first = static_cast<int>(all.size());
  const Graph trunk = map.trunk_graph();
  for (ParameterBlock block : trunk.parameters()) {
    block.offset += n;
    if (block.divides >= 0) block.divides += first;
    if (block.norms >= 0) block.norms += first;
    all.push_back(std::move(block));
  }
  return all;
}

/// Those that samples may be met in: answers on a grid, functions on a grid of sensors, and no
/// points of equations, which no symmetry carries to each other.
Symmetries symmetries_for(const DeepOnetMap& map, const OperatorProblem& problem,
                          const DeepOnetSamples& samples) {
  const bool triples = std::any_of(samples.pools.begin(), samples.pools.end(),
                                   [](const auto& pool) { return !pool.first_row.empty(); });
  if (!map.method.augment || samples.n_physics > 0 || triples || map.grid.is_cloud() ||
      map.sensors.is_cloud()) {
    return {};
  }
  return symmetries_of(problem, map.grid);
}

}  // namespace

void check_deeponet(const OperatorProblem& problem, const DataSet& shape, const DeepOnet& method) {
  (void)make_deeponet_map(problem, shape, method);
}

OperatorResult learn_deeponet(const OperatorProblem& problem, const DataSet& data,
                              const DeepOnet& method, const RunOptions& given) {
  const std::size_t first = unlabelled(problem, method, data);
  const LearningData all = cut_data(split_of(problem, data, method), data, first);
  const auto pool = std::make_shared<Threads>(given.threads);
  auto map = std::make_unique<DeepOnetMap>(make_deeponet_map(problem, data, method));
  const std::size_t known = std::max(problem.total(), first + data.size());
  const DeepOnetSamples samples =
      make_deeponet_samples(*map, problem, all.train, data.triples, all.split.train, known, *pool);
  std::vector<Term> terms;
  for (const DeepOnetSamples::Pool& p : samples.pools) terms.push_back(p.term);
  const auto executor = make_deeponet_executor(*map, terms, pool, method.precision);
  DeepOnetPredictor predictor(*map, pool);
  const bool validation = all.validation.size() > 0;
  EpochLog::Validation error;
  if (validation) {
    error = [&](std::span<const double> theta) {
      return measure(predictor(theta, all.validation), all.validation).mean_l2();
    };
  }
  DeepOnetTarget target(*executor, samples, method, error);
  const Symmetries symmetries = symmetries_for(*map, problem, samples);
  if (symmetries.any()) target.use_symmetries(symmetries, map->grid, map->sensors);
  const std::vector<ParameterBlock> blocks = blocks_of(*map, pool);
  TrainingSetup setup{.stages = method.stages,
                      .parameters = blocks,
                      .pool = pool,
                      .fingerprint = learning_fingerprint(method, data, all.split)};
  RunOptions options = given;
  watch_epochs(setup, options, target.log(), target.steps_per_epoch(), method.epochs, validation);
  if (symmetries.any()) {
    setup.record.choices.push_back(
        fmt::format("symmetries of the equations: {}; every sample is met in all of them",
                    symmetries.describe(map->grid)));
  }
  for (const Term& t : terms) setup.record.term_names.push_back(t.name);
  setup.finished_every = 1;
  setup.finished = [&](std::span<const double> theta, std::uint64_t step) {
    return target.after_step(theta, step);
  };
  std::vector<double> theta = initial_parameters(
      blocks, Rng(method.seed).split(use_of_deeponet_parameters), method.initialize);
  TrainingResult trained = train(target, std::move(theta), setup, options);
  const OperatorLoss loss = method.relative ? OperatorLoss::relative_l2 : OperatorLoss::mean_square;
  OperatorResult result =
      finish_learning(problem, all, std::move(trained), target.log(), loss, pool->size(),
                      [&](std::vector<double> found) {
                        return std::make_shared<TrainedDeepOnet>(*map, std::move(found));
                      });
  for (std::string& text : sensor_cautions(*map, problem, all.train)) {
    result.findings.push_back(std::move(text));
  }
  return result;
}

}  // namespace cauchy::detail
