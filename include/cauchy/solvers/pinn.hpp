#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/base/progress.hpp>
#include <cauchy/engine/executor.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/mlp.hpp>
#include <cauchy/optimizers/any_optimizer.hpp>
#include <cauchy/optimizers/loss_transform.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/problem/solution.hpp>

namespace cauchy {

/// Where the residuals are looked at.
struct PinnPoints {
  std::size_t interior = 2000;  ///< per equation
  std::size_t boundary = 400;   ///< per condition on the boundary
  std::size_t initial = 400;    ///< per condition at a time
  SamplerOptions sampler = {};
  std::uint64_t redraw = 0;  ///< steps of a first-order method between new points; 0: never
  std::size_t batch = 0;     ///< points of each term per step of a first-order method; 0: all
};

/// One optimiser, and when it stops: at the first of these, or when it cannot go on.
struct Stage {
  OptimizerOptions method = AdamOptions{};
  std::uint64_t steps = 1000;
  Schedule schedule = {};  ///< of the learning rate; first-order methods only
  /// Steps between new points. 0: PinnPoints::redraw for first-order methods, none for the others.
  std::uint64_t redraw = 0;
  double max_seconds = 0;             ///< of this stage; 0: no limit
  std::uint64_t max_evaluations = 0;  ///< of the loss, in this stage; 0: no limit
  double target_loss = 0;             ///< loss at most this; 0: never
  double gradient_tolerance = 0;      ///< Euclidean norm of the gradient at most this
  /// Not for first-order methods: 200 steps lower the loss by less than this part; 0: never.
  double relative_decrease = 0;
  /// Quasi-Newton methods may minimise an increasing function of the loss in its place.
  LossTransform transform = LossTransform::none;
};

/// Physics-informed neural network: strong-form residuals at points, least squares.
struct Pinn {
  Mlp network = {.width = 32, .depth = 3};
  bool separate = false;  ///< one network per field instead of one for all
  PinnPoints points = {};
  std::vector<Stage> stages = {};  ///< empty: default_stages()
  bool scale = true;               ///< non-dimensional coordinates, fields and residuals inside
  std::uint64_t seed = 1;
  Precision precision = Precision::f64;
};

/// The chain of optimisers that serves most problems, for a network of n parameters (unknown
/// constants among them). Up to 6,000 in double precision Adam 500, then SSBroyden 4,000: its
/// matrix then costs about as much as the loss. Else Adam 1,000, then L-BFGS 4,000.
[[nodiscard]] std::vector<Stage> default_stages(std::size_t n_parameters,
                                                Precision precision = Precision::f64);

/// What a run may use and where it is seen.
struct RunOptions {
  int threads = 0;         ///< 0: CAUCHY_THREADS, else the machine
  double max_seconds = 0;  ///< 0: no limit
  /// Stop when the relative L2 error of every field against the reference is at most this; looked
  /// at every history_every steps. 0: never.
  double target_error = 0;
  Progress* progress = nullptr;
  std::uint64_t history_every = 50;
  /// Called after every new entry of Solution::history with what there is by then: the history from
  /// the very start (also of a resumed run), term names, scales. What it throws ends the run.
  std::function<void(const Solution&)> on_history = {};
  /// Where the run is saved so that it can be resumed; empty: nowhere. An existing checkpoint of
  /// the same problem and settings is continued, to the same bits as an uninterrupted run.
  std::filesystem::path checkpoint = {};
  double checkpoint_seconds = 60;
};

/// Solves a problem; check(problem) is done first.
///   error    throws Error for what the method cannot treat, with the reason, and for bad settings
[[nodiscard]] Solution solve(const Problem& problem, const Pinn& method = {},
                             const RunOptions& options = {});

/// Writes what is needed to use the answer again: parameters, errors, grade, history.
void save_solution(const std::filesystem::path& file, const Solution& solution);
/// The answer of an earlier run of this problem and method.
///   error    throws Error when the file is not one, is damaged, or belongs to another problem
[[nodiscard]] Solution load_solution(const std::filesystem::path& file, const Problem& problem,
                                     const Pinn& method, int threads = 0);

}  // namespace cauchy
