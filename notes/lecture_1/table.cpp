#include "lectures.hpp"

namespace cauchy::notes {

Artefact robin_roots_entry();

std::vector<Artefact> lecture_1() {
  return {
      robin_roots_entry(),
  };
}

}  // namespace cauchy::notes
