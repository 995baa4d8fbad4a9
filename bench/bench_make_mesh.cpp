// Meshes of about 100,000 cells: the L-shape, an annulus, a plate with holes, a sphere. Prints
// processor time, the smallest angle, and errors of measure and boundary.
//
//   bench_make_mesh [--smallest] [CELLS]
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>

#include <cauchy/geometry/make_mesh.hpp>
#include <cauchy/geometry/refine_mesh.hpp>
#include <cauchy/geometry/region.hpp>

#include "bench_options.hpp"

int main(int argc, char** argv) {
  using namespace cauchy;
  const double otherwise = bench::take_smallest(argc, argv) ? 100 : 1e5;
  const double wanted = argc > 1 ? std::atof(argv[1]) : otherwise;
  const auto now = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  for (const auto& [name, text] : std::vector<std::pair<const char*, const char*>>{
           {"L-shape", "polygon((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2))"},
           {"annulus", "annulus((0, 0), 0.5, 1.25)"},
           {"plate",
            "rectangle((0, 0), (4, 2)) - disk((1, 1), 0.3) - disk((2, 0.7), 0.3) - "
            "disk((3, 1.2), 0.3)"},
           {"sphere", "sphere((0, 0, 0), 1)"}}) {
    const ShapePtr shape = parse_region(text).shape();
    const double share = shape->dimension() == 2 ? 0.433 : 0.118;
    const double size = std::pow(shape->measure() / (share * wanted),
                                 1.0 / static_cast<double>(shape->dimension()));
    double start = now();
    const Mesh mesh = make_mesh(shape, {.size = size});
    const double made = now() - start;
    start = now();
    const Mesh fine = refine(mesh);
    const double refined = now() - start;
    double boundary = 0;
    for (const Piece& p : shape->pieces()) boundary += p.measure;
    const MeshQuality q = mesh_quality(mesh);
    fmt::print(
        "{:<8} {:>7} cells {:6.2f} s  angle {:5.1f}  measure {:+.1e}  boundary {:+.1e}  "
        "refined to {} in {:.2f} s\n",
        name, q.n_cells, made, q.smallest_angle, q.measure / shape->measure() - 1,
        q.boundary_measure / boundary - 1, fine.n_cells(), refined);
  }
  return 0;
}
