#include <cauchy/math/difference.hpp>

#include <algorithm>

#include <cauchy/base/error.hpp>

namespace cauchy {

Matrix difference_weights(double at, std::span<const double> nodes, int order) {
  const std::size_t n = nodes.size();
  if (n == 0) throw Error("differences need at least one node", "[math.difference]");
  if (order < 0) throw Error("the order of a derivative is negative", "[math.difference]");
  const auto m = static_cast<std::size_t>(order);
  Matrix w(m + 1, n);
  w(0, 0) = 1;
  double c1 = 1, c4 = nodes[0] - at;
  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t top = std::min(i, m);
    double c2 = 1;
    const double c5 = c4;
    c4 = nodes[i] - at;
    for (std::size_t j = 0; j < i; ++j) {
      const double c3 = nodes[i] - nodes[j];
      if (c3 == 0) throw Error("two nodes of a difference are the same", "[math.difference]");
      c2 *= c3;
      if (j == i - 1) {
        for (std::size_t k = top; k > 0; --k) {
          w(k, i) = c1 * (static_cast<double>(k) * w(k - 1, i - 1) - c5 * w(k, i - 1)) / c2;
        }
        w(0, i) = -c1 * c5 * w(0, i - 1) / c2;
      }
      for (std::size_t k = top; k > 0; --k) {
        w(k, j) = (c4 * w(k, j) - static_cast<double>(k) * w(k - 1, j)) / c3;
      }
      w(0, j) = c4 * w(0, j) / c3;
    }
    c1 = c2;
  }
  return w;
}

std::vector<double> central_weights(int order, int accuracy) {
  if (order < 0 || accuracy <= 0 || accuracy % 2 != 0) {
    throw Error("central differences need an order of at least 0 and an even accuracy",
                "[math.difference]");
  }
  const int reach = (order + 1) / 2 + accuracy / 2 - (order == 0 ? 0 : 1);
  std::vector<double> nodes;
  for (int j = -reach; j <= reach; ++j) nodes.push_back(j);
  const Matrix w = difference_weights(0, nodes, order);
  const auto row = w.row(static_cast<std::size_t>(order)).span();
  return {row.begin(), row.end()};
}

}  // namespace cauchy
