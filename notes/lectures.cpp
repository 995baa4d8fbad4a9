#include "lectures.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace cauchy::notes {

const std::vector<Artefact>& all_artefacts() {
  static const std::vector<Artefact> all = [] {
    std::vector<Artefact> made;
    for (const auto lecture : {lecture_1, lecture_2, lecture_3, lecture_4, lecture_5}) {
      for (Artefact& a : lecture()) made.push_back(std::move(a));
    }
    std::stable_sort(made.begin(), made.end(), [](const Artefact& a, const Artefact& b) {
      return std::pair(a.lecture, std::stoi(a.lines)) < std::pair(b.lecture, std::stoi(b.lines));
    });
    return made;
  }();
  return all;
}

}  // namespace cauchy::notes
