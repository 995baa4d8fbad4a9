#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/math/sparse.hpp>
#include <cauchy/problem/run_options.hpp>

namespace cauchy::detail {

/// F(t, y, y') = 0: what is left of a problem in time when space has become nodes. Rows with a time
/// derivative are differential, the others (boundary conditions, constraints) algebraic.
class SemiDiscrete {
 public:
  virtual ~SemiDiscrete() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// One per row: not 0 where the row holds a derivative in time.
  [[nodiscard]] virtual const std::vector<char>& differential() const = 0;
  /// dF/dy' is the same at all times and states: it is looked at once.
  [[nodiscard]] virtual bool constant_mass() const { return false; }
  /// Makes choices that would let F jump (differences against the flow) for the whole step that
  /// begins at this state. Without a call they are made at every evaluation.
  ///   returns  whether one has changed
  virtual bool begin_step(double /*t*/, std::span<const double> /*y*/,
                          std::span<const double> /*dy*/) {
    return false;
  }
  virtual void residual(double t, std::span<const double> y, std::span<const double> dy,
                        std::span<double> out) = 0;
  /// dF/dy + a dF/dy'. The pattern is the same at every call; an empty `out` is made.
  virtual void jacobian(double t, std::span<const double> y, std::span<const double> dy, double a,
                        SparseMatrix& out) = 0;
};

/// States at the times that were asked for, until something went wrong.
struct TimeResult {
  std::vector<double> times;                ///< as many as states
  std::vector<std::vector<double>> states;  ///< the first is the (consistent) initial one
  std::size_t steps = 0, rejected = 0, evaluations = 0;
  std::string trouble =
      {};  ///< empty: all went well; else one sentence: "the step became too small"
  bool interrupted = false;
};

/// Called between steps; true ends the integration (TimeResult::interrupted).
using StopAsked = std::function<bool(double t)>;

}  // namespace cauchy::detail
