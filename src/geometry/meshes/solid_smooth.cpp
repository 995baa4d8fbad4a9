// Rounder cells for SolidMesher.
#include <algorithm>
#include <cmath>

#include <cauchy/base/run_limit.hpp>

#include "geometry/meshes/solid_mesher.hpp"

namespace cauchy::detail {

void SolidMesher::smooth(int rounds) {
  std::vector<std::vector<int>> on_surface(points_.size());
  for (const auto& f : facets_) {
    for (std::size_t k = 0; k < 3; ++k) {
      on_surface[at(f[k])].push_back(f[(k + 1) % 3]);
    }
  }
  LoopLimit limit("the mesh");
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t v = 0; v < points_.size(); ++v) {
      limit.next(40);
      const bool outer = !pieces_[v].empty();
      if (pieces_[v].size() > 1) continue;
      const double now = star_quality(static_cast<int>(v));
      if (now > 0.75) continue;
      const Point old = points_[v];
      Point mean{};
      double weight = 0;
      const auto add = [&](int u) {
        for (std::size_t k = 0; k < 3; ++k) mean[k] += points_[at(u)][k];
        weight += 1;
      };
      // Neighbours on either surface of an edge; without them, and where an edge has yet to be
      // put in, the vertex stays.
      int beside[2] = {-1, -1};
      bool stays = false;
      if (outer) {
        for (const int u : on_surface[v]) {
          stays = stays || !share_piece(static_cast<int>(v), u);
          if (pieces_[v].size() == 1) {
            add(u);
          } else if (pieces_[at(u)].size() == 1) {
            if (pieces_[at(u)][0] == pieces_[v][0]) beside[0] = u;
            if (pieces_[at(u)][0] == pieces_[v][1]) beside[1] = u;
          } else {
            add(u);
          }
        }
        if (pieces_[v].size() == 2 && (beside[0] < 0 || beside[1] < 0)) stays = true;
      } else {
        for (const int t : around_[v]) {
          for (const int u : tets_[at(t)]) {
            if (u != static_cast<int>(v)) add(u);
          }
        }
      }
      if (stays || weight == 0) continue;
      for (double& x : mean) x /= weight;
      double best = now;
      Point to = old;
      for (const double part : {1.0, 0.5, 0.25, 0.1, -0.1, -0.25}) {
        Point goal = along(old, mean, part);
        if (pieces_[v].size() == 2) {
          std::vector<int> found;
          if (!meeting(beside, goal, found) || found != pieces_[v]) continue;
        } else if (outer) {
          double foot[3], normal[3];
          const Nearest near = shape_->nearest(goal.data(), foot, normal);
          if (static_cast<int>(near.piece) != pieces_[v][0]) continue;
          std::copy_n(foot, 3, goal.begin());
          if (std::abs(shape_->distance(foot)) > 1e-9 * scale_) continue;
        }
        points_[v] = goal;
        const double q = star_quality(static_cast<int>(v));
        if (q > best * (1 + 1e-9) && (!outer || fits(static_cast<int>(v)))) {
          best = q;
          to = goal;
        }
        points_[v] = old;
      }
      points_[v] = to;
    }
  }
}

}  // namespace cauchy::detail
