#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/data/operator_problem.hpp>
#include <cauchy/problem/run_options.hpp>

#include "data/input_sampler.hpp"

namespace cauchy::detail {

/// The method of all samples of a data set.
///   gridded  it works on a grid of its own, `refine` times as fine as that of the data; else it
///            chooses its points for every sample, and its tolerance rules
struct SampleMethod {
  Method method;
  bool gridded = false;
  int refine = 1;
};

/// The method that an operator problem asks for, without a recipe in it: of AutoClassical the first
/// of its candidates that takes the first sample. `refine` of a gridded one is that of the problem,
/// or 1.
///   error    throws Error when no method treats the problem, with the reasons
[[nodiscard]] SampleMethod sample_method(const OperatorProblem& problem);

/// The answer of one sample on the grid of the data.
struct SampleAnswer {
  std::vector<double> out;  ///< [channel, node]
  double error = 0;         ///< relative, by the estimate of the method; NaN: it has none
  double known_error = 0;   ///< the part of it that a gridded method knows: steps of time
  std::string method;       ///< "fdm, 126 x 126 cells, order 2"
  bool interrupted = false;
};

/// Solves samples of an operator problem with one method on one resolution. Thread-safe.
class SampleSolver final {
 public:
  SampleSolver(const OperatorProblem& problem, SampleMethod method);
  [[nodiscard]] const InputSampler& inputs() const noexcept { return inputs_; }
  /// With one thread.
  ///   progress  asked for a wish to stop alone; may be null
  ///   error     throws Error at "sample 17" for what cannot be solved
  [[nodiscard]] SampleAnswer solve(std::uint64_t number, Progress* progress) const;

 private:
  const OperatorProblem& problem_;
  Method method_;
  InputSampler inputs_;  // on the grid of the method
  std::vector<Expr> fields_;
  std::vector<double> points_;  // of the answer: time by time, node by node
  std::size_t n_times_ = 1, n_nodes_ = 0;
};

/// The names of the channels of the answers.
[[nodiscard]] std::vector<std::string> output_channels(const OperatorProblem& problem);

}  // namespace cauchy::detail
