#include "solvers/fem/fem_mesher.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/geometry/make_mesh.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/narrow_sources.hpp"
#include "problem/surface.hpp"

namespace cauchy::detail {
namespace {

constexpr double thinnest = 1e-7;  // distance of two planes, of the longest side
constexpr std::size_t most_planes = 200, most_levels = 6;
constexpr std::size_t least_limit = 300'000;  // of cells, whatever the size

/// The sides of a box, if the shape is one.
bool is_box_shape(const Shape& shape) {
  double volume = 1;
  const Bounds& b = shape.bounds();
  for (std::size_t k = 0; k < b.lower.size(); ++k) volume *= b.upper[k] - b.lower[k];
  return shape.pieces().size() == 2 * b.lower.size() && std::isfinite(volume) &&
         std::abs(shape.measure() - volume) <= 1e-12 * volume;
}

/// Values of x in the open interval where f changes its value; not closer to its ends than `least`,
/// where "y = 1" ceases to hold within its tolerance.
template <class F>
void add_changes(const F& f, double lower, double upper, double least, std::vector<double>& out) {
  constexpr int pieces = 1000;
  const double length = upper - lower;
  for (int i = 0; i < pieces; ++i) {
    double a = lower + length * i / pieces, b = lower + length * (i + 1) / pieces;
    const double before = f(a);
    if (f(b) == before) continue;
    for (double middle = (a + b) / 2; middle > a && middle < b; middle = (a + b) / 2) {
      (f(middle) == before ? a : b) = middle;
    }
    // Of the two neighbours the rounder number is what was written.
    const double round = std::round(b / length * 1e12) / 1e12 * length;
    const double at = std::abs(round - b) <= 4e-16 * std::abs(b) ? round : b;
    if (at > lower + least && at < upper - least) out.push_back(at);
  }
}

void sort_apart(std::vector<double>& list, double least) {
  std::sort(list.begin(), list.end());
  list.erase(
      std::unique(list.begin(), list.end(), [&](double a, double b) { return b - a < least; }),
      list.end());
  if (list.size() > most_planes) list.clear();
}

/// Collects jumps from expressions of coordinates with numbers.
class JumpFinder {
 public:
  JumpFinder(std::span<const std::string> names, const Bounds& bounds)
      : bounds_(bounds), planes(names.size()) {
    for (const std::string& n : names) space_.push_back(Coordinate(n));
    for (std::size_t k = 0; k < names.size(); ++k) {
      least_ = std::max(least_, thinnest * (bounds.upper[k] - bounds.lower[k]));
    }
  }

  void look_at(std::span<const Expr> roots) {
    for (const Expr& e : postorder(roots)) {
      if (!has_jump(e.kind()) || e.args().empty() || e.kind() == Kind::where) continue;
      const Expr steps = e.kind() == Kind::mod ? floor(e.args()[0] / e.args()[1]) : e;
      const Expr inner[] = {steps};
      if (!field_atoms(inner).empty() || !atoms(inner, Kind::call).empty() ||
          !atoms(inner, Kind::symbol).empty() || !atoms(inner, Kind::parameter).empty()) {
        continue;
      }
      const std::vector<Expr> on = atoms(inner, Kind::coordinate);
      const auto number = [&](const Expr& x) {
        return static_cast<std::size_t>(
            std::find_if(space_.begin(), space_.end(), [&](const Expr& s) { return same(s, x); }) -
            space_.begin());
      };
      if (on.empty() || std::any_of(on.begin(), on.end(),
                                    [&](const Expr& x) { return number(x) == space_.size(); })) {
        continue;
      }
      if (on.size() == 1) {
        const std::size_t k = number(on[0]);
        const auto value = [&](double at) {
          Values v;
          v.set(on[0], at);
          return evaluate(steps, v);
        };
        add_changes(value, bounds_.lower[k], bounds_.upper[k], least_, planes[k]);
        continue;
      }
      const bool comparison = e.kind() == Kind::less || e.kind() == Kind::less_equal;
      if (!comparison && e.kind() != Kind::sign) continue;
      const Expr level = comparison ? e.args()[0] - e.args()[1] : e.args()[0];
      add_level(comparison ? squared_level(e.args()[0], e.args()[1]) : level);
    }
  }

  void add_level(const Expr& level) {
    const bool known = std::any_of(levels.begin(), levels.end(), [&](const Expr& other) {
      return same(other, level) || same(other, -level);
    });
    if (!known) levels.push_back(level);
  }

  /// sqrt(x^2 + y^2) < r as x^2 + y^2 - r^2.
  static Expr squared_level(const Expr& a, const Expr& b) {
    const auto root = [](const Expr& e) {
      return e.kind() == Kind::pow && e.args()[1].is_constant(0.5);
    };
    const auto number = [](const Expr& e) { return e.is_constant() && e.value() > 0; };
    if (root(a) && number(b)) return a.args()[0] - b * b;
    if (root(b) && number(a)) return a * a - b.args()[0];
    return a - b;
  }

 private:
  const Bounds& bounds_;
  std::vector<Expr> space_;
  double least_ = 0;  // distance between a plane and a side

 public:
  std::vector<std::vector<double>> planes;
  std::vector<Expr> levels;
};

}  // namespace

FemInterfaces find_interfaces(const Problem& problem, const WeakProblem& weak, const Shape& shape) {
  const Domain domain = domain_of(problem);
  const std::vector<std::string>& names = domain.space()->coordinates();
  const Bounds& bounds = shape.bounds();
  double longest = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    longest = std::max(longest, bounds.upper[k] - bounds.lower[k]);
  }
  std::vector<Replacement> numbers;
  for (const auto& [name, value] : domain.values()) numbers.push_back({Parameter(name), value});
  JumpFinder inside(names, bounds), around(names, bounds);
  std::vector<Expr> roots, parts;
  for (const WeakRow& row : weak.form.rows) {
    roots.push_back(plain(row.source));
    for (const Expr& f : row.flux) roots.push_back(plain(f));
  }
  for (const WeakCondition& c : weak.conditions) {
    const Condition condition = part_of(problem, c);
    switch (c.role) {
      case WeakCondition::Role::interface: {
        const InnerSurface surface(problem, condition.where);
        if (!surface.of_time()) roots.push_back(surface.left() < surface.right());
        break;
      }
      case WeakCondition::Role::essential:
      case WeakCondition::Role::natural: {
        const Boundary part(domain, place_of(problem, condition).boundary);
        for (const Piece& piece : shape.pieces()) {
          parts.push_back(substitute(plain(part.condition(piece)), numbers));
        }
        parts.push_back(plain(c.value));
        break;
      }
      default:
        break;
    }
  }
  inside.look_at(roots);
  around.look_at(parts);
  FemInterfaces found{std::move(inside.planes), std::move(inside.levels), std::move(around.planes)};
  if (names.size() == 1) {  // cells of an interval end at narrow sources: the strongest ones
    const std::vector<NarrowSource> sources = narrow_sources(problem);
    for (std::size_t k = 0; k < names.size(); ++k) {
      std::vector<double> nodes;
      for (std::size_t n = sources.size(); n > 0; --n) {
        nodes = source_nodes(std::span(sources).first(n), domain.space_column() + k,
                             bounds.lower[k], bounds.upper[k]);
        if (nodes.size() <= most_planes / 2) break;
        nodes.clear();
      }
      found.ends[k].insert(found.ends[k].end(), nodes.begin(), nodes.end());
    }
  }
  const double apart = names.size() == 1 ? 1e-7 : thinnest;  // of the longest side
  for (auto& list : found.planes) sort_apart(list, apart * longest);
  for (auto& list : found.ends) sort_apart(list, apart * longest);
  return found;
}

FemMesher::FemMesher(const Problem& problem, const WeakProblem& weak, ShapePtr shape)
    : shape_(std::move(shape)), box_(is_box_shape(*shape_)) {
  names_ = problem.domain->space()->coordinates();
  const Bounds& b = shape_->bounds();
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (!std::isfinite(b.upper[k] - b.lower[k])) {
      throw Error(ErrorKind::unsupported, "the region is not bounded", "[solvers.fem]",
                  "cut it off");
    }
    longest_ = std::max(longest_, b.upper[k] - b.lower[k]);
  }
  interfaces_ = find_interfaces(problem, weak, *shape_);
  const bool jumps = !interfaces_.levels.empty() ||
                     (!box_ && std::any_of(interfaces_.planes.begin(), interfaces_.planes.end(),
                                           [](const auto& list) { return !list.empty(); }));
  const bool many = interfaces_.levels.size() > most_levels;
  if ((names_.size() == 3 && jumps) || many) {
    remarks_.emplace_back(
        "coefficients jump inside cells, points of quadrature see it: errors fall like h^(3/2)");
    interfaces_.levels.clear();
    if (!box_) interfaces_.planes.assign(names_.size(), {});
  }
}

Mesh FemMesher::structured(double size) const {
  const std::size_t d = names_.size();
  const Bounds& b = bounds();
  std::vector<std::vector<double>> lines(d);
  std::vector<std::size_t> counts;
  std::vector<double> zero(d, 0.0), top;
  for (std::size_t k = 0; k < d; ++k) {
    std::vector<double> stops = interfaces_.planes[k];
    stops.insert(stops.end(), interfaces_.ends[k].begin(), interfaces_.ends[k].end());
    stops.push_back(b.upper[k]);
    sort_apart(stops, 1e-7 * longest_);
    double from = b.lower[k];
    lines[k].push_back(from);
    for (const double to : stops) {
      const auto n = static_cast<std::size_t>(std::max(1.0, std::round((to - from) / size)));
      for (std::size_t i = 1; i <= n; ++i) {
        lines[k].push_back(
            i == n ? to : from + (to - from) * static_cast<double>(i) / static_cast<double>(n));
      }
      from = to;
    }
    counts.push_back(lines[k].size() - 1);
    top.push_back(static_cast<double>(counts[k]));
  }
  Mesh mesh = structured_mesh(zero, top, counts);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    mesh.nodes[i] = lines[i % d][static_cast<std::size_t>(std::lround(mesh.nodes[i]))];
  }
  name_sides(mesh);
  std::size_t n_parts = 1;
  for (const auto& list : interfaces_.planes) n_parts *= list.size() + 1;
  if (n_parts == 1 || n_parts > 10'000) return mesh;
  mesh.parts.clear();
  for (std::size_t p = 0; p < n_parts; ++p) mesh.parts.push_back(fmt::format("material_{}", p));
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    std::size_t part = 0;
    for (std::size_t k = 0; k < d; ++k) {
      double centre = 0;
      for (const Mesh::Index node : mesh.cell(c)) centre += mesh.node(node)[k];
      centre /= static_cast<double>(d + 1);
      const std::vector<double>& list = interfaces_.planes[k];
      part = part * (list.size() + 1) +
             static_cast<std::size_t>(std::upper_bound(list.begin(), list.end(), centre) -
                                      list.begin());
    }
    mesh.cell_part[c] = static_cast<int>(part);
  }
  find_facets(mesh);
  name_sides(mesh);
  return mesh;
}

/// A polygon that is a box has side1, side2, ... where a box has bottom, right, ...
void FemMesher::name_sides(Mesh& mesh) const {
  const std::size_t d = names_.size();
  std::vector<char> named(mesh.pieces.size(), 0);
  std::vector<double> foot(d), normal(d);
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    const auto piece = static_cast<std::size_t>(mesh.facet_piece[f]);
    if (named[piece]) continue;
    named[piece] = 1;
    std::vector<double> middle(d, 0.0);
    for (const Mesh::Index node : mesh.facet(f)) {
      for (std::size_t k = 0; k < d; ++k) middle[k] += mesh.node(node)[k] / static_cast<double>(d);
    }
    const Nearest at = shape_->nearest(middle.data(), foot.data(), normal.data());
    mesh.pieces[piece] = shape_->pieces()[at.piece].name;
  }
}

std::shared_ptr<const FemMesh> FemMesher::mesh(int n) const {
  const double size = longest_ / n;
  if (box_ && interfaces_.levels.empty()) return std::make_shared<FemMesh>(structured(size));
  MeshOptions options{.size = size};
  for (std::size_t k = 0; k < names_.size(); ++k) {
    for (const double c : interfaces_.planes[k]) {
      options.interfaces.push_back(
          mesh_interface(fmt::format("side_{}", options.interfaces.size() + 1),
                         Coordinate(names_[k]) - c, names_));
    }
  }
  for (const Expr& level : interfaces_.levels) {
    options.interfaces.push_back(
        mesh_interface(fmt::format("side_{}", options.interfaces.size() + 1), level, names_));
  }
  // Small features may cost many cells, but a gap that is next to nothing is a mistake, most often.
  options.max_cells = std::min(
      options.max_cells,
      std::max(least_limit, static_cast<std::size_t>(50 * expected_cells(*shape_, options))));
  return std::make_shared<FemMesh>(make_mesh(shape_, options));
}

}  // namespace cauchy::detail
