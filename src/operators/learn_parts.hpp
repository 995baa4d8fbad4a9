#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/operators/learn.hpp>
#include <cauchy/training/training.hpp>

#include "operators/epoch_log.hpp"

namespace cauchy::detail {

// What the trainings of all operators share.

/// Throws Error unless the data have the inputs, the fields and the box of the problem.
void require_same_problem(const OperatorProblem& problem, const DataSet& data);
/// Throws Error for equations in the loss of samples that a simulator makes.
void require_equations(const OperatorProblem& problem, const OperatorMethod& method);

/// Everything that a checkpoint must agree with.
[[nodiscard]] std::string learning_fingerprint(const OperatorMethod& method, const DataSet& data,
                                               const DataSplit& split);

/// The samples of a data set by their use.
struct LearningData {
  DataSplit split;
  DataSet train, validation, test;
};
/// `first`: number of the first sample of the data; those of the training before it have no
/// answers.
[[nodiscard]] LearningData cut_data(const DataSplit& split, const DataSet& data, std::size_t first);

/// Stages where none are given, one entry of the history per epoch, and errors of validation. The
/// log must outlive the setup.
///   error    throws Error for an error that was asked for and cannot be measured
void watch_epochs(TrainingSetup& setup, RunOptions& options, EpochLog& log,
                  std::uint64_t steps_per_epoch, std::size_t epochs, bool validation);

/// What the parameters that were kept are worth: errors and grade.
using MakeModel = std::function<std::shared_ptr<const TrainedOperator>(std::vector<double> theta)>;
[[nodiscard]] OperatorResult finish_learning(const OperatorProblem& problem,
                                             const LearningData& data, TrainingResult trained,
                                             const EpochLog& log, OperatorLoss loss, int threads,
                                             const MakeModel& model);

}  // namespace cauchy::detail
