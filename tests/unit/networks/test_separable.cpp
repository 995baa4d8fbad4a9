#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/networks/separable.hpp>
#include <cmath>

#include "support/network_checks.hpp"

namespace cauchy::test_separable {
namespace {

const std::vector<std::string> one_field{"u"};

TEST(Separable, HasAsManyParametersAsTheFormulaSays) {
  const std::vector<std::string> fields{"u", "v"};
  const Separable s{.rank = 5, .width = 4, .depth = 3};
  EXPECT_EQ(make_network(s, {"x", "y", "z"}, fields).n_parameters(),
            3u * (2 * 4 + 2 * 5 * 4 + 5 * 5) + 6 * 2);
  EXPECT_EQ(describe(Network(Separable{})), "separable, rank 8 of 8 x 2 tanh");
}

TEST(Separable, OfRankOneIsAProductOfFunctionsOfOneInput) {
  // Without the bias of the last layer u(x, y) u(x', y') = u(x, y') u(x', y).
  test::TriedNetwork tried(Separable{.rank = 1, .width = 3}, {"x", "y"}, one_field);
  tried.theta.back() = 0;
  const std::vector<double> u =
      tried.values({Field("u")}, std::vector<double>{0.3, 0.7, -0.5, -0.2, 0.3, -0.2, -0.5, 0.7});
  EXPECT_NEAR(u[0] * u[1], u[2] * u[3], 1e-14 * std::abs(u[0] * u[1]));
  // The logarithm of a product has no mixed derivative; that of rank two has.
  const Coordinate x("x"), y("y");
  const Field f("u");
  const std::vector<Expr> mixed{f * d(f, x, y) - d(f, x) * d(f, y)};
  const std::vector<double> point{0.3, 0.7};
  EXPECT_NEAR(tried.values(mixed, point)[0], 0, 1e-14);
  test::TriedNetwork two(Separable{.rank = 2, .width = 3}, {"x", "y"}, one_field);
  two.theta.back() = 0;
  EXPECT_GT(std::abs(two.values(mixed, point)[0]), 1e-6);
}

TEST(Separable, StartsNeitherTinyNorHugeInManyDimensions) {
  std::vector<std::string> names;
  for (int i = 0; i < 12; ++i) names.push_back("x" + std::to_string(i));
  const test::TriedNetwork tried(Separable{}, names, one_field, 0);
  std::vector<double> points;
  Rng rng(3);
  for (int i = 0; i < 12 * 50; ++i) points.push_back(rng.uniform(-1, 1));
  double square = 0;
  for (const double u : tried.values({Field("u")}, points)) square += u * u / 50;
  EXPECT_GT(std::sqrt(square), 0.05);
  EXPECT_LT(std::sqrt(square), 20);
}

TEST(Separable, GradientIsThatOfDifferences) {
  test::expect_gradient_of_differences(Separable{.rank = 3, .width = 3, .depth = 2});
}

TEST(Separable, RefusesNumbersOutOfRange) {
  const auto make = [](const Separable& s) { (void)make_network(s, {"x"}, one_field); };
  EXPECT_THROW(make({.rank = 0}), Error);
  EXPECT_THROW(make({.width = 0}), Error);
  EXPECT_THROW(make({.depth = 0}), Error);
  EXPECT_THROW((void)make_network(Separable{}, {"x"}, {}), Error);
}

}  // namespace
}  // namespace cauchy::test_separable
