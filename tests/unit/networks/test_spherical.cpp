#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/networks/field_network.hpp>

#include "support/field_checks.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_spherical {
namespace {

FieldGrid degrees(int n) {
  const double end = 90 - 90.0 / n;
  return {.axes = {{.name = "latitude", .n = n, .lower = -end, .upper = end},
                   {.name = "longitude", .n = 2 * n, .lower = 0, .upper = 360, .periodic = true}}};
}

const Spherical small{.width = 3, .depth = 3, .local = 2, .degree = 2, .radius = 70, .hidden = 4};

TEST(Spherical, HasTheParametersThatItSays) {
  TensorGraph g;
  const int a = g.input("a", {2, {12, 24}});
  EXPECT_EQ(g.shape(add_field_network(g, small, a, degrees(12), 2)), (TensorShape{2, {12, 24}}));
  const std::size_t c = 2, o = 2, K = 4, w = 3, h = 4, d = 3, global = 1, L = 2;
  EXPECT_EQ(g.n_parameters(),
            (K * (c + 1) + 1) * w + d * (2 * w * h + h + w) + (d - global) * (K * w + 1) * w +
                global * (w * (L + 1) + (w + 1) * w) + (K * w + 1) * w + (w + c + 1) * o);
  // The same ones on a finer grid.
  TensorGraph fine;
  add_field_network(fine, small, fine.input("a", {2, {24, 48}}), degrees(24), 2);
  EXPECT_EQ(fine.n_parameters(), g.n_parameters());
}

TEST(Spherical, CommutesWithRotationsAboutTheAxisAndSeesLatitudes) {
  const FieldGrid grid = degrees(12);
  const test::TriedField tried(small, grid);
  std::vector<double> f(12 * 24), turned(f.size());
  Rng(2).fill_normal(f);
  for (std::size_t i = 0; i < f.size(); ++i) turned[i / 24 * 24 + (i % 24 + 6) % 24] = f[i];
  const std::vector<double> u = tried.values(f), v = tried.values(turned);
  double same = 0, size = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    same = std::max(same, std::abs(v[i / 24 * 24 + (i % 24 + 6) % 24] - u[i]));
    size = std::max(size, std::abs(u[i]));
  }
  EXPECT_LT(same, 1e-13 * size);
  const std::vector<double> flat = tried.values(std::vector<double>(f.size(), 0.5));
  EXPECT_GT(std::abs(flat[0] - flat[11 * 24]), 1e-3);  // a constant becomes a function of latitude
}

TEST(Spherical, HasGradientsThatAgreeWithDifferences) {
  test::expect_gradient_by_differences(small, degrees(12));
}

TEST(Spherical, RefusesOtherGridsInOneSentence) {
  const auto said = [](const Spherical& s, const FieldGrid& grid) {
    return message_of([&] {
      TensorGraph g;
      return add_field_network(g, s, g.input("a", {1, grid.sizes()}), grid, 1);
    });
  };
  EXPECT_EQ(
      said(small, test::unit_grid({8, 8}, true)),
      "[networks.spherical]: 8 x 8 on [0, 1) x [0, 1) is no sphere in degrees; latitudes from "
      "-90 + 90/n to 90 - 90/n, or from -90 to 90, and periodic longitudes from 0 to 360");
  EXPECT_NE(said(small, test::unit_grid({8}, true)).find("the grid has 1 axes"), std::string::npos);
  EXPECT_NE(said({.coarsen = 5}, degrees(12)).find("cannot be coarsened by 5"), std::string::npos);
  EXPECT_NE(said({.degree = 9, .radius = 70}, degrees(12)).find("degree 9 does not fit"),
            std::string::npos);
  EXPECT_NE(said({}, degrees(12)).find("narrower than the distance of latitudes"),
            std::string::npos);
  EXPECT_EQ(describe(FieldNetwork(small)),
            "spherical operator of width 3, 3 blocks, 2 local ones for a global one");
}

}  // namespace
}  // namespace cauchy::test_spherical
