#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "geometry/shapes/curve.hpp"

namespace cauchy::detail {

/// Delaunay triangles of points that come one by one, with walls: edges that stay. Starts with one
/// triangle around everything, whose corners are the vertices 0, 1, 2. All decisions are exact.
///   edge k   of a triangle lies opposite its vertex k, from vertex k + 1 to vertex k + 2
///   cost     an insertion near the last one takes about a microsecond
class PlaneTriangulation final {
 public:
  static constexpr int none = -1;
  struct Cell {
    std::array<int, 3> v{}, next{none, none, none}, wall{none, none, none};
    int label = none;
    bool alive = true;
  };

  /// Room for points in the box.
  explicit PlaneTriangulation(const PlaneBox& box);

  [[nodiscard]] const std::vector<Vec>& points() const { return points_; }
  [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }
  [[nodiscard]] Vec point(int v) const { return points_[static_cast<std::size_t>(v)]; }
  [[nodiscard]] const Cell& cell(int c) const { return cells_[static_cast<std::size_t>(c)]; }
  [[nodiscard]] Cell& cell(int c) { return cells_[static_cast<std::size_t>(c)]; }
  /// Some triangle of a vertex.
  [[nodiscard]] int cell_of(int v) const { return cell_of_[static_cast<std::size_t>(v)]; }

  struct Found {
    int cell = none;
    int wall_cell = none, wall_edge = none;  ///< the wall that stopped the walk, if one did
  };
  /// Walks from a triangle to the one that holds p; stops at walls when asked to.
  [[nodiscard]] Found find(Vec p, int from, bool stop_at_walls);

  /// The triangles that a point in triangle `home` would replace. Walls are not crossed.
  void cavity(Vec p, int home, std::vector<int>& cells);
  /// Puts p in place of a cavity. New triangles have the label of the cavity's first one.
  int insert(Vec p, const std::vector<int>& cavity);
  int insert(Vec p);
  /// The triangles made by the last insertion.
  [[nodiscard]] const std::vector<int>& star() const { return star_; }

  struct Edge {
    int cell = none, k = none;  ///< the triangle on the left of a -> b
  };
  [[nodiscard]] Edge find_edge(int a, int b) const;
  /// Sets or (none) takes away the wall of an edge, on both of its sides.
  void set_wall(Edge edge, int wall);
  /// The same edge seen from the triangle on the other side.
  [[nodiscard]] Edge other_side(Edge edge) const;

  /// Moves a vertex; its triangles must stay counter-clockwise.
  void move(int v, Vec to) { points_[static_cast<std::size_t>(v)] = to; }
  /// Makes the triangles Delaunay again after moves, by flips of edges that are no walls.
  void flip_all();

 private:
  [[nodiscard]] bool holds(int c, Vec p) const;  // in the open circle of the triangle
  void flip(int c, int k);

  std::vector<Vec> points_;
  std::vector<Cell> cells_;
  std::vector<int> cell_of_, link_, star_, stack_, free_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t round_ = 0, random_ = 1;
  int last_ = 0;
};

}  // namespace cauchy::detail
