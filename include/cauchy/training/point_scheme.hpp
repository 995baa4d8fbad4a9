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

/// Says where the points of a training are and when they move.
class PointScheme {
 public:
  virtual ~PointScheme() = default;
  /// Before a step: may draw, set or choose points; true when they changed.
  virtual bool update(TrainingPoints& points, TrainingLoss& loss, const TrainingStep& step) = 0;
  /// restore() brings the points, and the batch in use, back as well; the run then goes on to the
  /// same bits. The training has drawn round 0 before.
  virtual void save(TrainingState& state) const = 0;
  virtual void restore(const TrainingState& state, TrainingPoints& points) = 0;
};

/// The sampler's points; new ones, and batches of them, as PointSettings and the stage say.
struct RedrawPoints {};
/// A scheme that is not of this library.
struct CustomPointScheme {
  std::function<std::unique_ptr<PointScheme>()> make;
  std::string name = "point scheme";  ///< tells checkpoints of different ones apart
};
using PointSchemeOptions = std::variant<RedrawPoints, CustomPointScheme>;

struct PointSchemeEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  PointSchemeOptions options;    ///< the defaults
};
/// The schemes that files can name.
[[nodiscard]] const std::vector<PointSchemeEntry>& all_point_schemes();
[[nodiscard]] std::unique_ptr<PointScheme> make_point_scheme(const PointSchemeOptions& options);
void visit_options(PointSchemeOptions& options, OptionVisitor& visitor);

}  // namespace cauchy
