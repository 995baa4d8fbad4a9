#pragma once

#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/data/operator_problem.hpp>

#include "operators/deeponet/deeponet_samples.hpp"
#include "operators/deeponet/grid_inputs.hpp"

namespace cauchy::detail {

/// Terms of the equations and conditions, as a PINN has them, with the values of the input
/// functions at their points. Without data it completes the sizes of the outputs.
///   sizes_from_data  the map knows the sizes of its outputs
///   error            throws Error (unsupported) for integrals and unknown constants, Error where
///                    the values do not fit into memory
[[nodiscard]] std::vector<DeepOnetSamples::Pool> physics_pools(DeepOnetMap& map,
                                                               const OperatorProblem& problem,
                                                               const GridInputs& inputs,
                                                               std::size_t n_functions,
                                                               bool sizes_from_data, Threads& pool);

}  // namespace cauchy::detail
