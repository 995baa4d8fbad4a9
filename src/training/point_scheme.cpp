#include <cauchy/training/point_scheme.hpp>

#include "training/point_schemes/adaptive.hpp"
#include "training/point_schemes/importance.hpp"
#include "training/point_schemes/redraw.hpp"
#include "training/rule_table.hpp"

namespace cauchy {

CAUCHY_COMPILE_HERE(PointSchemeOptions)

const std::vector<PointSchemeEntry>& all_point_schemes() {
  static const std::vector<PointSchemeEntry> all = {
      {"redraw", "points of the sampler, new ones now and then", RedrawPoints{}},
      {"importance", "batches drawn by loss or gradient, without bias", ImportancePoints{}},
      {"residual", "points where residuals are large", ResidualPoints{}},
      {"retain", "points with large residuals stay, others are drawn anew", RetainPoints{}},
      {"growing", "more points while fresh residuals exceed trained ones", GrowingPoints{}},
  };
  return all;
}

std::unique_ptr<PointScheme> make_point_scheme(const PointSchemeOptions& options,
                                               const TrainingPoints& points) {
  if (const auto* custom = std::get_if<CustomPointScheme>(&options)) {
    return detail::make_custom(*custom, "[training.point_scheme]");
  }
  if (std::holds_alternative<RedrawPoints>(options)) return std::make_unique<detail::Redraw>();
  if (const auto* o = std::get_if<ImportancePoints>(&options)) {
    return detail::make_importance(*o, points);
  }
  detail::check_movable(points);
  if (const auto* o = std::get_if<RetainPoints>(&options)) return detail::make_retain(*o);
  if (const auto* o = std::get_if<GrowingPoints>(&options)) return detail::make_growing(*o);
  return detail::make_residual(std::get<ResidualPoints>(options));
}

void visit_options(PointSchemeOptions& options, OptionVisitor& v) {
  detail::visit_rule(options, v, "point scheme", all_point_schemes());
}

}  // namespace cauchy
