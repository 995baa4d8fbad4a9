#include "geometry/meshes/solid_mesher.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/refine_mesh.hpp>

#include "geometry/meshes/mesh_sides.hpp"
#include "geometry/meshes/solid_interfaces.hpp"

namespace cauchy::detail {
namespace {

/// The boundary of a shape, one piece of it.
class PieceSurface final : public MeshSurface {
 public:
  explicit PieceSurface(ShapePtr shape) : shape_(std::move(shape)) {}
  void project(const double* x, double* foot, double* normal) const override {
    (void)shape_->nearest(x, foot, normal);
  }

 private:
  ShapePtr shape_;
};

}  // namespace

Mesh SolidMesher::run() {
  make_lattice();
  warp();
  stuff();
  if (tets_.empty()) {
    throw Error("no cell fits into the region", "[geometry.mesh]", "use a smaller size");
  }
  compress();
  find_surface();
  put_corners();
  put_edges();
  smooth(6);
  return mesh();
}

double SolidMesher::volume(const Tet& t) const {
  const double* corners[4];
  for (std::size_t k = 0; k < 4; ++k) corners[k] = points_[at(t[k])].data();
  return simplex_measure(3, 4, corners);
}

double SolidMesher::quality(const Tet& t) const {
  double sum = 0;
  for (const auto& [i, j] : MeshEdges::edge_ends) {
    const Point &a = points_[at(t[at(i)])], &b = points_[at(t[at(j)])];
    for (std::size_t k = 0; k < 3; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  }
  sum /= 6;
  return 8.48528137423857 * volume(t) / (sum * std::sqrt(sum));
}

double SolidMesher::star_quality(int v) const {
  double q = INFINITY;
  for (const int t : around_[at(v)]) q = std::min(q, quality(tets_[at(t)]));
  return q;
}

void SolidMesher::compress() {
  std::vector<int> number(points_.size(), -1);
  std::vector<Point> kept;
  for (Tet& t : tets_) {
    for (int& v : t) {
      if (number[at(v)] < 0) {
        number[at(v)] = static_cast<int>(kept.size());
        kept.push_back(points_[at(v)]);
      }
      v = number[at(v)];
    }
  }
  points_ = std::move(kept);
  around_.assign(points_.size(), {});
  for (std::size_t t = 0; t < tets_.size(); ++t) {
    for (const int v : tets_[t]) around_[at(v)].push_back(static_cast<int>(t));
  }
}

Mesh SolidMesher::bare() const {
  Mesh mesh;
  mesh.dimension = 3;
  for (const Point& p : points_) mesh.nodes.insert(mesh.nodes.end(), p.begin(), p.end());
  for (const Tet& t : tets_) {
    for (const int v : t) mesh.cells.push_back(static_cast<Mesh::Index>(v));
  }
  mesh.cell_part.assign(tets_.size(), 0);
  mesh.parts = {"inside"};
  for (const Piece& p : shape_->pieces()) mesh.pieces.push_back(p.name);
  return mesh;
}

Mesh SolidMesher::mesh() const {
  Mesh mesh = bare();
  find_facets(mesh);
  mesh.pieces.resize(shape_->pieces().size());
  std::vector<int> surface(mesh.pieces.size(), -1);
  std::vector<Point> normal_of(mesh.pieces.size());
  std::vector<char> curved(mesh.pieces.size(), 0), seen(mesh.pieces.size(), 0);
  bool any_curved = false;
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    const auto v = mesh.facet(f);
    // The piece that all three vertices know, or else the one nearest to the middle.
    const std::vector<int> common =
        common_pieces({static_cast<int>(v[0]), static_cast<int>(v[1]), static_cast<int>(v[2])});
    Point middle{};
    for (const Mesh::Index i : v) {
      for (std::size_t k = 0; k < 3; ++k) middle[k] += points_[i][k] / 3;
    }
    double foot[3];
    Point normal;
    const auto near = static_cast<int>(shape_->nearest(middle.data(), foot, normal.data()).piece);
    const int piece = common.size() == 1 ? common[0] : near;
    mesh.facet_piece[f] = piece;
    if (piece != near) continue;
    if (!seen[at(piece)]) normal_of[at(piece)] = normal;
    seen[at(piece)] = 1;
    if (gap_between(normal, normal_of[at(piece)]) > 1e-9) curved[at(piece)] = 1;
    any_curved = any_curved || curved[at(piece)];
  }
  if (!any_curved) return mesh;
  // Flat pieces as well: where they meet curved ones, edges are kept on both.
  for (std::size_t p = 0; p < surface.size(); ++p) {
    mesh.surfaces.push_back(std::make_shared<PieceSurface>(shape_));
  }
  mesh.facet_surface = mesh.facet_piece;
  return mesh;
}

Mesh solid_mesh(const ShapePtr& shape, const MeshOptions& options) {
  Mesh mesh = SolidMesher(shape, options).run();
  const double wanted = shape->measure(), got = mesh.measure();
  if (std::isfinite(wanted) && !(std::abs(got - wanted) < 0.25 * wanted)) {
    throw Error(fmt::format("the cells fill {:.3g} of a volume of {:.3g}: parts of the region are "
                            "thinner than the size {:.3g}",
                            got, wanted, options.size),
                "[geometry.mesh]", "use a smaller size");
  }
  if (!options.parts.empty() || !options.interfaces.empty()) cut_solid(*shape, options, mesh);
  // Smaller cells where they are asked for, by bisection.
  for (int round = 0; options.size_field && round < 60; ++round) {
    std::vector<Mesh::Index> marked;
    for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
      double middle[3] = {};
      for (const Mesh::Index v : mesh.cell(c)) {
        for (int k = 0; k < 3; ++k) middle[k] += mesh.node(v)[k] / 4;
      }
      const double h = options.size_field(middle);
      if (!(h > 0)) {
        throw Error(fmt::format("the size field is {} at {}", h, place_text(3, middle)),
                    "[geometry.mesh]", "sizes must be positive");
      }
      if (h < options.size && mesh.cell_measure(c) > 0.118 * 1.6 * h * h * h) {
        marked.push_back(static_cast<Mesh::Index>(c));
      }
    }
    if (marked.empty()) break;
    if (mesh.n_cells() > options.max_cells) {
      throw Error(ErrorKind::memory, fmt::format("more than {} cells", options.max_cells),
                  "[geometry.mesh]", "use a larger size, or raise max_cells");
    }
    mesh = refine(mesh, marked);
  }
  mesh.cell_parent.clear();
  mesh.node_parents.clear();
  return mesh;
}

}  // namespace cauchy::detail
