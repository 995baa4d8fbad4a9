#pragma once

#include <optional>
#include <vector>

#include <cauchy/data/data_set.hpp>
#include <cauchy/data/operator_problem.hpp>

#include "data/input_sampler.hpp"
#include "operators/deeponet/deeponet_map.hpp"

namespace cauchy::detail {

/// Values of every input on the grid of the data, function by function: those of the data first,
/// then functions that are drawn.
///   n_train  functions of the training, with answers or without
///   known    samples of the problem: functions behind n_train are drawn behind all of them
class GridInputs final {
 public:
  GridInputs(const DeepOnetMap& map, const OperatorProblem& problem, const DataSet& train,
             std::size_t n_train, std::size_t known);

  /// Values on all nodes.
  ///   error    throws Error at "[train.physics]" where the problem does not say how it is drawn
  [[nodiscard]] std::vector<double> operator()(std::size_t function, std::size_t input) const;
  /// The same as a function of the coordinates.
  [[nodiscard]] TabulatedFunction table(std::size_t function, std::size_t input) const;

 private:
  const DeepOnetMap& map_;
  const DataSet& train_;
  std::size_t n_train_, known_;
  std::vector<std::size_t> channel_, input_;
  std::optional<InputSampler> sampler_;
};

}  // namespace cauchy::detail
