#pragma once

#include <cauchy/training/point_scheme.hpp>

namespace cauchy::detail {

[[nodiscard]] std::unique_ptr<PointScheme> make_importance(const ImportancePoints& options,
                                                           const TrainingPoints& points);

}  // namespace cauchy::detail

namespace cauchy {

void visit_options(ImportancePoints& options, OptionVisitor& visitor);

}  // namespace cauchy
