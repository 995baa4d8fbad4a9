#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <cauchy/geometry/shape.hpp>

namespace cauchy::detail {

using GridPlace = std::array<int, 3>;  ///< of a node along the axes; 0 beyond the dimension
using GridPoint = std::array<double, 3>;

struct FdmAxis {
  std::string name;
  double lower = 0, h = 1;
  int cells = 1;
  bool periodic = false;
  [[nodiscard]] double at(int i) const { return lower + i * h; }
};

/// Where the conditions of a node hold: a boundary point, and the pieces that meet there (several
/// at a corner), each with its outward normal.
struct FdmFoot {
  GridPoint point = {};
  struct Side {
    std::size_t piece = 0;
    GridPoint normal = {};
  };
  std::vector<Side> sides;
};

/// A node of the grid.
///   interior  inside: equations hold there
///   boundary  on the boundary: conditions hold there
///   ghost     beyond the boundary, as it is seen from the inside: it has the values of the smooth
///             continuation, which the conditions at its foot determine. Behind a slit or a thin
///             wall one place has several of them, one for each side
struct FdmNode {
  enum class Role : std::uint8_t { interior, boundary, ghost };
  GridPlace at = {};
  Role role = Role::interior;
  int layer = 0;         ///< of a ghost: spacings that it lies outside, where stencils reach so far
  std::size_t foot = 0;  ///< of boundary and ghost
};

/// The nodes of a rectangular grid that belong to a region in 1 to 3 dimensions.
class FdmGrid final {
 public:
  ///   n         cells along the longest side; the others get about the same spacing
  ///   periodic  coordinates; only on boxes (else Error)
  FdmGrid(ShapePtr shape, const std::vector<std::string>& names, int n,
          const std::vector<std::string>& periodic);

  [[nodiscard]] std::size_t dimension() const noexcept { return axes_.size(); }
  [[nodiscard]] const std::vector<FdmAxis>& axes() const noexcept { return axes_; }
  [[nodiscard]] const Shape& shape() const noexcept { return *shape_; }
  /// All sides are grid lines: no ghosts but those of box_ghost().
  [[nodiscard]] bool is_box() const noexcept { return box_; }
  [[nodiscard]] const std::vector<FdmNode>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<FdmFoot>& feet() const noexcept { return feet_; }
  [[nodiscard]] GridPoint point(const GridPlace& at) const;
  [[nodiscard]] double spacing() const noexcept { return spacing_; }

  /// Adds the ghosts and boundary nodes that stencils of these offsets need at interior nodes.
  void add_ghosts(std::span<const GridPlace> offsets);
  /// Adds a node beyond a boundary node of a box; the number of layers counts from 1.
  int box_ghost(int boundary_node, std::size_t axis, int side, int layer);

  /// The node at a place as a node sees it (on masked grids an interior one, by offsets that
  /// add_ghosts() was given); -1: there is none.
  [[nodiscard]] int seen(int from, const GridPlace& at) const;
  /// The same from a point of the region with the given outward normal (of the boundary nearby; 0:
  /// none), which chooses among ghosts.
  ///   clear    distance of the point from the boundary
  [[nodiscard]] int seen(const GridPoint& from, const GridPoint& normal, double clear,
                         const GridPlace& at) const;
  /// A point inside beside a boundary point with this outward normal: a quarter of the spacing
  /// away, so that bends of the boundary do not hide its neighbours, or less in narrow places.
  [[nodiscard]] GridPoint beside(const GridPoint& boundary, const GridPoint& normal) const;
  /// The interior node next to a point, as a point; x itself when there is none around.
  [[nodiscard]] GridPoint nearest_inside(const GridPoint& x) const;
  /// Nodes at a place: the interior one, and ghosts.
  [[nodiscard]] std::vector<int> nodes_at(const GridPlace& at) const;
  /// Nearest place on the lattice.
  [[nodiscard]] GridPlace nearest_place(const GridPoint& x) const;

 private:
  [[nodiscard]] GridPlace wrapped(GridPlace at) const;
  [[nodiscard]] bool inside(const GridPlace& at) const;
  [[nodiscard]] std::size_t key(const GridPlace& at) const;
  /// Whether the segment from p to q meets the boundary, and where first.
  [[nodiscard]] bool crosses(const GridPoint& p, const GridPoint& q, GridPoint& meeting) const;
  [[nodiscard]] FdmFoot::Side side_at(const GridPoint& meeting, const GridPoint& from) const;
  void make_box();
  void make_masked();
  void link(int from, const GridPlace& at, int reach);

  static constexpr int margin = 4;  // of the lattice around the region
  ShapePtr shape_;
  std::vector<FdmAxis> axes_;
  bool box_ = false;
  double spacing_ = 1;
  std::vector<FdmNode> nodes_;
  std::vector<FdmFoot> feet_;
  std::vector<int> primary_;                          // by key; -1: none, or ghosts alone
  std::vector<signed char> kind_;                     // by key: 1 inside, 0 on, -1 outside
  std::unordered_multimap<std::size_t, int> copies_;  // ghosts and boundary nodes of masked grids
  std::unordered_map<std::uint64_t, int> links_;      // (from, key): a ghost instead of a node
};

}  // namespace cauchy::detail
