#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/geometry/domain.hpp>
#include <cauchy/geometry/r_functions.hpp>
#include <cauchy/geometry/region.hpp>

#include "geometry/region_node.hpp"

namespace cauchy {
namespace {

/// Folds a condition made of min (and), max (or) and 1 - c (not) once parts of it are 0 or 1.
Expr folded(const Expr& e) {
  if (e.kind() == Kind::min || e.kind() == Kind::max) {
    const double absorbing = e.kind() == Kind::min ? 0 : 1;
    std::optional<Expr> result;
    for (const Expr& arg : e.args()) {
      const Expr a = folded(arg);
      if (a.is_constant(absorbing)) return a;
      if (a.is_constant(1 - absorbing)) continue;
      result = !result ? a : e.kind() == Kind::min ? min(*result, a) : max(*result, a);
    }
    return result.value_or(Expr(1 - absorbing));
  }
  if (e.kind() == Kind::add) return 1 - folded(1 - e);
  return e;
}

/// Every name that selects a part of the boundary.
std::set<std::string> labels_of(const Region& region) {
  std::set<std::string> names;
  const auto add = [&](const std::vector<std::string>& labels) {
    for (const std::string& l : labels) {
      if (l.find('#') == std::string::npos) names.insert(l);
    }
  };
  if (region.parameters().empty()) {
    for (const Piece& p : region.shape()->pieces()) add(p.labels);
  } else {
    for (const SymbolicPiece& p : region.symbolic_pieces()) add(p.labels);
  }
  for (const Tag& tag : region.tags()) names.insert(tag.label);
  return names;
}

Symbol label_symbol(const std::string& label) { return Symbol("geometry_piece_" + label); }

const Region& space_of(const Domain& domain) {
  if (domain.space() == nullptr) {
    throw Error("a domain without space has no boundary", "[geometry.boundary]",
                "give a time: t = 0");
  }
  return *domain.space();
}

double size_of(const Region& region) {
  if (!region.parameters().empty()) return 1;
  const Bounds& box = region.shape()->bounds();
  double size = 0;
  for (std::size_t i = 0; i < box.lower.size(); ++i) {
    size = std::max(size, box.upper[i] - box.lower[i]);
  }
  return size > 0 && std::isfinite(size) ? size : 1;
}

}  // namespace

Boundary::Boundary(const Region& region, std::string_view where, const TextPlace& place)
    : region_(region), text_(where) {
  read({}, place);
}

Boundary::Boundary(const Domain& domain, std::string_view where, const TextPlace& place)
    : region_(space_of(domain)), text_(where) {
  Context names;
  std::vector<Replacement> numbers;
  if (const Time* time = domain.time()) names.add_time(time->name);
  // Names of the region and of its pieces win.
  std::set<std::string> own = labels_of(region_);
  own.insert("boundary");
  own.insert(region_.parameters().begin(), region_.parameters().end());
  const auto declare = [&](const std::string& name) {
    if (own.contains(name)) return false;
    names.add_parameter(name);
    return true;
  };
  for (const Range& r : domain.ranges()) (void)declare(r.name);
  for (const auto& [name, value] : domain.values()) {
    const auto is_range = [&name = name](const Range& r) { return r.name == name; };
    const bool range = std::any_of(domain.ranges().begin(), domain.ranges().end(), is_range);
    if (!range && declare(name)) numbers.push_back({Parameter(name), Expr(value)});
  }
  read(std::move(names), place);
  where_ = substitute(where_, numbers);
}

void Boundary::read(Context names, const TextPlace& place) {
  for (const std::string& name : region_.coordinates()) names.add_space(name);
  for (const std::string& name : region_.parameters()) names.add_parameter(name);
  for (const std::string& label : labels_of(region_)) {
    if (label != "boundary") names.add_definition(label, label_symbol(label));
  }
  names.add_definition("boundary", label_symbol("boundary"));
  where_ = parse_condition(text_, names, 1e-9 * size_of(region_), place);
}

bool Boundary::depends_on(std::string_view coordinate) const {
  return cauchy::depends_on(where_, Coordinate(coordinate));
}

Expr Boundary::condition(const Piece& piece) const { return condition(piece.labels); }

Expr Boundary::condition(std::span<const std::string> labels) const {
  const auto has = [&](const std::string& label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  const std::vector<Tag> tags = region_.tags();
  const Expr roots[] = {where_};
  std::vector<Replacement> values;
  for (const Expr& e : postorder(roots)) {
    if (e.kind() != Kind::symbol) continue;
    const std::string label = e.name().substr(std::string("geometry_piece_").size());
    Expr value = label == "boundary" || has(label) ? 1 : 0;
    for (const Tag& tag : tags) {
      if (tag.label == label && has(tag.key)) value = folded(max(value, tag.where));
    }
    values.push_back({e, value});
  }
  return folded(substitute(where_, values));
}

// --- approximate distance functions ---

namespace {

/// What a condition means for one piece: all of it, nothing, or where a function is positive.
class Trimming final {
 public:
  Trimming(const Region& region, std::span<const std::string> labels)
      : region_(region), labels_(labels) {
    for (const std::string& name : region.coordinates()) x_.push_back(Coordinate(name));
  }

  /// A function that is positive where the condition holds; the numbers 1 and -1 for all, nothing.
  Expr function(const Expr& condition) const {
    if (condition.is_constant(1)) return 1;
    if (condition.is_constant(0)) return -1;
    if (condition.kind() == Kind::min || condition.kind() == Kind::max) {
      const bool all = condition.kind() == Kind::min;
      std::optional<Expr> result;
      for (const Expr& arg : condition.args()) {
        const Expr f = function(arg);
        if (f.is_constant(all ? -1 : 1)) return f;
        if (f.is_constant(all ? 1 : -1)) continue;
        result = !result ? f : all ? r_and(*result, f) : r_or(*result, f);
      }
      return result.value_or(Expr(all ? 1 : -1));
    }
    if (condition.kind() == Kind::add) return -function(1 - condition);
    if (condition.kind() == Kind::less || condition.kind() == Kind::less_equal) {
      const Expr &a = condition.args()[0], &b = condition.args()[1];
      if (a.kind() == Kind::abs && b.is_constant()) return decided(condition) ? 1 : -1;
      return normalized(b - a, x_);
    }
    throw Error(fmt::format("a condition of piece '{}' is not a comparison", labels_.front()),
                "[geometry.boundary]");
  }

 private:
  /// Whether an equation holds on the piece, by points of it.
  bool decided(const Expr& condition) const {
    if (!region_.parameters().empty()) {
      throw Error("an equation cannot choose a part of a boundary that depends on parameters",
                  "[geometry.boundary]", "select the piece by its name");
    }
    const ShapePtr shape = region_.shape();
    std::size_t yes = 0, no = 0;
    for (std::size_t p = 0; p < shape->pieces().size(); ++p) {
      const std::vector<std::string>& own = shape->pieces()[p].labels;
      if (!std::equal(own.begin(), own.end(), labels_.begin(), labels_.end())) continue;
      const std::size_t d = shape->dimension();
      std::vector<double> u(d), x(2 * d);
      for (std::size_t k = 0; k < 64; ++k) {
        // Multiples of irrational numbers fill the unit cube evenly.
        for (std::size_t i = 0; i < d; ++i) {
          const double step = std::sqrt(static_cast<double>(i) + 2);
          const double v = (static_cast<double>(k) + 0.5) * step;
          u[i] = v - std::floor(v);
        }
        if (!shape->boundary_point(p, u.data(), x.data(), x.data() + d)) continue;
        Values values;
        for (std::size_t i = 0; i < d; ++i) values.set(x_[i], x[i]);
        ++(evaluate(condition, values) != 0 ? yes : no);
      }
    }
    if (yes > 0 && no > 0) {
      throw Error(fmt::format("an equation holds on a part of piece '{}' only", labels_.front()),
                  "[geometry.boundary]", "bound the part by inequalities");
    }
    return yes > 0;
  }

  const Region& region_;
  std::span<const std::string> labels_;
  std::vector<Expr> x_;
};

}  // namespace

Expr approximate_distance(const Region& region) { return region.implicit(); }

Expr approximate_distance(const Boundary& boundary, int m) {
  const Region& region = boundary.region();
  std::vector<Expr> parts;
  for (const SymbolicPiece& piece : region.symbolic_pieces()) {
    const Expr condition = boundary.condition(piece.labels);
    const Expr cut = Trimming(region, piece.labels).function(condition);
    if (cut.is_constant(-1)) continue;
    const bool whole = cut.is_constant(1);
    Expr part = piece.carrier;
    if (!whole) {
      part = trimmed(part, piece.trim ? r_and(*piece.trim, cut) : cut);
    } else if (piece.trim && !region.is_convex_primitive()) {
      part = trimmed(part, *piece.trim);
    }
    const auto equal = [&](const Expr& other) { return same(other, part); };
    if (std::none_of(parts.begin(), parts.end(), equal)) parts.push_back(part);
  }
  if (parts.empty()) {
    throw Error(
        ErrorKind::not_found, fmt::format("no part of the boundary fulfils '{}'", boundary.text()),
        "[geometry.boundary]", fmt::format("pieces are: {}", fmt::join(labels_of(region), ", ")));
  }
  return r_equivalence(parts, m);
}

}  // namespace cauchy
