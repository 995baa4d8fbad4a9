#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/run_limit.hpp>
#include <cauchy/engine/executor.hpp>
#include <cauchy/problem/solution.hpp>

#include "solvers/pinn/pinn_assembly.hpp"

namespace cauchy::detail {

/// What observations tell of the unknown constants.
struct UnknownsKnown {
  std::map<std::string, ConfidenceInterval> intervals = {};
  std::vector<std::string> doubts = {};  ///< constants that nothing determines
  std::vector<std::string> remarks =
      {};  ///< constants that are known badly, or why nothing is said
};

/// Operations of the factorization below for so many rows of the loss; 0: there is none.
[[nodiscard]] double interval_operations(const PinnAssembly& pinn, double rows);

/// Intervals at the level 0.95 from the Gauss-Newton matrix at theta, the parameters of the network
/// being nuisance: J holds the rows of equations and conditions with the weights of the problem, as
/// constraints, and those of the data by their noise (given, else estimated from the misfit) with
/// the weight of NoiseWeights. With v the variance of a row of data,
///   covariance = v (J'J + D)^-1 on the constants,  D = v: the network's parameters may move by
///   about 1
/// For bounded constants it is that of the free ones, and the ends are carried over. A step of
/// Gauss-Newton that is left over (a training that has not ended) widens the interval.
///   effect   weights of the executor become those above
///   cost     a QR factorization of (rows + parameters) x parameters; nothing without unknown
///            constants or without observations, or where that takes more than 2e11 operations or a
///            tenth of a limit in seconds, and that is told
[[nodiscard]] UnknownsKnown what_data_say(const PinnAssembly& pinn, Executor& executor,
                                          std::span<const double> theta,
                                          const RunLimit& limit = {});

}  // namespace cauchy::detail
