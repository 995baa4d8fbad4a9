#include <cauchy/geometry/mesh_region.hpp>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/shapes/triangle_surface.hpp>

#include "base/regular_file.hpp"
#include "geometry/mesh_files/file_mesh.hpp"
#include "geometry/region_node.hpp"
#include "geometry/shapes/plane_shape.hpp"

namespace cauchy {
namespace detail {
namespace {

constexpr const char* mesh_region_place = "[geometry.mesh]";

/// Cells by their share of the area, then points in them.
EqualAreaMap cells_map(const Mesh& mesh) {
  std::vector<double> sum{0};
  std::vector<Vec> corners;
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    sum.push_back(sum.back() + mesh.cell_measure(c));
    for (const Mesh::Index v : mesh.cell(c)) corners.push_back({mesh.node(v)[0], mesh.node(v)[1]});
  }
  return [sum, corners](double u, double w) {
    const double goal = u * sum.back();
    const auto next = std::ranges::upper_bound(sum, goal);
    const auto c = std::min(static_cast<std::size_t>(next - sum.begin()), sum.size() - 1) - 1;
    const double part = std::clamp((goal - sum[c]) / (sum[c + 1] - sum[c]), 0.0, 1.0);
    const double root = std::sqrt(part);
    const Vec &p = corners[3 * c], &q = corners[3 * c + 1], &r = corners[3 * c + 2];
    return p + root * (1 - w) * (q - p) + root * w * (r - p);
  };
}

ShapePtr plane_of(const Mesh& mesh) {
  std::vector<Piece> pieces;
  for (const std::string& name : mesh.pieces) pieces.push_back(named_piece(name));
  std::vector<Curve> curves;
  const auto key = [](Vec a, Vec b) { return std::array{a.x, a.y, b.x, b.y}; };
  std::map<std::array<double, 4>, std::size_t> known;
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    const double *a = mesh.node(mesh.facet(f)[0]), *b = mesh.node(mesh.facet(f)[1]);
    const Vec from{a[0], a[1]}, to{b[0], b[1]};
    curves.push_back(Curve::segment(from, to, static_cast<std::size_t>(mesh.facet_piece[f])));
    known[key(from, to)] = f;
  }
  for (Curve& c : curves) c.slit = known.contains(key(c.end, c.start));
  return std::make_shared<PlaneShape>(std::move(curves), std::move(pieces), cells_map(mesh));
}

ShapePtr solid_of(const Mesh& mesh, const std::string& name) {
  TriangleMesh surface;
  surface.groups = mesh.pieces;
  surface.source = name;
  std::map<Mesh::Index, std::uint32_t> number;
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    std::array<std::uint32_t, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Mesh::Index v = mesh.facet(f)[k];
      const auto [entry, is_new] =
          number.try_emplace(v, static_cast<std::uint32_t>(surface.vertices.size()));
      if (is_new) surface.vertices.push_back({mesh.node(v)[0], mesh.node(v)[1], mesh.node(v)[2]});
      triangle[k] = entry->second;
    }
    surface.triangles.push_back(triangle);
    surface.group.push_back(static_cast<std::uint32_t>(mesh.facet_piece[f]));
  }
  return triangle_surface_shape(std::move(surface));
}

Mesh read_simplices(const std::string& file) {
  const std::string text = read_regular(file, data_limit());
  switch (mesh_text_kind(text, file)) {
    case MeshText::vtk:
      return parse_vtk(text, file);
    case MeshText::vtu:
      return parse_vtu(text, file);
    case MeshText::xdmf:
      throw Error(ErrorKind::unsupported, "a region is not read from XDMF", file,
                  "write the mesh as .msh with: cauchy mesh FILE.xdmf --out FILE.msh");
    default:
      return parse_gmsh(text, file);
  }
}

struct MeshNode final : RegionNode {
  explicit MeshNode(const std::string& path)
      : file(path), data(std::make_shared<Mesh>(read_simplices(path))) {
    dimension = static_cast<std::size_t>(data->dimension);
  }
  ShapePtr build(const ParameterValues& /*values*/) const override {
    return mesh_shape(*data, file);
  }
  Symbols symbols(std::span<const Expr> /*x*/) const override {
    throw Error(ErrorKind::unsupported, "the region of a mesh has no formula", mesh_region_place,
                "use its distance() instead of an approximate distance function");
  }
  std::string text() const override { return fmt::format("mesh(\"{}\")", file); }
  [[nodiscard]] std::shared_ptr<const Mesh> mesh() const override { return data; }

  std::string file;
  std::shared_ptr<const Mesh> data;
};

}  // namespace

std::shared_ptr<RegionNode> make_mesh_node(const std::string& file) {
  return std::make_shared<MeshNode>(file);
}

}  // namespace detail

ShapePtr mesh_shape(const Mesh& mesh, const std::string& name) {
  if (mesh.dimension == 2) return detail::plane_of(mesh);
  if (mesh.dimension == 3) return detail::solid_of(mesh, name);
  throw Error(ErrorKind::unsupported, "a mesh of one dimension is no region", name,
              "write space = { x = [0, 1] }");
}

Region mesh_region(const std::filesystem::path& file) {
  return detail::RegionNode::wrap(detail::make_mesh_node(file.string()));
}

std::shared_ptr<const Mesh> region_mesh(const Region& region) {
  return detail::RegionNode::of(region).mesh();
}

}  // namespace cauchy
