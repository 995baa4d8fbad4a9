#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/grid_distance.hpp>
#include <cauchy/geometry/shapes/solid.hpp>

namespace cauchy::test_grid_distance {
namespace {

/// -s log(cosh(x / s) / cosh(1 / s)) without overflow.
double interval_distance(double x, double s) {
  const double a = std::abs(x);
  return 1 - a + s * (std::log1p(std::exp(-2 / s)) - std::log1p(std::exp(-2 * a / s)));
}

bool in_disk(const double* x) { return x[0] * x[0] + x[1] * x[1] < 1; }

/// Coordinates of node k.
std::vector<double> node_point(const GridDistance& g, std::size_t k) {
  std::vector<double> x(g.dimension());
  for (std::size_t i = x.size(); i-- > 0; k /= g.nodes()[i]) {
    x[i] = g.box().lower[i] + static_cast<double>(k % g.nodes()[i]) * g.spacing()[i];
  }
  return x;
}

TEST(GridDistance, IsTheClosedFormOnAnInterval) {
  // The differences are exact for this solution, at the cut cells as well: what is left is
  // the tolerance of the sweeps times the number of rounds that errors live, and the bisection. At
  // s = 0.0015, v falls to exp(-666); at 0.0003 to exp(-3333), far below the smallest double.
  struct {
    double smoothing;
    std::size_t cells;
  } const cases[] = {{0.2, 30}, {0.05, 100}, {0.0015, 1001}, {0.0003, 2003}};
  for (const auto& c : cases) {
    const GridDistance g(Bounds{{-1.2}, {1.3}}, [](const double* x) { return std::abs(x[0]) < 1; },
                         {.cells = c.cells, .smoothing = c.smoothing, .tolerance = 1e-12});
    ASSERT_EQ(g.status(), Status::converged);
    for (std::size_t k = 0; k < g.values().size(); ++k) {
      const double x = node_point(g, k)[0];
      if (std::abs(x) < 1) {
        EXPECT_LT(std::abs(g.values()[k] - interval_distance(x, c.smoothing)), 1e-9) << x;
      } else {
        // Outside, reflected at the end of the box: cosh(z / s) / cosh(w / s), z from the end.
        const double end = x > 0 ? 1.3 : 1.2, width = end - 1, z = (end - std::abs(x)) / width;
        const double expected = -width * interval_distance(z, c.smoothing / width);
        EXPECT_LT(std::abs(g.values()[k] - expected), 1e-9) << x;
      }
    }
  }
}

TEST(GridDistance, ConvergesToTheClosedFormOnADiskWithSecondOrder) {
  // v = I0(r / s) / I0(1 / s) at fixed s.
  const double s = 0.1;
  double previous = 0;
  for (const std::size_t cells : {26, 52}) {
    const GridDistance g(Bounds{{-1.3, -1.3}, {1.3, 1.3}}, in_disk,
                         {.cells = cells, .smoothing = s});
    ASSERT_EQ(g.status(), Status::converged);
    double error = 0;
    for (std::size_t k = 0; k < g.values().size(); ++k) {
      const auto x = node_point(g, k);
      const double r = std::hypot(x[0], x[1]);
      EXPECT_EQ(g.values()[k] > 0, in_disk(x.data()));
      if (r >= 1) continue;
      const double exact = -s * std::log(std::cyl_bessel_i(0, r / s) / std::cyl_bessel_i(0, 1 / s));
      error = std::max(error, std::abs(g.values()[k] - exact));
    }
    // Leading term of the fitted differences on the diagonal: slope off by h^2 / (48 s^2).
    EXPECT_LT(error, 2 * (2.6 / static_cast<double>(cells)) * (2.6 / static_cast<double>(cells)) /
                         (48 * s * s));
    if (previous > 0) {
      EXPECT_GT(previous / error, 3.2);
    }
    previous = error;
  }
}

/// What the ball of radius D about a point allows: s log I0(D / s), from below by its asymptotics.
double least_in_plane(double distance, double s) {
  const double q = distance / s;
  return q > 500 ? s * (q - 0.5 * std::log(2 * 3.141592653589793 * q))
                 : s * std::log(std::cyl_bessel_i(0, q));
}

TEST(GridDistance, ComesCloserToTheDistanceOnFinerGrids) {
  // A disk of radius 1, and the letter L made of three unit squares, whose inner corner sticks into
  // the region.
  const auto in_l = [](const double* x) {
    return x[0] > 0 && x[1] > 0 && x[0] < 2 && x[1] < 2 && (x[0] < 1 || x[1] < 1);
  };
  const auto l_distance = [&](const std::vector<double>& x) {
    const std::vector<std::vector<double>> v = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    double best = INFINITY;
    for (std::size_t i = 0; i < 6; ++i) {
      const auto &a = v[i], &b = v[(i + 1) % 6];
      const double dx = b[0] - a[0], dy = b[1] - a[1];
      const double t =
          std::clamp(((x[0] - a[0]) * dx + (x[1] - a[1]) * dy) / (dx * dx + dy * dy), 0.0, 1.0);
      best = std::min(best, std::hypot(x[0] - a[0] - t * dx, x[1] - a[1] - t * dy));
    }
    return in_l(x.data()) ? best : -best;
  };
  double last_disk = INFINITY, last_l = INFINITY;
  for (const std::size_t cells : {20, 40, 80}) {
    const GridDistance disk(Bounds{{-1.3, -1.3}, {1.3, 1.3}}, in_disk, {.cells = cells});
    const GridDistance letter(Bounds{{-0.3, -0.3}, {2.3, 2.3}}, in_l, {.cells = cells});
    const double s = disk.smoothing();
    double disk_error = 0, l_error = 0;
    for (std::size_t k = 0; k < disk.values().size(); ++k) {
      const auto x = node_point(disk, k), y = node_point(letter, k);
      const double d = 1 - std::hypot(x[0], x[1]), e = l_distance(y);
      const double u = disk.values()[k], w = letter.values()[k];
      disk_error = std::max(disk_error, std::abs(u - d));
      l_error = std::max(l_error, std::abs(w - e));
      // From below, by the maximum principle, what the disk about the point allows; slopes are off
      // by 2 percent. From above: the complement holds a disk of radius s that the corner's quarter
      // plane allows, v is at least K0(r / s) / K0(1) at the distance r <= d + sqrt(2) s from its
      // centre; a quarter of the spacing for corners that grid lines miss.
      const auto expect_between = [&](double value, double distance) {
        const double size = std::abs(distance);
        EXPECT_GT(std::abs(value), 0.98 * least_in_plane(size, s) - 1e-9);
        const double spread =
            std::cyl_bessel_k(0, 1.0) / std::cyl_bessel_k(0, size / s + std::sqrt(2.0));
        EXPECT_LT(std::abs(value), 1.02 * s * std::log(spread) + 0.25 * s);
      };
      if (d > 0) expect_between(u, d);
      if (e > 1e-12) expect_between(w, e);
      EXPECT_EQ(w > 0, in_l(y.data()));
    }
    EXPECT_LT(disk_error, 0.7 * last_disk);
    EXPECT_LT(l_error, 0.75 * last_l);
    EXPECT_LT(disk_error, 0.02 + 0.5 * s * std::log(6.3 / s));
    last_disk = disk_error;
    last_l = l_error;
  }
}

TEST(GridDistance, SolvesTheSmoothedEikonalEquation) {
  // 1 - |grad u|^2 + s lap u = 0 with central differences at nodes away from boundary and box.
  const GridDistance g(Bounds{{-1.3, -1.3}, {1.3, 1.3}}, in_disk, {.cells = 52, .smoothing = 0.15});
  const std::size_t n = g.nodes()[1];
  const double h = g.spacing()[0], s = g.smoothing();
  for (std::size_t k = 0; k < g.values().size(); ++k) {
    const auto x = node_point(g, k);
    if (std::hypot(x[0], x[1]) > 1 - 2 * h) continue;
    const auto u = g.values();
    const double ux = (u[k + n] - u[k - n]) / (2 * h), uy = (u[k + 1] - u[k - 1]) / (2 * h);
    const double lap = (u[k + n] + u[k - n] + u[k + 1] + u[k - 1] - 4 * u[k]) / (h * h);
    // Differences of order h^2 / s^2 = 0.11 times the fourth derivatives of the logarithm, 1 / 8.
    EXPECT_LT(std::abs(1 - ux * ux - uy * uy + s * lap), h * h / (s * s) / 8);
  }
}

TEST(GridDistance, KnowsTheBallInSpace) {
  const std::vector<double> center = {0.1, -0.2, 0.3};
  const ShapePtr ball = ball_shape(center, 1);
  const GridDistance g(*ball, {.cells = 20});
  EXPECT_EQ(g.status(), Status::converged);
  const double s = g.smoothing();
  for (std::size_t k = 0; k < g.values().size(); ++k) {
    const auto x = node_point(g, k);
    const double d = ball->distance(x.data());
    EXPECT_EQ(g.values()[k] > 0, d > 0);
    if (d <= 0) continue;
    // v = sinh(r / s) / r / sinh(1 / s); the slope is off by up to 2.8 percent on the space
    // diagonal for s = spacing.
    const double r = 1 - d;
    const double v = (r > 1e-9 ? std::sinh(r / s) * s / r : 1) / (std::sinh(1 / s) * s);
    EXPECT_LT(std::abs(g.values()[k] + s * std::log(v)), 0.03);
  }
}

TEST(GridDistance, InterpolatesBetweenNodesAndBeyondTheBox) {
  const GridDistance g(Bounds{{-1.3, -1.3}, {1.3, 1.3}}, in_disk, {.cells = 40});
  Rng rng(9);
  for (int k = 0; k < 100; ++k) {
    const double x[2] = {rng.uniform(-1.2, 1.2), rng.uniform(-1.2, 1.2)};
    double gradient[2];
    EXPECT_EQ(g.gradient(x, gradient), g.distance(x));
    for (std::size_t i = 0; i < 2; ++i) {
      double up[2] = {x[0], x[1]}, down[2] = {x[0], x[1]};
      up[i] += 1e-7;
      down[i] -= 1e-7;
      // Linear along the axis within a cell; a step across its side changes the slope.
      const double slope = (g.distance(up) - g.distance(down)) / 2e-7;
      EXPECT_LT(std::abs(slope - gradient[i]), 1e-6);
    }
  }
  for (const std::size_t k : {std::size_t{0}, std::size_t{700}, g.values().size() - 1}) {
    EXPECT_NEAR(g.distance(node_point(g, k).data()), g.values()[k], 1e-12);
  }
  const double corner[2] = {1.3, 1.3}, beyond[2] = {4.3, 5.3};
  EXPECT_NEAR(g.distance(beyond), g.distance(corner) - 5, 1e-12);
  const double nan[2] = {NAN, 0};
  EXPECT_TRUE(std::isnan(g.distance(nan)));
}

TEST(GridDistance, TakesMasks) {
  // Half of a 1-D grid: the boundary lies half-way between nodes 4 and 5.
  const std::vector<std::uint8_t> mask = {1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0};
  const std::vector<std::size_t> nodes = {11};
  const GridDistance g =
      GridDistance::from_mask(Bounds{{0}, {10}}, nodes, mask, {.tolerance = 1e-13});
  EXPECT_NEAR(g.values()[4], 4.5 * interval_distance(4 / 4.5, 1 / 4.5), 1e-10);
  const double middle = 4.5;
  EXPECT_LT(std::abs(g.distance(&middle)), 1e-2);
  EXPECT_THROW((void)GridDistance::from_mask(Bounds{{0}, {10}}, nodes, {}), Error);
}

TEST(GridDistance, ReportsWhenTheRoundsRunOut) {
  const GridDistance g(Bounds{{-2}, {2}}, [](const double* x) { return x[0] > 0; },
                       {.cells = 100, .smoothing = 1, .max_rounds = 2});
  EXPECT_EQ(g.status(), Status::budget_exhausted);
  EXPECT_EQ(g.rounds(), 2);
}

TEST(GridDistance, RefusesWhatCannotBeSolved) {
  const auto all = [](const double*) { return true; };
  const auto half = [](const double* x) { return x[0] > 0.5; };
  const Bounds unit{{0}, {1}};
  const auto message = [](auto&& f) {
    try {
      f();
    } catch (const Error& e) {
      EXPECT_EQ(e.place(), "[geometry.grid_distance]");
      return e.message();
    }
    return std::string("none");
  };
  EXPECT_EQ(message([&] { GridDistance g(unit, all); }),
            "the boundary of the region does not cross the grid");
  EXPECT_EQ(message([&] {
              GridDistance g(Bounds{{0, 0, 0, 0}, {1, 1, 1, 1}}, half);
            }),
            "a grid needs a box of 1, 2 or 3 dimensions, got 4 lower and 4 upper ends");
  EXPECT_EQ(message([&] {
              GridDistance g(Bounds{{0}, {INFINITY}}, half);
            }),
            "the box must be finite and not empty, coordinate 1 runs from 0 to inf");
  EXPECT_EQ(message([&] {
              GridDistance g(Bounds{{1}, {1}}, half);
            }),
            "the box must be finite and not empty, coordinate 1 runs from 1 to 1");
  EXPECT_EQ(message([&] { GridDistance g(unit, half, {.cells = 1}); }),
            "the number of cells must be from 2 to 2^27, got 1");
  EXPECT_EQ(message([&] { GridDistance g(unit, half, {.cells = 10, .smoothing = 0.01}); }),
            "the smoothing must be at least 1/8 of the grid spacing 0.1, got 0.01");
  EXPECT_EQ(message([&] { GridDistance g(unit, half, {.cells = 10, .smoothing = NAN}); }),
            "the smoothing must be at least 1/8 of the grid spacing 0.1, got nan");
  EXPECT_EQ(message([&] { GridDistance g(unit, half, {.tolerance = 0}); }),
            "tolerance and max_rounds must be positive");
  EXPECT_NE(message([&] {
              GridDistance g(Bounds{{0, 0, 0}, {1, 1, 1}}, half, {.cells = 1000});
            }).find("at most 2^27"),
            std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_grid_distance
