#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <cauchy/geometry/make_mesh.hpp>

namespace cauchy::detail {

/// Isosurface stuffing (Labelle and Shewchuk): tetrahedra of a body-centred lattice, of which
/// vertices near the surface are moved onto it and others are cut; then edges and corners of the
/// surface are put in, and the cells are made rounder.
class SolidMesher final {
 public:
  SolidMesher(const ShapePtr& shape, const MeshOptions& options)
      : shape_(shape), options_(options) {}

  [[nodiscard]] Mesh run();

 private:
  using Point = std::array<double, 3>;
  using Tet = std::array<int, 4>;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static std::uint64_t key(int a, int b) {
    const auto [low, high] = std::minmax(a, b);
    return static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint32_t>(high);
  }
  static Point along(const Point& a, const Point& b, double t) {
    return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
  }
  static double gap_between(const Point& a, const Point& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  }
  [[nodiscard]] double volume(const Tet& t) const;
  /// 6 sqrt(2) V / rms^3 of the edges: 1 for a regular tetrahedron, negative when inverted.
  [[nodiscard]] double quality(const Tet& t) const;
  [[nodiscard]] double star_quality(int v) const;
  /// Only vertices of cells, in the order of the cells.
  void compress();
  [[nodiscard]] Mesh bare() const;
  [[nodiscard]] Mesh mesh() const;

  // solid_lattice.cpp: the part of the lattice inside.
  void make_lattice();
  void add_lattice_point(int i, int j, int k, double shift);
  [[nodiscard]] int corner(const std::array<int, 3>& p) const;
  [[nodiscard]] int centre(const std::array<int, 3>& p) const;
  /// Where the edge from a to b (of different signs) meets the surface, as a part of its length.
  [[nodiscard]] double crossing(int a, int b) const;
  /// Vertices that the surface passes closely by are moved onto it.
  void warp();
  int cut_point(int a, int b);
  void add_tet(int a, int b, int c, int d);
  [[nodiscard]] bool is_filled(const Tet& t) const;
  /// The part of the lattice inside.
  void stuff();

  // solid_edges.cpp: the surface, its corners and edges.
  /// Triangles of the boundary, and the piece of each vertex on it.
  void find_surface();
  /// Newton to the point where the surfaces near some vertices meet: tangent planes at points
  /// between x and the vertices. False when there is none nearby.
  /// `found` gets the pieces, sorted.
  bool meeting(std::span<const int> from, Point& x, std::vector<int>& found) const;
  /// Moves a vertex if its cells stay in shape.
  bool snap(int v, const Point& to, double least);
  void put_corners();
  [[nodiscard]] bool share_piece(int u, int v) const;
  void put_edges();
  /// A new vertex on an edge cuts all its cells in two.
  bool split_edge(int a, int b, const Point& x, const std::vector<int>& pieces, double least);
  void rebuild_facets();
  /// Pieces that all three vertices of a facet lie on.
  [[nodiscard]] std::vector<int> common_pieces(const std::array<int, 3>& f) const;
  /// Whether the facets at a vertex lie along the surface: none on an edge of it with all three
  /// corners, none folded back.
  [[nodiscard]] bool fits(int v) const;

  // solid_smooth.cpp
  /// Vertices move to where the worst of their cells is better: inside freely, on smooth parts of
  /// the surface along it.
  void smooth(int rounds);

  const ShapePtr& shape_;
  const MeshOptions& options_;
  std::array<int, 3> n_{};
  std::array<double, 3> step_{};
  double scale_ = 0;
  int corner_count_ = 0;
  std::vector<Point> points_;
  std::vector<double> phi_;
  std::vector<Tet> lattice_, tets_;
  std::unordered_map<std::uint64_t, double> crossing_;
  std::unordered_map<std::uint64_t, int> cut_points_;
  std::vector<std::vector<int>> around_, pieces_;
  std::vector<std::array<int, 3>> facets_;
  std::vector<std::pair<Point, int>> facet_normal_;  // of the surface near the middle, its piece
  std::vector<std::vector<int>> vertex_facets_;
};

/// See make_mesh.
[[nodiscard]] Mesh solid_mesh(const ShapePtr& shape, const MeshOptions& options);

}  // namespace cauchy::detail
