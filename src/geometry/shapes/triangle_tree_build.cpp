#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "geometry/shapes/triangle_tree.hpp"

namespace cauchy::detail::triangles {
namespace {

struct Box {
  Vec3 lower{}, upper{};
  Box() {
    lower.fill(std::numeric_limits<double>::infinity());
    upper.fill(-std::numeric_limits<double>::infinity());
  }
  void add(const Vec3& p) {
    for (std::size_t i = 0; i < 3; ++i) {
      lower[i] = std::min(lower[i], p[i]);
      upper[i] = std::max(upper[i], p[i]);
    }
  }
  void add(const Box& other) {
    add(other.lower);
    add(other.upper);
  }
  /// Half the surface.
  [[nodiscard]] double area() const {
    const Vec3 e = upper - lower;
    return e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
  }
};

struct Frame {
  Vec3 row[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
};

/// Eigenvectors of a symmetric matrix by cyclic Jacobi rotations, as rows.
Frame eigenvectors(double (&m)[3][3]) {
  Frame frame;
  for (int sweep = 0; sweep < 12; ++sweep) {
    const double off = m[0][1] * m[0][1] + m[0][2] * m[0][2] + m[1][2] * m[1][2];
    const double diagonal = m[0][0] * m[0][0] + m[1][1] * m[1][1] + m[2][2] * m[2][2];
    if (!(off > 1e-24 * diagonal)) break;
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t q = p + 1; q < 3; ++q) {
        if (m[p][q] == 0) continue;
        const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
        const double t = std::copysign(1 / (std::abs(theta) + std::hypot(theta, 1)), theta);
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < 3; ++k) {
          const double u = m[k][p], v = m[k][q];
          m[k][p] = c * u - s * v;
          m[k][q] = s * u + c * v;
        }
        for (std::size_t k = 0; k < 3; ++k) {
          const double u = m[p][k], v = m[q][k];
          m[p][k] = c * u - s * v;
          m[q][k] = s * u + c * v;
        }
        const Vec3 u = frame.row[p], v = frame.row[q];
        frame.row[p] = c * u - s * v;
        frame.row[q] = s * u + c * v;
      }
    }
  }
  return frame;
}

class Builder {
 public:
  Builder(std::span<const Vec3> vertices, std::span<const Triangle> triangles)
      : triangles_(triangles), vertices_(vertices.size()), boxes_(triangles.size()) {
    Box all;
    for (const Triangle& t : triangles) {
      for (const std::uint32_t v : t) all.add(vertices[v]);
    }
    tree_.center = 0.5 * (all.lower + all.upper);
    const Vec3 half = 0.5 * (all.upper - all.lower);
    const double size = std::max({half[0], half[1], half[2]});
    tree_.scale = size > 0 ? std::ldexp(1.0, -(std::ilogb(size) + 1)) : 1.0;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      vertices_[v] = tree_.scale * (vertices[v] - tree_.center);
    }
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      for (const std::uint32_t v : triangles[t]) boxes_[t].add(vertices_[v]);
    }
    tree_.order.resize(triangles.size());
    std::iota(tree_.order.begin(), tree_.order.end(), 0u);
    tree_.nodes.reserve(triangles.size() / 16 + 1);
    tree_.leaves.reserve(triangles.size() / 3 + 1);
    add_node({0, triangles.size()}, 0);
    fill_leaves(vertices);
  }

  TriangleTree take() { return std::move(tree_); }

 private:
  struct Range {
    std::size_t begin, end;
    [[nodiscard]] std::size_t size() const { return end - begin; }
  };

  [[nodiscard]] double centroid(std::uint32_t t, std::size_t axis) const {
    return boxes_[t].lower[axis] + boxes_[t].upper[axis];  // twice, of the box
  }

  /// Cuts a range in two along the longest axis of its centroids: large ranges where the
  /// surface-area heuristic over 16 bins is least, small or deep ones at the median, so that leaves
  /// are full and the depth is bounded.
  std::size_t split(Range range, int depth) {
    Box centers;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Box& b = boxes_[tree_.order[i]];
      centers.add(b.lower + b.upper);
    }
    const Vec3 extent = centers.upper - centers.lower;
    const auto axis =
        static_cast<std::size_t>(std::max_element(extent.begin(), extent.end()) - extent.begin());
    const auto first = tree_.order.begin();
    const auto at = [&](std::size_t i) { return first + static_cast<std::ptrdiff_t>(i); };

    constexpr std::size_t n_bins = 16, small = 64;
    if (range.size() > small && depth < 8 && extent[axis] > 0) {
      Box bins[n_bins];
      std::size_t counts[n_bins] = {};
      const double factor = n_bins / extent[axis], origin = centers.lower[axis];
      const auto bin = [&](std::uint32_t t) {
        const double b = (centroid(t, axis) - origin) * factor;
        return std::min(static_cast<std::size_t>(std::max(b, 0.0)), n_bins - 1);
      };
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const std::size_t b = bin(tree_.order[i]);
        bins[b].add(boxes_[tree_.order[i]]);
        ++counts[b];
      }
      double right[n_bins] = {};
      Box box;
      std::size_t count = 0;
      for (std::size_t b = n_bins; b-- > 1;) {
        box.add(bins[b]);
        count += counts[b];
        right[b] = count > 0 ? box.area() * static_cast<double>(count) : 0;
      }
      box = Box();
      count = 0;
      double least = std::numeric_limits<double>::infinity();
      std::size_t cut = 0;
      for (std::size_t b = 1; b < n_bins; ++b) {
        box.add(bins[b - 1]);
        count += counts[b - 1];
        if (count == 0 || count == range.size()) continue;
        const double cost = box.area() * static_cast<double>(count) + right[b];
        if (cost < least) {
          least = cost;
          cut = b;
        }
      }
      if (cut > 0) {
        const auto middle = std::stable_partition(
            at(range.begin), at(range.end), [&](std::uint32_t t) { return bin(t) < cut; });
        return static_cast<std::size_t>(middle - first);
      }
    }
    constexpr std::size_t w = TreeLeaf::width;
    const std::size_t half = std::max(w, (range.size() / 2 + w - 1) / w * w);
    const std::size_t middle = range.begin + half;
    std::nth_element(at(range.begin), at(middle), at(range.end),
                     [&](std::uint32_t a, std::uint32_t b) {
                       const double ca = centroid(a, axis), cb = centroid(b, axis);
                       return ca != cb ? ca < cb : a < b;
                     });
    return middle;
  }

  /// The frame of the second moments of the surface, or the axes when their box is smaller.
  [[nodiscard]] Frame frame_of(Range range) const {
    double m[3][3] = {};
    Vec3 mean{};
    double mass = 0;
    Box plain;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Triangle& t = triangles_[tree_.order[i]];
      const Vec3 &a = vertices_[t[0]], &b = vertices_[t[1]], &c = vertices_[t[2]];
      plain.add(boxes_[tree_.order[i]]);
      const double area = norm(cross(b - a, c - a));
      const Vec3 sum = a + b + c;
      // The moments of a triangle: area / 12 (9 g g' + a a' + b b' + c c'), g its centroid.
      for (std::size_t p = 0; p < 3; ++p) {
        for (std::size_t q = p; q < 3; ++q) {
          m[p][q] +=
              area / 12 * (sum[p] * sum[q] + a[p] * a[q] + b[p] * b[q] + c[p] * c[q]);
        }
      }
      mean = mean + (area / 3) * sum;
      mass += area;
    }
    if (!(mass > 0)) return {};
    for (std::size_t p = 0; p < 3; ++p) {
      for (std::size_t q = p; q < 3; ++q) {
        m[p][q] -= mean[p] * mean[q] / mass;
        m[q][p] = m[p][q];
      }
    }
    const Frame frame = eigenvectors(m);
    return box_in(frame, range).area() < plain.area() ? frame : Frame{};
  }

  [[nodiscard]] Box box_in(const Frame& frame, Range range) const {
    Box box;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      for (const std::uint32_t v : triangles_[tree_.order[i]]) {
        const Vec3& p = vertices_[v];
        box.add(Vec3{dot(frame.row[0], p), dot(frame.row[1], p), dot(frame.row[2], p)});
      }
    }
    return box;
  }

  void set_box(TreeNode& node, std::size_t lane, Range range) const {
    Frame frame = frame_of(range);
    for (std::size_t p = 0; p < 3; ++p) {
      for (std::size_t q = 0; q < 3; ++q) {
        const auto rounded = static_cast<float>(frame.row[p][q]);
        node.axis[3 * p + q][lane] = rounded;
        frame.row[p][q] = rounded;  // the box must hold for the rounded axes
      }
    }
    const Box box = box_in(frame, range);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (std::size_t p = 0; p < 3; ++p) {  // 1e-14: the rounding of the products above
      node.lower[p][lane] = std::nextafter(static_cast<float>(box.lower[p] - 1e-14), -infinity);
      node.upper[p][lane] = std::nextafter(static_cast<float>(box.upper[p] + 1e-14), infinity);
    }
  }

  std::uint32_t add_node(Range range, int depth) {
    const std::size_t index = tree_.nodes.size();
    tree_.nodes.emplace_back();
    std::vector<Range> parts{range};
    while (parts.size() < TreeNode::width) {
      const auto largest = std::max_element(
          parts.begin(), parts.end(), [](Range a, Range b) { return a.size() < b.size(); });
      if (largest->size() <= TreeLeaf::width) break;
      const std::size_t middle = split(*largest, depth);
      const Range upper{middle, largest->end};
      largest->end = middle;
      parts.insert(largest + 1, upper);  // keeps the order of positions
    }
    TreeNode node{};
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (std::size_t lane = 0; lane < TreeNode::width; ++lane) {
      if (lane >= parts.size()) {
        for (std::size_t p = 0; p < 3; ++p) {
          node.lower[p][lane] = infinity;
          node.upper[p][lane] = -infinity;
        }
        continue;
      }
      set_box(node, lane, parts[lane]);
      if (parts[lane].size() <= TreeLeaf::width) {
        node.child[lane] = TreeNode::leaf_bit | static_cast<std::uint32_t>(tree_.leaves.size());
        tree_.leaves.emplace_back().first = static_cast<std::uint32_t>(parts[lane].begin);
      } else {
        node.child[lane] = add_node(parts[lane], depth + 1);
      }
    }
    tree_.nodes[index] = node;
    return static_cast<std::uint32_t>(index);
  }

  void fill_leaves(std::span<const Vec3> vertices) {
    for (std::size_t l = 0; l < tree_.leaves.size(); ++l) {
      TreeLeaf& leaf = tree_.leaves[l];
      const std::size_t end =
          l + 1 < tree_.leaves.size() ? tree_.leaves[l + 1].first : tree_.order.size();
      for (std::size_t lane = 0; lane < TreeLeaf::width; ++lane) {
        const std::size_t position = std::min(leaf.first + lane, end - 1);
        const Triangle& t = triangles_[tree_.order[position]];
        for (std::size_t k = 0; k < 9; ++k) leaf.corner[k][lane] = vertices[t[k / 3]][k % 3];
      }
    }
  }

  std::span<const Triangle> triangles_;
  std::vector<Vec3> vertices_;  // normalised
  std::vector<Box> boxes_;      // of the triangles, normalised
  TriangleTree tree_;
};

}  // namespace

TriangleTree build_triangle_tree(std::span<const Vec3> vertices,
                                 std::span<const Triangle> triangles) {
  return Builder(vertices, triangles).take();
}

TreeHit nearest_triangle_reference(const TriangleTree& tree, const Vec3& x) {
  TreeHit best{0, std::numeric_limits<double>::infinity()};
  for (std::size_t l = 0; l < tree.leaves.size(); ++l) {
    const TreeLeaf& leaf = tree.leaves[l];
    const std::size_t end =
        l + 1 < tree.leaves.size() ? tree.leaves[l + 1].first : tree.order.size();
    for (std::size_t lane = 0; leaf.first + lane < end; ++lane) {
      Vec3 corners[3];
      for (std::size_t k = 0; k < 9; ++k) corners[k / 3][k % 3] = leaf.corner[k][lane];
      const double square = closest_on_triangle(x, corners[0], corners[1], corners[2]).square;
      if (square < best.square) best = {static_cast<std::uint32_t>(leaf.first + lane), square};
    }
  }
  return best;
}

}  // namespace cauchy::detail::triangles
