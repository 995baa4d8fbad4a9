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

/// Changes the task from stage to stage: which terms count, which data, how much of time.
class Curriculum {
 public:
  virtual ~Curriculum() = default;
  /// Before the first step of a stage, and again when a stage is resumed, then before the other
  /// rules are restored: brings loss and points to the task of this stage; true when they changed.
  virtual bool begin_stage(std::size_t stage, TrainingLoss& loss, TrainingPoints& points) = 0;
  virtual void save(TrainingState& state) const = 0;
  virtual void restore(const TrainingState& state) = 0;
};

/// The whole task in every stage.
struct NoCurriculum {};

/// A parameter of the problem goes through `values` to its own value; the network is handed on.
/// The stages of the method serve every value, with `share` of their steps before the last one.
struct ContinuationCurriculum {
  std::string parameter;
  std::vector<double> values;  ///< before the value of the problem, which comes last
  double share = 0.3;
};

/// The grids of a spline network (Kan) become finer and follow the features: trained on `grids`
/// intervals first, on the grid of the network last; before each next one the functions are fitted
/// anew on knots that blend the quantiles of the features at the training points with equal
/// intervals. Equal numbers in succession only move the knots.
struct GridCurriculum {
  std::vector<double> grids;  ///< intervals before those of the network, which come last
  double uniform = 0.5;       ///< part of equal intervals in the knots: 1 equal, near 0 quantiles
  double share = 0.3;         ///< of the steps of the stages, for each grid before the last
};

/// Time in windows, one network each, the end of one the start of the next; the answer is glued
/// together. The stages of the method serve every window. A window is judged by its residuals on
/// fresh points in units of their terms; for a system of ordinary differential equations by an
/// estimate of its error, over the sizes of the components.
///   count     windows of the same length; 0: they adapt: one that misses `accept` is halved, one
///             that does much better is followed by a longer one
///   goal      of that measure, at which a window ends early
struct WindowCurriculum {
  std::uint64_t count = 0;
  double goal = 1e-6;
  double accept = 1e-3;      ///< at which a window is taken although it missed the goal
  double give_up = 0.1;      ///< after a quarter of the steps, at which a window is halved
  double first = 0;          ///< share of the time of the first window; 0: all of it
  double shortest = 1e-3;    ///< share of the time; a window is not halved below
  std::uint64_t budget = 0;  ///< steps of all windows, shared by their lengths; 0: no limit
  /// Share of its length that a window in space is trained beyond its end, where another follows:
  /// answers are worst at the ends of a training, and what is handed on stays wrong.
  double overlap = 0;
};

/// Equations and observations up to a time that grows: T(k) = T min(1, (k + 1) / stages) for
/// stage k (time marching with one network).
struct GrowingTimeCurriculum {};

/// The observations come in parts: stage k sees the first (k + 1) / stages of them in time, or in
/// their order where there is no time.
struct DataCurriculum {};

/// Terms come one after the other: conditions and observations in the first stage, equations from
/// then on; `first` names the terms of the first stage, separated by commas, where it should be
/// others.
struct LossCurriculum {
  std::string first;
};

/// A curriculum that is not of this library.
struct CustomCurriculum {
  std::function<std::unique_ptr<Curriculum>()> make;
  std::string name = "curriculum";  ///< tells checkpoints of different ones apart
};
struct CurriculumOptions
    : std::variant<NoCurriculum, ContinuationCurriculum, GridCurriculum, WindowCurriculum,
                   GrowingTimeCurriculum, DataCurriculum, LossCurriculum, CustomCurriculum> {
  using variant::variant;
  CAUCHY_COMPILED_ONCE(CurriculumOptions)
};

struct CurriculumEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  CurriculumOptions options;     ///< the defaults
};
/// The curricula that files can name.
[[nodiscard]] const std::vector<CurriculumEntry>& all_curricula();
/// Null where a training sees one task: nothing changes, or a method makes several trainings of it
/// (continuation, grids, windows).
///   stages   of the training
///   error    throws Error for what the points do not have: no time, no observations, no such term
[[nodiscard]] std::unique_ptr<Curriculum> make_curriculum(const CurriculumOptions& options,
                                                          const TrainingPoints& points,
                                                          std::size_t stages);
void visit_options(CurriculumOptions& options, OptionVisitor& visitor);

}  // namespace cauchy
