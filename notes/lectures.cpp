#include "lectures.hpp"

namespace cauchy::notes {

const std::vector<Artefact>& all_artefacts() {
  static const std::vector<Artefact> all = [] {
    std::vector<Artefact> made;
    for (const auto lecture : {lecture_1, lecture_2, lecture_3, lecture_4, lecture_5}) {
      for (Artefact& a : lecture()) made.push_back(std::move(a));
    }
    return made;
  }();
  return all;
}

}  // namespace cauchy::notes
