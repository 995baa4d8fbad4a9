#include <cauchy/training/curriculum.hpp>

#include "training/curricula/curricula.hpp"
#include "training/rule_table.hpp"

namespace cauchy {

CAUCHY_COMPILE_HERE(CurriculumOptions)

const std::vector<CurriculumEntry>& all_curricula() {
  static const std::vector<CurriculumEntry> all = {
      {"none", "the whole task in every stage", NoCurriculum{}},
      {"continuation", "a parameter goes to its value step by step", ContinuationCurriculum{}},
      {"grid", "the grids of a spline network become finer", GridCurriculum{}},
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
  v.number("give_up", o.give_up, NumberRange::positive);
  v.number("first", o.first, NumberRange::not_negative);
  v.number("shortest", o.shortest, NumberRange::inside_one);
  v.count("budget", o.budget, 0);
  v.number("overlap", o.overlap, NumberRange::below_one);
}

void visit_options(ContinuationCurriculum& o, OptionVisitor& v) {
  v.text("parameter", o.parameter);
  v.numbers("values", o.values, NumberRange::any);
  v.number("share", o.share, NumberRange::up_to_one);
}

void visit_options(GridCurriculum& o, OptionVisitor& v) {
  v.numbers("grids", o.grids, NumberRange::positive);
  v.number("uniform", o.uniform, NumberRange::up_to_one);
  v.number("share", o.share, NumberRange::up_to_one);
}

std::unique_ptr<Curriculum> make_curriculum(const CurriculumOptions& options,
                                            const TrainingPoints& points, std::size_t stages) {
  if (const auto* custom = std::get_if<CustomCurriculum>(&options)) {
    return detail::make_custom(*custom, detail::curriculum_place);
  }
  const auto* loss = std::get_if<LossCurriculum>(&options);
  const bool time = std::holds_alternative<GrowingTimeCurriculum>(options);
  const bool data = std::holds_alternative<DataCurriculum>(options);
  if (loss == nullptr && !time && !data) return nullptr;
  if (stages < 2) {
    throw Error("a curriculum changes the task from stage to stage, and there is one stage",
                detail::curriculum_place, "give the method two stages or more");
  }
  if (time) return detail::make_growing_time(points, stages);
  if (data) return detail::make_data_curriculum(points, stages);
  return detail::make_loss_curriculum(*loss, points, stages);
}

void visit_options(LossCurriculum& curriculum, OptionVisitor& v) {
  v.text("first", curriculum.first);
}

void visit_options(CurriculumOptions& options, OptionVisitor& v) {
  detail::visit_rule(options, v, "curriculum", all_curricula());
}

}  // namespace cauchy
