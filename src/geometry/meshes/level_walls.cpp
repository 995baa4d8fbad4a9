#include "geometry/meshes/level_walls.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/meshes/mesh_level.hpp"
#include "geometry/meshes/mesh_sides.hpp"
#include "geometry/shapes/plane_tree.hpp"

namespace cauchy::detail {
namespace {

/// A curve by points on it; those with a corner are nodes of the mesh.
struct LevelCurve {
  struct Stop {
    Vec p;
    int corner = -1;
  };
  std::size_t level = 0;
  std::vector<Stop> stops;
};

class LevelTracer {
 public:
  LevelTracer(const Shape& shape, const MeshOptions& options, PlaneWalls& walls)
      : shape_(shape), options_(options), walls_(walls), corners_(4e-9 * walls.scale) {
    for (const Vec& p : walls.corners) (void)corners_.number(p);
    for (const MeshInterface& i : options.interfaces) {
      surfaces_.push_back(std::make_shared<LevelSurface>(i, 2, walls.scale));
    }
    const PlaneBox box = walls.box();
    const double longest = std::max(box.upper.x - box.lower.x, box.upper.y - box.lower.y);
    step_ = std::max(options.size / 2, longest / 400);
    step_ = std::min(step_, longest / 40);
  }

  void run() {
    std::vector<LevelCurve> curves;
    for (std::size_t k = 0; k < surfaces_.size(); ++k) trace(k, curves);
    for (LevelCurve& c : curves) add_corners(c);
    meet_walls(curves);
    meet_each_other(curves);
    walls_.walls = cut_walls(walls_.walls, corners_);
    for (const LevelCurve& c : curves) add_runs(c);
    walls_.corners = corners_.points;
  }

 private:
  [[nodiscard]] Vec on_level(std::size_t level, Vec p) const {
    Vec foot, normal;
    surfaces_[level]->project(&p.x, &foot.x, &normal.x);
    return foot;
  }
  [[nodiscard]] Vec normal_at(std::size_t level, Vec p) const {
    Vec g;
    const double length = surfaces_[level]->slope(&p.x, &g.x);
    return length > 0 ? (1 / length) * g : Vec{0, 0};
  }

  /// Chains of points where the sides of a grid of triangles are crossed. The grid lies askew to
  /// round numbers, so that no level passes through its nodes in rows.
  void trace(std::size_t level, std::vector<LevelCurve>& curves) const {
    const LevelSurface& surface = *surfaces_[level];
    const PlaneBox box = walls_.box();
    const Vec origin{box.lower.x - 0.6180339887 * step_, box.lower.y - 0.4142135623 * step_};
    const auto nx = static_cast<std::size_t>((box.upper.x - origin.x) / step_) + 2;
    const auto ny = static_cast<std::size_t>((box.upper.y - origin.y) / step_) + 2;
    const auto node = [&](std::size_t i, std::size_t j) {
      return Vec{origin.x + step_ * static_cast<double>(i),
                 origin.y + step_ * static_cast<double>(j)};
    };
    std::vector<char> positive(nx * ny);
    for (std::size_t j = 0; j < ny; ++j) {
      for (std::size_t i = 0; i < nx; ++i) {
        const Vec p = node(i, j);
        const double v = surface.value(&p.x);
        if (std::isnan(v) && shape_.contains(&p.x)) {
          throw Error(fmt::format("the level of the interface \"{}\" is not a number at {}",
                                  options_.interfaces[level].name, place_text(2, &p.x)),
                      "[geometry.mesh]", "use a function that is known in the whole region");
        }
        positive[j * nx + i] = v >= 0 ? 1 : 0;
      }
    }
    std::unordered_map<std::size_t, std::size_t> number;  // of crossings by side
    std::vector<Vec> points;
    std::vector<std::array<std::size_t, 2>> links;
    constexpr std::size_t nothing = static_cast<std::size_t>(-1);
    const auto crossing = [&](std::size_t a, std::size_t b) {
      const auto [low, high] = std::minmax(a, b);
      const std::size_t side = 3 * low + (high - low == 1 ? 0 : high - low == nx ? 1 : 2);
      const auto [entry, is_new] = number.try_emplace(side, points.size());
      if (is_new) {
        const Vec p = node(low % nx, low / nx), q = node(high % nx, high / nx);
        points.push_back(p + surface.crossing(&p.x, &q.x) * (q - p));
        links.push_back({nothing, nothing});
      }
      return entry->second;
    };
    for (std::size_t j = 0; j + 1 < ny; ++j) {
      for (std::size_t i = 0; i + 1 < nx; ++i) {
        const std::size_t a = j * nx + i, b = a + 1, c = a + nx + 1, d = a + nx;
        for (const auto& t : {std::array{a, b, c}, std::array{a, c, d}}) {
          std::size_t ends[2];
          int n = 0;
          for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t u = t[k], v = t[(k + 1) % 3];
            if (positive[u] != positive[v]) ends[n++] = crossing(u, v);
          }
          if (n < 2) continue;
          for (int k = 0; k < 2; ++k) {
            auto& l = links[ends[k]];
            (l[0] == nothing ? l[0] : l[1]) = ends[1 - k];
          }
        }
      }
    }
    std::vector<char> used(points.size(), 0);
    const auto follow = [&](std::size_t first) {
      LevelCurve curve;
      curve.level = level;
      std::size_t at = first, before = nothing;
      while (at != nothing && used[at] == 0) {
        used[at] = 1;
        const Vec p = points[at];
        if (curve.stops.empty() || norm(curve.stops.back().p - p) > 0.3 * step_) {
          curve.stops.push_back({p});
        }
        const std::size_t next = links[at][0] != before ? links[at][0] : links[at][1];
        before = at;
        at = next;
      }
      if (at == first && curve.stops.size() > 2) {
        if (norm(curve.stops.back().p - points[first]) < 0.3 * step_) curve.stops.pop_back();
        curve.stops.push_back({points[first]});
      } else if (norm(curve.stops.back().p - points[before]) > 0) {
        curve.stops.push_back({points[before]});
      }
      if (curve.stops.size() > 1) curves.push_back(std::move(curve));
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (used[i] == 0 && links[i][1] == nothing) follow(i);
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (used[i] == 0) follow(i);
    }
  }

  /// Corners of the curve itself: where its tangent turns between two points, however near.
  void add_corners(LevelCurve& curve) {
    std::vector<LevelCurve::Stop> out;
    for (std::size_t i = 0; i < curve.stops.size(); ++i) {
      if (i > 0) {
        Vec c;
        if (corner_between(curve.level, out.back().p, curve.stops[i].p, c)) {
          out.push_back({c, corners_.number(c)});
        }
      }
      out.push_back(curve.stops[i]);
    }
    curve.stops = std::move(out);
  }
  [[nodiscard]] bool corner_between(std::size_t level, Vec a, Vec b, Vec& c) const {
    const double room = norm(b - a);
    Vec na = normal_at(level, a), nb = normal_at(level, b);
    if (dot(na, nb) > 0.8) return false;
    for (int round = 0; round < 24; ++round) {
      const double det = cross(na, nb);
      if (!(std::abs(det) > 0.3)) return false;
      const double ra = dot(na, a), rb = dot(nb, b);
      c = {(ra * nb.y - rb * na.y) / det, (rb * na.x - ra * nb.x) / det};
      if (!(norm(c - a) < 3 * room && norm(c - b) < 3 * room)) return false;
      // Slopes are differences: nearer than this they mix both sides.
      if (std::max(norm(c - a), norm(c - b)) < 2e-5 * walls_.scale) break;
      a = on_level(level, c + 0.3 * (a - c));
      b = on_level(level, c + 0.3 * (b - c));
      na = normal_at(level, a);
      nb = normal_at(level, b);
    }
    return surfaces_[level]->distance(&c.x) < 1e-8 * walls_.scale;
  }

  /// Where the level is 0 on a wall near a parameter; false when it is not.
  [[nodiscard]] bool on_wall(std::size_t level, const PlaneWall& wall, double t, Vec& p) const {
    const LevelSurface& surface = *surfaces_[level];
    const Curve& c = wall.curve;
    const Vec start = c.point(t);
    for (int round = 0; round < 30; ++round) {
      p = t <= c.t0 ? c.start : t >= c.t1 ? c.end : c.point(t);
      const double v = surface.value(&p.x);
      if (v == 0) break;
      Vec g;
      (void)surface.slope(&p.x, &g.x);
      const double change = v / dot(g, c.velocity(t));
      if (!std::isfinite(change)) break;
      t = std::clamp(t - change, c.t0, c.t1);
      if (std::abs(change) * norm(c.velocity(t)) < 1e-15 * walls_.scale) break;
    }
    p = t <= c.t0 ? c.start : t >= c.t1 ? c.end : c.point(t);
    return norm(p - start) < step_ && surface.distance(&p.x) < 1e-9 * walls_.scale;
  }

  using Insertions = std::vector<std::vector<std::pair<double, int>>>;  // per chord: part, corner

  void insert(LevelCurve& curve, Insertions& at) const {
    std::vector<LevelCurve::Stop> out;
    for (std::size_t i = 0; i < curve.stops.size(); ++i) {
      if (i > 0) {
        std::ranges::sort(at[i - 1]);
        for (const auto& [part, corner] : at[i - 1]) {
          out.push_back({corners_.points[static_cast<std::size_t>(corner)], corner});
        }
      }
      out.push_back(curve.stops[i]);
    }
    // Points that lie nearly on a corner give way to it, and a corner counts once.
    std::vector<LevelCurve::Stop> clean;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto near = [&](std::size_t j) {
        return out[j].corner >= 0 && norm(out[j].p - out[i].p) < 0.05 * step_;
      };
      if (out[i].corner < 0 && ((i > 0 && near(i - 1)) || (i + 1 < out.size() && near(i + 1)))) {
        continue;
      }
      if (!clean.empty() && out[i].corner >= 0 && clean.back().corner == out[i].corner) continue;
      clean.push_back(out[i]);
    }
    curve.stops = std::move(clean);
  }

  void meet_walls(std::vector<LevelCurve>& curves) {
    std::vector<PlaneBox> boxes;
    for (const PlaneWall& w : walls_.walls) boxes.push_back(w.curve.box());
    const BoxTree tree(std::move(boxes));
    const double tolerance = corners_.tolerance();
    std::vector<Meeting> meetings;
    for (LevelCurve& curve : curves) {
      Insertions at(curve.stops.size());
      for (std::size_t i = 0; i + 1 < curve.stops.size(); ++i) {
        const Curve chord = Curve::segment(curve.stops[i].p, curve.stops[i + 1].p, 0);
        PlaneBox reach = chord.box();
        reach.grow(tolerance);
        tree.each([&](const PlaneBox& b) { return b.meets(reach); },
                  [&](std::uint32_t w) {
                    const PlaneWall& wall = walls_.walls[w];
                    meetings.clear();
                    append_meetings(chord, wall.curve, tolerance, meetings);
                    // A chord along the wall meets it only in the wall's own ends.
                    const bool lies_on = wall.curve.nearest(chord.start).distance < tolerance &&
                                         wall.curve.nearest(chord.end).distance < tolerance;
                    for (const Meeting& m : meetings) {
                      Vec p;
                      if (!on_wall(curve.level, wall, m.tb, p)) continue;
                      if (lies_on && norm(p - wall.curve.start) > tolerance &&
                          norm(p - wall.curve.end) > tolerance) {
                        continue;
                      }
                      const double part = std::clamp(m.ta, 0.0, 1.0);
                      at[i].emplace_back(part, corners_.number(p));
                    }
                  });
      }
      insert(curve, at);
    }
  }

  /// Crossings of curves of two levels.
  void meet_each_other(std::vector<LevelCurve>& curves) {
    struct Chord {
      std::size_t curve, i;
    };
    std::vector<Chord> chords;
    std::vector<PlaneBox> boxes;
    std::vector<Insertions> at;
    for (std::size_t k = 0; k < curves.size(); ++k) {
      at.emplace_back(curves[k].stops.size());
      for (std::size_t i = 0; i + 1 < curves[k].stops.size(); ++i) {
        PlaneBox box = PlaneBox::empty();
        box.add(curves[k].stops[i].p);
        box.add(curves[k].stops[i + 1].p);
        chords.push_back({k, i});
        boxes.push_back(box);
      }
    }
    const BoxTree tree(boxes);
    const auto segment = [&](const Chord& c) {
      const auto& s = curves[c.curve].stops;
      return Curve::segment(s[c.i].p, s[c.i + 1].p, 0);
    };
    std::vector<Meeting> meetings;
    for (std::size_t a = 0; a < chords.size(); ++a) {
      const Chord& ca = chords[a];
      const std::size_t la = curves[ca.curve].level;
      tree.each([&](const PlaneBox& b) { return b.meets(boxes[a]); },
                [&](std::uint32_t b) {
                  const Chord& cb = chords[b];
                  const std::size_t lb = curves[cb.curve].level;
                  if (la >= lb) return;
                  meetings.clear();
                  append_meetings(segment(ca), segment(cb), corners_.tolerance(), meetings);
                  for (const Meeting& m : meetings) {
                    Vec p;
                    if (!on_both(la, lb, m.point, p)) continue;
                    const int corner = corners_.number(p);
                    at[ca.curve][ca.i].emplace_back(m.ta, corner);
                    at[cb.curve][cb.i].emplace_back(m.tb, corner);
                  }
                });
    }
    for (std::size_t k = 0; k < curves.size(); ++k) insert(curves[k], at[k]);
  }
  [[nodiscard]] bool on_both(std::size_t a, std::size_t b, Vec from, Vec& p) const {
    p = from;
    for (int round = 0; round < 30; ++round) {
      Vec ga, gb;
      const double la = surfaces_[a]->slope(&p.x, &ga.x), lb = surfaces_[b]->slope(&p.x, &gb.x);
      const double fa = surfaces_[a]->value(&p.x), fb = surfaces_[b]->value(&p.x);
      const double det = cross(ga, gb);
      if (!(std::abs(det) > 1e-3 * la * lb)) return false;
      const Vec step{(fa * gb.y - fb * ga.y) / det, (fb * ga.x - fa * gb.x) / det};
      p = p - step;
      if (norm(step) < 1e-15 * walls_.scale) break;
      if (!(norm(p - from) < 2 * step_)) return false;
    }
    return surfaces_[a]->distance(&p.x) < 1e-9 * walls_.scale &&
           surfaces_[b]->distance(&p.x) < 1e-9 * walls_.scale;
  }

  [[nodiscard]] double size_at(Vec p) const {
    if (!options_.size_field) return options_.size;
    const double h = options_.size_field(&p.x);
    return h > 0 ? std::min(options_.size, h) : options_.size;  // PlaneMesher refuses it
  }

  /// Whether a stretch lies inside, and on no wall or earlier level.
  [[nodiscard]] bool counts(const LevelCurve& curve, Vec p) const {
    const double tolerance = 100 * corners_.tolerance();
    if (!(shape_.distance(&p.x) > tolerance)) return false;
    for (const PlaneWall& w : walls_.walls) {
      if (w.curve.box().distance(p) < tolerance && w.curve.nearest(p).distance < tolerance) {
        return false;
      }
    }
    for (std::size_t k = 0; k < curve.level; ++k) {
      if (surfaces_[k]->distance(&p.x) < tolerance) return false;
    }
    return true;
  }

  /// The stretches between corners, as chords.
  void add_runs(const LevelCurve& curve) {
    std::vector<LevelCurve::Stop> stops = curve.stops;
    const bool closed = norm(stops.front().p - stops.back().p) <= corners_.tolerance();
    const auto is_corner = [](const LevelCurve::Stop& s) { return s.corner >= 0; };
    const auto first = std::ranges::find_if(stops, is_corner);
    if (closed) {
      if (first == stops.end()) {
        if (!counts(curve, stops[stops.size() / 2].p)) return;
        stops.front().corner = corners_.number(stops.front().p);
        stops.back() = stops.front();
      } else if (first != stops.begin() || !is_corner(stops.back())) {
        stops.pop_back();
        std::rotate(stops.begin(), std::ranges::find_if(stops, is_corner), stops.end());
        stops.push_back(stops.front());
      }
    }
    std::size_t begin = stops.size();
    for (std::size_t i = 0; i < stops.size(); ++i) {
      if (!is_corner(stops[i])) continue;
      if (begin < i) add_run(curve, std::span(stops).subspan(begin, i - begin + 1));
      begin = i;
    }
  }

  [[nodiscard]] Vec corner(int k) const { return corners_.points[static_cast<std::size_t>(k)]; }
  [[nodiscard]] int base_part(Vec p) const {
    int base = 0;
    for (std::size_t k = options_.parts.size(); k-- > 0;) {
      if (options_.parts[k].shape->contains(&p.x)) base = static_cast<int>(k) + 1;
    }
    return base;
  }

  /// A stretch of a circle as two arcs; false when it is none.
  bool add_arcs(std::span<const LevelCurve::Stop> run, PlaneWall wall) {
    if (run.size() < 4) return false;
    const std::size_t third = run.size() / 3;
    const Vec a = run[0].p, u = run[third].p - a, v = run[2 * third].p - a;
    const double det = 2 * cross(u, v);
    const Vec c =
        a + (1 / det) * Vec{v.y * dot(u, u) - u.y * dot(v, v), u.x * dot(v, v) - v.x * dot(u, u)};
    const double radius = norm(a - c);
    if (!(radius < 1e3 * walls_.scale)) return false;
    const auto level = static_cast<std::size_t>(wall.level);
    double angle = 0;
    for (std::size_t i = 0; i + 1 < run.size(); ++i) {
      const Vec p = run[i].p - c, q = run[i + 1].p - c;
      const Vec between = c + (radius / norm(p + q)) * (p + q);
      if (!(std::abs(norm(q) - radius) < 1e-11 * walls_.scale) ||
          !(surfaces_[level]->distance(&between.x) < 1e-11 * walls_.scale)) {
        return false;
      }
      angle += std::atan2(cross(p, q), dot(p, q));
    }
    const double t0 = std::atan2(a.y - c.y, a.x - c.x);
    const int last = wall.to;
    for (const int half : {0, 1}) {
      const double ta = angle * half / 2, tb = angle * (half + 1) / 2;
      const double way = angle > 0 ? 1 : -1;
      // Run through from 0 upwards, clockwise where the angle falls.
      const Vec e{std::cos(t0 + ta), std::sin(t0 + ta)};
      wall.curve =
          Curve::ellipse_arc(c, radius * e, way * radius * turned(e), 0, std::abs(tb - ta), 0);
      wall.to = half == 1 ? last : corners_.number(wall.curve.point(wall.curve.t1));
      wall.curve.start = corner(wall.from);
      wall.curve.end = corner(wall.to);
      walls_.walls.push_back(wall);
      wall.from = wall.to;
    }
    return true;
  }

  void add_run(const LevelCurve& curve, std::span<const LevelCurve::Stop> run) {
    const std::size_t middle = (run.size() - 1) / 2;
    if (!counts(curve, on_level(curve.level, 0.5 * (run[middle].p + run[middle + 1].p)))) return;
    const double turn = options_.turn * std::numbers::pi / 180;
    const Vec from = run.front().p, to = run.back().p;
    std::vector<double> sum(run.size(), 0);
    double bulge = 0;
    // Normals are taken inside of the ends, which may be corners of the curve.
    const auto normal_near = [&](std::size_t i, std::size_t other) {
      return normal_at(curve.level, run[i].p + 0.1 * (run[other].p - run[i].p));
    };
    for (std::size_t i = 0; i + 1 < run.size(); ++i) {
      const Vec a = run[i].p, b = run[i + 1].p;
      const Vec na = normal_near(i, i + 1), nb = normal_near(i + 1, i);
      const double angle = std::abs(std::atan2(cross(na, nb), dot(na, nb))) / 0.8;
      sum[i + 1] = sum[i] + std::max(norm(b - a) / size_at(0.5 * (a + b)), angle / turn);
      if (norm(to - from) > 0) {
        bulge = std::max(bulge, std::abs(cross(to - from, b - from)) / norm(to - from));
      }
    }
    PlaneWall wall;
    wall.left = wall.right = base_part(run[run.size() / 2].p);
    wall.level = static_cast<int>(curve.level);
    wall.from = run.front().corner;
    wall.to = run.back().corner;
    const bool loop = wall.from == wall.to;
    // Lines and circles are walls like those of shapes.
    if (!loop && bulge < 1e-12 * walls_.scale) {
      wall.curve = Curve::segment(corner(wall.from), corner(wall.to), 0);
      walls_.walls.push_back(wall);
      return;
    }
    if (add_arcs(run, wall)) return;
    wall.surface = surfaces_[curve.level];
    const double least = loop ? 4 : 2;
    const double total = sum.back();
    if (!(total < 1e8)) {
      throw Error(fmt::format("{:.3g} sides along the interface \"{}\"", total,
                              options_.interfaces[curve.level].name),
                  "[geometry.mesh]", "use a larger size");
    }
    const int n = static_cast<int>(std::max(least, std::ceil(total - 0.05)));
    std::size_t i = 0;
    for (int k = 1; k <= n; ++k) {
      wall.to = run.back().corner;
      if (k < n) {
        const double goal = total * k / n;
        while (i + 2 < run.size() && sum[i + 1] < goal) ++i;
        const double part = (goal - sum[i]) / (sum[i + 1] - sum[i]);
        wall.to =
            corners_.number(on_level(curve.level, run[i].p + part * (run[i + 1].p - run[i].p)));
      }
      wall.curve = Curve::segment(corner(wall.from), corner(wall.to), 0);
      if (wall.from != wall.to) walls_.walls.push_back(wall);
      wall.from = wall.to;
    }
  }

  const Shape& shape_;
  const MeshOptions& options_;
  PlaneWalls& walls_;
  CornerList corners_;
  std::vector<std::shared_ptr<const LevelSurface>> surfaces_;
  double step_ = 0;
};

}  // namespace

void add_level_walls(const Shape& shape, const MeshOptions& options, PlaneWalls& walls) {
  LevelTracer(shape, options, walls).run();
}

}  // namespace cauchy::detail
