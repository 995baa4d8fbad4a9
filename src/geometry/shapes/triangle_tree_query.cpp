// The search for the nearest triangle, compiled once per instruction set.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "geometry/shapes/triangle_tree.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "geometry/shapes/triangle_tree_query.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace triangle_tree {

namespace hn = hwy::HWY_NAMESPACE;
using detail::triangles::TreeHit;
using detail::triangles::TreeLeaf;
using detail::triangles::TreeNode;
using detail::triangles::TriangleTree;
using detail::triangles::Vec3;

using Boxes = hn::CappedTag<float, TreeNode::width>;
using Corners = hn::CappedTag<double, TreeLeaf::width>;

/// The point in the coordinates of the boxes, and a bound of the rounding errors of axis x.
struct BoxPoint {
  float x[3];
  float error;
};

inline BoxPoint box_point(const TriangleTree& tree, const Vec3& x) {
  BoxPoint p;
  double sum = 0;
  for (size_t i = 0; i < 3; ++i) {
    const double u = tree.scale * (x[i] - tree.center[i]);
    p.x[i] = static_cast<float>(std::fmin(std::fmax(u, -1e18), 1e18));
    sum += std::fabs(u);
  }
  // x rounds once and the product of three terms three times, each 2^-24 of |x_0| + |x_1| + |x_2|
  // at most: 4 would do, 8 leaves room for the rounding of the bound.
  // From 1e7 sizes away on no box is ruled out anyway; far beyond, squares of floats would overflow.
  p.error = sum < 1e15 ? static_cast<float>(8 * 0x1p-24 * sum) + 1e-30f : 1e30f;
  return p;
}

/// Lower bounds of the squared distances to the children. Returns a bit for each child that is not
/// beyond `limit`.
HWY_INLINE unsigned BoundChildren(const TreeNode& node, const BoxPoint& p, float limit,
                                  float* HWY_RESTRICT bounds) {
  const Boxes d;
  const auto x = hn::Set(d, p.x[0]), y = hn::Set(d, p.x[1]), z = hn::Set(d, p.x[2]);
  const auto error = hn::Set(d, p.error);
  const auto zero = hn::Zero(d);
  // 2e-6 covers the rounding of this sum and of the axes: their matrix stretches by up to 1 + 2e-7.
  const auto safety = hn::Set(d, 1.0f - 2e-6f);
  unsigned hits = 0;
  for (size_t i = 0; i < TreeNode::width; i += hn::Lanes(d)) {
    auto sum = zero;
    for (size_t k = 0; k < 3; ++k) {
      auto t = hn::Mul(hn::Load(d, node.axis[3 * k] + i), x);
      t = hn::MulAdd(hn::Load(d, node.axis[3 * k + 1] + i), y, t);
      t = hn::MulAdd(hn::Load(d, node.axis[3 * k + 2] + i), z, t);
      const auto outside = hn::Max(hn::Sub(hn::Load(d, node.lower[k] + i), t),
                                   hn::Sub(t, hn::Load(d, node.upper[k] + i)));
      const auto gap = hn::Max(hn::Sub(outside, error), zero);
      sum = hn::MulAdd(gap, gap, sum);
    }
    sum = hn::Mul(sum, safety);
    hn::Store(sum, d, bounds + i);
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Le(sum, hn::Set(d, limit)), bits);
    hits |= static_cast<unsigned>(bits[0]) << i;
  }
  return hits;
}

template <class V>
struct V3 {
  V x, y, z;
};
template <class V>
HWY_INLINE V3<V> Minus(const V3<V>& a, const V3<V>& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
/// a - t b
template <class V>
HWY_INLINE V3<V> MinusTimes(const V3<V>& a, V t, const V3<V>& b) {
  return {hn::Sub(a.x, hn::Mul(t, b.x)), hn::Sub(a.y, hn::Mul(t, b.y)),
          hn::Sub(a.z, hn::Mul(t, b.z))};
}
template <class V>
HWY_INLINE V Dot(const V3<V>& a, const V3<V>& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
template <class V>
HWY_INLINE V3<V> Cross(const V3<V>& a, const V3<V>& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)),
          hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}

/// The squared distances of closest_on_triangle: the same operations in the same order, and no fused
/// multiply-add, hence the same bits.
HWY_INLINE void LeafSquares(const TreeLeaf& leaf, const Vec3& point, double* HWY_RESTRICT squares) {
  const Corners d;
  using V = hn::Vec<Corners>;
  const V3<V> x{hn::Set(d, point[0]), hn::Set(d, point[1]), hn::Set(d, point[2])};
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
  for (size_t i = 0; i < TreeLeaf::width; i += hn::Lanes(d)) {
    const auto corner = [&](size_t k) HWY_ATTR {
      return V3<V>{hn::Load(d, leaf.corner[k] + i), hn::Load(d, leaf.corner[k + 1] + i),
                   hn::Load(d, leaf.corner[k + 2] + i)};
    };
    const V3<V> a = corner(0);
    const V3<V> ab = Minus(corner(3), a), ac = Minus(corner(6), a), ap = Minus(x, a);
    const V3<V> bc = Minus(ac, ab), bp = Minus(ap, ab);
    const auto segment = [&](const V3<V>& p, const V3<V>& e) HWY_ATTR {
      const V t = hn::Min(hn::Max(hn::Div(Dot(p, e), Dot(e, e)), zero), one);
      const V3<V> r = MinusTimes(p, t, e);
      return Dot(r, r);
    };
    const V edges = hn::Min(hn::Min(segment(ap, ab), segment(bp, bc)), segment(ap, ac));
    const V3<V> n = Cross(ab, ac);
    const V nn = Dot(n, n);
    const V v = hn::Div(Dot(Cross(ap, ac), n), nn);
    const V w = hn::Div(Dot(Cross(ab, ap), n), nn);
    const auto inside =
        hn::And(hn::And(hn::Ge(v, zero), hn::Ge(w, zero)), hn::Le(hn::Add(v, w), one));
    const V3<V> r = MinusTimes(MinusTimes(ap, v, ab), w, ac);
    const V face = hn::Min(Dot(r, r), edges);
    hn::Store(hn::IfThenElse(inside, face, edges), d, squares + i);
  }
}

HWY_INLINE TreeHit Nearest(const TriangleTree& tree, const Vec3& x) {
  struct Entry {
    float bound;
    uint32_t child;
  };
  // A node leaves seven entries behind at most; the builder keeps the depth below 30.
  constexpr size_t capacity = 256;
  Entry stack[capacity];
  size_t top = 0;
  HWY_ALIGN float bounds[TreeNode::width];
  HWY_ALIGN double squares[TreeLeaf::width];

  const BoxPoint p = box_point(tree, x);
  const double square_scale = tree.scale * tree.scale;
  TreeHit best{std::numeric_limits<uint32_t>::max(), std::numeric_limits<double>::infinity()};
  float limit = std::numeric_limits<float>::max();
  stack[top++] = {0, 0};
  while (top > 0) {
    const Entry entry = stack[--top];
    if (entry.bound > limit) continue;
    if ((entry.child & TreeNode::leaf_bit) != 0) {
      const TreeLeaf& leaf = tree.leaves[entry.child & ~TreeNode::leaf_bit];
      LeafSquares(leaf, x, squares);
      for (size_t lane = 0; lane < TreeLeaf::width; ++lane) {
        if (squares[lane] > best.square) continue;
        const auto position = static_cast<uint32_t>(leaf.first + lane);
        if (squares[lane] < best.square || position < best.position) {
          best = {position, squares[lane]};
        }
      }
      // Rounded up; the finite maximum keeps absent children, at infinity, out.
      limit = static_cast<float>(
          std::fmin(best.square * square_scale * (1 + 0x1p-22), std::numeric_limits<float>::max()));
      continue;
    }
    const TreeNode& node = tree.nodes[entry.child];
    const size_t base = top;
    for (unsigned hits = BoundChildren(node, p, limit, bounds); hits != 0; hits &= hits - 1) {
      const auto lane = static_cast<size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(hits));
      size_t at = top++;  // insertion, the nearest on top
      for (; at > base && stack[at - 1].bound < bounds[lane]; --at) stack[at] = stack[at - 1];
      stack[at] = {bounds[lane], node.child[lane]};
    }
  }
  return best;
}

}  // namespace triangle_tree

detail::triangles::TreeHit nearest_in_tree(const detail::triangles::TriangleTree& tree,
                                            const detail::triangles::Vec3& x) {
  return triangle_tree::Nearest(tree, x);
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cauchy {
HWY_EXPORT(nearest_in_tree);

detail::triangles::TreeHit detail::triangles::nearest_triangle(const TriangleTree& tree, const Vec3& x) {
  return HWY_DYNAMIC_DISPATCH(nearest_in_tree)(tree, x);
}

}  // namespace cauchy
#endif  // HWY_ONCE
