// Gradients of batches, tangent kernels and directions: numbers by hand and laws that must hold.
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/training/diagnosis.hpp>
#include <cauchy/training/learning_errors.hpp>

#include "support/small_training.hpp"

namespace cauchy::test_diagnosis {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(SignalToNoise, IsInfiniteForIdenticalBatchesAndSmallForRandomSigns) {
  Matrix same(4, 3);
  for (std::size_t b = 0; b < 4; ++b) {
    for (std::size_t j = 0; j < 3; ++j) same(b, j) = 0.1 * static_cast<double>(j + 1);
  }
  EXPECT_TRUE(std::isinf(signal_to_noise(same)));
  EXPECT_TRUE(std::isnan(signal_to_noise(Matrix(2, 3)))) << "no gradient, no ratio";
  // Rows (1, 0) and (3, 4): mean (2, 2), deviations (1, 2).
  EXPECT_NEAR(signal_to_noise(Matrix{{1, 0}, {3, 4}}), std::sqrt(8.0 / 5), 8 * eps);
  EXPECT_THROW((void)signal_to_noise(Matrix(1, 3)), Error);
  const std::size_t B = 16, P = 20'000;
  Matrix random(B, P);
  Rng rng(3);
  for (std::size_t i = 0; i < random.size(); ++i) random.data()[i] = rng.uniform() < 0.5 ? -1 : 1;
  // |mean|^2 is 1/B and |std|^2 is 1 - 1/B of P, with relative deviations sqrt(2 / P).
  EXPECT_NEAR(signal_to_noise(random), 1 / std::sqrt(15.0), 4 / std::sqrt(2.0 * P));
}

TEST(Cosines, AreThoseOfTheRows) {
  const Matrix c = cosines_between(Matrix{{1, 0}, {1, 1}, {-2, 0}, {0, 0}});
  EXPECT_NEAR(c(0, 1), std::sqrt(0.5), 4 * eps);
  EXPECT_EQ(c(0, 2), -1);
  EXPECT_TRUE(std::isnan(c(3, 0)));
}

/// u = w_1 sin(x) + w_2 cos(3 x) + b: linear in its parameters.
struct LinearModel {
  std::unique_ptr<Executor> executor;
  std::vector<double> points = {-0.9, -0.2, 0.1, 0.4, 0.8}, theta = {0.3, -0.5, 0.2};
  LinearModel() {
    const Coordinate x("x");
    Graph g({"x"});
    g.output("u", g.affine(g.expression({sin(x), cos(3 * x)}), 1));
    executor = make_executor(std::make_shared<const Graph>(std::move(g)),
                             {{"fit", {Field("u") - exp(x)}}}, {.threads = 1});
    executor->set_points(0, points);
  }
};

TEST(TangentKernel, OfALinearModelIsItsGramMatrixAndConstant) {
  LinearModel m;
  const Matrix k = tangent_kernel(*m.executor, 0, m.theta);
  const std::vector<double> other = {10, 3, -7};
  const Matrix later = tangent_kernel(*m.executor, 0, other);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      const double x = m.points[i], y = m.points[j];
      const double gram = std::sin(x) * std::sin(y) + std::cos(3 * x) * std::cos(3 * y) + 1;
      EXPECT_NEAR(k(i, j), gram, 32 * eps);
      EXPECT_NEAR(later(i, j), gram, 32 * eps);
    }
  }
  std::vector<double> r(5);
  m.executor->residuals(0, m.theta, r);
  const KernelModes modes = kernel_modes(k, r);
  ASSERT_EQ(modes.values.size(), 5u);
  EXPECT_NEAR(std::accumulate(modes.shares.begin(), modes.shares.end(), 0.0), 1, 64 * eps);
  EXPECT_GT(modes.values[2], 1e-3);
  EXPECT_LT(modes.values[3], 1e-13) << "three parameters, rank three";
  EXPECT_NEAR(modes.condition, modes.values[0] / modes.values[2], 1e-9);
}

TEST(KernelFlow, IsTheGradientFlowOfALinearModel) {
  LinearModel m;
  const Matrix k = tangent_kernel(*m.executor, 0, m.theta);
  std::vector<double> first(5), now(5), y, r(5), g(3);
  const auto values = [&](std::span<const double> theta, std::span<double> f) {
    m.executor->residuals(0, theta, f);
    for (std::size_t i = 0; i < 5; ++i) f[i] += std::exp(m.points[i]);
  };
  for (const double x : m.points) y.push_back(std::exp(x));
  values(m.theta, first);
  // dtheta/dt = -J'(f - y) by the midpoint rule: steps of 1e-3 leave errors of (lambda h)^2 / 6.
  std::vector<double> theta = m.theta, half(3);
  const double h = 1e-3;
  const auto slope = [&](std::span<const double> at) {
    m.executor->residuals(0, at, r);
    m.executor->jacobian_transposed_times(0, at, r, g);
  };
  for (int step = 0; step < 500; ++step) {
    slope(theta);
    for (std::size_t i = 0; i < 3; ++i) half[i] = theta[i] - h / 2 * g[i];
    slope(half);
    for (std::size_t i = 0; i < 3; ++i) theta[i] -= h * g[i];
  }
  values(theta, now);
  const std::vector<double> flow = kernel_flow(k, first, y, 0.5);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(now[i], flow[i], 1e-4) << i;
  EXPECT_GT(std::abs(flow[0] - first[0]), 0.1) << "it has moved";
}

/// |K - K(0)| / |K(0)| of u = sum_j a_j tanh(w_j x + b_j) / sqrt(n), normal parameters, after
/// descent for a time of 10.
double drift_of(int width, std::uint64_t seed) {
  const Coordinate x("x");
  Graph g({"x"});
  const int h = g.activation(g.affine(g.coordinates(), width), Activation::tanh);
  g.output("u", g.multiply(g.affine(h, 1, false), g.number(1 / std::sqrt(width))));
  const auto executor = make_executor(std::make_shared<const Graph>(std::move(g)),
                                      {{"fit", {Field("u") - sin(3 * x)}}}, {.threads = 1});
  executor->set_points(0, std::vector<double>{-0.9, -0.5, -0.1, 0.3, 0.7});
  std::vector<double> theta(executor->n_parameters()), gradient(theta.size());
  Rng(seed).fill_normal(theta);
  const Matrix first = tangent_kernel(*executor, 0, theta);
  for (int step = 0; step < 100; ++step) {
    (void)executor->gradient(theta, gradient);
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] -= 0.1 * gradient[i];
  }
  return kernel_drift(tangent_kernel(*executor, 0, theta), first);
}

TEST(TangentKernel, DriftsAtMostLikeOneOverTheRootOfTheWidth) {
  std::vector<double> widths = {16, 64, 256, 1024}, drifts;
  for (const double width : widths) {
    double mean = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed)
      mean += drift_of(static_cast<int>(width), seed) / 6;
    drifts.push_back(mean);
  }
  // The theory bounds the drift by 1 / sqrt(n); two layers do better, up to 1 / n.
  const double order = fitted_order(widths, drifts);
  EXPECT_LT(order, -0.4);
  EXPECT_GT(order, -1.2);
  EXPECT_LT(drifts.back(), 0.1);
}

TEST(FilterDirection, HasTheLengthsOfTheRowsOfTheWeights) {
  SmallTraining s = small_training();
  const auto& blocks = s.executor->graph().parameters();
  const std::vector<double> d = filter_direction(blocks, s.theta, Rng(5));
  for (const ParameterBlock& b : blocks) {
    if (b.role != ParameterBlock::Role::weight) continue;
    for (int row = 0; row < b.rows; ++row) {
      double of_d = 0, of_theta = 0;
      for (int c = 0; c < b.cols; ++c) {
        const auto at = static_cast<std::size_t>(b.offset + row * b.cols + c);
        of_d += d[at] * d[at];
        of_theta += s.theta[at] * s.theta[at];
      }
      EXPECT_NEAR(of_d, of_theta, 16 * eps * of_theta) << b.name;
    }
  }
  EXPECT_NE(d, filter_direction(blocks, s.theta, Rng(6)));
}

// --- errors of learning ---

/// sin(theta x) for sin(2 x + 0.3 x^2) on [0, 1], by its mean square on given points.
double mean_square_of(double theta, const std::vector<double>& points) {
  double sum = 0;
  for (const double x : points) {
    const double off = std::sin(theta * x) - std::sin(2 * x + 0.3 * x * x);
    sum += off * off / static_cast<double>(points.size());
  }
  return sum;
}
std::vector<double> random_points(std::size_t n, std::uint64_t seed) {
  std::vector<double> points(n);
  Rng(seed).fill_uniform(points);
  return points;
}
std::vector<double> midpoints(std::size_t n) {
  std::vector<double> points(n);
  for (std::size_t i = 0; i < n; ++i)
    points[i] = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
  return points;
}

TEST(RiskDecomposition, BoundsTheRiskOfEveryMemberOfAFamily) {
  const std::vector<double> fine = midpoints(400);
  std::vector<double> thetas, risks;
  for (int i = 0; i <= 200; ++i) thetas.push_back(5.0 * i / 200);
  for (const double theta : thetas) risks.push_back(mean_square_of(theta, fine));
  bool factor_needed = false;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::vector<double> empirical;
    const std::vector<double> points = random_points(3, seed);
    for (const double theta : thetas) empirical.push_back(mean_square_of(theta, points));
    for (std::size_t i = 0; i < thetas.size(); ++i) {
      const RiskDecomposition d = decompose_risk(risks, empirical, i);
      EXPECT_LE(d.risk, d.bound() + 16 * eps);
      EXPECT_GE(d.optimization, 0);
      factor_needed |= d.risk > d.optimization + d.estimation + d.approximation;
    }
  }
  EXPECT_TRUE(factor_needed) << "twice the estimation error is no luxury";
  EXPECT_THROW((void)decompose_risk(risks, std::vector<double>(3), 0), Error);
}

TEST(EstimationError, FallsLikeTheRootOfTheNumberOfRandomPoints) {
  const double risk = mean_square_of(1, midpoints(4000));
  std::vector<double> numbers = {20, 80, 320, 1280}, gaps;
  for (const double n : numbers) {
    double mean = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      mean += std::abs(mean_square_of(1, random_points(static_cast<std::size_t>(n), seed)) - risk) /
              200;
    }
    gaps.push_back(mean);
  }
  // Means of 200 moduli are known to 5 %, over a factor of 64: 0.05 / log(64) * 2.
  EXPECT_NEAR(fitted_order(numbers, gaps), -0.5, 0.04);
}

TEST(TrainingRiskBound, HoldsWithTheTrainingRiskOnItsRightSide) {
  // -e'' = r, e(0) = e(1) = 0: |e| <= |r| / pi^2. Here e = a sin(pi x) + b sin(3 pi x).
  const double pi2 = pi * pi, a = 0.02, b = 0.01;
  const double error = std::sqrt((a * a + b * b) / 2);
  const double risk = pi2 * pi2 * (a * a + 81 * b * b) / 2;
  std::size_t held = 0;
  double sigma = 0;
  const auto residual = [&](double x) {
    return pi2 * (a * std::sin(pi * x) + 9 * b * std::sin(3 * pi * x));
  };
  for (const double x : midpoints(2000))
    sigma += std::pow(residual(x) * residual(x) - risk, 2) / 2000;
  sigma = std::sqrt(sigma);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    double training = 0;
    for (const double x : random_points(64, seed)) training += residual(x) * residual(x) / 64;
    held += error <= training_risk_bound(1 / (pi2 * pi2), training, sigma, 64) ? 1 : 0;
  }
  EXPECT_EQ(held, 200u);
  // For many points it is the stability of the equation alone.
  EXPECT_NEAR(training_risk_bound(1 / (pi2 * pi2), risk, sigma, 1'000'000'000'000, 3),
              std::sqrt(risk) / pi2, 1e-5);
  EXPECT_LT(training_risk_bound(1 / (pi2 * pi2), 0, sigma, 1'000'000'000'000), error)
      << "the risk of the exact solution, 0, bounds nothing";
}

}  // namespace
}  // namespace cauchy::test_diagnosis
