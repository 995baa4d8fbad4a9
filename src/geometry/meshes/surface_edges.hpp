#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <cauchy/geometry/mesh.hpp>

namespace cauchy::detail {

/// The edges of a mesh that lie on curved surfaces, one or two each.
class SurfaceEdges final {
 public:
  explicit SurfaceEdges(const Mesh& mesh);

  [[nodiscard]] bool empty() const noexcept { return edges_.empty(); }
  /// An edge on a surface; `across` is the corner of the facet that is not on the edge.
  void add(Mesh::Index a, Mesh::Index b, int surface, Mesh::Index across);
  /// An edge gets a node: both halves lie where the edge lay.
  void cut(Mesh::Index a, Mesh::Index b, Mesh::Index node);
  /// Where the middle of an edge belongs.
  void middle(const std::vector<double>& nodes, Mesh::Index a, Mesh::Index b, double* x) const;

 private:
  struct Entry {
    int surface[2] = {-1, -1};
    Mesh::Index across[2] = {0, 0};
  };
  static std::uint64_t key(Mesh::Index a, Mesh::Index b) {
    return a < b ? static_cast<std::uint64_t>(a) << 32 | b
                 : static_cast<std::uint64_t>(b) << 32 | a;
  }

  std::size_t d_;
  const std::vector<std::shared_ptr<const MeshSurface>>& surfaces_;
  std::unordered_map<std::uint64_t, Entry> edges_;
};

}  // namespace cauchy::detail
