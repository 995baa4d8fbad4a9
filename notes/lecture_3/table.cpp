#include "lectures.hpp"

namespace cauchy::notes {

std::vector<Artefact> lecture_3() { return {}; }

}  // namespace cauchy::notes
