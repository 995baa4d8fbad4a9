#include "operators/grid_derivative.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include <cauchy/tensor/executor.hpp>

#include "support/message_of.hpp"

namespace cauchy::detail::test_grid_derivative {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;
constexpr double eps = 2.2e-16;

using Function = std::function<double(double)>;

std::vector<double> at_nodes(const FieldGrid::Axis& axis, const Function& f) {
  std::vector<double> v;
  for (int i = 0; i < axis.n; ++i) v.push_back(f(axis.node(i)));
  return v;
}

std::vector<double> times(const PointMatrix& m, const std::vector<double>& x) {
  std::vector<double> y(m.rows(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t k = m.offsets[i]; k < m.offsets[i + 1]; ++k) {
      y[i] += m.weights[k] * x[m.points[k]];
    }
  }
  return y;
}

/// Largest error of a derivative; of the inner half alone, if so asked.
double error_of(const FieldGrid::Axis& axis, int order, GridDerivative kind, const Function& f,
                const Function& derivative, bool inner = false) {
  const std::vector<double> y = times(derivative_matrix(axis, order, kind), at_nodes(axis, f));
  double worst = 0;
  for (int i = 0; i < axis.n; ++i) {
    if (inner && (4 * i < axis.n || 4 * i > 3 * axis.n)) continue;
    const double e = std::abs(y[static_cast<std::size_t>(i)] - derivative(axis.node(i)));
    worst = e > worst || std::isnan(e) ? e : worst;
  }
  return worst;
}

double wave(double x) { return std::sin(5 * x + 0.3); }
double wave_1(double x) { return 5 * std::cos(5 * x + 0.3); }
double wave_2(double x) { return -25 * std::sin(5 * x + 0.3); }

TEST(DifferenceMatrix, HasItsOrderUpToTheEnds) {
  for (const auto& [kind, order] :
       {std::pair(GridDerivative::difference_3, 2), std::pair(GridDerivative::difference_5, 4),
        std::pair(GridDerivative::difference_7, 6)}) {
    for (const int k : {1, 2}) {
      const Function exact = k == 1 ? wave_1 : wave_2;
      const double coarse = error_of({"x", 33, 0, 2}, k, kind, wave, exact);
      const double fine = error_of({"x", 65, 0, 2}, k, kind, wave, exact);
      EXPECT_LT(std::abs(std::log2(coarse / fine) - order), 0.6) << order << " " << k;
    }
  }
}

TEST(DifferenceMatrix, GoesAroundACircle) {
  const auto f = [](double x) { return std::sin(two_pi * x); };
  const auto slope = [](double x) { return two_pi * std::cos(two_pi * x); };
  for (const auto& [kind, order] :
       {std::pair(GridDerivative::difference_3, 2), std::pair(GridDerivative::difference_5, 4),
        std::pair(GridDerivative::difference_7, 6)}) {
    const double coarse = error_of({"x", 20, 0, 1, true}, 1, kind, f, slope);
    const double fine = error_of({"x", 40, 0, 1, true}, 1, kind, f, slope);
    EXPECT_LT(std::abs(std::log2(coarse / fine) - order), 0.2) << order;
  }
}

TEST(DifferenceMatrix, HasTheTextbookStencilsAndTheSpacingOfNodesAtBothEnds) {
  // h = 1 / (n - 1) = 1 / 4, not 1 / 5.
  const PointMatrix first = difference_matrix(FieldGrid::Axis{"x", 5, 0, 1}, 1, 3);
  const std::vector<double> end = {-6, 8, -2}, inside = {-2, 0, 2};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(first.weights[k], end[k], 16 * eps * 8);
    EXPECT_NEAR(first.weights[3 + k], inside[k], 16 * eps * 8);
  }
  // Second order at the end takes one point more: 2, -5, 4, -1.
  const PointMatrix second = difference_matrix(FieldGrid::Axis{"x", 5, 0, 1}, 2, 3);
  const std::vector<double> four = {32, -80, 64, -16};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(second.weights[k], four[k], 32 * eps * 80);
  EXPECT_EQ(second.offsets[2] - second.offsets[1], 3u);
}

TEST(DifferenceMatrix, TimesMayStandAnywhere) {
  const std::vector<double> t = {0, 0.1, 0.3, 0.35, 1};
  const auto square = [](double x) { return 3 * x * x - x; };
  std::vector<double> v;
  for (const double x : t) v.push_back(square(x));
  const std::vector<double> slope = times(difference_matrix(t, 1, 3), v);
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_NEAR(slope[i], 6 * t[i] - 1, 1e-12);
  // Two moments have a first difference, and no more.
  const std::vector<double> two = {0, 0.5};
  EXPECT_EQ(times(difference_matrix(two, 1, 5), {1, 2}), (std::vector<double>{2, 2}));
  EXPECT_EQ(message_of([&] { (void)difference_matrix(two, 2, 5); }),
            "[train.physics]: 2 times have no derivative of order 2; give more `times` in "
            "[operator]");
}

TEST(DifferenceMatrix, WhatTooFewPointsDoNotHaveIsSaid) {
  const FieldGrid::Axis axis{"x", 20, 0, 1};
  EXPECT_EQ(message_of([&] { (void)difference_matrix(axis, 3, 3); }),
            "[train.physics]: 3 points have no derivative of order 3; use derivative = "
            "\"difference_5\"");
  EXPECT_EQ(message_of([&] { (void)difference_matrix(axis, 5, 5); }),
            "[train.physics]: 5 points have no derivative of order 5; use derivative = "
            "\"difference_7\"");
  EXPECT_EQ(message_of([&] {
              (void)difference_matrix(FieldGrid::Axis{"x", 5, 0, 1}, 2, 5);
            }),
            "[train.physics]: 5 nodes along 'x' are too few for differences of 5 points: it takes "
            "6; use a finer grid");
}

TEST(FourierMatrix, IsExactForEveryFrequencyThatTheNodesSee) {
  for (const int n : {15, 16}) {
    const FieldGrid::Axis axis{"x", n, -1, 2, true};
    for (int k = 0; 2 * k < n; ++k) {
      const double w = two_pi * k / 3;
      const auto f = [&](double x) { return std::sin(w * x + 0.7); };
      // Rounding of the sum over n nodes, weights up to the square of the highest frequency.
      const double highest = two_pi * n / 6, bound = 16 * eps * n;
      EXPECT_LT(error_of(axis, 1, GridDerivative::fourier, f,
                         [&](double x) { return w * std::cos(w * x + 0.7); }),
                bound * highest);
      EXPECT_LT(error_of(axis, 2, GridDerivative::fourier, f,
                         [&](double x) { return -w * w * std::sin(w * x + 0.7); }),
                bound * highest * highest);
    }
  }
}

TEST(FourierMatrix, TheHighestFrequencyOfAnEvenNumberHasNoOddDerivative) {
  const FieldGrid::Axis axis{"x", 12, 0, 1, true};
  std::vector<double> zigzag;
  for (int i = 0; i < 12; ++i) zigzag.push_back(i % 2 == 0 ? 1 : -1);
  for (const double v : times(fourier_matrix(axis, 1), zigzag)) EXPECT_LT(std::abs(v), 1e-12);
  for (const double v : times(fourier_matrix(axis, 3), zigzag)) EXPECT_LT(std::abs(v), 1e-9);
  const std::vector<double> second = times(fourier_matrix(axis, 2), zigzag);
  const double w = two_pi * 6;
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(second[i], -w * w * zigzag[i], 1e-10 * w * w);
}

TEST(FourierMatrix, ConvergesFasterThanAnyPowerOnACircle) {
  const auto f = [](double x) { return std::exp(std::sin(two_pi * x)); };
  const auto slope = [&](double x) { return two_pi * std::cos(two_pi * x) * f(x); };
  const double at_10 = error_of({"x", 10, 0, 1, true}, 1, GridDerivative::fourier, f, slope);
  const double at_20 = error_of({"x", 20, 0, 1, true}, 1, GridDerivative::fourier, f, slope);
  const double at_40 = error_of({"x", 40, 0, 1, true}, 1, GridDerivative::fourier, f, slope);
  EXPECT_LT(at_20, 1e-3 * at_10);
  EXPECT_LT(at_40, 1e-11);
}

TEST(FourierMatrix, TakesOffAPolynomialWhereTheAxisIsNotPeriodic) {
  const GridDerivative fourier = GridDerivative::fourier;
  // Polynomials of degree 4 are taken off as a whole.
  const FieldGrid::Axis axis{"x", 21, -1, 1};
  EXPECT_LT(error_of(
                axis, 1, fourier, [](double x) { return x * x * x * x - 2 * x; },
                [](double x) { return 4 * x * x * x - 2; }),
            1e-12);
  EXPECT_LT(error_of(
                axis, 2, fourier, [](double x) { return x * x * x * x - 2 * x; },
                [](double x) { return 12 * x * x; }),
            1e-10);
  const double ends = std::log2(error_of({"x", 65, 0, 2}, 1, fourier, wave, wave_1) /
                                error_of({"x", 129, 0, 2}, 1, fourier, wave, wave_1));
  EXPECT_GT(ends, 2.7);
  const double inside = std::log2(error_of({"x", 65, 0, 2}, 1, fourier, wave, wave_1, true) /
                                  error_of({"x", 129, 0, 2}, 1, fourier, wave, wave_1, true));
  EXPECT_GT(inside, 4.5);
  // More exact than differences of 7 points where these see few points per wave.
  const auto fast = [](double x) { return std::sin(20 * x); };
  const auto slope = [](double x) { return 20 * std::cos(20 * x); };
  EXPECT_LT(error_of({"x", 33, 0, 2}, 1, fourier, fast, slope, true),
            0.25 * error_of({"x", 33, 0, 2}, 1, GridDerivative::difference_7, fast, slope, true));
}

TEST(SeriesMatrix, IsTheTrigonometricPolynomialBetweenTheNodes) {
  const FieldGrid::Axis axis{"x", 9, 0, 1, true};
  const auto f = [](double x) { return std::cos(two_pi * 3 * x) - std::sin(two_pi * 4 * x); };
  const std::vector<double> places = {0.123, 0.5, 0.9999};
  const std::vector<double> v = times(series_matrix(axis, places, 0), at_nodes(axis, f));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(v[i], f(places[i]), 64 * eps * 9);
}

TEST(AddAlong, IsTheMatrixOnEveryLine) {
  const FieldGrid grid{.axes = {{"x", 40, 0, 1}, {"y", 7, 0, 1, true}}};
  // 40 nodes and 3 entries: sparse; 7 nodes: dense; 39 faces: another number of rows.
  PointMatrix faces{.columns = 40, .offsets = {0}, .points = {}, .weights = {}};
  for (std::size_t i = 0; i < 39; ++i) {
    faces.points.insert(faces.points.end(), {i, i + 1});
    faces.weights.insert(faces.weights.end(), {-1, 1});
    faces.offsets.push_back(faces.points.size());
  }
  const std::vector<std::pair<std::size_t, PointMatrix>> cases = {
      {0, difference_matrix(grid.axes[0], 1, 3)}, {1, fourier_matrix(grid.axes[1], 1)}, {0, faces}};
  std::vector<double> x(2 * 280);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i * i));
  for (const auto& [axis, m] : cases) {
    auto g = std::make_shared<TensorGraph>();
    const int y = add_along(*g, g->input("x", {2, {40, 7}}), axis, m);
    const std::size_t rows = axis == 0 ? m.rows() : 40, columns = axis == 0 ? 7 : m.rows();
    ASSERT_EQ(g->shape(y).size(), 2 * rows * columns);
    const auto executor = make_tensor_executor(g, {}, {.threads = 1, .precision = Precision::f64});
    std::vector<double> out(g->shape(y).size());
    const std::span<const double> inputs[] = {x};
    executor->predict(y, {}, 1, inputs, out);
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t other = 0; other < (axis == 0 ? columns : rows); ++other) {
        std::vector<double> line;
        for (std::size_t i = 0; i < m.columns; ++i) {
          line.push_back(x[c * 280 + (axis == 0 ? i * 7 + other : other * 7 + i)]);
        }
        const std::vector<double> expected = times(m, line);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const std::size_t at =
              c * rows * columns + (axis == 0 ? i * columns + other : other * columns + i);
          ASSERT_NEAR(out[at], expected[i], 1e-12);
        }
      }
    }
  }
}

}  // namespace
}  // namespace cauchy::detail::test_grid_derivative
