#include "lectures.hpp"

namespace cauchy::notes {

std::vector<Artefact> lecture_4() { return {}; }

}  // namespace cauchy::notes
