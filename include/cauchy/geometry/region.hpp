#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/expr/expr.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/geometry/shape.hpp>

namespace cauchy {

namespace detail {
struct RegionNode;
}

/// A part of the boundary in symbols: where carrier = 0 and, if there is a trim, trim >= 0.
struct SymbolicPiece {
  std::string name;
  std::vector<std::string> labels;
  Expr carrier;  ///< positive inside; its gradient has length 1 on the piece
  std::optional<Expr> trim;
};

/// A named part of the boundary: the points of pieces with label `key` where the condition holds.
struct Tag {
  std::string label;
  std::string key;
  Expr where;  ///< 0 or 1
};

/// Values of parameters by name.
using ParameterValues = std::map<std::string, double, std::less<>>;

/// A domain of space as it is written on paper: primitives, their combinations and transformations.
/// Numbers may be expressions of parameters (a radius that is a problem parameter); shape() then
/// needs their values. A handle to an immutable description, cheap to copy.
///   coordinates  x; x, y; x, y, z; beyond that x1, x2, ...; in() chooses others
///   text         str() prints what parse_region reads
///   error        bad numbers throw Error when the region is written, or, with parameters, when
///                shape() gets their values
class Region {
 public:
  [[nodiscard]] std::size_t dimension() const noexcept;
  [[nodiscard]] const std::vector<std::string>& coordinates() const noexcept;
  /// Names of the parameters inside, sorted.
  [[nodiscard]] const std::vector<std::string>& parameters() const noexcept;

  /// The region with numbers: distances, normals, pieces, measures.
  ///   error    throws Error naming a parameter without value
  [[nodiscard]] ShapePtr shape(const ParameterValues& values = {}) const;

  /// Named parts that were made by tagged(), in addition to the pieces of the shape.
  [[nodiscard]] std::vector<Tag> tags() const;

  /// A smooth function of the coordinates (and parameters) that is positive inside, 0 on the
  /// boundary, negative outside, built with R-functions; slope 1 at smooth boundary points.
  ///   error    throws Error for a triangle surface, which has no formula
  [[nodiscard]] Expr implicit() const;
  [[nodiscard]] std::vector<SymbolicPiece> symbolic_pieces() const;
  /// A convex primitive (or an affine image): its carriers vanish inside the closed region only on
  /// their pieces.
  [[nodiscard]] bool is_convex_primitive() const noexcept;

  /// The same region in other coordinates.
  [[nodiscard]] Region in(const std::vector<Coordinate>& coordinates) const;
  /// Pieces become label_left, ... and are selected together by label.
  [[nodiscard]] Region named(std::string_view label) const;
  /// Names the boundary points where the condition holds, besides the names they have. Equations
  /// hold within 1e-9 of the region's size. Survives combinations and transformations.
  [[nodiscard]] Region tagged(std::string_view label, const Expr& where) const;
  [[nodiscard]] Region tagged(std::string_view label, const Equation& where) const;
  [[nodiscard]] Region tagged(std::string_view label, std::string_view where,
                              const TextPlace& place = {"condition", 1, 1}) const;

  [[nodiscard]] Region translated(const std::vector<Expr>& shift) const;
  /// Counter-clockwise about a centre (the origin when empty), in the plane.
  [[nodiscard]] Region rotated(const Expr& angle, const std::vector<Expr>& center = {}) const;
  /// Right-handed about an axis through a centre, in space.
  [[nodiscard]] Region rotated(const std::vector<Expr>& axis, const Expr& angle,
                               const std::vector<Expr>& center = {}) const;
  [[nodiscard]] Region scaled(const Expr& factor, const std::vector<Expr>& center = {}) const;
  /// One factor per coordinate.
  [[nodiscard]] Region scaled(const std::vector<Expr>& factors,
                              const std::vector<Expr>& center = {}) const;

  [[nodiscard]] std::string str() const;

  /// Union, intersection, difference; coordinates must agree.
  friend Region operator|(const Region& a, const Region& b);
  friend Region operator&(const Region& a, const Region& b);
  friend Region operator-(const Region& a, const Region& b);

 protected:
  explicit Region(std::shared_ptr<const detail::RegionNode> node) : node_(std::move(node)) {}

 private:
  friend struct detail::RegionNode;
  std::shared_ptr<const detail::RegionNode> node_;
};

/// Reads a region: `rectangle((0, 0), (2, 1)) - disk((0.5, 0.5), R).named(hole)`.
///   primitives    the names of primitive_names(), arguments as in primitives.hpp; a point may be
///                 written as (x, y) or as plain numbers; numbers are expressions of parameters
///   polygon       polygon((0,0), (4,0), (4,4); (1,1), (2,1), (2,2)): rings after `;` are holes
///   surface       surface("part.stl")
///   operators     | and -, then &; ( )
///   methods       .translated(..) .rotated(..) .scaled(..) .named(..) .tagged(name, condition)
///                 .in(..)
///   error         throws Error with line and column, and the nearest known name
[[nodiscard]] Region parse_region(std::string_view text, const Context& parameters = {},
                                  const TextPlace& place = {"region", 1, 1});

/// One line per primitive: name and arguments, for example "disk(center, radius)".
[[nodiscard]] std::vector<std::string> primitive_names();
[[nodiscard]] std::vector<std::string> primitive_signatures();

class Domain;

/// A part of the boundary of a region: by names of pieces, conditions on the coordinates, or both:
/// "boundary" (all of it), "left or right", "not inlet", "top and x > 0.3", "y = 0".
///   error    throws Error with line and column, also for a number where a condition is meant
class Boundary final {
 public:
  Boundary(const Region& region, std::string_view where, const TextPlace& place = {"where", 1, 1});
  /// A part of the boundary of space that may change with the other names of a domain: its time
  /// ("left and t > 0.5"), its ranges, and parameters that have values.
  ///   error    also when the domain has no space
  Boundary(const Domain& domain, std::string_view where, const TextPlace& place = {"where", 1, 1});

  /// Whether the part changes with a coordinate: the time of a domain.
  [[nodiscard]] bool depends_on(std::string_view coordinate) const;

  [[nodiscard]] const Region& region() const noexcept { return region_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// The condition on the coordinates (and parameters) for points of a piece; the number 0 or 1
  /// when it does not depend on them.
  [[nodiscard]] Expr condition(const Piece& piece) const;
  /// The same for a piece given by its labels.
  [[nodiscard]] Expr condition(std::span<const std::string> labels) const;

 private:
  void read(Context names, const TextPlace& place);

  Region region_;
  std::string text_;
  Expr where_;  // of coordinates, parameters and one symbol per label
};

}  // namespace cauchy
