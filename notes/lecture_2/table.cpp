#include "lectures.hpp"

namespace cauchy::notes {

std::vector<Artefact> lecture_2() { return {}; }

}  // namespace cauchy::notes
