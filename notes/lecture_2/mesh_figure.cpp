#include <cmath>

#include <cauchy/geometry/make_mesh.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/report/mesh_picture.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_mesh_figure(Output& out) {
  const double pi = std::numbers::pi;
  const Region plate = Rectangle({0, 0}, {3, 2}) - Disk({0.8, 1}, 0.4) - Disk({2.2, 1.2}, 0.3);
  const Mesh mesh = make_mesh(plate.shape(), {.size = 0.16});
  check_mesh(mesh);  // throws where elements overlap or leave gaps
  const MeshQuality quality = mesh_quality(mesh);
  const double area = 6 - pi * (0.16 + 0.09), length = 10 + 2 * pi * 0.7;
  out.check("sum of the areas of the elements", mesh.measure(), area, 1e-2 * area);
  out.check("length of the boundary", mesh.boundary_measure(), length, 1e-2 * length);
  out.check("nodes - edges + triangles, 1 - holes", double(quality.euler), -1, 0);
  out.require("no angle is below 28 degrees", quality.smallest_angle >= 28 - 1e-9);
  const Mesh finer = make_mesh(plate.shape(), {.size = 0.08});
  out.require("half the size: the area is at least three times as good",
              std::abs(finer.measure() - area) < std::abs(mesh.measure() - area) / 3);
  out.text(fmt::format("{} nodes, {} triangles, angles from {:.0f} to {:.0f} degrees.",
                       quality.n_nodes, quality.n_cells, quality.smallest_angle,
                       quality.largest_angle));
  out.picture("plate", draw_mesh(mesh, 620), "A region of the plane as a union of triangles.");
  const Mesh ball = make_mesh(Ball({0, 0, 0}, 1).shape(), {.size = 0.3});
  out.check("surface of a ball of tetrahedra", ball.boundary_measure(), 4 * pi, 0.04 * 4 * pi);
  out.picture("ball", draw_mesh(ball, 420), "A surface in space: that of a ball of tetrahedra.");
}

Artefact mesh_figure_entry() {
  return {.id = "mesh",
          .kind = Kind::figure,
          .lecture = 2,
          .lines = "1869-1881",
          .title = "Meshes of a plate and of a ball",
          .formula = R"(\Omega = \Omega_1 \cup \Omega_2 \cup \dots \cup \Omega_N)",
          .says = "A region becomes a union of elements that meet in edges and corners only.",
          .truth = "",
          .page = "meshes.md",
          .seconds = 0.1,
          .file = "lecture_2/mesh_figure.cpp",
          .make = make_mesh_figure};
}

}  // namespace cauchy::notes
