#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <cauchy/base/aligned.hpp>

#include "geometry/shapes/triangle_closest.hpp"

namespace cauchy::detail::triangles {

/// Eight children, each in an oriented box { v : lower <= axis v <= upper } of the normalised
/// coordinates (see TriangleTree). A smooth patch of width h is h^2 thin in its own frame but h
/// thick between planes parallel to the axes; far from the surface, where many patches are nearly
/// equally near, this decides how many have to be looked at.
struct alignas(64) TreeNode {
  static constexpr std::size_t width = 8;
  static constexpr std::uint32_t leaf_bit = 0x80000000u;

  float axis[9][width];  ///< rows of an orthogonal matrix, to rounding
  float lower[3][width];
  float upper[3][width];
  std::uint32_t child[width];  ///< a node, or leaf_bit + leaf; absent: lower = infinity
};

/// Up to four consecutive triangles; spare lanes repeat the last one.
struct alignas(64) TreeLeaf {
  static constexpr std::size_t width = 4;

  double corner[9][width];  ///< ax ay az bx by bz cx cy cz
  std::uint32_t first;      ///< position of the first triangle
};

/// A bounding-volume tree over triangles. Boxes are in single precision about
/// scale (x - center), which lies in [-1, 1]^3, scale a power of two; triangles are in double.
struct TriangleTree {
  AlignedVector<TreeNode> nodes;  ///< the root first
  AlignedVector<TreeLeaf> leaves;
  Vec3 center{};
  double scale = 1;
  std::vector<std::uint32_t> order;  ///< position in the tree -> index of the triangle
};

/// At least one triangle; all vertices finite. O(n log n).
[[nodiscard]] TriangleTree build_triangle_tree(std::span<const Vec3> vertices,
                                               std::span<const Triangle> triangles);

struct TreeHit {
  std::uint32_t position = 0;  ///< of the triangle in the tree
  double square = 0;           ///< of the distance
};

/// The nearest triangle; of equally near ones that with the lowest position. Equal bits on every
/// instruction set. Coordinates at most 1e100.
[[nodiscard]] TreeHit nearest_triangle(const TriangleTree& tree, const Vec3& x);
/// The same by looking at every triangle.
[[nodiscard]] TreeHit nearest_triangle_reference(const TriangleTree& tree, const Vec3& x);

}  // namespace cauchy::detail::triangles
