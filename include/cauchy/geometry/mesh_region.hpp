#pragma once

#include <filesystem>
#include <memory>

#include <cauchy/geometry/mesh.hpp>
#include <cauchy/geometry/region.hpp>

namespace cauchy {

/// The region that a mesh of the plane or of space fills: the polygon or triangle surface of its
/// facets, with the pieces of the mesh. Distances are exact; both sides of slits are kept.
///   error    throws Error for a mesh of one dimension, and as triangle_surface_shape
[[nodiscard]] ShapePtr mesh_shape(const Mesh& mesh, const std::string& name = "mesh");

/// The region of a mesh file: Gmsh (.msh), VTK (.vtk, .vtu) as text; mesh("part.msh") in regions.
/// Its physical groups name the parts of the boundary.
///   error    throws Error as read_mesh_file and mesh_shape; for XDMF, which regions cannot read
[[nodiscard]] Region mesh_region(const std::filesystem::path& file);

/// The mesh that a region was read from; null for other regions, also for combinations and images.
[[nodiscard]] std::shared_ptr<const Mesh> region_mesh(const Region& region);

}  // namespace cauchy
