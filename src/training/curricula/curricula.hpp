#pragma once

#include <cauchy/training/curriculum.hpp>

namespace cauchy::detail {

// The curricula within one training; what they cannot do with these points is an Error.
[[nodiscard]] std::unique_ptr<Curriculum> make_growing_time(const TrainingPoints& points,
                                                            std::size_t stages);
[[nodiscard]] std::unique_ptr<Curriculum> make_data_curriculum(const TrainingPoints& points,
                                                               std::size_t stages);
[[nodiscard]] std::unique_ptr<Curriculum> make_loss_curriculum(const LossCurriculum& options,
                                                               const TrainingPoints& points,
                                                               std::size_t stages);

/// Where errors of the family stand.
inline constexpr const char* curriculum_place = "[training.curriculum]";

}  // namespace cauchy::detail
