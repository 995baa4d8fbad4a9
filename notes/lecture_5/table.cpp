#include "lectures.hpp"

namespace cauchy::notes {

std::vector<Artefact> lecture_5() { return {}; }

}  // namespace cauchy::notes
