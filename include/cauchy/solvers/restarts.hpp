#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <cauchy/solvers/method.hpp>

namespace cauchy {

/// Smallest, middle and largest of some numbers, and the quartiles: at the places (n - 1)/4,
/// (n - 1)/2 and 3 (n - 1)/4 of the sorted numbers 0, ..., n - 1, linear between two of them. NaN
/// counts as infinity; all are NaN when every number is.
struct Spread {
  double min = 0, lower_quartile = 0, median = 0, upper_quartile = 0, max = 0;
};
/// Throws Error when there are no numbers.
[[nodiscard]] Spread spread(std::vector<double> numbers);

/// The same problem solved from several random starts. Run k has the seed `first_seed + k`.
///   error    every member throws Error when there is no run, or no run k
struct Restarts {
  std::vector<Solution> runs;
  std::uint64_t first_seed = 0;

  [[nodiscard]] std::uint64_t seed(std::size_t k) const;
  /// Loss at the end of run k, on the points that it had then; NaN or infinite when it failed.
  [[nodiscard]] double loss(std::size_t k) const;
  /// The run with the smallest loss, the first of equal ones. NaN never wins; where every loss is
  /// NaN it is the first run.
  [[nodiscard]] std::size_t best_index() const;
  [[nodiscard]] const Solution& best() const { return runs[best_index()]; }

  /// loss(k) - loss(best): estimate of the optimisation error of run k,
  ///   E_O = loss(theta_k) - inf over theta of loss(theta).
  /// An estimate from below, since the best of n runs need not be the minimum: the true E_O is
  /// larger by the unknown E_O of the best run, for which 0 says nothing. NaN when loss(k) is.
  /// It needs same_points(); otherwise the difference of the points is in it.
  [[nodiscard]] double optimization_error(std::size_t k) const;

  /// Whether every run ended with the very same training points, so that all minimised one and the
  /// same function. So it is with samplers that use no seed (Sobol and other sequences, grids,
  /// lattices) without `randomize`, and without redrawing; random points follow the seed.
  [[nodiscard]] bool same_points() const;

  [[nodiscard]] Spread loss_spread() const;
  /// Of the relative L2 error against the reference; NaN without a reference.
  [[nodiscard]] Spread error_spread() const;

  /// How far the unknown constants scatter from start to start: mean +- z s with the standard
  /// deviation s of the runs, for every constant that all runs found. It holds the error of the
  /// training, not the noise of the data, which all runs share: see Solution::intervals for that.
  /// Empty for fewer than two runs.
  [[nodiscard]] std::map<std::string, ConfidenceInterval> unknown_spread() const;
};

/// The method of run k: its seed is that of the method plus k.
///   error    throws Error for a method without a seed
[[nodiscard]] Method restart_of(Method method, std::size_t k);

/// Solves with the seed of the method, the next one, ..., n of them, one after the other.
///   options  hold for each run: max_seconds is the limit of one of them. When the progress asks to
///            stop, the current run ends, is kept, and no other begins: 1 to n runs come back
///   on_run   called with k and the answer after run k; what it throws ends everything
///   error    throws Error for n = 0, for a checkpoint, which belongs to one run, for a method
///            without a seed, and as solve()
///   cost     n times solve(); all answers are kept in memory
[[nodiscard]] Restarts solve_restarts(
    const Problem& problem, const Method& method, std::size_t n, const RunOptions& options = {},
    const std::function<void(std::size_t, const Solution&)>& on_run = {});

}  // namespace cauchy
