#pragma once

#include <string>

#include <cauchy/problem/training_diagnosis.hpp>

namespace cauchy::detail {

/// The text of diagnosis.json.
[[nodiscard]] std::string diagnosis_json(const TrainingDiagnosis& d);

}  // namespace cauchy::detail
