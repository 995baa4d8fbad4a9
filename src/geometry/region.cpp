#include <cauchy/geometry/region.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/geometry/r_functions.hpp>

#include "geometry/region_node.hpp"

namespace cauchy {
namespace detail {

Coordinate placeholder(std::size_t i) { return Coordinate(fmt::format("geometry_x{}", i)); }

std::vector<std::string> default_coordinates(std::size_t dimension) {
  if (dimension <= 3) {
    const std::vector<std::string> names{"x", "y", "z"};
    return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(dimension)};
  }
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= dimension; ++i) names.push_back(fmt::format("x{}", i));
  return names;
}

Expr in_place(const Expr& e, std::span<const Expr> x) {
  std::vector<Replacement> replacements;
  for (std::size_t i = 0; i < x.size(); ++i) replacements.push_back({placeholder(i), x[i]});
  return substitute(e, replacements);
}

void collect_parameters(std::span<const Expr> numbers, std::vector<std::string>& names,
                        std::string_view place) {
  for (const Expr& e : postorder(numbers)) {
    if (e.kind() == Kind::parameter) {
      const auto at = std::lower_bound(names.begin(), names.end(), e.name());
      if (at == names.end() || *at != e.name()) names.insert(at, e.name());
    } else if (e.is_atom()) {
      throw Error(fmt::format("a size or position depends on '{}'", e.name()), place,
                  "use numbers and parameters");
    }
  }
}

double number(const Expr& e, const ParameterValues& values, std::string_view place) {
  Values known;
  for (const auto& [name, value] : values) known.set(Parameter(name), value);
  const double result = evaluate(e, known);
  if (!std::isfinite(result)) {
    throw Error(fmt::format("{} is not a finite number", to_string(e)), place);
  }
  return result;
}

std::string print_point(std::span<const Expr> numbers) {
  std::string text;
  for (const Expr& e : numbers) text += (text.empty() ? "" : ", ") + to_string(e);
  return numbers.size() == 1 ? text : "(" + text + ")";
}

Region RegionNode::wrap(std::shared_ptr<RegionNode> node) {
  if (node->coordinates.empty()) node->coordinates = default_coordinates(node->dimension);
  if (node->parameters.empty()) node->constant = node->build({});
  return Region(std::move(node));
}

namespace {

std::string bracketed(const RegionNode& node) {
  return node.is_combination() ? "(" + node.text() + ")" : node.text();
}

std::vector<std::string> merged(std::vector<std::string> a, const std::vector<std::string>& b) {
  for (const std::string& name : b) {
    const auto at = std::lower_bound(a.begin(), a.end(), name);
    if (at == a.end() || *at != name) a.insert(at, name);
  }
  return a;
}

struct Combination final : RegionNode {
  Combination(Boolean op, const Region& a, const Region& b)
      : operation(op), a_(share(a)), b_(share(b)) {
    if (a_->coordinates != b_->coordinates) {
      throw Error(fmt::format("a region in ({}) and one in ({}) cannot be combined",
                              fmt::join(a_->coordinates, ", "), fmt::join(b_->coordinates, ", ")),
                  "[geometry]", "give both the same coordinates with in()");
    }
    dimension = a_->dimension;
    coordinates = a_->coordinates;
    parameters = merged(a_->parameters, b_->parameters);
    tags = a_->tags;
    tags.insert(tags.end(), b_->tags.begin(), b_->tags.end());
  }

  ShapePtr build(const ParameterValues& values) const override {
    return combine(operation, a_->shape(values), b_->shape(values));
  }

  Symbols symbols(std::span<const Expr> x) const override {
    Symbols a = a_->symbols(x), b = b_->symbols(x);
    Symbols result;
    // What a piece of one operand is trimmed by: where the other one is outside or inside.
    const bool unite = operation == Boolean::unite, subtract = operation == Boolean::subtract;
    const Expr cut_a = operation == Boolean::intersect ? b.implicit : -b.implicit;
    const Expr cut_b = unite ? -a.implicit : a.implicit;
    const auto add = [&](SymbolicPiece& piece, const Expr& cut, bool flip) {
      if (flip) piece.carrier = -piece.carrier;
      piece.trim = piece.trim ? r_and(*piece.trim, cut) : cut;
      result.pieces.push_back(std::move(piece));
    };
    if (b_->without_volume) {
      // A slit cuts nothing off; its function is positive away from it.
      result.implicit = r_and(a.implicit, b.implicit);
      result.pieces = std::move(a.pieces);
      for (SymbolicPiece& p : b.pieces) add(p, cut_b, false);
      return result;
    }
    for (SymbolicPiece& p : a.pieces) add(p, cut_a, false);
    for (SymbolicPiece& p : b.pieces) add(p, cut_b, subtract);
    result.implicit = unite      ? r_or(a.implicit, b.implicit)
                      : subtract ? r_minus(a.implicit, b.implicit)
                                 : r_and(a.implicit, b.implicit);
    return result;
  }

  bool is_combination() const override { return true; }
  std::string text() const override {
    const char* symbol = operation == Boolean::unite       ? " | "
                         : operation == Boolean::intersect ? " & "
                                                           : " - ";
    // | and - have one level and are read from the left.
    const auto* left = dynamic_cast<const Combination*>(a_.get());
    const bool plain = left == nullptr || (operation != Boolean::intersect) ||
                       left->operation == Boolean::intersect;
    return (plain ? a_->text() : bracketed(*a_)) + symbol + bracketed(*b_);
  }

  Boolean operation;
  std::shared_ptr<const RegionNode> a_, b_;
};

/// An affine image; the numbers of the map may hold parameters.
struct Image final : RegionNode {
  Image(const Region& region, std::vector<Expr> linear, std::vector<Expr> shift, bool similar_map,
        std::string method_text)
      : child(share(region)),
        linear_(std::move(linear)),
        shift_(std::move(shift)),
        similar(similar_map),
        method(std::move(method_text)) {
    dimension = child->dimension;
    coordinates = child->coordinates;
    parameters = child->parameters;
    collect_parameters(linear_, parameters, "[geometry.transform]");
    collect_parameters(shift_, parameters, "[geometry.transform]");
    convex_primitive = child->convex_primitive;
    without_volume = child->without_volume;
    std::vector<Expr> x;
    for (std::size_t i = 0; i < dimension; ++i) x.push_back(placeholder(i));
    const std::vector<Expr> back = original(x);
    for (const Tag& tag : child->tags)
      tags.push_back({tag.label, tag.key, in_place(tag.where, back)});
  }

  ShapePtr build(const ParameterValues& values) const override {
    Affine affine;
    for (const Expr& e : linear_)
      affine.linear.push_back(number(e, values, "[geometry.transform]"));
    for (const Expr& e : shift_) affine.shift.push_back(number(e, values, "[geometry.transform]"));
    return transform(child->shape(values), affine);
  }

  Symbols symbols(std::span<const Expr> x) const override {
    const std::vector<Expr> back = original(x);
    if (similar) {
      Symbols s = child->symbols(back);
      s.implicit = scale * s.implicit;
      for (SymbolicPiece& p : s.pieces) {
        p.carrier = scale * p.carrier;
        if (p.trim) p.trim = scale * *p.trim;
      }
      return s;
    }
    // Stretching changes slopes: make them 1 again, in placeholders that can be differentiated by.
    std::vector<Expr> own;
    for (std::size_t i = 0; i < dimension; ++i) own.push_back(placeholder(i));
    Symbols s = child->symbols(original(own));
    const auto mend = [&](const Expr& e) { return in_place(normalized(e, own), x); };
    s.implicit = mend(s.implicit);
    for (SymbolicPiece& p : s.pieces) {
      p.carrier = mend(p.carrier);
      if (p.trim) p.trim = mend(*p.trim);
    }
    return s;
  }

  std::string text() const override { return bracketed(*child) + method; }

  /// The point that is moved to x: the inverse map by the adjugate, entry by entry.
  std::vector<Expr> original(std::span<const Expr> x) const {
    const std::size_t n = dimension;
    const auto at = [&](std::size_t i, std::size_t j) { return linear_[i * n + j]; };
    std::vector<Expr> moved, result(n);
    for (std::size_t i = 0; i < n; ++i) moved.push_back(x[i] - shift_[i]);
    bool diagonal = true;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        diagonal = diagonal && (i == j || at(i, j).is_constant(0));
    }
    if (diagonal) {
      for (std::size_t i = 0; i < n; ++i) result[i] = moved[i] / at(i, i);
    } else {  // rotations: the transpose
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) result[i] += at(j, i) * moved[j];
      }
    }
    return result;
  }
  std::shared_ptr<const RegionNode> child;
  std::vector<Expr> linear_, shift_;
  bool similar;
  Expr scale = 1;  // of a similarity
  std::string method;
};

/// The child with other names of coordinates or pieces, or with one more tag.
struct Renamed final : RegionNode {
  enum class What { coordinates, label, tag };
  Renamed(const Region& region, What w, std::string l, std::string method_text)
      : child(share(region)), what(w), label(std::move(l)), method(std::move(method_text)) {
    dimension = child->dimension;
    coordinates = child->coordinates;
    parameters = child->parameters;
    tags = child->tags;
    convex_primitive = child->convex_primitive;
    without_volume = child->without_volume;
    if (what == What::label) {
      for (Tag& tag : tags) {
        tag.label = label + "_" + tag.label;
        tag.key = label + "_" + tag.key;
      }
    }
  }
  ShapePtr build(const ParameterValues& values) const override {
    const ShapePtr shape = child->shape(values);
    if (what == What::label) return shape->renamed(label);
    return what == What::tag ? shape->labelled(label) : shape;
  }
  Symbols symbols(std::span<const Expr> x) const override {
    Symbols s = child->symbols(x);
    for (SymbolicPiece& p : s.pieces) {
      if (what == What::label) {
        p.name = label + "_" + p.name;
        for (std::string& l : p.labels) l = label + "_" + l;
      }
      if (what != What::coordinates) p.labels.push_back(label);
    }
    return s;
  }
  std::string text() const override { return bracketed(*child) + method; }

  std::shared_ptr<const RegionNode> child;
  What what;
  std::string label, method;
};

void check_label(std::string_view label) {
  // A context accepts what can be selected in a condition.
  Context context;
  try {
    context.add_parameter(label);
  } catch (const Error& e) {
    throw Error(fmt::format("'{}' cannot be the name of a part of the boundary", label),
                "[geometry]", e.hint().empty() ? e.message() : e.hint());
  }
}

std::vector<Expr> center_or_origin(const std::vector<Expr>& center, std::size_t d) {
  if (center.empty()) return std::vector<Expr>(d, Expr(0));
  if (center.size() != d) {
    throw Error(fmt::format("the centre has {} numbers in {} dimensions", center.size(), d),
                "[geometry.transform]");
  }
  return center;
}

/// Shift that keeps the centre: c - linear c.
std::vector<Expr> keeping(const std::vector<Expr>& linear, const std::vector<Expr>& center) {
  const std::size_t d = center.size();
  std::vector<Expr> shift;
  for (std::size_t i = 0; i < d; ++i) {
    Expr s = center[i];
    for (std::size_t j = 0; j < d; ++j) s -= linear[i * d + j] * center[j];
    shift.push_back(s);
  }
  return shift;
}

std::string about(const std::vector<Expr>& center) {
  return center.empty() ? "" : ", " + print_point(center);
}

}  // namespace
}  // namespace detail

using detail::RegionNode;

std::size_t Region::dimension() const noexcept { return node_->dimension; }
const std::vector<std::string>& Region::coordinates() const noexcept { return node_->coordinates; }
const std::vector<std::string>& Region::parameters() const noexcept { return node_->parameters; }
bool Region::is_convex_primitive() const noexcept { return node_->convex_primitive; }
std::string Region::str() const { return node_->text(); }

ShapePtr Region::shape(const ParameterValues& values) const {
  for (const std::string& name : node_->parameters) {
    if (!values.contains(name)) {
      throw Error(fmt::format("parameter '{}' of the region has no value", name), "[geometry]",
                  "give it a number or a range");
    }
  }
  return node_->shape(values);
}

std::vector<Tag> Region::tags() const {
  std::vector<Expr> x;
  for (const std::string& name : coordinates()) x.push_back(Coordinate(name));
  std::vector<Tag> tags;
  for (const Tag& tag : node_->tags)
    tags.push_back({tag.label, tag.key, detail::in_place(tag.where, x)});
  return tags;
}

Expr Region::implicit() const {
  std::vector<Expr> x;
  for (const std::string& name : coordinates()) x.push_back(Coordinate(name));
  return node_->symbols(x).implicit;
}

std::vector<SymbolicPiece> Region::symbolic_pieces() const {
  std::vector<Expr> x;
  for (const std::string& name : coordinates()) x.push_back(Coordinate(name));
  return node_->symbols(x).pieces;
}

Region Region::in(const std::vector<Coordinate>& coordinates) const {
  std::vector<std::string> names;
  for (const Coordinate& c : coordinates) names.push_back(c.name());
  if (names.size() != dimension() || std::set(names.begin(), names.end()).size() != names.size()) {
    throw Error(
        fmt::format("a region of {} dimensions needs as many distinct coordinates, got ({})",
                    dimension(), fmt::join(names, ", ")),
        "[geometry]");
  }
  auto node = std::make_shared<detail::Renamed>(*this, detail::Renamed::What::coordinates, "",
                                                fmt::format(".in({})", fmt::join(names, ", ")));
  node->coordinates = std::move(names);
  return RegionNode::wrap(std::move(node));
}

Region Region::named(std::string_view label) const {
  detail::check_label(label);
  return RegionNode::wrap(std::make_shared<detail::Renamed>(
      *this, detail::Renamed::What::label, std::string(label), fmt::format(".named({})", label)));
}

Region Region::tagged(std::string_view label, const Expr& where) const {
  detail::check_label(label);
  std::vector<Replacement> replacements;
  for (std::size_t i = 0; i < dimension(); ++i) {
    replacements.push_back({Coordinate(coordinates()[i]), detail::placeholder(i)});
  }
  Tag tag{std::string(label), "", substitute(where, replacements)};
  tag.key = fmt::format("{}#{:x}", label, tag.where.hash());
  auto node =
      std::make_shared<detail::Renamed>(*this, detail::Renamed::What::tag, tag.key,
                                        fmt::format(".tagged({}, {})", label, to_string(where)));
  const Expr roots[] = {tag.where};
  for (const Expr& e : postorder(roots)) {
    const bool known = e.kind() != Kind::coordinate || e.name().starts_with("geometry_x");
    if (!known || e.kind() == Kind::field || e.kind() == Kind::symbol) {
      throw Error(fmt::format("the condition of '{}' depends on '{}'", label, e.name()),
                  "[geometry]", fmt::format("coordinates are: {}", fmt::join(coordinates(), ", ")));
    }
  }
  node->tags.push_back(std::move(tag));
  return RegionNode::wrap(std::move(node));
}

namespace {

/// Equations hold within 1e-9 of the size of the region, or of 1 when it has none yet.
double tolerance_of(const Region& region) {
  double size = 0;
  if (region.parameters().empty()) {
    const Bounds& box = region.shape()->bounds();
    for (std::size_t i = 0; i < box.lower.size(); ++i) {
      size = std::max(size, box.upper[i] - box.lower[i]);
    }
  }
  return 1e-9 * (size > 0 && std::isfinite(size) ? size : 1);
}

Context context_of(const Region& region) {
  Context context;
  for (const std::string& name : region.coordinates()) context.add_space(name);
  for (const std::string& name : region.parameters()) context.add_parameter(name);
  return context;
}

}  // namespace

Region Region::tagged(std::string_view label, const Equation& where) const {
  return tagged(label, abs(where.residual()) <= Expr(tolerance_of(*this)));
}

Region Region::tagged(std::string_view label, std::string_view where,
                      const TextPlace& place) const {
  return tagged(label, parse_condition(where, context_of(*this), tolerance_of(*this), place));
}

Region Region::translated(const std::vector<Expr>& shift) const {
  const std::size_t n = dimension();
  if (shift.size() != n) {
    throw Error(fmt::format("a shift of {} numbers for a region of {} dimensions", shift.size(), n),
                "[geometry.transform]");
  }
  std::vector<Expr> linear(n * n, Expr(0));
  for (std::size_t i = 0; i < n; ++i) linear[i * n + i] = 1;
  return RegionNode::wrap(
      std::make_shared<detail::Image>(*this, std::move(linear), shift, true,
                                      fmt::format(".translated({})", detail::print_point(shift))));
}

Region Region::rotated(const Expr& angle, const std::vector<Expr>& center) const {
  if (dimension() != 2) {
    throw Error("a rotation by an angle alone needs a region of the plane", "[geometry.transform]",
                "in space give the axis too: rotated(axis, angle)");
  }
  std::vector<Expr> linear{cos(angle), -sin(angle), sin(angle), cos(angle)};
  std::vector<Expr> shift = detail::keeping(linear, detail::center_or_origin(center, 2));
  return RegionNode::wrap(std::make_shared<detail::Image>(
      *this, std::move(linear), std::move(shift), true,
      fmt::format(".rotated({}{})", to_string(angle), detail::about(center))));
}

Region Region::rotated(const std::vector<Expr>& axis, const Expr& angle,
                       const std::vector<Expr>& center) const {
  if (dimension() != 3 || axis.size() != 3) {
    throw Error("a rotation about an axis needs a region of space and an axis of 3 numbers",
                "[geometry.transform]");
  }
  if (axis[0].is_constant(0) && axis[1].is_constant(0) && axis[2].is_constant(0)) {
    throw Error("the axis of a rotation must not be 0", "[geometry.transform]");
  }
  const Expr length = sqrt(pow(axis[0], 2) + pow(axis[1], 2) + pow(axis[2], 2));
  const Expr n[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
  const Expr c = cos(angle), s = sin(angle);
  const Expr cross[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
  std::vector<Expr> linear;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      linear.push_back((i == j ? c : Expr(0)) + (1 - c) * n[i] * n[j] + s * cross[i * 3 + j]);
    }
  }
  std::vector<Expr> shift = detail::keeping(linear, detail::center_or_origin(center, 3));
  return RegionNode::wrap(
      std::make_shared<detail::Image>(*this, std::move(linear), std::move(shift), true,
                                      fmt::format(".rotated({}, {}{})", detail::print_point(axis),
                                                  to_string(angle), detail::about(center))));
}

Region Region::scaled(const Expr& factor, const std::vector<Expr>& center) const {
  if (factor.is_constant(0)) throw Error("a scale factor must not be 0", "[geometry.transform]");
  const std::size_t n = dimension();
  std::vector<Expr> linear(n * n, Expr(0));
  for (std::size_t i = 0; i < n; ++i) linear[i * n + i] = factor;
  std::vector<Expr> shift = detail::keeping(linear, detail::center_or_origin(center, n));
  auto node = std::make_shared<detail::Image>(
      *this, std::move(linear), std::move(shift), true,
      fmt::format(".scaled({}{})", to_string(factor), detail::about(center)));
  node->scale = abs(factor);
  return RegionNode::wrap(std::move(node));
}

Region Region::scaled(const std::vector<Expr>& factors, const std::vector<Expr>& center) const {
  const std::size_t n = dimension();
  if (factors.size() != n) {
    throw Error(fmt::format("{} scale factors for a region of {} dimensions", factors.size(), n),
                "[geometry.transform]");
  }
  std::vector<Expr> linear(n * n, Expr(0));
  bool same_factors = true;
  for (std::size_t i = 0; i < n; ++i) {
    if (factors[i].is_constant(0)) {
      throw Error("a scale factor must not be 0", "[geometry.transform]");
    }
    linear[i * n + i] = factors[i];
    same_factors = same_factors && same(factors[i], factors[0]);
  }
  if (same_factors) return scaled(factors[0], center);
  std::vector<Expr> shift = detail::keeping(linear, detail::center_or_origin(center, n));
  return RegionNode::wrap(std::make_shared<detail::Image>(
      *this, std::move(linear), std::move(shift), false,
      fmt::format(".scaled({}{})", detail::print_point(factors), detail::about(center))));
}

Region operator|(const Region& a, const Region& b) {
  return RegionNode::wrap(std::make_shared<detail::Combination>(Boolean::unite, a, b));
}
Region operator&(const Region& a, const Region& b) {
  return RegionNode::wrap(std::make_shared<detail::Combination>(Boolean::intersect, a, b));
}
Region operator-(const Region& a, const Region& b) {
  return RegionNode::wrap(std::make_shared<detail::Combination>(Boolean::subtract, a, b));
}

}  // namespace cauchy
