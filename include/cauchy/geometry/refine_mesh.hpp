#pragma once

#include <span>
#include <vector>

#include <cauchy/geometry/mesh.hpp>

namespace cauchy {

/// Every cell cut into 2, 4 or 8 of half the size. New nodes on curved boundaries are put on them;
/// pieces, parts and interfaces are kept. Old nodes keep their numbers; see Mesh::cell_parent and
/// Mesh::node_parents for fields on the old mesh.
///   shape    triangles keep their angles; tetrahedra are cut along the shortest diagonal inside
///   error    throws Error naming the place when a curved boundary turns a cell inside out even
///            with straight sides
[[nodiscard]] Mesh refine(const Mesh& mesh);

/// The marked cells cut into two, and as many others as it takes that no node hangs on a side.
///   plane    bisection of the newest vertex: at most 8 shapes per triangle of the first mesh
///   space    bisection of marked tetrahedra (Arnold, Mukherjee, Pouly): finitely many shapes
///   state    the first call takes the longest edges; the mesh carries what later calls need
///   cost     O(n) per call, whatever is marked
///   error    throws Error when a mark is no cell
[[nodiscard]] Mesh refine(const Mesh& mesh, std::span<const Mesh::Index> marked);

/// Values at the nodes of a mesh (n_fields numbers each, row by row) carried to the mesh that
/// refine() made of it: exact for functions that are linear on each cell.
[[nodiscard]] std::vector<double> refined_values(const Mesh& refined,
                                                 std::span<const double> values,
                                                 std::size_t n_fields = 1);

}  // namespace cauchy
