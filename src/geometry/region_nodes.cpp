#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/r_functions.hpp>

#include "geometry/region_node.hpp"

namespace cauchy::detail {
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
    nest(*a_);
    nest(*b_);
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
  Image(const Region& region, std::vector<Expr> linear, std::vector<Expr> shift,
        std::optional<Expr> factor, std::string method_text)
      : child(share(region)),
        linear_(std::move(linear)),
        shift_(std::move(shift)),
        scale(std::move(factor)),
        method(std::move(method_text)) {
    nest(*child);
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
    if (scale) {
      Symbols s = child->symbols(back);
      s.implicit = *scale * s.implicit;
      for (SymbolicPiece& p : s.pieces) {
        p.carrier = *scale * p.carrier;
        if (p.trim) p.trim = *scale * *p.trim;
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
  std::optional<Expr> scale;  // of a similarity
  std::string method;
};

/// The child with other names of coordinates or pieces, or with one more tag.
struct Renamed final : RegionNode {
  Renamed(const Region& region, Renaming w, std::string l, std::string method_text)
      : child(share(region)), what(w), label(std::move(l)), method(std::move(method_text)) {
    nest(*child);
    dimension = child->dimension;
    coordinates = child->coordinates;
    parameters = child->parameters;
    tags = child->tags;
    convex_primitive = child->convex_primitive;
    without_volume = child->without_volume;
    if (what == Renaming::label) {
      for (Tag& tag : tags) {
        tag.label = label + "_" + tag.label;
        tag.key = label + "_" + tag.key;
      }
    }
  }
  ShapePtr build(const ParameterValues& values) const override {
    const ShapePtr shape = child->shape(values);
    if (what == Renaming::label) return shape->renamed(label);
    return what == Renaming::tag ? shape->labelled(label) : shape;
  }
  Symbols symbols(std::span<const Expr> x) const override {
    Symbols s = child->symbols(x);
    for (SymbolicPiece& p : s.pieces) {
      if (what == Renaming::label) {
        p.name = label + "_" + p.name;
        for (std::string& l : p.labels) l = label + "_" + l;
      }
      if (what != Renaming::coordinates) p.labels.push_back(label);
    }
    return s;
  }
  std::string text() const override { return bracketed(*child) + method; }
  // Other names of the pieces would not fit the facets.
  std::shared_ptr<const Mesh> mesh() const override {
    return what == Renaming::label ? nullptr : child->mesh();
  }

  std::shared_ptr<const RegionNode> child;
  Renaming what;
  std::string label, method;
};

}  // namespace

std::shared_ptr<RegionNode> make_combination(Boolean operation, const Region& a, const Region& b) {
  return std::make_shared<Combination>(operation, a, b);
}

std::shared_ptr<RegionNode> make_image(const Region& region, std::vector<Expr> linear,
                                       std::vector<Expr> shift, std::optional<Expr> scale,
                                       std::string method) {
  return std::make_shared<Image>(region, std::move(linear), std::move(shift), std::move(scale),
                                 std::move(method));
}

std::shared_ptr<RegionNode> make_renamed(const Region& region, Renaming what, std::string label,
                                         std::string method) {
  return std::make_shared<Renamed>(region, what, std::move(label), std::move(method));
}

}  // namespace cauchy::detail
