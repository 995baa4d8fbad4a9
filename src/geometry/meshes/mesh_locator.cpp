#include <algorithm>
#include <cmath>
#include <limits>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/mesh.hpp>

namespace cauchy {
namespace {

constexpr Mesh::Index leaf_cells = 4;

/// Barycentric weights of x in a cell of corners c; the smallest of them.
double cell_weights(std::size_t d, const double* c, const double* x, std::array<double, 4>& w) {
  double e[3][3] = {}, r[3] = {};
  for (std::size_t k = 0; k < d; ++k) {
    r[k] = x[k] - c[k];
    for (std::size_t i = 0; i < d; ++i) e[i][k] = c[(i + 1) * d + k] - c[k];
  }
  w = {};
  if (d == 1) {
    w[1] = r[0] / e[0][0];
  } else if (d == 2) {
    const double det = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    w[1] = (r[0] * e[1][1] - r[1] * e[1][0]) / det;
    w[2] = (e[0][0] * r[1] - e[0][1] * r[0]) / det;
  } else {
    const auto triple = [](const double* a, const double* b, const double* g) {
      return a[0] * (b[1] * g[2] - b[2] * g[1]) - a[1] * (b[0] * g[2] - b[2] * g[0]) +
             a[2] * (b[0] * g[1] - b[1] * g[0]);
    };
    const double det = triple(e[0], e[1], e[2]);
    w[1] = triple(r, e[1], e[2]) / det;
    w[2] = triple(e[0], r, e[2]) / det;
    w[3] = triple(e[0], e[1], r) / det;
  }
  w[0] = 1 - w[1] - w[2] - w[3];
  return *std::min_element(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(d + 1));
}

/// Distance of x to the point of the cell whose weights are those of x without the negative ones.
double distance_outside(std::size_t d, const double* c, const double* x,
                        const std::array<double, 4>& w) {
  double y[3] = {}, sum = 0;
  for (std::size_t i = 0; i <= d; ++i) {
    const double wi = std::max(w[i], 0.0);
    sum += wi;
    for (std::size_t k = 0; k < d; ++k) y[k] += wi * c[i * d + k];
  }
  double s = 0;
  for (std::size_t k = 0; k < d; ++k) s += (x[k] - y[k] / sum) * (x[k] - y[k] / sum);
  return std::sqrt(s);
}

}  // namespace

MeshLocator::MeshLocator(const Mesh& mesh) : d_(static_cast<std::size_t>(mesh.dimension)) {
  if (mesh.cells.empty()) throw Error("the mesh has no cells", "[geometry.mesh]");
  const std::size_t n = mesh.n_cells();
  corners_.reserve(n * (d_ + 1) * d_);
  std::vector<double> boxes(n * 2 * d_);
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t k = 0; k < d_; ++k) {
      boxes[c * 2 * d_ + k] = INFINITY;
      boxes[c * 2 * d_ + d_ + k] = -INFINITY;
    }
    for (const Mesh::Index v : mesh.cell(c)) {
      for (std::size_t k = 0; k < d_; ++k) {
        const double x = mesh.node(v)[k];
        corners_.push_back(x);
        boxes[c * 2 * d_ + k] = std::min(boxes[c * 2 * d_ + k], x);
        boxes[c * 2 * d_ + d_ + k] = std::max(boxes[c * 2 * d_ + d_ + k], x);
      }
    }
  }
  order_.resize(n);
  for (std::size_t c = 0; c < n; ++c) order_[c] = static_cast<Mesh::Index>(c);
  tree_.resize(1);
  build(0, 0, static_cast<Mesh::Index>(n), boxes);
}

void MeshLocator::build(std::size_t node, Mesh::Index first, Mesh::Index last,
                        const std::vector<double>& boxes) {
  Node box{};
  box.lower.fill(INFINITY);
  box.upper.fill(-INFINITY);
  for (Mesh::Index i = first; i < last; ++i) {
    const double* b = &boxes[order_[i] * 2 * d_];
    for (std::size_t k = 0; k < d_; ++k) {
      box.lower[k] = std::min(box.lower[k], b[k]);
      box.upper[k] = std::max(box.upper[k], b[d_ + k]);
    }
  }
  box.first = first;
  box.count = last - first;
  if (last - first > leaf_cells) {
    std::size_t axis = 0;
    for (std::size_t k = 1; k < d_; ++k) {
      if (box.upper[k] - box.lower[k] > box.upper[axis] - box.lower[axis]) axis = k;
    }
    const Mesh::Index middle = first + (last - first) / 2;
    const auto centre = [&](Mesh::Index c) {
      return boxes[c * 2 * d_ + axis] + boxes[c * 2 * d_ + d_ + axis];
    };
    std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                     [&](Mesh::Index a, Mesh::Index b) {
                       return centre(a) != centre(b) ? centre(a) < centre(b) : a < b;
                     });
    const std::size_t child = tree_.size();
    tree_.resize(child + 2);
    box.first = static_cast<Mesh::Index>(child);
    box.count = 0;
    build(child, first, middle, boxes);
    build(child + 1, middle, last, boxes);
  }
  tree_[node] = box;
}

MeshLocator::Place MeshLocator::find(const double* x) const {
  constexpr double slack = 1e-12;
  Place best;
  best.outside = std::numeric_limits<double>::infinity();
  best.cell = std::numeric_limits<Mesh::Index>::max();
  for (std::size_t k = 0; k < d_; ++k) {
    if (!std::isfinite(x[k])) throw Error("a point that is not finite", "[geometry.mesh]");
  }
  const auto reach = [&](const Node& n) {
    double s = 0;
    for (std::size_t k = 0; k < d_; ++k) {
      const double gap = std::max({n.lower[k] - x[k], x[k] - n.upper[k], 0.0});
      s += gap * gap;
    }
    return std::sqrt(s);
  };
  std::pair<Mesh::Index, double> stack[128];
  std::size_t top = 0;
  stack[top++] = {0, reach(tree_[0])};
  while (top > 0) {
    const auto [index, near] = stack[--top];
    if (near > best.outside) continue;
    const Node& node = tree_[index];
    if (node.count == 0) {
      std::pair<Mesh::Index, double> a{node.first, reach(tree_[node.first])};
      std::pair<Mesh::Index, double> b{node.first + 1, reach(tree_[node.first + 1])};
      if (a.second > b.second) std::swap(a, b);
      stack[top++] = b;
      stack[top++] = a;
      continue;
    }
    for (Mesh::Index i = 0; i < node.count; ++i) {
      const Mesh::Index cell = order_[node.first + i];
      const double* c = &corners_[cell * (d_ + 1) * d_];
      std::array<double, 4> w{};
      const double least = cell_weights(d_, c, x, w);
      const double off = least > -slack ? 0 : distance_outside(d_, c, x, w);
      if (off < best.outside || (off == best.outside && cell < best.cell)) best = {cell, w, off};
    }
  }
  return best;
}

}  // namespace cauchy
