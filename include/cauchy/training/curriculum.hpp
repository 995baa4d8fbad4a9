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

/// Changes the task from stage to stage: parameters, windows of time, data.
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
/// A curriculum that is not of this library.
struct CustomCurriculum {
  std::function<std::unique_ptr<Curriculum>()> make;
  std::string name = "curriculum";  ///< tells checkpoints of different ones apart
};
using CurriculumOptions = std::variant<NoCurriculum, CustomCurriculum>;

struct CurriculumEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  CurriculumOptions options;     ///< the defaults
};
/// The curricula that files can name.
[[nodiscard]] const std::vector<CurriculumEntry>& all_curricula();
/// Null where nothing changes.
[[nodiscard]] std::unique_ptr<Curriculum> make_curriculum(const CurriculumOptions& options);
void visit_options(CurriculumOptions& options, OptionVisitor& visitor);

}  // namespace cauchy
