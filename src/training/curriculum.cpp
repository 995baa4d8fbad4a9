#include <cauchy/training/curriculum.hpp>

#include "training/rule_table.hpp"

namespace cauchy {

const std::vector<CurriculumEntry>& all_curricula() {
  static const std::vector<CurriculumEntry> all = {
      {"none", "the whole task in every stage", NoCurriculum{}},
  };
  return all;
}

std::unique_ptr<Curriculum> make_curriculum(const CurriculumOptions& options) {
  if (const auto* custom = std::get_if<CustomCurriculum>(&options)) {
    return detail::make_custom(*custom, "[training.curriculum]");
  }
  return nullptr;
}

void visit_options(CurriculumOptions& options, OptionVisitor& v) {
  detail::visit_rule(options, v, "curriculum", all_curricula());
}

}  // namespace cauchy
