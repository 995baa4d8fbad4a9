#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cauchy {

/// A smooth curve or surface on which facets of a mesh lie, so that new nodes can be put on it.
class MeshSurface {
 public:
  virtual ~MeshSurface() = default;
  /// The point of the surface nearest to x and a unit normal there; `dimension` doubles each.
  virtual void project(const double* x, double* foot, double* normal) const = 0;
};

/// Simplices that fill a region of 1, 2 or 3 dimensions: intervals, triangles, tetrahedra.
///   cells    dimension + 1 nodes each, positively oriented: ascending, counter-clockwise, right-
///            handed. An inner facet has exactly two cells
///   facets   of the boundary, `dimension` nodes each, seen from outside: counter-clockwise in
///            space, the inside on the left in the plane. Both sides of a slit have facets and
///            nodes of their own; its tip is one node
///   equal    the same call gives the same bits
struct Mesh {
  using Index = std::uint32_t;

  int dimension = 2;
  std::vector<double> nodes;           ///< n_nodes x dimension, row by row
  std::vector<Index> cells;            ///< n_cells x (dimension + 1)
  std::vector<Index> facets;           ///< n_facets x dimension
  std::vector<int> facet_piece;        ///< per facet, index into pieces
  std::vector<std::string> pieces;     ///< names of the parts of the boundary; those of a shape
                                       ///< have its order
  std::vector<int> cell_part;          ///< per cell, index into parts
  std::vector<std::string> parts;      ///< names of materials; at least one
  std::vector<Index> interfaces;       ///< inner facets between different parts, from the lower
                                       ///< part (its cell behind) to the higher one
  std::vector<int> facet_surface;      ///< per facet, index into surfaces; -1: flat. May be empty
  std::vector<int> interface_surface;  ///< the same for interfaces
  std::vector<std::shared_ptr<const MeshSurface>> surfaces;
  /// What refine() knows of the mesh before: the cell each cell was cut from, and two nodes whose
  /// middle each node was (an old node: itself twice; parents come before children). Empty on
  /// meshes that were not refined.
  std::vector<Index> cell_parent, node_parents;
  /// State of bisection, see refine(); empty before the first one.
  std::vector<std::uint8_t> bisection;

  [[nodiscard]] std::size_t n_nodes() const noexcept { return nodes.size() / d(); }
  [[nodiscard]] std::size_t n_cells() const noexcept { return cells.size() / (d() + 1); }
  [[nodiscard]] std::size_t n_facets() const noexcept { return facets.size() / d(); }
  [[nodiscard]] std::size_t n_interfaces() const noexcept { return interfaces.size() / d(); }
  [[nodiscard]] const double* node(std::size_t i) const noexcept { return &nodes[i * d()]; }
  [[nodiscard]] std::span<const Index> cell(std::size_t i) const noexcept {
    return {&cells[i * (d() + 1)], d() + 1};
  }
  [[nodiscard]] std::span<const Index> facet(std::size_t i) const noexcept {
    return {&facets[i * d()], d()};
  }
  /// Length, area or volume of a cell; negative when it is inverted.
  [[nodiscard]] double cell_measure(std::size_t i) const;
  /// 1 in one dimension, else length or area.
  [[nodiscard]] double facet_measure(std::size_t i) const;
  /// Sums over all cells and facets.
  [[nodiscard]] double measure() const;
  [[nodiscard]] double boundary_measure() const;

 private:
  [[nodiscard]] std::size_t d() const noexcept { return static_cast<std::size_t>(dimension); }
};

/// An interval (intervals), rectangle (two triangles per box, diagonals in turn) or box (six
/// tetrahedra per box) cut evenly; the last coordinate runs fastest. Pieces have the names of
/// Interval, Rectangle and Box.
///   error    throws Error unless lower < upper and every count is at least 1
[[nodiscard]] Mesh structured_mesh(std::span<const double> lower, std::span<const double> upper,
                                   std::span<const std::size_t> counts);

/// The edges of a mesh, each once: lower node first, in ascending order.
struct MeshEdges {
  std::vector<Mesh::Index> nodes;       ///< two per edge
  std::vector<Mesh::Index> cell_edges;  ///< 1, 3 or 6 per cell, in the order of edge_ends

  /// Local nodes of the edges of a cell; the first 1, 3 or 6 count.
  static constexpr std::array<std::array<int, 2>, 6> edge_ends{
      {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}}};

  [[nodiscard]] std::size_t n_edges() const noexcept { return nodes.size() / 2; }
  [[nodiscard]] static std::size_t per_cell(int dimension) noexcept {
    return dimension == 1 ? 1 : dimension == 2 ? 3 : 6;
  }
};
[[nodiscard]] MeshEdges mesh_edges(const Mesh& mesh);

/// Where the nodes in the middles of edges belong (elements of second order, refinement): on the
/// surface for edges of curved facets, on all of them where several meet, else in the middle.
[[nodiscard]] std::vector<double> edge_middles(const Mesh& mesh,
                                               std::span<const Mesh::Index> edges);

/// The cell behind each facet of the boundary.
///   error    throws Error when a facet is not a side of exactly one cell
[[nodiscard]] std::vector<Mesh::Index> facet_cells(const Mesh& mesh);

/// Fills facets and interfaces from the cells: sides with one cell, and sides between parts. Old
/// facets give their piece and surface to the same nodes; new ones belong to a piece "boundary".
///   error    throws Error naming the place when a side has three cells or two of its cells lie on
///            the same side of it
void find_facets(Mesh& mesh);

/// Indices, orientation, conformity, facets and parts.
///   error    throws Error naming the first thing that is wrong and its place
void check_mesh(const Mesh& mesh);

/// Shapes and sizes of the cells.
struct MeshQuality {
  std::size_t n_nodes = 0, n_cells = 0, n_facets = 0;
  double measure = 0, boundary_measure = 0;
  double smallest_angle = 0, largest_angle = 0;  ///< degrees; between faces in space; 0 in 1-D
  double worst_shape = 0, mean_shape = 0;  ///< dimension * inner radius / outer radius: 1 is best
  double shortest_edge = 0, longest_edge = 0;
  std::size_t worst_cell = 0;
  std::vector<double> worst_place;  ///< centre of the worst cell
  long euler = 0;                   ///< nodes - edges + triangles - tetrahedra

  /// Some lines of text, one per piece and part as well.
  [[nodiscard]] static std::string report(const Mesh& mesh);
};
[[nodiscard]] MeshQuality mesh_quality(const Mesh& mesh);

/// Finds cells by points with a tree of boxes: O(log n). Safe to share between threads. Keeps no
/// reference to the mesh.
class MeshLocator final {
 public:
  explicit MeshLocator(const Mesh& mesh);

  struct Place {
    Mesh::Index cell = 0;
    std::array<double, 4> weights{};  ///< of the nodes of the cell; they sum to 1
    double outside = 0;               ///< 0 in the mesh, else about the distance to the cell
  };
  /// The cell that holds x, the lowest of several. A point outside the mesh (between a chord and
  /// its arc) gets the cell of which it is least outside, with weights that extrapolate.
  [[nodiscard]] Place find(const double* x) const;

 private:
  struct Node {
    std::array<double, 3> lower, upper;
    Mesh::Index first, count;  // count 0: children first, first + 1
  };
  void build(std::size_t node, Mesh::Index first, Mesh::Index last,
             const std::vector<double>& boxes);

  std::size_t d_;
  std::vector<double> corners_;  // of each cell
  std::vector<Node> tree_;
  std::vector<Mesh::Index> order_;
};

}  // namespace cauchy
