#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/work.hpp>
#include <cauchy/engine/parameters.hpp>
#include <cauchy/problem/run_options.hpp>
#include <cauchy/problem/solution.hpp>  // GradeInput
#include <cauchy/training/rules.hpp>
#include <cauchy/training/stage.hpp>
#include <cauchy/training/target.hpp>

namespace cauchy {

/// What a method brings to its training besides loss and points.
struct TrainingSetup {
  std::vector<Stage> stages;
  TrainingRules rules = {};                    ///< of residuals over points
  std::span<const ParameterBlock> parameters;  ///< what the numbers of theta are
  std::shared_ptr<Threads> pool;               ///< for the algebra of optimisers
  /// What a checkpoint must agree with to be continued.
  std::string fingerprint;
  /// Names and scales of the record; the training adds the rest.
  TrainingRecord record = {};
  /// Values of the unknown constants, for the history; empty: none.
  std::function<std::vector<double>(std::span<const double> theta)> unknowns = {};
  /// Largest relative L2 error of a field against the reference, for RunOptions::target_error, and
  /// the same at fewer points, for the history; empty: there is no reference.
  std::function<double(std::span<const double> theta)> error = {}, rough_error = {};
  /// Asked every `finished_every` steps; true: the training has what it wants and ends. Empty:
  /// never.
  std::function<bool(std::span<const double> theta, std::uint64_t step)> finished = {};
  std::uint64_t finished_every = 50;
  /// Sees the parameters before the first step and after every one, with the counted work of that
  /// step and its rules alone; it leaves the target alone. Empty: nobody looks.
  std::function<void(std::span<const double> theta, std::uint64_t step, const Work& work)> look =
      {};
  /// A checkpoint that lies there belongs to an earlier training of the same run: it is not
  /// continued.
  bool fresh = false;
  /// Adds to every checkpoint what the method must know to build this training again; empty: no
  /// more.
  std::function<void(Checkpoint&)> save_more = {};
};

/// How a training ended.
struct TrainingResult {
  std::vector<double> theta;
  TrainingRecord record;
  GradeInput outcome;
  bool interrupted = false;
  double seconds = 0;  ///< also of earlier parts of a resumed run
  double work = 0;     ///< the same, counted in nominal seconds
};

/// The one training loop: takes the stages one after the other, asks the target before every step,
/// keeps history and progress, saves and continues checkpoints.
///   determinism  a function of target, theta and setup, to the last bit; a run that
///                was stopped and resumed has the same bits as one that was not
///   failure      numerical trouble ends a stage and is told in the outcome; the next stage goes on
///   error        throws Error, before the first step, for what a stage cannot do
[[nodiscard]] TrainingResult train(TrainingTarget& target, std::vector<double> theta,
                                   const TrainingSetup& setup, const RunOptions& options = {});

/// The same for residuals over points, with TrainingSetup::rules.
[[nodiscard]] TrainingResult train(TrainingLoss& loss, TrainingPoints& points,
                                   std::vector<double> theta, const TrainingSetup& setup,
                                   const RunOptions& options = {});

}  // namespace cauchy
