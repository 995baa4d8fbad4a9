#include "solvers/fvm/fvm_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

struct MeshFace {
  std::size_t left, right;  // right beyond the cells: on the boundary
  double area, normal[2], middle[2], from_left[2], from_right[2];
};

/// Puts the faces into the mesh, those of the boundary last, and lists them by cell.
void set_faces(FvmMesh& mesh, std::vector<MeshFace> faces) {
  const auto inner = std::stable_partition(
      faces.begin(), faces.end(), [&](const MeshFace& f) { return f.right < mesh.n_cells; });
  mesh.n_inner = static_cast<std::size_t>(inner - faces.begin());
  std::size_t ghost = mesh.n_cells;
  for (MeshFace& f : faces) {
    const bool on_boundary = f.right >= mesh.n_cells;
    if (on_boundary) f.right = ghost++;
    mesh.left.push_back(static_cast<FvmMesh::Index>(f.left));
    mesh.right.push_back(static_cast<FvmMesh::Index>(f.right));
    mesh.area.push_back(f.area);
    double distance = 0;
    for (std::size_t d = 0; d < mesh.dimension; ++d) {
      mesh.normal[d].push_back(f.normal[d]);
      mesh.middle[d].push_back(f.middle[d]);
      mesh.from_left[d].push_back(f.from_left[d]);
      mesh.from_right[d].push_back(on_boundary ? 0 : f.from_right[d]);
      distance += f.normal[d] * (f.from_left[d] - mesh.from_right[d].back());
    }
    mesh.distance.push_back(distance);
  }
  mesh.cell_begin.assign(mesh.n_cells + 1, 0);
  const auto each_side = [&](auto use) {
    for (std::size_t f = 0; f < mesh.left.size(); ++f) {
      use(mesh.left[f], f);
      if (mesh.right[f] < mesh.n_cells) use(mesh.right[f], f);
    }
  };
  each_side([&](std::size_t cell, std::size_t) { ++mesh.cell_begin[cell + 1]; });
  std::partial_sum(mesh.cell_begin.begin(), mesh.cell_begin.end(), mesh.cell_begin.begin());
  std::vector<FvmMesh::Index> next(mesh.cell_begin.begin(), mesh.cell_begin.end() - 1);
  mesh.cell_face.resize(mesh.cell_begin.back());
  each_side([&](std::size_t cell, std::size_t f) {
    mesh.cell_face[next[cell]++] = static_cast<FvmMesh::Index>(f);
  });
}

}  // namespace

double FvmMesh::total_volume() const { return std::accumulate(volume.begin(), volume.end(), 0.0); }

FvmMesh box_mesh(std::span<const double> lower, std::span<const double> upper,
                 std::span<const std::size_t> counts, const std::vector<bool>& periodic) {
  FvmMesh mesh;
  const std::size_t D = counts.size();
  mesh.dimension = D;
  mesh.counts.assign(counts.begin(), counts.end());
  mesh.lower.assign(lower.begin(), lower.end());
  mesh.periodic = periodic;
  mesh.n_cells = 1;
  double volume = 1;
  for (std::size_t d = 0; d < D; ++d) {
    mesh.n_cells *= counts[d];
    mesh.spacing.push_back((upper[d] - lower[d]) / static_cast<double>(counts[d]));
    volume *= mesh.spacing[d];
  }
  mesh.volume.assign(mesh.n_cells, volume);
  const std::size_t stride[2] = {D == 2 ? counts[1] : 1, 1};
  const auto place = [&](std::size_t cell, std::size_t d) { return cell / stride[d] % counts[d]; };
  for (std::size_t d = 0; d < D; ++d) {
    for (std::size_t c = 0; c < mesh.n_cells; ++c) {
      mesh.centre[d].push_back(lower[d] +
                               (static_cast<double>(place(c, d)) + 0.5) * mesh.spacing[d]);
    }
  }
  std::vector<MeshFace> faces;
  for (std::size_t d = 0; d < D; ++d) {
    const double h = mesh.spacing[d];
    for (std::size_t c = 0; c < mesh.n_cells; ++c) {
      MeshFace f{};
      f.area = volume / h;
      f.left = c;
      f.normal[d] = 1;
      for (std::size_t e = 0; e < D; ++e) f.middle[e] = mesh.centre[e][c];
      f.middle[d] += h / 2;
      f.from_left[d] = h / 2;
      f.from_right[d] = -h / 2;
      const bool last = place(c, d) + 1 == counts[d];
      f.right = !last         ? c + stride[d]
                : periodic[d] ? c + stride[d] - counts[d] * stride[d]
                              : mesh.n_cells;
      faces.push_back(f);
      if (place(c, d) == 0 && !periodic[d]) {
        f.right = mesh.n_cells;
        f.normal[d] = -1;
        f.middle[d] -= h;
        f.from_left[d] = -h / 2;
        faces.push_back(f);
      }
    }
  }
  set_faces(mesh, std::move(faces));
  for (std::size_t d = 0; d < D; ++d) {
    mesh.neighbour[2 * d].resize(mesh.n_cells);
    mesh.neighbour[2 * d + 1].resize(mesh.n_cells);
  }
  for (std::size_t f = 0; f < mesh.n_faces(); ++f) {
    const std::size_t d = D == 2 && mesh.normal[0][f] == 0 ? 1 : 0;
    const std::size_t ahead = mesh.normal[d][f] > 0 ? 1 : 0;
    mesh.neighbour[2 * d + ahead][mesh.left[f]] = mesh.right[f];
    if (f < mesh.n_inner) mesh.neighbour[2 * d + 1 - ahead][mesh.right[f]] = mesh.left[f];
  }
  return mesh;
}

FvmMesh triangle_mesh(const Triangulation& t, const std::vector<bool>& periodic) {
  FvmMesh mesh;
  mesh.dimension = 2;
  mesh.n_cells = t.triangles.size();
  for (const auto& v : t.triangles) {
    const auto &a = t.vertices[v[0]], &b = t.vertices[v[1]], &c = t.vertices[v[2]];
    mesh.volume.push_back(0.5 *
                          std::abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])));
    for (std::size_t d = 0; d < 2; ++d) mesh.centre[d].push_back((a[d] + b[d] + c[d]) / 3);
  }
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (const auto& v : t.vertices) {
    for (std::size_t d = 0; d < 2; ++d) {
      low[d] = std::min(low[d], v[d]);
      high[d] = std::max(high[d], v[d]);
    }
  }
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> open;  // edge to face
  std::vector<MeshFace> faces;
  for (std::size_t c = 0; c < mesh.n_cells; ++c) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = t.triangles[c][k], j = t.triangles[c][(k + 1) % 3];
      const auto [at, is_new] = open.try_emplace(std::minmax(i, j), faces.size());
      if (!is_new) {
        MeshFace& f = faces[at->second];
        f.right = c;
        for (std::size_t d = 0; d < 2; ++d) f.from_right[d] = f.middle[d] - mesh.centre[d][c];
        continue;
      }
      const auto &a = t.vertices[i], &b = t.vertices[j];
      MeshFace f{};
      f.left = c;
      f.right = mesh.n_cells;
      f.area = std::hypot(b[0] - a[0], b[1] - a[1]);
      f.normal[0] = (b[1] - a[1]) / f.area;
      f.normal[1] = (a[0] - b[0]) / f.area;
      double out = 0;
      for (std::size_t d = 0; d < 2; ++d) {
        f.middle[d] = (a[d] + b[d]) / 2;
        f.from_left[d] = f.middle[d] - mesh.centre[d][c];
        out += f.from_left[d] * f.normal[d];
      }
      if (out < 0) {
        for (double& n : f.normal) n = -n;
      }
      faces.push_back(f);
    }
  }
  for (std::size_t d = 0; d < 2; ++d) {
    if (!periodic[d]) continue;
    // The faces of both ends in the order of the other coordinate.
    std::vector<std::size_t> ends[2];
    const double size = high[d] - low[d];
    for (std::size_t f = 0; f < faces.size(); ++f) {
      if (faces[f].right < mesh.n_cells) continue;
      if (std::abs(faces[f].middle[d] - low[d]) < 1e-9 * size) ends[0].push_back(f);
      if (std::abs(faces[f].middle[d] - high[d]) < 1e-9 * size) ends[1].push_back(f);
    }
    for (auto& end : ends) {
      std::sort(end.begin(), end.end(), [&](std::size_t a, std::size_t b) {
        return faces[a].middle[1 - d] < faces[b].middle[1 - d];
      });
    }
    std::vector<bool> gone(faces.size(), false);
    for (std::size_t k = 0; k < ends[1].size(); ++k) {
      if (ends[0].size() != ends[1].size() ||
          std::abs(faces[ends[0][k]].middle[1 - d] - faces[ends[1][k]].middle[1 - d]) >
              1e-9 * size) {
        throw Error("triangles at both ends of a period do not match", "[solvers.fvm]");
      }
      MeshFace& f = faces[ends[1][k]];
      f.right = faces[ends[0][k]].left;
      std::copy_n(faces[ends[0][k]].from_left, 2, f.from_right);
      gone[ends[0][k]] = true;
    }
    std::vector<MeshFace> kept;
    for (std::size_t f = 0; f < faces.size(); ++f) {
      if (!gone[f]) kept.push_back(faces[f]);
    }
    faces = std::move(kept);
  }
  mesh.periodic = periodic;
  set_faces(mesh, std::move(faces));
  return mesh;
}

}  // namespace cauchy::detail
