#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/mesh.hpp>

namespace cauchy {
namespace {

constexpr const char* structured_place = "[geometry.structured_mesh]";

/// Simplices of one box by its corners, whose number has the bit 2^(D-1-d) set at the upper end
/// of coordinate d.
void add_box_cells(std::vector<Mesh::Index>& cells, std::size_t dimension,
                   const std::vector<Mesh::Index>& corner, bool turned) {
  const auto add = [&](std::initializer_list<std::size_t> which) {
    for (const std::size_t k : which) cells.push_back(corner[k]);
  };
  if (dimension == 1) return add({0, 1});
  if (dimension == 2) {
    if (!turned) {
      add({0, 2, 3});
      add({0, 3, 1});
    } else {
      add({0, 2, 1});
      add({2, 3, 1});
    }
    return;
  }
  // Kuhn: one tetrahedron per way from the first corner to the last along the edges.
  add({0, 4, 6, 7});
  add({0, 6, 2, 7});
  add({0, 2, 3, 7});
  add({0, 3, 1, 7});
  add({0, 1, 5, 7});
  add({0, 5, 4, 7});
}

}  // namespace

Mesh structured_mesh(std::span<const double> lower, std::span<const double> upper,
                     std::span<const std::size_t> counts) {
  const std::size_t D = counts.size();
  if (D < 1 || D > 3 || lower.size() != D || upper.size() != D) {
    throw Error("lower and upper ends and counts must be 1, 2 or 3 of each", structured_place);
  }
  double n_boxes = 1;
  for (std::size_t d = 0; d < D; ++d) {
    if (!(lower[d] < upper[d]) || !std::isfinite(upper[d] - lower[d])) {
      throw Error(fmt::format("coordinate {} goes from {} to {}", d + 1, lower[d], upper[d]),
                  structured_place, "the lower end must be below the upper one");
    }
    if (counts[d] < 1) {
      throw Error(fmt::format("coordinate {} is cut into 0 boxes", d + 1), structured_place,
                  "use at least 1");
    }
    n_boxes *= static_cast<double>(counts[d]) + 1;
  }
  if (n_boxes > 4e9 / 6) {
    throw Error(ErrorKind::memory, fmt::format("{:.3g} boxes are too many for a mesh", n_boxes),
                structured_place, "use fewer");
  }
  Mesh mesh;
  mesh.dimension = static_cast<int>(D);
  mesh.parts = {"inside"};
  mesh.pieces = {"left", "right"};
  if (D == 2) mesh.pieces.insert(mesh.pieces.end(), {"bottom", "top"});
  if (D == 3) mesh.pieces.insert(mesh.pieces.end(), {"front", "back", "bottom", "top"});
  std::array<std::size_t, 3> n{}, stride{};
  std::size_t total = 1;
  for (std::size_t d = D; d-- > 0;) {
    n[d] = counts[d];
    stride[d] = total;
    total *= counts[d] + 1;
  }
  mesh.nodes.resize(total * D);
  for (std::size_t i = 0; i < total; ++i) {
    for (std::size_t d = 0; d < D; ++d) {
      const std::size_t k = i / stride[d] % (n[d] + 1);
      const double s = static_cast<double>(k) / static_cast<double>(n[d]);
      mesh.nodes[i * D + d] = k == n[d] ? upper[d] : lower[d] + s * (upper[d] - lower[d]);
    }
  }
  std::vector<Mesh::Index> corner(std::size_t{1} << D);
  for (std::size_t i = 0; i < total; ++i) {
    std::size_t sum = 0;
    bool last = false;
    for (std::size_t d = 0; d < D; ++d) {
      const std::size_t k = i / stride[d] % (n[d] + 1);
      sum += k;
      last = last || k == n[d];
    }
    if (last) continue;
    for (std::size_t c = 0; c < corner.size(); ++c) {
      std::size_t at = i;
      for (std::size_t d = 0; d < D; ++d) at += (c >> (D - 1 - d) & 1) * stride[d];
      corner[c] = static_cast<Mesh::Index>(at);
    }
    add_box_cells(mesh.cells, D, corner, sum % 2 == 1);
  }
  mesh.cell_part.assign(mesh.n_cells(), 0);
  find_facets(mesh);
  // A facet lies at the end of a coordinate that all its nodes share.
  mesh.pieces.resize(2 * D);
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    for (std::size_t side = 0; side < 2 * D; ++side) {
      const std::size_t d = side / 2, end = side % 2 == 0 ? 0 : n[d];
      if (std::ranges::all_of(mesh.facet(f),
                              [&](Mesh::Index v) { return v / stride[d] % (n[d] + 1) == end; })) {
        mesh.facet_piece[f] = static_cast<int>(side);
      }
    }
  }
  return mesh;
}

}  // namespace cauchy
