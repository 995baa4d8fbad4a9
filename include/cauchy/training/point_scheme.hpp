#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
  /// What it did since the last call that people should know, one sentence each.
  [[nodiscard]] virtual std::vector<std::string> take_events() { return {}; }
};

/// The sampler's points; new ones, and batches of them, as PointSettings and the stage say.
struct RedrawPoints {};

/// Batches of every term with more points than `batch`, drawn with probabilities q and weighed by
/// 1 / (n q): the expectation stays the loss of all n points. First-order methods only; the others
/// take all points.
///   by       s = J = w |r|^2, or s = |dJ/dtheta| <= w sum_k 2 |r_k| |dr_k/dtheta|, or a measure
///   q        (1 - uniform_share) s / sum s + uniform_share / n
struct ImportancePoints {
  enum class By : std::uint8_t { loss, gradient, measure };
  By by = By::gradient;
  std::string measure = {};    ///< of fields and coordinates, not negative: "10*abs(u_x) + 5"
  std::uint64_t period = 100;  ///< steps between new probabilities
  std::size_t batch = 256;     ///< points of a term per step
  std::size_t seeds = 0;       ///< look at so many points alone, others as the nearest one; 0: all
  double uniform_share = 0.1;  ///< of q, so that no factor exceeds 1 / uniform_share
};

// The next three move the points of equations, with every method, and take batches of them as
// PointSettings says. Stage::redraw, where it is set, replaces `period` in that stage.

/// Residual-based points: density |r|^power / mean|r|^power + offset over random candidates.
///   replace   all points anew (RAD)
///   add       `added` points more each time, drawn by the density (RAR-D)
///   greedy    `added` points more each time, those with the largest residuals (RAR-G)
struct ResidualPoints {
  enum class Form : std::uint8_t { replace, add, greedy };
  Form form = Form::replace;
  double power = 1;
  double offset = 1;
  std::uint64_t period = 500;  ///< steps between changes, also of quasi-Newton methods
  std::size_t candidates = 4;  ///< as many times the points
  std::size_t added = 0;       ///< 0: a tenth of the first ones
  std::size_t most = 100'000;  ///< points of a term
  double growth = 0;           ///< twice the points when fresh residuals exceed trained ones by
                               ///< this factor; 0: never
};

/// Retain, resample, release (Daw et al. 2023): points whose residual is above the mean stay, the
/// others are drawn anew.
struct RetainPoints {
  std::uint64_t period = 100;
};

/// The sampler's points, `factor` times as many when the residuals of equations on fresh points
/// exceed those on the training points by `ratio`, in the root mean square.
struct GrowingPoints {
  double ratio = 3;
  double factor = 2;
  std::uint64_t period = 500;
  std::size_t most = 100'000;  ///< points of a term
};

/// A scheme that is not of this library.
struct CustomPointScheme {
  std::function<std::unique_ptr<PointScheme>()> make;
  std::string name = "point scheme";  ///< tells checkpoints of different ones apart
};
struct PointSchemeOptions : std::variant<RedrawPoints, ImportancePoints, ResidualPoints,
                                         RetainPoints, GrowingPoints, CustomPointScheme> {
  using variant::variant;
  CAUCHY_COMPILED_ONCE(PointSchemeOptions)
};

struct PointSchemeEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  PointSchemeOptions options;    ///< the defaults
};
/// The schemes that files can name.
[[nodiscard]] const std::vector<PointSchemeEntry>& all_point_schemes();
///   error    throws Error for options outside their ranges, and for points that the scheme cannot
///            move or choose from
[[nodiscard]] std::unique_ptr<PointScheme> make_point_scheme(const PointSchemeOptions& options,
                                                             const TrainingPoints& points);
void visit_options(PointSchemeOptions& options, OptionVisitor& visitor);

}  // namespace cauchy
