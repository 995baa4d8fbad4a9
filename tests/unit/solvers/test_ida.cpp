#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>

#include "solvers/time/ida.hpp"

namespace cauchy::detail::test_ida {
namespace {

/// A small dense system by two functions.
class Small final : public SemiDiscrete {
 public:
  using Vector = std::span<const double>;
  using Residual = std::function<void(double, Vector, Vector, std::span<double>)>;
  using Jacobian = std::function<double(std::size_t, std::size_t, double, Vector, double)>;
  Small(std::vector<char> differential, Residual residual, Jacobian jacobian)
      : differential_(std::move(differential)),
        residual_(std::move(residual)),
        jacobian_(std::move(jacobian)) {}
  [[nodiscard]] std::size_t size() const override { return differential_.size(); }
  [[nodiscard]] const std::vector<char>& differential() const override { return differential_; }
  void residual(double t, Vector y, Vector dy, std::span<double> out) override {
    residual_(t, y, dy, out);
  }
  void jacobian(double t, Vector y, Vector, double a, SparseMatrix& out) override {
    std::vector<SparseMatrix::Entry> entries;
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < size(); ++j) entries.push_back({i, j, jacobian_(i, j, t, y, a)});
    }
    out = SparseMatrix(size(), size(), entries);
  }

 private:
  std::vector<char> differential_;
  Residual residual_;
  Jacobian jacobian_;
};

/// Robertson's reactions with conservation of mass as an algebraic row.
Small robertson() {
  return {{1, 1, 0},
          [](double, auto y, auto dy, auto out) {
            out[0] = dy[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
            out[1] = dy[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
            out[2] = y[0] + y[1] + y[2] - 1;
          },
          [](std::size_t i, std::size_t j, double, auto y, double a) {
            const double j0[3][3] = {{a + 0.04, -1e4 * y[2], -1e4 * y[1]},
                                     {-0.04, a + 1e4 * y[2] + 6e7 * y[1], 1e4 * y[1]},
                                     {1, 1, 1}};
            return j0[i][j];
          }};
}

TEST(Ida, RobertsonAsADifferentialAlgebraicSystemReachesThePublishedState) {
  Small system = robertson();
  const std::vector<double> times = {0, 1e11};
  const TimeResult r = integrate_ida(system, {1, 0, 0.5}, {}, times, 1e-9, 1e-15);
  ASSERT_EQ(r.trouble, "");
  ASSERT_EQ(r.states.size(), 2u);
  EXPECT_NEAR(r.states[0][2], 0, 1e-12);  // the wrong guess is mended
  // Test Set for IVP Solvers, problem ROBER, t = 1e11.
  EXPECT_NEAR(r.states[1][0] / 0.2083340149701255e-7, 1, 1e-5);
  EXPECT_NEAR(r.states[1][2], 0.9999999791665050, 1e-12);
  EXPECT_GT(r.steps, 0u);
  EXPECT_GE(r.evaluations, r.steps);
}

/// y' = c (y - cos t) - sin t with y = cos t.
Small stable_curve(double c) {
  return {{1},
          [c](double t, auto y, auto dy, auto out) {
            out[0] = dy[0] + c * (y[0] - std::cos(t)) + std::sin(t);
          },
          [c](std::size_t, std::size_t, double, auto, double a) { return a + c; }};
}

TEST(Ida, StatesBetweenStepsAreAsAccurateAsSteps) {
  Small system = stable_curve(100);
  std::vector<double> times;
  for (int k = 0; k <= 50; ++k) times.push_back(0.1 * k);
  const TimeResult r = integrate_ida(system, {1}, {}, times, 1e-8, 1e-8);
  ASSERT_EQ(r.trouble, "");
  ASSERT_EQ(r.times, times);
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_NEAR(r.states[k][0], std::cos(times[k]), 2e-7);
  }
}

TEST(Ida, IntegratesBackwards) {
  Small system = stable_curve(-3);
  const std::vector<double> times = {1, 0.5, 0};
  const TimeResult r = integrate_ida(system, {std::cos(1.0)}, {}, times, 1e-8, 1e-8);
  ASSERT_EQ(r.trouble, "");
  EXPECT_NEAR(r.states[1][0], std::cos(0.5), 1e-6);
  EXPECT_NEAR(r.states[2][0], 1, 1e-6);
}

TEST(Ida, BlowUpIsASentenceWithItsTime) {
  Small system(
      {1}, [](double, auto y, auto dy, auto out) { out[0] = dy[0] - y[0] * y[0]; },
      [](std::size_t, std::size_t, double, auto y, double a) { return a - 2 * y[0]; });
  const std::vector<double> times = {0, 0.5, 2};
  const TimeResult r = integrate_ida(system, {1}, {}, times, 1e-8, 1e-8);
  EXPECT_NE(r.trouble, "");
  EXPECT_NE(r.trouble.find("t = 1"), std::string::npos) << r.trouble;
  ASSERT_EQ(r.states.size(), 2u);  // what came before is kept
  EXPECT_NEAR(r.states[1][0], 2, 1e-5);
}

TEST(Ida, StopsWhenAskedAndAfterTooManySteps) {
  Small system = stable_curve(1);
  const std::vector<double> times = {0, 1e6};
  const TimeResult stopped =
      integrate_ida(system, {1}, {}, times, 1e-8, 1e-8, [](double t) { return t > 1; });
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(stopped.trouble, "");
  const TimeResult limited = integrate_ida(system, {1}, {}, times, 1e-8, 1e-8, {}, 100);
  EXPECT_NE(limited.trouble.find("100 steps"), std::string::npos) << limited.trouble;
}

TEST(Ida, WhatTheSystemThrowsIsThrownOn) {
  Small system(
      {1},
      [](double t, auto, auto dy, auto out) {
        if (t > 0.5) throw Error("no table there", "[test]");
        out[0] = dy[0];
      },
      [](std::size_t, std::size_t, double, auto, double a) { return a; });
  const std::vector<double> times = {0, 1};
  EXPECT_THROW((void)integrate_ida(system, {1}, {}, times, 1e-6, 1e-6), Error);
}

TEST(Ida, NoConsistentStateIsTrouble) {  // y^2 + 1 = 0
  Small system(
      {0}, [](double, auto y, auto, auto out) { out[0] = y[0] * y[0] + 1; },
      [](std::size_t, std::size_t, double, auto y, double) { return 2 * y[0]; });
  const std::vector<double> times = {0, 1};
  const TimeResult r = integrate_ida(system, {1}, {}, times, 1e-6, 1e-6);
  EXPECT_NE(r.trouble.find("consistent"), std::string::npos) << r.trouble;
}

TEST(Ida, RefusesWhatMakesNoSense) {
  Small system = stable_curve(1);
  const std::vector<double> times = {0, 1, 0.5}, good = {0, 1};
  EXPECT_THROW((void)integrate_ida(system, {1}, {}, times, 1e-6, 1e-6), Error);
  EXPECT_THROW((void)integrate_ida(system, {1, 2}, {}, good, 1e-6, 1e-6), Error);
  EXPECT_THROW((void)integrate_ida(system, {1}, {}, good, 0, 0), Error);
}

}  // namespace
}  // namespace cauchy::detail::test_ida
