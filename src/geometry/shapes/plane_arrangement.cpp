#include "plane_arrangement.hpp"

#include <algorithm>

namespace cauchy::detail {

Arrangement::Arrangement(const PlaneShape& a, const PlaneShape& b, double tolerance)
    : tolerance_(tolerance) {
  const std::vector<Curve>&first = a.curves(), &second = b.curves();
  std::vector<std::vector<Stop>> stops[2];
  add_ends(first, stops[0]);
  add_ends(second, stops[1]);
  std::vector<PlaneBox> boxes;
  for (const Curve& c : first) boxes.push_back(c.box());
  std::vector<Meeting> meetings;
  for (std::size_t j = 0; j < second.size(); ++j) {
    PlaneBox box = second[j].box();
    box.grow(tolerance);
    // In the order of the curves, whatever the tree: vertices then do not depend on its layout.
    std::vector<std::size_t> near;
    a.tree().each([&](const PlaneBox& node) { return node.meets(box); },
                  [&](std::uint32_t i) {
                    if (boxes[i].meets(box)) near.push_back(i);
                  });
    std::ranges::sort(near);
    for (const std::size_t i : near) {
      meetings.clear();
      append_meetings(first[i], second[j], tolerance, meetings);
      for (const Meeting& m : meetings) {
        const std::size_t at = vertex(m.point);
        stops[0][i].push_back({m.ta, at});
        stops[1][j].push_back({m.tb, at});
      }
    }
  }
  cut_all(first, stops[0], parts_[0]);
  cut_all(second, stops[1], parts_[1]);
}

std::size_t Arrangement::vertex(Vec p) {
  const double width = 2 * tolerance_;
  const double column = std::floor(p.x / width), row = std::floor(p.y / width);
  for (const double dx : {0.0, -1.0, 1.0}) {
    for (const double dy : {0.0, -1.0, 1.0}) {
      const auto cell = cells_.find({column + dx, row + dy});
      if (cell == cells_.end()) continue;
      for (const std::size_t i : cell->second) {
        if (norm(vertices_[i] - p) <= tolerance_) return i;
      }
    }
  }
  cells_[{column, row}].push_back(vertices_.size());
  vertices_.push_back(p);
  return vertices_.size() - 1;
}

void Arrangement::add_ends(const std::vector<Curve>& curves,
                           std::vector<std::vector<Stop>>& stops) {
  stops.resize(curves.size());
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Curve& c = curves[i];
    stops[i].push_back({c.t0, c.starts() ? vertex(c.start) : infinity});
    stops[i].push_back({c.t1, c.ends() ? vertex(c.end) : infinity});
  }
}

void Arrangement::cut_all(const std::vector<Curve>& curves, std::vector<std::vector<Stop>>& stops,
                          std::vector<std::vector<Part>>& parts) const {
  parts.resize(curves.size());
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::ranges::stable_sort(stops[i], {}, &Stop::t);
    Stop last = stops[i].front();
    for (std::size_t k = 1; k < stops[i].size(); ++k) {
      const Stop& next = stops[i][k];
      const bool loop = last.vertex == next.vertex && last.vertex != infinity;
      // A loop with some length is a closed curve, a short one is what merging vertices left.
      if (loop && curves[i].length(last.t, next.t) <= 8 * tolerance_) continue;
      if (last.t == next.t && last.vertex == next.vertex) continue;
      parts[i].push_back({last.t, next.t, last.vertex, next.vertex});
      last = next;
    }
  }
}

Curve Arrangement::cut(const Curve& curve, const Part& part) const {
  const Vec from = part.from == infinity ? curve.start : vertices_[part.from];
  const Vec to = part.to == infinity ? curve.end : vertices_[part.to];
  return curve.part(part.ta, part.tb, from, to);
}

}  // namespace cauchy::detail
