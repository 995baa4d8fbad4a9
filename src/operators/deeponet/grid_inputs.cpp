#include "operators/deeponet/grid_inputs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "operators/channels.hpp"  // channel_of

namespace cauchy::detail {

GridInputs::GridInputs(const DeepOnetMap& map, const OperatorProblem& problem, const DataSet& train,
                       std::size_t n_train, std::size_t known)
    : map_(map), train_(train), n_train_(n_train), known_(known) {
  for (const std::string& name : map.inputs) {
    const auto at = std::find(train.inputs.begin(), train.inputs.end(), name);
    channel_.push_back(static_cast<std::size_t>(at - train.inputs.begin()));
    std::size_t k = 0;
    while (k < problem.inputs.size() && problem.inputs[k].name != name) ++k;
    input_.push_back(k);
  }
  const bool drawn = std::all_of(input_.begin(), input_.end(),
                                 [&](std::size_t k) { return k < problem.inputs.size(); });
  if (drawn && !map.grid.is_cloud()) sampler_.emplace(problem, map.grid);
}

std::vector<double> GridInputs::operator()(std::size_t function, std::size_t input) const {
  if (function < train_.size()) {
    const auto values = channel_of(train_, function, {true, channel_[input]});
    return {values.begin(), values.end()};
  }
  if (!sampler_) {
    throw Error(fmt::format("the problem does not say how '{}' is drawn: only the functions of "
                            "the data are known",
                            map_.inputs[input]),
                "[train.physics]", "leave out samples, or give [operator] a field for it");
  }
  // Functions without answers: those of the training, then others behind all of the problem.
  const std::uint64_t number = function < n_train_ ? function : known_ + (function - n_train_);
  return sampler_->on_grid(input_[input], number);
}

TabulatedFunction GridInputs::table(std::size_t function, std::size_t input) const {
  return input_function(map_.grid, (*this)(function, input), map_.inputs[input],
                        map_.arguments[input], map_.interpolation[input]);
}

}  // namespace cauchy::detail
