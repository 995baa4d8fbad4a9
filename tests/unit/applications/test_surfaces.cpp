#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include <cauchy/applications/surface_reconstruction.hpp>
#include <cauchy/applications/surface_simulator.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/operators/learn.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_surfaces {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double ball_radius = 0.3;

/// Even points on a ball in the middle of the cube: a spiral of golden angles.
OrientedPoints ball_points(std::size_t n, double outward = 1) {
  OrientedPoints cloud;
  const double golden = pi * (3 - std::sqrt(5.0));
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i), z = 1 - (2 * t + 1) / static_cast<double>(n);
    const double r = std::sqrt(1 - z * z);
    const Point3 normal = {r * std::cos(golden * t), r * std::sin(golden * t), z};
    cloud.points.push_back({0.5 + ball_radius * normal[0], 0.5 + ball_radius * normal[1],
                            0.5 + ball_radius * normal[2]});
    cloud.normals.push_back({outward * normal[0], outward * normal[1], outward * normal[2]});
  }
  return cloud;
}

/// Sum of f times the volume of a cell over the nodes for which keep(r) holds, r the distance from
/// the middle.
template <class Keep>
double integral(std::span<const double> f, int n, Keep keep) {
  double sum = 0;
  const auto m = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto at = [&](std::size_t k) { return static_cast<double>(k) / n - 0.5; };
    const double r = std::hypot(at(i / (m * m)), at(i / m % m), at(i % m));
    if (keep(r)) sum += f[i];
  }
  return sum / std::pow(n, 3);
}

TEST(Surfaces, RasterisationKeepsSumsAndFirstMoments) {
  Rng rng(1);
  std::vector<Point3> points(50);
  std::vector<double> values(100);
  for (Point3& x : points) {
    for (double& c : x) c = rng.uniform(0.05, 0.85);
  }
  rng.fill_normal(values);
  constexpr int n = 11;
  const std::vector<double> grid = rasterize(points, values, 2, n);
  const std::size_t nodes = grid.size() / 2;
  for (std::size_t a = 0; a < 2; ++a) {
    double sum = 0, moment = 0, sum_grid = 0, moment_grid = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      sum += values[2 * i + a];
      moment += values[2 * i + a] * points[i][1];
    }
    for (std::size_t i = 0; i < nodes; ++i) {
      sum_grid += grid[a * nodes + i] / (n * n * n);
      moment_grid += grid[a * nodes + i] / (n * n * n) * static_cast<double>(i / n % n) / n;
    }
    EXPECT_NEAR(sum_grid, sum, 1e-12);
    EXPECT_NEAR(moment_grid, moment, 1e-12);
  }
}

TEST(Surfaces, SmoothingKeepsTheMeanAndAddsItsVariance) {
  constexpr int n = 32;
  const std::vector<Point3> middle = {{0.5, 0.5, 0.5}};
  std::vector<double> f = rasterize(middle, std::vector<double>{1.0}, 1, n);
  smooth(f, n, 0.0036);
  const auto all = [](double) { return true; };
  EXPECT_NEAR(integral(f, n, all), 1, 1e-12);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double x = static_cast<double>(i / (n * n)) / n - 0.5;
    f[i] *= x * x;
  }
  EXPECT_NEAR(integral(f, n, all), 0.0036, 1e-9);  // of a point on a node nothing is added
}

TEST(Surfaces, DivergenceIsOfOrderFour) {
  double error[2];
  for (const int k : {0, 1}) {
    const int n = k == 0 ? 12 : 24;
    const auto m = static_cast<std::size_t>(n);
    std::vector<double> field(3 * m * m * m);
    for (std::size_t i = 0; i < m * m * m; ++i) {
      const double x = static_cast<double>(i / (m * m)) / n, z = static_cast<double>(i % m) / n;
      field[i] = std::sin(2 * pi * x);
      field[2 * m * m * m + i] = std::cos(4 * pi * z);
    }
    const std::vector<double> d = divergence(field, n);
    error[k] = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      const double x = static_cast<double>(i / (m * m)) / n, z = static_cast<double>(i % m) / n;
      const double exact = 2 * pi * std::cos(2 * pi * x) - 4 * pi * std::sin(4 * pi * z);
      error[k] = std::max(error[k], std::abs(d[i] - exact));
    }
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 4, 0.4);
}

TEST(Surfaces, AreasOfEvenPointsAddUpToTheSurface) {
  const OrientedPoints cloud = ball_points(3000);
  const std::vector<double> areas = point_areas(cloud, 32, 1.5 / 32);
  const double sum = std::accumulate(areas.begin(), areas.end(), 0.0);
  // A sphere is bent: some (w / R)^2 of the density is missing or too much.
  EXPECT_NEAR(sum / (4 * pi * ball_radius * ball_radius), 1, 0.03);
  const auto [least, most] = std::ranges::minmax(areas);
  EXPECT_LT(most / least, 1.15);
}

TEST(Surfaces, DivergenceTheoremHoldsForTheInputOfTheNetwork) {
  // V = n delta, smoothed by w twice: its flux through the sphere itself is area / (sqrt(4 pi) w).
  const SurfaceSource source({.resolution = 48});
  const double w = source.simulator().smoothing;
  const double flux = 4 * pi * ball_radius * ball_radius / (std::sqrt(4 * pi) * w);
  const auto inside = [](double r) { return r < ball_radius; };
  const std::vector<double> f = source.input_of(ball_points(4000));
  EXPECT_NEAR(integral(f, 48, inside) / flux, 1, 0.05);  // (w / R)^2 and nodes near the sphere
  EXPECT_NEAR(integral(f, 48, [](double) { return true; }), 0, 1e-9 * flux);
  EXPECT_NEAR(integral(source.input_of(ball_points(4000, -1)), 48, inside) / flux, -1, 0.05);
}

TEST(PoissonSurface, PointsOfABallGiveItsIndicator) {
  // A ball smoothed by w is 1/2 - w / (sqrt(2 pi) R) on its surface, which becomes 1/2: the inside
  // is too high by as much, and the step is off by w sqrt(2 / pi) per area. The surface itself is
  // of second order.
  double volume[2];
  for (const int k : {0, 1}) {
    const int n = k == 0 ? 32 : 64;
    const double w = 1.5 / n, inside = 1 / (1 - 2 * w / (std::sqrt(2 * pi) * ball_radius));
    const PoissonSurface found = poisson_surface(ball_points(20'000), {.n = n});
    EXPECT_NEAR(found.jump * inside, 1, 0.03 / (k + 1));
    std::vector<double> off = found.occupancy;
    const auto m = static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < off.size(); ++i) {
      const auto at = [&](std::size_t q) { return static_cast<double>(q) / n - 0.5; };
      const double r = std::hypot(at(i / (m * m)), at(i / m % m), at(i % m));
      off[i] = std::abs(off[i] - (r < ball_radius ? inside : 0));
      if (std::abs(r - ball_radius) > 4 * w) {
        ASSERT_LT(off[i], 0.02 / (k + 1)) << r;
      }
    }
    const double area = 4 * pi * ball_radius * ball_radius;
    EXPECT_NEAR(integral(off, n, [](double) { return true; }),
                inside * area * w * std::sqrt(2 / pi), 0.1 * area * w);
    const TriangleMesh surface = occupancy_surface(found.occupancy, n);
    volume[k] = enclosed_volume(surface) / (area * ball_radius / 3) - 1;
  }
  EXPECT_LT(std::abs(volume[0]), 0.02);
  EXPECT_LT(std::abs(volume[1]), std::abs(volume[0]) / 3);
}

TEST(PoissonSurface, WrongInputsAreToldInOneSentence) {
  EXPECT_EQ(message_of([] { return poisson_surface(ball_points(2000, -1), {.n = 24}); }),
            "[applications.surfaces]: the normals point inwards; turn them around");
  OrientedPoints sheet;
  for (int i = 0; i < 400; ++i) {
    sheet.points.push_back({0.3 + 0.02 * (i % 20), 0.3 + 0.02 * (i / 20), 0.5});
    sheet.normals.push_back({0, 0, i % 2 == 0 ? 1.0 : -1.0});
  }
  EXPECT_EQ(message_of([&] { return poisson_surface(sheet, {.n = 24}); }),
            "[applications.surfaces]: the points enclose nothing; give points on all sides of a "
            "solid");
  EXPECT_EQ(message_of([&] {
              return in_cube(sheet, {{0, 0, 0}, 0.6});
            }),
            "[applications.surfaces]: point 17 at (0.62, 0.3, 0.5) lies outside of the cube; take "
            "a larger cube, or leave the point out");
}

TEST(IntersectionOverUnion, CountsNodes) {
  const std::vector<double> a = {1, 1, 0, 0}, b = {0, 0.6, 0.7, 0.1}, none(4, 0.0);
  EXPECT_EQ(intersection_over_union(a, a), 1);
  EXPECT_EQ(intersection_over_union(a, b), 1.0 / 3);
  EXPECT_EQ(intersection_over_union(a, none), 0);
  EXPECT_EQ(intersection_over_union(none, none), 1);
}

TEST(SurfaceSource, SamplesAreFunctionsOfSeedAndNumberAlone) {
  const SurfaceSource source({.resolution = 24, .points = 500, .smoothing = 0.05});
  const SampleSource::Sample a = source.make(2, 7, nullptr), b = source.make(2, 7, nullptr);
  EXPECT_EQ(a.in, b.in);
  EXPECT_EQ(a.out, b.out);
  EXPECT_NE(a.out, source.make(2, 8, nullptr).out);
  EXPECT_NE(a.out, source.make(3, 7, nullptr).out);
}

TEST(SurfaceSource, SolidsLieInsideOfTheCubeWithVolumesOfAllSizes) {
  const SurfaceSource source({.resolution = 16, .points = 100, .smoothing = 0.05});
  double least = 1, most = 0;
  for (std::uint64_t number = 0; number < 40; ++number) {
    const ShapePtr solid = random_solid(source.simulator(), 1, number);
    for (std::size_t k = 0; k < 3; ++k) {
      for (const Point3& x : surface_points(*solid, 50, Rng(number)).points) {
        ASSERT_GT(x[k], 0.05);
        ASSERT_LT(x[k], 0.95);
      }
    }
    const std::vector<double> o = source.occupancy_of(*solid);
    const double volume = integral(o, 16, [](double) { return true; });
    least = std::min(least, volume);
    most = std::max(most, volume);
  }
  EXPECT_GT(least, 0.005);
  EXPECT_LT(least, 0.05);
  EXPECT_GT(most, 0.12);
}

TEST(SurfaceSource, IsTheSameFunctionOnEveryGrid) {
  const SurfaceSource coarse({});
  const auto fine = coarse.resized({64, 64, 64});
  for (const std::uint64_t number : {0, 3}) {
    const SampleSource::Sample a = coarse.make(1, number, nullptr),
                               b = fine->make(1, number, nullptr);
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < a.in.size(); ++i) {
      const std::size_t j = ((2 * (i / 1024)) * 64 + 2 * (i / 32 % 32)) * 64 + 2 * (i % 32);
      ASSERT_EQ(a.out[i], b.out[j]);
      difference += (a.in[i] - b.in[j]) * (a.in[i] - b.in[j]);
      size += b.in[j] * b.in[j];
    }
    EXPECT_LT(std::sqrt(difference / size), 0.03);
  }
  EXPECT_THROW((void)coarse.resized({64, 32, 64}), Error);
}

TEST(SurfaceSource, OccupancyIsHalfOnTheSurfaceAndOneDeepInside) {
  const SurfaceSource source({});
  const ShapePtr ball = ball_shape(Point3{0.5, 0.5, 0.5}, 8.0 / 32);
  const std::vector<double> o = source.occupancy_of(*ball);
  const auto at = [&](std::size_t i) { return o[(16 * 32 + 16) * 32 + i]; };
  EXPECT_EQ(at(16), 1);
  EXPECT_EQ(at(24), 0.5);  // on the ball
  EXPECT_EQ(at(26), 0);    // a layer of 2 distances of nodes away
  EXPECT_EQ(at(25), 0.5 - 0.5 * (3 - 0.25) / 4);
}

TEST(SurfaceSource, HolesAreFreeOfPointsAndNormalsHaveLengthOne) {
  const OrientedPoints all = ball_points(3000);
  const OrientedPoints seen =
      scanned(all, {.noise = 0, .tilt = 0.1, .holes = 100, .hole = 0.05}, Rng(4));
  EXPECT_LT(seen.size(), all.size() - 100);
  for (const Point3& n : seen.normals) ASSERT_NEAR(std::hypot(n[0], n[1], n[2]), 1, 1e-14);
}

TEST(SurfaceSource, FilesAreReadAndTheFullSizeIsCounted) {
  const std::filesystem::path folder =
      std::filesystem::path(CAUCHY_TEST_DATA) / ".." / ".." / "problems" / "applications";
  const std::string text = to_toml(read_operator_file(folder / "npsr.toml"));
  EXPECT_EQ(to_toml(parse_operator_file(text, "again")), text);
  const OperatorFile full = read_operator_file(folder / "npsr_full.toml");
  EXPECT_EQ(full.problem.source->grid().sizes(), (std::vector<int>{64, 64, 64}));
  const auto cost = cost_of(full.problem, full.method);
  ASSERT_TRUE(cost.has_value());
  // 4 blocks of 40 x 40 x 20 complex matrices and a real one, 16 x 16 each; 32 in the last layer.
  EXPECT_EQ(cost->parameters, 2u * 16 + 4 * (2 * 256 * 32'000 + 256 + 16) + 17 * 32 + 33);
  EXPECT_EQ(message_of([] {
              return SurfaceSource({.kinds = {"ball", "cone"}});
            }),
            "kinds: there is no kind of solid 'cone'; there are ball, box, ellipsoid, torus, "
            "cylinder, blob");
}

}  // namespace
}  // namespace cauchy::test_surfaces
