#include "operators/deeponet/deeponet_samples.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>

#include "operators/deeponet/data_pools.hpp"
#include "operators/deeponet/grid_inputs.hpp"
#include "operators/deeponet/physics_pools.hpp"
#include "operators/deeponet/principal_functions.hpp"

namespace cauchy::detail {
namespace {

/// Values of all functions at the sensors, and what normalises them.
void put_sensors(DeepOnetSamples& samples, DeepOnetMap& map, const GridInputs& inputs,
                 Threads& pool) {
  const std::size_t n = samples.n_functions, m = map.n_sensors(), width = map.branch_inputs();
  samples.sensors.resize(n * width);
  pool.run(n, [&](std::size_t f, int) {
    for (std::size_t i = 0; i < map.inputs.size(); ++i) {
      std::ranges::copy(map.at_sensors(map.grid, inputs(f, i), i),
                        samples.sensors.begin() + static_cast<std::ptrdiff_t>(f * width + i * m));
    }
  });
  for (std::size_t i = 0; i < map.inputs.size(); ++i) {
    double sum = 0, squares = 0;
    for (std::size_t f = 0; f < n; ++f) {
      for (std::size_t k = 0; k < m; ++k) sum += samples.sensors[f * width + i * m + k];
    }
    const double mean = sum / static_cast<double>(n * m);
    for (std::size_t f = 0; f < n; ++f) {
      for (std::size_t k = 0; k < m; ++k) {
        const double v = samples.sensors[f * width + i * m + k] - mean;
        squares += v * v;
      }
    }
    const double deviation = std::sqrt(squares / static_cast<double>(n * m));
    map.input_mean[i] = mean;
    map.input_deviation[i] = deviation > 0 && std::isfinite(deviation) ? deviation : 1;
    for (std::size_t f = 0; f < n; ++f) {
      for (std::size_t k = 0; k < m; ++k) {
        double& v = samples.sensors[f * width + i * m + k];
        v = (v - mean) / map.input_deviation[i];
      }
    }
  }
}

}  // namespace

DeepOnetSamples make_deeponet_samples(DeepOnetMap& map, const OperatorProblem& problem,
                                      const DataSet& train, const Triples& triples,
                                      std::size_t n_train, std::size_t known, Threads& pool) {
  const DeepOnetPhysics& physics = map.method.physics;
  DeepOnetSamples samples;
  const bool data = physics.data > 0, equations = physics.weight > 0;
  const bool by_triples = data && !triples.empty();
  if (by_triples && map.method.pod) {
    throw Error(ErrorKind::unsupported, "principal functions are those of answers on one grid",
                "[train]", "leave out pod, or the triples");
  }
  if (data && !by_triples && train.size() == 0) {
    throw Error(ErrorKind::not_found, "there is no sample to train on", "[operators]",
                "give [operator] samples = 1 or more, or [train.physics] data = 0");
  }
  if (equations && !problem.problem.domain) {
    throw Error("the problem has no equations and no domain", "[train.physics]",
                "leave out the physics");
  }
  samples.n_labelled = data ? train.size() : 0;
  if (equations) samples.n_physics = physics.samples > 0 ? physics.samples : n_train;
  samples.n_functions = std::max(samples.size(), by_triples ? n_train : 0);
  const GridInputs inputs(map, problem, train, n_train, known);
  put_sensors(samples, map, inputs, pool);
  if (by_triples) {
    samples.pools.push_back(triples_pool(map, triples, n_train, inputs, samples));
  } else if (data) {
    const AnswerPoints answers = answer_points(map, train);
    put_output_sizes(map, answers, train);
    if (map.method.pod) put_principal_functions(map, answers, train);
    samples.pools.push_back(data_pool(map, answers, train, inputs, pool));
  }
  if (equations) {
    for (auto& made : physics_pools(map, problem, inputs, samples.n_functions, data, pool)) {
      samples.pools.push_back(std::move(made));
    }
  }
  return samples;
}

}  // namespace cauchy::detail
