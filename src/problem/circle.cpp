#include "problem/circle.hpp"

#include <algorithm>
#include <set>

namespace cauchy::detail {

std::vector<std::string> circle_in(const NameGraph& graph) {
  struct Step {
    std::string name;
    std::size_t next = 0;  // of its uses
  };
  std::set<std::string> done;  // no circle leads through these
  for (const auto& [first, uses_of_first] : graph) {
    std::vector<Step> trail;
    if (!done.contains(first)) trail.push_back({first});
    while (!trail.empty()) {
      const auto found = graph.find(trail.back().name);
      if (found == graph.end() || trail.back().next == found->second.size()) {
        done.insert(trail.back().name);
        trail.pop_back();
        continue;
      }
      const std::string& next = found->second[trail.back().next++];
      const auto start =
          std::find_if(trail.begin(), trail.end(), [&](const Step& s) { return s.name == next; });
      if (start != trail.end()) {
        std::vector<std::string> circle;
        for (auto it = start; it != trail.end(); ++it) circle.push_back(it->name);
        circle.push_back(next);
        return circle;
      }
      if (!done.contains(next)) trail.push_back({next});
    }
  }
  return {};
}

}  // namespace cauchy::detail
