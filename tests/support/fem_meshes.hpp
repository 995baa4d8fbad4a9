#pragma once

#include <cmath>
#include <vector>

#include <cauchy/geometry/mesh.hpp>

namespace cauchy::testing {

/// The unit interval, square or cube in n^d boxes of simplices whose inner nodes were moved, each
/// by up to a quarter of the spacing: the same at every call.
inline Mesh jittered_box(std::size_t d, std::size_t n) {
  const std::vector<double> lower(d, 0.0), upper(d, 1.0);
  Mesh mesh = structured_mesh(lower, upper, std::vector<std::size_t>(d, n));
  const double most = (d == 3 ? 0.12 : 0.2) / static_cast<double>(n);
  for (std::size_t i = 0; i < mesh.n_nodes(); ++i) {
    double* const node = &mesh.nodes[i * d];
    bool inner = true;
    for (std::size_t k = 0; k < d; ++k) inner = inner && node[k] > 1e-9 && node[k] < 1 - 1e-9;
    for (std::size_t k = 0; inner && k < d; ++k) {
      node[k] += most * std::sin(17.3 * static_cast<double>(i + 1) + 5.1 * static_cast<double>(k));
    }
  }
  return mesh;
}

}  // namespace cauchy::testing
