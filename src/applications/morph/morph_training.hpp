#pragma once

#include <span>
#include <string>

#include <cauchy/applications/morph.hpp>

namespace cauchy::detail {

/// Everything that decides on the result of a training, as text.
[[nodiscard]] std::string morph_fingerprint(const MorphModel& start,
                                            std::span<const MorphFamily> families,
                                            const MorphTraining& training);

}  // namespace cauchy::detail
