#pragma once

#include <vector>

#include "notes/artefact.hpp"

namespace cauchy::notes {

// What each lecture has, one file per artefact; a new one is a line in the table of its lecture.
[[nodiscard]] std::vector<Artefact> lecture_1();
[[nodiscard]] std::vector<Artefact> lecture_2();
[[nodiscard]] std::vector<Artefact> lecture_3();
[[nodiscard]] std::vector<Artefact> lecture_4();
[[nodiscard]] std::vector<Artefact> lecture_5();

}  // namespace cauchy::notes
