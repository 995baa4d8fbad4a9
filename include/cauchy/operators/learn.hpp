#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/data/operator_problem.hpp>
#include <cauchy/operators/trained_operator.hpp>
#include <cauchy/problem/run_options.hpp>
#include <cauchy/problem/solution.hpp>  // Grade
#include <cauchy/problem/training_record.hpp>

namespace cauchy {

/// One pass over the training samples.
struct EpochEntry {
  std::uint64_t step = 0;  ///< after its last step
  double seconds = 0;
  double loss = 0;        ///< mean over the steps of the epoch, each before its step
  double validation = 0;  ///< mean relative L2 error on the validation samples; NaN without any
};

/// The cut of a data set: samples first ... first + n - 1 of each.
struct DataSplit {
  std::size_t train = 0, validation = 0, test = 0;
};
/// That of the problem for as many samples as there are: test first, then validation, get what the
/// problem asks for, but at most a third and a sixth of them.
///   error    throws Error for a data set without a sample for training
[[nodiscard]] DataSplit split_of(const OperatorProblem& problem, const DataSet& data);

/// The same for a method. Where equations alone are learnt from (is_physics_only), or triples, and
/// the data have fewer samples than the problem, all of them are for validation and test, and the
/// functions of the training, whose answers are not needed, are drawn.
[[nodiscard]] DataSplit split_of(const OperatorProblem& problem, const DataSet& data,
                                 const OperatorMethod& method);
/// Samples of the training that the data do not hold: 0, or all of them.
[[nodiscard]] std::size_t unlabelled(const OperatorProblem& problem, const OperatorMethod& method,
                                     const DataSet& data);

struct OperatorResult {
  std::shared_ptr<const TrainedOperator> model;
  TrainingRecord training;
  std::vector<EpochEntry> epochs = {};
  std::size_t best_epoch = 0;  ///< whose parameters the model has; counted from 1, 0: none was best
  OperatorLoss loss = OperatorLoss::relative_l2;  ///< what the training minimised
  DataSplit split = {};
  /// Of an ensemble the first of the training samples, as many as there are for the test.
  OperatorError train = {}, validation = {}, test = {};
  Grade grade = Grade::unverified;
  std::vector<std::string> findings = {};
  double seconds = 0;
  bool interrupted = false;
};

/// Learns the map of a data set: training samples first, then those for validation, then those for
/// the test, as the problem says (split_of). A DeepONet may learn from equations alone.
///   determinism  as train(): same bits for any number of threads, exact resume
///   failure      numerical trouble is told in grade and findings
///   error        throws Error for data of another problem, numbers that are not finite (with the
///                sample), a network that does not fit the grid, options that exclude each other
[[nodiscard]] OperatorResult learn(const OperatorProblem& problem, const DataSet& data,
                                   const OperatorMethod& method, const RunOptions& options = {});

/// Throws Error for what learn() would refuse whatever the numbers: options that exclude each
/// other, times that do not fit, a network that does not fit the grid, equations that a loss cannot
/// hold. To be asked before data are made.
void check_fits(const OperatorProblem& problem, const OperatorMethod& method);

/// What a field network costs, from its graph alone; nothing is run.
struct OperatorCost {
  std::size_t parameters = 0;
  double flops = 0;       ///< forward, one sample and all steps that the loss goes through
  std::size_t batch = 0;  ///< samples of a step
  std::size_t bytes = 0;  ///< of arrays in such a step, with one thread
  double steps = 0;       ///< of the training
  double training = 0;    ///< operations of all of them: three times forward, for every sample
};
/// None for a DeepONet.
///   error    throws Error as check_fits
[[nodiscard]] std::optional<OperatorCost> cost_of(const OperatorProblem& problem,
                                                  const OperatorMethod& method);

/// What may be done, but is not wise: sensors of a DeepONet that are too few for its input
/// functions. The broken line through the values at the sensors (multilinear on a grid) is compared
/// with functions that are drawn from the problem; its distance, as a share of their deviation, is
/// what the operator cannot know. Above the tolerance of the problem it is told, one sentence per
/// input. Scattered sensors in more than one dimension are counted against the principal functions
/// that hold the inputs to the tolerance. Inputs that jump are not judged.
[[nodiscard]] std::vector<std::string> cautions(const OperatorProblem& problem,
                                                const OperatorMethod& method);

/// Sets grade and findings from the measured errors.
///   converged   mean relative L2 error on the test samples, plus twice its standard error and the
///               error of the data, at most the tolerance of the problem (1e-2 where it has none)
///   unverified  no test samples, or too few or too inaccurate ones to decide
///   suspicious  the training samples are learnt to the tolerance, the test samples are not
///               (over-fitting); or samples of the test are training samples too
///   diverged    the loss or an answer is not finite
struct OperatorGradeInput {
  bool finite = true;                      ///< the final loss is a number
  std::vector<std::string> troubles = {};  ///< of optimisers, one sentence each
  double tolerance = 1e-2;
  double data_error = 0;   ///< relative, of the data themselves, as far as it is known
  std::size_t shared = 0;  ///< test samples whose inputs are those of a training sample
};
void grade(OperatorResult& result, const OperatorGradeInput& input);

}  // namespace cauchy
