#include "geometry/shapes/triangle_components.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/shapes/triangle_closest.hpp"
#include "geometry/shapes/triangle_topology.hpp"

namespace cauchy::detail::triangles {
namespace {

struct Component {
  std::vector<std::uint32_t> triangles;
  Vec3 lower{}, upper{};
  double volume = 0;       // signed
  double area = 0;         // twice
  bool was_mixed = false;  // its triangles disagreed, so that its own direction says nothing
  std::vector<std::size_t> around;
};

/// Solid angle of a triangle seen from the origin (van Oosterom and Strackee 1983).
double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = norm(a), lb = norm(b), lc = norm(c);
  return 2 * std::atan2(dot(a, cross(b, c)),
                        la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

double winding(const TriangleMesh& mesh, const std::vector<std::uint32_t>& triangles,
               const Vec3& x) {
  double sum = 0;
  for (const std::uint32_t t : triangles) {
    const auto [a, b, c] = mesh.triangles[t];
    sum += solid_angle(mesh.vertices[a] - x, mesh.vertices[b] - x, mesh.vertices[c] - x);
  }
  return sum / (4 * std::numbers::pi);
}

class Orientation {
 public:
  Orientation(TriangleMesh& mesh, std::vector<std::array<std::uint32_t, 3>>& twin)
      : mesh_(mesh),
        twin_(twin),
        place_(mesh.source.empty() ? "[geometry.triangle_surface]" : mesh.source) {
    find_components();
    for (Component& c : components_) measure(c);
    find_nesting();
    turn_outwards();
  }

 private:
  /// Exchanges the corners b and c.
  void flip(std::uint32_t t) {
    std::swap(mesh_.triangles[t][1], mesh_.triangles[t][2]);
    std::swap(twin_[t][0], twin_[t][2]);
    for (std::uint32_t k = 0; k < 3; ++k) twin_[twin_[t][k] / 3][twin_[t][k] % 3] = 3 * t + k;
  }

  void flip(Component& c) {
    for (const std::uint32_t t : c.triangles) flip(t);
    c.volume = -c.volume;
  }

  [[nodiscard]] std::string near(std::uint32_t t) const {
    const Vec3& p = mesh_.vertices[mesh_.triangles[t][0]];
    return fmt::format("({:.4g}, {:.4g}, {:.4g})", p[0], p[1], p[2]);
  }

  /// Neighbours agree when they run along their edge in opposite directions.
  [[nodiscard]] bool agree(std::uint32_t half_edge) const {
    const std::uint32_t other = twin_[half_edge / 3][half_edge % 3];
    return mesh_.triangles[half_edge / 3][half_edge % 3] != mesh_.triangles[other / 3][other % 3];
  }

  void find_components() {
    enum : char { unseen, as_given, turned };
    std::vector<char> state(mesh_.triangles.size(), unseen);
    for (std::uint32_t seed = 0; seed < mesh_.triangles.size(); ++seed) {
      if (state[seed] != unseen) continue;
      Component c;
      c.triangles = {seed};
      state[seed] = as_given;
      std::size_t n_turned = 0;
      for (std::size_t i = 0; i < c.triangles.size(); ++i) {
        const std::uint32_t t = c.triangles[i];
        for (std::uint32_t k = 0; k < 3; ++k) {
          const std::uint32_t other = twin_[t][k] / 3;
          const char wanted = agree(3 * t + k) == (state[t] == as_given) ? as_given : turned;
          if (state[other] == unseen) {
            state[other] = wanted;
            n_turned += wanted == turned ? 1 : 0;
            c.triangles.push_back(other);
          } else if (state[other] != wanted) {
            throw Error(fmt::format("the surface has one side only, like a Klein bottle: going "
                                    "around it, the triangle near {} faces both ways",
                                    near(other)),
                        place_, "a solid needs a surface with an inside and an outside");
          }
        }
      }
      // The majority is right; a tie goes to the first triangle.
      const char wrong = 2 * n_turned > c.triangles.size() ? as_given : turned;
      c.was_mixed = n_turned > 0;
      for (const std::uint32_t t : c.triangles) {
        if (state[t] == wrong) flip(t);
      }
      components_.push_back(std::move(c));
    }
  }

  void measure(Component& c) const {
    c.lower.fill(std::numeric_limits<double>::infinity());
    c.upper.fill(-std::numeric_limits<double>::infinity());
    const Vec3 origin = mesh_.vertices[mesh_.triangles[c.triangles[0]][0]];
    for (const std::uint32_t t : c.triangles) {
      Vec3 corner[3];
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3& p = mesh_.vertices[mesh_.triangles[t][k]];
        for (std::size_t i = 0; i < 3; ++i) {
          c.lower[i] = std::min(c.lower[i], p[i]);
          c.upper[i] = std::max(c.upper[i], p[i]);
        }
        corner[k] = p - origin;
      }
      c.volume += dot(corner[0], cross(corner[1], corner[2])) / 6;
      c.area += norm(cross(corner[1] - corner[0], corner[2] - corner[0]));
    }
    // A sum of n terms of at most area times diameter, each rounded a few times.
    const double rounding = 1e-15 * c.area * norm(c.upper - c.lower);
    if (!(std::abs(c.volume) > rounding)) {
      throw Error(fmt::format("the part of the surface near {} encloses no volume",
                              near(c.triangles[0])),
                  place_, "remove folded sheets in a mesh editor");
    }
  }

  void find_nesting() {
    for (std::size_t i = 0; i < components_.size(); ++i) {
      Component& inner = components_[i];
      const Triangle& t = mesh_.triangles[inner.triangles[0]];
      const Vec3 x =
          (1.0 / 3) * (mesh_.vertices[t[0]] + mesh_.vertices[t[1]] + mesh_.vertices[t[2]]);
      for (std::size_t j = 0; j < components_.size(); ++j) {
        const Component& outer = components_[j];
        bool within = j != i;
        for (std::size_t k = 0; k < 3; ++k) {
          within = within && outer.lower[k] <= inner.lower[k] && inner.upper[k] <= outer.upper[k];
        }
        if (within && std::abs(winding(mesh_, outer.triangles, x)) > 0.5) inner.around.push_back(j);
      }
    }
  }

  void turn_outwards() {
    // A part that nothing encloses decides for all that it encloses.
    std::vector<char> inside_out(components_.size());
    for (std::size_t i = 0; i < components_.size(); ++i) {
      inside_out[i] = components_[i].around.empty() && components_[i].volume < 0 ? 1 : 0;
    }
    for (Component& c : components_) {
      bool turn = c.around.empty() && c.volume < 0;
      for (const std::size_t j : c.around) turn = turn || inside_out[j] != 0;
      if (turn) flip(c);
    }
    for (Component& c : components_) {
      const bool is_cavity = c.around.size() % 2 == 1;
      if ((c.volume < 0) == is_cavity) continue;
      if (!c.was_mixed) {
        throw Error(fmt::format("the part of the surface near {} lies inside another part and "
                                "faces the same way",
                                near(c.triangles[0])),
                    place_,
                    "turn its normals when it is a cavity, remove it when it is a body inside "
                    "another");
      }
      flip(c);
    }
  }

  TriangleMesh& mesh_;
  std::vector<std::array<std::uint32_t, 3>>& twin_;
  std::string place_;
  std::vector<Component> components_;
};

}  // namespace

void orient(TriangleMesh& mesh, std::vector<std::array<std::uint32_t, 3>>& twin) {
  Orientation(mesh, twin);
}

double winding_number(const TriangleMesh& mesh, const Vec3& x) {
  std::vector<std::uint32_t> all(mesh.triangles.size());
  for (std::uint32_t t = 0; t < all.size(); ++t) all[t] = t;
  return winding(mesh, all, x);
}

}  // namespace cauchy::detail::triangles
