#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/tensor/executor.hpp>

namespace cauchy::test {

/// Something to be computed: inputs, operations, one result. Its numbers, gradients and products
/// are checked on every back end.
struct TensorCase {
  std::string name;
  std::function<int(TensorGraph&)> build;  ///< returns the result
  std::map<std::string, double> known = {};
};

/// Every operation, in every variant that has code of its own.
std::vector<TensorCase> tensor_operation_cases();
/// Operations together: layers of networks, shared parameters.
std::vector<TensorCase> tensor_network_cases();

/// Parameters between -1 and 1, scales around 1.
inline std::vector<double> tensor_parameters(const TensorGraph& graph, std::uint64_t seed = 1) {
  std::vector<double> theta(graph.n_parameters());
  Rng rng(seed);
  for (const ParameterBlock& block : graph.parameters()) {
    const bool positive = block.role == ParameterBlock::Role::scale;
    for (std::ptrdiff_t i = 0; i < block.size(); ++i) {
      theta[static_cast<std::size_t>(block.offset + i)] =
          positive ? rng.uniform(0.5, 1.25) : rng.uniform(-1, 1);
    }
  }
  return theta;
}

/// n samples of every input, between -1 and 1 but at least 1/8 away from 0, where some operations
/// have kinks.
inline std::vector<std::vector<double>> tensor_inputs(const TensorGraph& graph, std::size_t n,
                                                      std::uint64_t seed = 2) {
  std::vector<std::vector<double>> inputs;
  Rng rng(seed);
  for (const TensorGraph::Input& input : graph.inputs()) {
    std::vector<double>& numbers = inputs.emplace_back(n * graph.shape(input.value).size());
    for (double& x : numbers) {
      const double u = rng.uniform(-0.875, 0.875);
      x = u < 0 ? u - 0.125 : u + 0.125;
    }
  }
  return inputs;
}

inline std::vector<std::span<const double>> spans_of(const std::vector<std::vector<double>>& all) {
  return {all.begin(), all.end()};
}

}  // namespace cauchy::test
