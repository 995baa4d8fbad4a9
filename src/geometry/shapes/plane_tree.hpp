#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <cauchy/base/work.hpp>

#include "curve.hpp"

namespace cauchy::detail {

/// A binary tree of bounding boxes over a list of boxes; boxes may be infinite. Built in
/// O(n log n); immutable.
class BoxTree final {
 public:
  BoxTree() = default;
  explicit BoxTree(std::vector<PlaneBox> boxes);

  /// Calls visit(index) for the boxes of all subtrees whose box satisfies wanted(box); boxes at the
  /// leaves are not tested one by one.
  template <class Wanted, class Visit>
  void each(Wanted&& wanted, Visit&& visit) const {
    if (nodes_.empty()) return;
    std::size_t n_boxes = 0;
    std::uint32_t stack[depth];
    std::size_t top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Node& node = nodes_[stack[--top]];
      n_boxes += 1 + node.count;
      if (!wanted(node.box)) continue;
      if (node.count > 0) {
        for (std::uint32_t i = 0; i < node.count; ++i) visit(order_[node.first + i]);
      } else {
        stack[top++] = node.first + 1;
        stack[top++] = node.first;
      }
    }
    count_boxes(n_boxes);
  }

  /// Calls visit(index), which returns the search radius from then on, for every box that may lie
  /// within it; near boxes first.
  template <class Visit>
  void near(Vec p, double radius, Visit&& visit) const {
    if (nodes_.empty()) return;
    std::size_t n_boxes = 0, n_visits = 0;
    std::pair<std::uint32_t, double> stack[depth];
    std::size_t top = 0;
    stack[top++] = {0, nodes_[0].box.distance(p)};
    while (top > 0) {
      const auto [index, reach] = stack[--top];
      if (reach > radius) continue;
      const Node& node = nodes_[index];
      n_boxes += std::max(node.count, std::uint32_t{2});
      if (node.count > 0) {
        for (std::uint32_t i = 0; i < node.count; ++i) radius = visit(order_[node.first + i]);
        n_visits += node.count;
        continue;
      }
      std::pair<std::uint32_t, double> left{node.first, nodes_[node.first].box.distance(p)};
      std::pair<std::uint32_t, double> right{node.first + 1,
                                             nodes_[node.first + 1].box.distance(p)};
      if (left.second > right.second) std::swap(left, right);
      stack[top++] = right;
      stack[top++] = left;
    }
    count_boxes(n_boxes + boxes_per_visit * n_visits);
  }

 private:
  // Halving: the depth is at most log2 of the count, and each level leaves one entry behind.
  static constexpr std::size_t depth = 64;
  // The foot of a point on a curve takes as long as so many boxes.
  static constexpr std::size_t boxes_per_visit = 60;

  struct Node {
    PlaneBox box;
    std::uint32_t first = 0;  // into order_ for leaves, else the left child; the right one follows
    std::uint32_t count = 0;  // 0: inner node
  };
  /// Work of visits: some instructions per box.
  static void count_boxes(std::size_t n) {
    count_work(WorkKind::formulas, 4 * static_cast<double>(n));
  }
  void build(std::size_t node, std::uint32_t first, std::uint32_t last,
             const std::vector<PlaneBox>& boxes);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;
};

}  // namespace cauchy::detail
