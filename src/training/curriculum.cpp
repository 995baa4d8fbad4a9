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

void visit_options(WindowCurriculum& o, OptionVisitor& v) {
  v.count("count", o.count, 0, 100'000);
  v.number("goal", o.goal, NumberRange::positive);
  v.number("accept", o.accept, NumberRange::positive);
  v.number("first", o.first, NumberRange::not_negative);
  v.number("shortest", o.shortest, NumberRange::inside_one);
  v.count("budget", o.budget, 0);
}

void visit_options(ContinuationCurriculum& o, OptionVisitor& v) {
  v.text("parameter", o.parameter);
  v.numbers("values", o.values, NumberRange::any);
  v.number("share", o.share, NumberRange::up_to_one);
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
