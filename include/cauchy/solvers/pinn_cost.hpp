#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <cauchy/solvers/pinn.hpp>

namespace cauchy {

/// What a run will need, found without running it: a rough guess, right to a factor of about three.
///   flops    6 x parameters x components x points, summed over the terms of the loss
///   seconds  at 5 Gflop/s per thread, mean over the stages: 1.1 gradients per step, and what dense
///            quasi-Newton (memory traffic), least-squares methods (factorisations in parameter or
///            sample space, or matrix-free products) and SOAP (bases of the weights) add
///   memory   network values of one block per thread, points, parameters, and what the hungriest
///            optimiser keeps
struct PinnCost {
  struct OfTerm {
    std::string name;
    std::size_t points = 0;
    int components = 1;  ///< derivatives that travel through the network together
  };
  std::size_t parameters = 0;
  std::vector<OfTerm> terms;
  std::size_t points = 0;     ///< of all terms
  std::vector<Stage> stages;  ///< of the method, or the default ones
  std::uint64_t steps = 0;
  int threads = 1;
  double flops_per_step = 0, seconds_per_step = 0, bytes = 0;
};

/// Builds network and loss, but draws no points: a few milliseconds.
///   threads  0: as RunOptions::threads
///   error    as solve(): what the method cannot treat is found here
[[nodiscard]] PinnCost estimate_cost(const Problem& problem, const Pinn& method, int threads = 0);

}  // namespace cauchy
