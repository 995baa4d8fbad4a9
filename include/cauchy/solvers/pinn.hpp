#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/base/progress.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/mlp.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/lbfgs.hpp>
#include <cauchy/optimizers/schedule.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/solvers/solution.hpp>

namespace cauchy {

/// Where the residuals are looked at.
struct PinnPoints {
  std::size_t interior = 2000;  ///< per equation
  std::size_t boundary = 400;   ///< per condition on the boundary
  std::size_t initial = 400;    ///< per condition at a time
  SamplerOptions sampler = {};
  std::uint64_t redraw = 0;  ///< steps of Adam between new points; 0: the same points all the time
  std::size_t batch = 0;     ///< points of each term per step of Adam; 0: all
};

/// One optimiser and how long it works.
struct Stage {
  enum class Method : std::uint8_t { adam, lbfgs };
  Method method = Method::adam;
  std::uint64_t steps = 1000;
  AdamOptions adam = {};
  Schedule schedule = {};
  LbfgsOptions lbfgs = {};
  double relative_decrease = 0;  ///< lbfgs: stop when 200 steps gain less than this; 0: never
};

enum class Precision : std::uint8_t { f64, f32 };

/// Physics-informed neural network: strong-form residuals at points, least squares.
struct Pinn {
  Mlp network = {.width = 32, .depth = 3};
  bool separate = false;  ///< one network per field instead of one for all
  PinnPoints points = {};
  std::vector<Stage> stages = {{.method = Stage::Method::adam, .steps = 1000},
                               {.method = Stage::Method::lbfgs, .steps = 4000}};
  bool scale = true;  ///< non-dimensional coordinates, fields and residuals inside
  std::uint64_t seed = 1;
  Precision precision = Precision::f64;
};

/// What a run may use and where it is seen.
struct RunOptions {
  int threads = 0;         ///< 0: CAUCHY_THREADS, else the machine
  double max_seconds = 0;  ///< 0: no limit
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
