#include "plane_tree.hpp"

#include <algorithm>
#include <numeric>

namespace cauchy::detail {
namespace {

/// Middle of a box along an axis; infinite boxes count as lying at 0.
double middle(const PlaneBox& box, bool vertical) {
  const double m = vertical ? box.lower.y + box.upper.y : box.lower.x + box.upper.x;
  return std::isfinite(m) ? m : 0;
}

}  // namespace

BoxTree::BoxTree(std::vector<PlaneBox> boxes) : order_(boxes.size()) {
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  if (boxes.empty()) return;
  nodes_.reserve(boxes.size());
  nodes_.emplace_back();
  build(0, 0, static_cast<std::uint32_t>(boxes.size()), boxes);
}

void BoxTree::build(std::size_t node, std::uint32_t first, std::uint32_t last,
                    const std::vector<PlaneBox>& boxes) {
  constexpr std::uint32_t leaf = 4;
  count_boxes(last - first);
  PlaneBox all = PlaneBox::empty(), middles = PlaneBox::empty();
  for (std::uint32_t i = first; i < last; ++i) {
    const PlaneBox& box = boxes[order_[i]];
    all.add(box);
    middles.add(Vec{middle(box, false), middle(box, true)});
  }
  nodes_[node].box = all;
  if (last - first <= leaf) {
    nodes_[node].first = first;
    nodes_[node].count = last - first;
    return;
  }
  const Vec extent = middles.upper - middles.lower;
  const bool vertical = extent.y > extent.x;
  const std::uint32_t half = first + (last - first) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + half, order_.begin() + last,
                   [&](std::uint32_t i, std::uint32_t j) {
                     const double mi = middle(boxes[i], vertical), mj = middle(boxes[j], vertical);
                     return mi < mj || (mi == mj && i < j);
                   });
  const std::size_t child = nodes_.size();
  nodes_[node].first = static_cast<std::uint32_t>(child);
  nodes_.resize(child + 2);
  build(child, first, half, boxes);
  build(child + 1, half, last, boxes);
}

}  // namespace cauchy::detail
