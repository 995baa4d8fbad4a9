#pragma once

#include <memory>
#include <span>

#include <cauchy/base/threads.hpp>
#include <cauchy/engine/parameters.hpp>

#include "operators/deeponet/deeponet_map.hpp"

namespace cauchy::detail {

/// The branch of a DeepONet over many functions: numbers of its products and their adjoints.
///   determinism  same bits for any number of threads
///   sharing      one caller at a time
class BranchModel {
 public:
  virtual ~BranchModel() = default;
  [[nodiscard]] virtual std::span<const ParameterBlock> parameters() const = 0;
  [[nodiscard]] virtual std::size_t n_parameters() const = 0;
  /// The functions, row-major n x DeepOnetMap::branch_inputs().
  virtual void set(std::span<const double> rows) = 0;
  /// Row-major n x DeepOnetMap::n_products().
  virtual void forward(std::span<const double> theta, std::span<double> out) = 0;
  /// The gradient of sum(seeds * forward), written.
  virtual void adjoint(std::span<const double> theta, std::span<const double> seeds,
                       std::span<double> gradient) = 0;
};

/// By the jet engine, or by the tensor engine for a branch on a grid.
[[nodiscard]] std::unique_ptr<BranchModel> make_branch(const DeepOnetMap& map,
                                                       std::shared_ptr<Threads> pool,
                                                       Precision precision);

}  // namespace cauchy::detail
