#include <cauchy/training/curriculum.hpp>

#include "training/rule_table.hpp"

namespace cauchy {

const std::vector<CurriculumEntry>& all_curricula() {
  static const std::vector<CurriculumEntry> all = {
      {"none", "the whole task in every stage", NoCurriculum{}},
      {"continuation", "a parameter goes to its value step by step", ContinuationCurriculum{}},
      {"windows", "time in windows, one network each", WindowCurriculum{}},
      {"growing-time", "times up to an end that grows from stage to stage",
       GrowingTimeCurriculum{}},
      {"data", "observations in parts, early ones first", DataCurriculum{}},
      {"loss", "some terms first, all later", LossCurriculum{}},
  };
  return all;
}

std::unique_ptr<Curriculum> make_curriculum(const CurriculumOptions& options,
                                            const TrainingPoints& /*points*/,
                                            std::size_t /*stages*/) {
  if (const auto* custom = std::get_if<CustomCurriculum>(&options)) {
    return detail::make_custom(*custom, "[training.curriculum]");
  }
  return nullptr;
}

void visit_options(CurriculumOptions& options, OptionVisitor& v) {
  detail::visit_rule(options, v, "curriculum", all_curricula());
}

}  // namespace cauchy
