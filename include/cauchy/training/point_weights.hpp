#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/training/loss.hpp>
#include <cauchy/training/points.hpp>
#include <cauchy/training/step.hpp>

namespace cauchy {

class OptionVisitor;

/// Weighs the points within the terms of a loss while it is trained.
class PointWeights {
 public:
  virtual ~PointWeights() = default;
  /// Before a step, after the points have been chosen: may set weights of points in the loss, one
  /// for each that is in use (TrainingPoints::rows); true when one changed. Other points come with
  /// weights 1, so `moved` asks for all of them again.
  virtual bool update(TrainingLoss& loss, const TrainingPoints& points, const TrainingStep& step,
                      bool moved) = 0;
  /// restore() puts the weights into the loss as well, for the points in use; the run then goes on
  /// to the same bits.
  virtual void save(TrainingState& state) const = 0;
  virtual void restore(const TrainingState& state, TrainingLoss& loss,
                       const TrainingPoints& points) = 0;
};

/// Every point counts the same.
struct NoPointWeights {};
/// Weights that are not of this library.
struct CustomPointWeights {
  std::function<std::unique_ptr<PointWeights>()> make;
  std::string name = "point weights";  ///< tells checkpoints of different ones apart
};
using PointWeightsOptions = std::variant<NoPointWeights, CustomPointWeights>;

struct PointWeightsEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  PointWeightsOptions options;   ///< the defaults
};
/// The weights that files can name.
[[nodiscard]] const std::vector<PointWeightsEntry>& all_point_weights();
/// Null where nothing changes.
[[nodiscard]] std::unique_ptr<PointWeights> make_point_weights(const PointWeightsOptions& options);
void visit_options(PointWeightsOptions& options, OptionVisitor& visitor);

}  // namespace cauchy
