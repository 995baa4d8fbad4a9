#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/isosurface.hpp>

namespace cauchy::test_isosurface {
namespace {

/// Values of a function on the nodes of [-1, 1]^3.
template <class Function>
TriangleMesh surface_of(std::size_t n, Function f, double level = 0) {
  const double h = 2.0 / static_cast<double>(n - 1);
  const NodeGrid grid{.n = {n, n, n}, .lower = {-1, -1, -1}, .spacing = {h, h, h}};
  std::vector<double> values;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const auto at = [&](std::size_t k) { return -1 + h * static_cast<double>(k); };
    values.push_back(f(at(i / (n * n)), at(i / n % n), at(i % n)));
  }
  return isosurface(values, grid, level);
}

/// Every edge once in each direction, and the triangles at every vertex make one ring.
void expect_closed(const TriangleMesh& mesh) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> around;
  for (const auto& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(edges.emplace(t[i], t[(i + 1) % 3]).second) << "an edge twice";
      around[t[i]][t[(i + 1) % 3]] = t[(i + 2) % 3];
    }
  }
  for (const auto& [a, b] : edges) EXPECT_TRUE(edges.contains({b, a})) << "an open edge";
  for (const auto& [vertex, next] : around) {
    std::size_t steps = 0;
    for (auto at = next.begin(); at != next.end() && steps <= next.size(); ++steps) {
      at = next.find(at->second);
      if (at == next.begin()) break;
    }
    EXPECT_EQ(steps + 1, next.size()) << "two rings at a vertex";
  }
  EXPECT_EQ(around.size(), mesh.vertices.size());
}

std::size_t components(const TriangleMesh& mesh) {
  std::vector<std::uint32_t> root(mesh.vertices.size());
  std::iota(root.begin(), root.end(), 0U);
  const auto find = [&](std::uint32_t v) {
    while (root[v] != v) v = root[v];
    return v;
  };
  for (const auto& t : mesh.triangles) {
    root[find(t[1])] = find(t[0]);
    root[find(t[2])] = find(t[0]);
  }
  std::size_t n = 0;
  for (std::uint32_t v = 0; v < root.size(); ++v) n += root[v] == v ? 1 : 0;
  return n;
}

TEST(Isosurface, SphereIsClosedWithAreaAndVolumeOfSecondOrder) {
  constexpr double r = 0.7, pi = std::numbers::pi;
  double area[2], volume[2];
  for (std::size_t k = 0; k < 2; ++k) {
    const TriangleMesh mesh = surface_of(
        k == 0 ? 17 : 33, [](double x, double y, double z) { return r - std::hypot(x, y, z); });
    expect_closed(mesh);
    area[k] = surface_area(mesh) / (4 * pi * r * r) - 1;
    volume[k] = enclosed_volume(mesh) / (4 * pi * r * r * r / 3) - 1;
  }
  // Chords of a sphere lie inside: both are too small by a part of h^2 / r^2, h = 1/8.
  EXPECT_NEAR(area[0], -0.5 / 64 / (r * r), 0.5 / 64 / (r * r));
  EXPECT_NEAR(volume[0], -0.5 / 64 / (r * r), 0.5 / 64 / (r * r));
  EXPECT_NEAR(std::log2(area[0] / area[1]), 2, 0.3);
  EXPECT_NEAR(std::log2(volume[0] / volume[1]), 2, 0.3);
}

TEST(Isosurface, AnyValuesGiveAClosedSurface) {
  Rng rng(3);
  const NodeGrid grid{.n = {9, 8, 7}};
  std::vector<double> values(grid.size());
  for (int draw = 0; draw < 5; ++draw) {
    rng.fill_normal(values);
    const TriangleMesh mesh = isosurface(values, grid, 0.1);
    EXPECT_GT(mesh.triangles.size(), 500u);
    expect_closed(mesh);
    EXPECT_GT(enclosed_volume(mesh), 0);
  }
  // Whole numbers meet the level at nodes: no triangle may vanish.
  for (double& v : values) v = static_cast<double>(rng.integer(3)) - 1;
  const TriangleMesh mesh = isosurface(values, grid, 0);
  expect_closed(mesh);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    TriangleMesh one = mesh;
    one.triangles = {mesh.triangles[t]};
    ASSERT_GT(surface_area(one), 1e-8);
  }
}

TEST(Isosurface, SaddleOfAFaceDecidesWhetherCornersAreJoined) {
  // x y > 0 inside, along z; in the middle cell the four corners are a, -b, a, -b.
  for (const bool joined : {true, false}) {
    const auto f = [&](double x, double y, double) {
      return x * y > 0 ? (joined ? 2 : 1) : (joined ? -1 : -2);
    };
    EXPECT_EQ(components(surface_of(4, f)), joined ? 1u : 2u);
  }
}

TEST(Isosurface, SolidsThatReachTheEndOfTheGridAreClosedBeyondIt) {
  const TriangleMesh mesh = surface_of(5, [](double, double, double) { return 1.0; });
  expect_closed(mesh);
  // Half a cell of 1/2 more on all sides; 12 edges and 8 corners are cut off.
  EXPECT_NEAR(enclosed_volume(mesh), 2.5 * 2.5 * 2.5 - 24.0 / 32 - 8 * (1 - 1.0 / 6) / 64, 1e-12);
  EXPECT_TRUE(surface_of(5, [](double, double, double) { return -1.0; }).triangles.empty());
}

TEST(Isosurface, BadValuesAreToldInOneSentence) {
  std::vector<double> values(27, 1.0);
  const NodeGrid grid{.n = {3, 3, 3}};
  values[5] = NAN;
  EXPECT_THROW((void)isosurface(values, grid, 0), Error);
  values.pop_back();
  EXPECT_THROW((void)isosurface(values, grid, 0), Error);
}

}  // namespace
}  // namespace cauchy::test_isosurface
