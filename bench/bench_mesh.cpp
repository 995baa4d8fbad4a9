// Closed triangle surfaces of 100,000 triangles: time to build, and inside test with signed
// distance per second on one thread.
//
//   bench_mesh [--repeats N] [--points N] [--smallest]
//
// Points are uniform in the bounding box, made 20 percent larger about its centre; nothing is left
// out, so that the neighbourhood of the centre of the sphere, where all triangles are equally near,
// counts as well. The figures are medians of processor time.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/shapes/triangle_surface.hpp>

#include "../tests/support/mesh_shapes.hpp"
#include "bench_options.hpp"

namespace {

using namespace cauchy;

/// Processor time: there is one thread, and other programs on the machine do not count.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void measure(const std::string& name, const TriangleMesh& mesh, int repeats, std::size_t n_points) {
  std::vector<double> build, query;
  double inside = 0, sum = 0, slowest = 0;
  for (int r = 0; r < repeats; ++r) {
    double start = now();
    const ShapePtr shape = triangle_surface_shape(mesh);
    build.push_back(now() - start);

    Rng rng(17);
    const Bounds& bounds = shape->bounds();
    std::vector<double> x(3 * n_points);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double center = (bounds.lower[i % 3] + bounds.upper[i % 3]) / 2;
      const double half = 1.2 * (bounds.upper[i % 3] - bounds.lower[i % 3]) / 2;
      x[i] = rng.uniform(center - half, center + half);
    }
    inside = sum = 0;
    start = now();
    for (std::size_t i = 0; i < n_points; ++i) {
      const double d = shape->distance(x.data() + 3 * i);
      inside += d > 0 ? 1 : 0;
      sum += d;
    }
    query.push_back(now() - start);
    const double middle[3] = {(bounds.lower[0] + bounds.upper[0]) / 2,
                              (bounds.lower[1] + bounds.upper[1]) / 2,
                              (bounds.lower[2] + bounds.upper[2]) / 2};
    start = now();
    sum += shape->distance(middle);
    slowest = 1e3 * (now() - start);
  }
  fmt::print(
      "{:<10} {:>8} triangles  build {:6.3f} s  {:>9.0f} points/s  centre {:7.3f} ms  "
      "inside {:.4f}  sum {:.6f}\n",
      name, mesh.triangles.size(), median(build), static_cast<double>(n_points) / median(query),
      slowest, inside / static_cast<double>(n_points), sum);
}

}  // namespace

int main(int argc, char** argv) {
  const bool smallest = bench::take_smallest(argc, argv);
  int repeats = smallest ? 1 : 5;
  std::size_t n_points = smallest ? 100 : 200000;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--repeats") == 0) repeats = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--points") == 0) {
      n_points = static_cast<std::size_t>(std::atoll(argv[i + 1]));
    }
  }
  using namespace cauchy::mesh_shapes;
  const int n = smallest ? 10 : 1;  // so many times coarser in both directions
  measure("torus", torus(250 / n, 200 / n), repeats, n_points);
  measure("globe", globe(250 / n, smallest ? 21 : 201), repeats, n_points);
  measure("icosphere", icosphere(smallest ? 2 : 6), repeats, n_points);
  measure("box", box({0, 0, 0}, {1, 2, 3}), repeats, n_points);
  return 0;
}
