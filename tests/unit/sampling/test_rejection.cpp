#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/sampling/rejection.hpp>

#include "support/kolmogorov_smirnov.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_rejection {
namespace {

using Point = std::span<const double>;

std::string message_of(double bound, std::vector<double> lower, std::vector<double> upper,
                       double value, std::size_t max_tries = 100) {
  Rng rng(1);
  return cauchy::message_of([&] {
    return rejection_sample([&](Point) { return value; }, bound, lower, upper, 5, rng, max_tries);
  });
}

TEST(Rejection, FollowsTheDensity) {
  Rng rng(2);
  const std::vector<double> lower = {0}, upper = {2};
  const std::size_t n = 10'000;
  const auto x = rejection_sample([](Point p) { return p[0]; }, 2, lower, upper, n, rng);
  ASSERT_EQ(x.size(), n);
  EXPECT_LT(ks_distance(x, [](double t) { return t * t / 4; }), ks_limit(n));
  EXPECT_GT(ks_distance(x, [](double t) { return t / 2; }), ks_limit(n));
}

TEST(Rejection, WorksInSeveralDimensionsWithALooseBound) {
  Rng rng(3);
  const std::vector<double> lower = {-1, -1, 1}, upper = {1, 1, 3};
  const std::size_t n = 4000;
  // Uniform in a cylinder of radius 1: the share within radius r is r^2.
  const auto x = rejection_sample([](Point p) { return p[0] * p[0] + p[1] * p[1] < 1 ? 0.5 : 0.0; },
                                  5, lower, upper, n, rng);
  ASSERT_EQ(x.size(), 3 * n);
  std::vector<double> radius, height;
  for (std::size_t i = 0; i < n; ++i) {
    radius.push_back(std::hypot(x[3 * i], x[3 * i + 1]));
    height.push_back(x[3 * i + 2]);
  }
  EXPECT_LT(ks_distance(radius, [](double r) { return r * r; }), ks_limit(n));
  EXPECT_LT(ks_distance(height, [](double z) { return (z - 1) / 2; }), ks_limit(n));
}

TEST(Rejection, MisuseIsAnError) {
  EXPECT_NE(message_of(1, {0}, {1}, 1.5).find("above the bound 1"), std::string::npos);
  EXPECT_NE(message_of(1, {0}, {1}, -0.5).find("density is -0.5"), std::string::npos);
  EXPECT_NE(message_of(1, {0}, {1}, NAN).find("density is nan"), std::string::npos);
  EXPECT_NE(message_of(0, {0}, {1}, 0).find("bound must be positive"), std::string::npos);
  EXPECT_NE(message_of(INFINITY, {0}, {1}, 0).find("bound must be positive"), std::string::npos);
  EXPECT_NE(message_of(1, {0}, {0}, 1).find("side 0"), std::string::npos);
  EXPECT_NE(message_of(1, {0}, {NAN}, 1).find("side 0"), std::string::npos);
  EXPECT_NE(message_of(1, {}, {}, 1).find("0 lower"), std::string::npos);
  EXPECT_NE(message_of(1, {0, 0}, {1}, 1).find("2 lower and 1 upper"), std::string::npos);
  EXPECT_NE(message_of(1, {0}, {1}, 0).find("100 points in a row were rejected"),
            std::string::npos);
  EXPECT_EQ(message_of(1, {0}, {1}, 1), "no error");
}

}  // namespace
}  // namespace cauchy::test_rejection
