#include <cauchy/geometry/region.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>

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

void RegionNode::nest(const RegionNode& operand) {
  nesting = std::max(nesting, operand.nesting + 1);
  if (nesting > max_nesting) {
    throw Error(ErrorKind::unsupported,
                fmt::format("a region of more than {} operations in a row", max_nesting),
                "[geometry]",
                "put moves together into one, and group unions in brackets: (a | b) | (c | d)");
  }
}

Region RegionNode::wrap(std::shared_ptr<RegionNode> node) {
  if (node->coordinates.empty()) node->coordinates = default_coordinates(node->dimension);
  if (node->parameters.empty()) node->constant = node->build({});
  return Region(std::move(node));
}

namespace {

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
  if (node_->tags.empty()) return {};
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
  auto node = detail::make_renamed(*this, detail::Renaming::coordinates, "",
                                   fmt::format(".in({})", fmt::join(names, ", ")));
  node->coordinates = std::move(names);
  return RegionNode::wrap(std::move(node));
}

Region Region::named(std::string_view label) const {
  detail::check_label(label);
  return RegionNode::wrap(detail::make_renamed(*this, detail::Renaming::label, std::string(label),
                                               fmt::format(".named({})", label)));
}

Region Region::tagged(std::string_view label, const Expr& where) const {
  detail::check_label(label);
  std::vector<Replacement> replacements;
  for (std::size_t i = 0; i < dimension(); ++i) {
    replacements.push_back({Coordinate(coordinates()[i]), detail::placeholder(i)});
  }
  Tag tag{std::string(label), "", substitute(where, replacements)};
  tag.key = fmt::format("{}#{:x}", label, tag.where.hash());
  auto node = detail::make_renamed(*this, detail::Renaming::tag, tag.key,
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
      detail::make_image(*this, std::move(linear), shift, Expr(1),
                         fmt::format(".translated({})", detail::print_point(shift))));
}

Region Region::rotated(const Expr& angle, const std::vector<Expr>& center) const {
  if (dimension() != 2) {
    throw Error("a rotation by an angle alone needs a region of the plane", "[geometry.transform]",
                "in space give the axis too: rotated(axis, angle)");
  }
  std::vector<Expr> linear{cos(angle), -sin(angle), sin(angle), cos(angle)};
  std::vector<Expr> shift = detail::keeping(linear, detail::center_or_origin(center, 2));
  return RegionNode::wrap(
      detail::make_image(*this, std::move(linear), std::move(shift), Expr(1),
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
      detail::make_image(*this, std::move(linear), std::move(shift), Expr(1),
                         fmt::format(".rotated({}, {}{})", detail::print_point(axis),
                                     to_string(angle), detail::about(center))));
}

Region Region::scaled(const Expr& factor, const std::vector<Expr>& center) const {
  if (factor.is_constant(0)) throw Error("a scale factor must not be 0", "[geometry.transform]");
  const std::size_t n = dimension();
  std::vector<Expr> linear(n * n, Expr(0));
  for (std::size_t i = 0; i < n; ++i) linear[i * n + i] = factor;
  std::vector<Expr> shift = detail::keeping(linear, detail::center_or_origin(center, n));
  return RegionNode::wrap(
      detail::make_image(*this, std::move(linear), std::move(shift), abs(factor),
                         fmt::format(".scaled({}{})", to_string(factor), detail::about(center))));
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
  return RegionNode::wrap(detail::make_image(
      *this, std::move(linear), std::move(shift), std::nullopt,
      fmt::format(".scaled({}{})", detail::print_point(factors), detail::about(center))));
}

Region operator|(const Region& a, const Region& b) {
  return RegionNode::wrap(detail::make_combination(Boolean::unite, a, b));
}
Region operator&(const Region& a, const Region& b) {
  return RegionNode::wrap(detail::make_combination(Boolean::intersect, a, b));
}
Region operator-(const Region& a, const Region& b) {
  return RegionNode::wrap(detail::make_combination(Boolean::subtract, a, b));
}

}  // namespace cauchy
