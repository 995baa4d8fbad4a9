#pragma once

#include <cstdint>

#include <cauchy/base/threads.hpp>  // IndexRange
#include <cauchy/data/data_set.hpp>
#include <cauchy/data/operator_problem.hpp>
#include <cauchy/problem/run_options.hpp>

namespace cauchy {

/// The problem of one sample: its input functions drawn, as tables on the grid of the data set with
/// `refine` times as many cells. A pure function of problem, seed and number.
///   error    throws Error at "input 'a'" for a field or a map that makes no sense
[[nodiscard]] Problem sample_problem(const OperatorProblem& problem, std::uint64_t number,
                                     int refine = 1);

/// Draws the inputs and solves every sample, samples divided among the threads.
///   determinism  sample i depends on the seed and i alone: the same bits for any number of threads
///   resume       with `options.checkpoint`, parts that are done are kept there and not done again
///   error        throws Error with the number of the sample that cannot be solved
[[nodiscard]] DataSet make_data(const OperatorProblem& problem, const RunOptions& options = {});
/// Some of the samples, by their numbers; those of the training come first, then validation, then
/// the test. With another grid or other times they are the same functions there.
[[nodiscard]] DataSet make_data(const OperatorProblem& problem, IndexRange numbers,
                                const RunOptions& options = {});

}  // namespace cauchy
