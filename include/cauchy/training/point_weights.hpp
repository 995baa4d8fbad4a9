#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/base/compiled_once.hpp>
#include <cauchy/training/loss.hpp>
#include <cauchy/training/points.hpp>
#include <cauchy/training/step.hpp>

namespace cauchy {

class OptionVisitor;

/// Weighs the points within the terms of a loss while it is trained. Several may work together:
/// their factors are multiplied, on top of the weights that come with the points.
class PointWeights {
 public:
  virtual ~PointWeights() = default;
  /// Before a step, after the points have been chosen: brings its factors up to date for the points
  /// in use (TrainingPoints::rows); true when one changed. `moved`: the points are others than at
  /// the last call.
  virtual bool update(TrainingLoss& loss, const TrainingPoints& points, const TrainingStep& step,
                      bool moved) = 0;
  /// One factor per point in use, finite and not negative; empty: all 1.
  [[nodiscard]] virtual std::span<const double> factors(std::size_t term) const = 0;
  /// The run goes on to the same bits after restore().
  virtual void save(TrainingState& state) const = 0;
  virtual void restore(const TrainingState& state, const TrainingPoints& points) = 0;
  /// What it did since the last call that people should know, one sentence each.
  [[nodiscard]] virtual std::vector<std::string> take_events() { return {}; }
};

/// Every point counts the same.
struct NoPointWeights {};

/// The distance d from the boundary in space, in units of its largest value over the points, in the
/// terms of equations: factor (floor + (1 - floor) d)^power.
struct DistanceWeights {
  double power = 1;
  double floor = 0;
};

/// Residual-based attention (Anagnostopoulos et al. 2024), per point of every term, with r the
/// vector of its residuals there and the largest |r| of the term:
///   lambda <- decay lambda + rate |r| / max|r|,  factor (lambda + offset)^2
/// 0 <= lambda <= max(start, rate / (1 - decay)). The recursion counts steps: after `period` of
/// them it is taken as often, with the residuals of then. Points out of a batch catch up when they
/// are seen; new points take over the lambda of the nearest old one. Methods that are not
/// first-order get new weights after at least 100 steps.
struct AttentionWeights {
  double decay = 0.999;
  double rate = 0.01;
  double offset = 0;
  double start = 1;           ///< the first lambda
  std::uint64_t period = 10;  ///< steps between updates
};

/// 1 + factor (1 - s) in the terms of equations, s = (t - begin) / (end - begin).
struct LinearTimeWeights {
  double factor = 10;
};

/// Causal weights (Wang et al. 2022) in the terms of equations: time in chunks (t_{i-1}, t_i] of
/// the same length, i = 1 ... chunks, with factors
///   w_i = exp(-epsilon (L_0 + L_1 + ... + L_{i-1}))
/// L_0 is the loss of the conditions at the begin of time (which count 1 themselves), L_i the mean
/// of the squares over the points of chunk i, summed over equations with the weights of their
/// terms. When the smallest factor exceeds `stop`, the next epsilon follows; after the last one all
/// factors are 1. Methods that are not first-order get new weights after at least 100 steps.
struct CausalWeights {
  std::vector<double> epsilon = {100, 1000, 10'000};  ///< for residuals in units of their size
  std::uint64_t chunks = 16;
  double stop = 0.99;
  std::uint64_t period = 10;
};

/// Self-adaptive weights (McClenny, Braga-Neto 2023): factors lambda^2, lambda = 1 at first, that
/// climb the loss in all terms,
///   lambda <- min(most, lambda + rate g / max g),  g = w lambda |r|^2
/// w is the weight of the term (and of the point) in the problem; the largest g of all terms climbs
/// by `rate` per step, whatever the size of the loss and the number of points. Batches, points that
/// move and methods that are not first-order: as in AttentionWeights.
struct SelfAdaptiveWeights {
  double rate = 0.005;        ///< per step
  double most = 100;          ///< of lambda, at least 1
  std::uint64_t period = 10;  ///< steps between updates
};

/// Observations with noise of known size (PointSource::noise): factor 1 until their misfit has come
/// down to `reached` times the noise, then `weight` for good, so that the equations decide what the
/// noise leaves open.
struct NoiseWeights {
  double weight = 0.01;
  double reached = 1.5;
  std::uint64_t period = 50;  ///< steps between looks at the misfit
};

/// Weights that are not of this library.
struct CustomPointWeights {
  std::function<std::unique_ptr<PointWeights>()> make;
  std::string name = "point weights";  ///< tells checkpoints of different ones apart
};
struct PointWeightsOptions
    : std::variant<NoPointWeights, DistanceWeights, AttentionWeights, LinearTimeWeights,
                   CausalWeights, SelfAdaptiveWeights, NoiseWeights, CustomPointWeights> {
  using variant::variant;
  CAUCHY_COMPILED_ONCE(PointWeightsOptions)
};

struct PointWeightsEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  PointWeightsOptions options;   ///< the defaults
};
/// The weights that files can name.
[[nodiscard]] const std::vector<PointWeightsEntry>& all_point_weights();
/// Null where nothing changes.
///   error    throws Error for weights that the points cannot have: causal ones without time
[[nodiscard]] std::unique_ptr<PointWeights> make_point_weights(const PointWeightsOptions& options,
                                                               const TrainingPoints& points);
void visit_options(PointWeightsOptions& options, OptionVisitor& visitor);

}  // namespace cauchy
