#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/geometry/mesh.hpp>
#include <cauchy/geometry/region.hpp>

namespace cauchy::detail {

/// What a region is in symbols, for points x (any expressions, one per dimension).
struct Symbols {
  Expr implicit;  ///< positive inside, slope 1 on the boundary
  std::vector<SymbolicPiece> pieces;
};

/// One node of the description of a region. Nodes know no names of coordinates: symbols are made
/// for given expressions, and tags are kept in the placeholders below.
struct RegionNode {
  virtual ~RegionNode() = default;

  /// Builds the shape from scratch; parameters all have values.
  [[nodiscard]] virtual ShapePtr build(const ParameterValues& values) const = 0;
  [[nodiscard]] virtual Symbols symbols(std::span<const Expr> x) const = 0;
  [[nodiscard]] virtual std::string text() const = 0;
  /// Whether text() needs brackets before a method or beside an operator.
  [[nodiscard]] virtual bool is_combination() const { return false; }

  /// The mesh that the region was read from, or null.
  [[nodiscard]] virtual std::shared_ptr<const Mesh> mesh() const { return nullptr; }

  [[nodiscard]] ShapePtr shape(const ParameterValues& values) const {
    return constant ? constant : build(values);
  }

  std::size_t dimension = 0;
  std::vector<std::string> coordinates;
  std::vector<std::string> parameters;  // sorted
  std::vector<Tag> tags;                // in placeholders
  bool convex_primitive = false;
  bool without_volume = false;  // a slit
  int nesting = 0;              // operations on the longest way to a primitive
  ShapePtr constant;            // when there are no parameters

  /// Nested deeper, recursions over nodes would come near the end of the stack, and chains of
  /// shapes, each with the map of the one before, would take seconds.
  static constexpr int max_nesting = 1000;
  /// Sets `nesting` one above that of an operand; throws Error above max_nesting.
  void nest(const RegionNode& operand);

  static Region wrap(std::shared_ptr<RegionNode> node);
  static const RegionNode& of(const Region& region) { return *region.node_; }
  static std::shared_ptr<const RegionNode> share(const Region& region) { return region.node_; }
};

/// The i-th coordinate of descriptions that know no names.
[[nodiscard]] Coordinate placeholder(std::size_t i);
[[nodiscard]] std::vector<std::string> default_coordinates(std::size_t dimension);
/// e with placeholders replaced by x.
[[nodiscard]] Expr in_place(const Expr& e, std::span<const Expr> x);

/// Adds the parameters of e to a sorted list; throws Error when e has coordinates or fields.
void collect_parameters(std::span<const Expr> numbers, std::vector<std::string>& names,
                        std::string_view place);
[[nodiscard]] double number(const Expr& e, const ParameterValues& values, std::string_view place);

/// "(1, 2)", "3"; comma-separated.
[[nodiscard]] std::string print_point(std::span<const Expr> numbers);

[[nodiscard]] std::shared_ptr<RegionNode> make_combination(Boolean operation, const Region& a,
                                                           const Region& b);
/// x -> linear x + shift. scale is the factor of a similarity; none when slopes change.
/// The linear part is diagonal, or a rotation.
[[nodiscard]] std::shared_ptr<RegionNode> make_image(const Region& region, std::vector<Expr> linear,
                                                     std::vector<Expr> shift,
                                                     std::optional<Expr> scale, std::string method);
/// Other names: of the coordinates (set by the caller), of all pieces, or one more label for them.
enum class Renaming : unsigned char { coordinates, label, tag };
[[nodiscard]] std::shared_ptr<RegionNode> make_renamed(const Region& region, Renaming what,
                                                       std::string label, std::string method);

/// A primitive by its name in text and its numbers, points written out one after the other.
/// rings[i] is the number of vertices of ring i of a polygon; empty for everything else.
[[nodiscard]] std::shared_ptr<RegionNode> make_primitive(std::string_view name,
                                                         std::vector<Expr> numbers,
                                                         std::vector<std::size_t> rings = {});
[[nodiscard]] std::shared_ptr<RegionNode> make_surface(const std::string& file);
[[nodiscard]] std::shared_ptr<RegionNode> make_mesh_node(const std::string& file);

}  // namespace cauchy::detail
