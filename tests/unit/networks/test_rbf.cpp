#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/math/rbf.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/optimizers/lbfgs.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/sampling/sampler.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace cauchy::test_rbf {
namespace {

const std::vector<std::string> one_field{"u"};
const std::vector<double> points{0.1, -0.4, 0.7, 0.2, -0.9, 0.9, 0.3, 0.35, -0.2, -0.6};

TEST(RbfNetwork, HasAsManyParametersAsTheFormulaSays) {
  const std::vector<std::string> fields{"u", "v"};
  const auto n = [&](const Rbf& rbf) {
    return make_network(rbf, {"x", "y", "z"}, fields).n_parameters();
  };
  EXPECT_EQ(n({.centres = 7}), 7u * 2 + 7 * 3 + 7 + 2 * 4);
  EXPECT_EQ(n({.centres = 7, .learn_shapes = false}), 7u * 2 + 7 * 3 + 2 * 4);
  EXPECT_EQ(n({.centres = 7, .learn_centres = false, .learn_shapes = false, .tail = 1}),
            7u * 2 + 2);
  EXPECT_EQ(n({.centres = 7, .learn_centres = false, .learn_shapes = false, .tail = 0}), 7u * 2);
  EXPECT_EQ(describe(Network(Rbf{})), "50 gaussian centres");
}

TEST(RbfNetwork, IsTheSumOfRadialFunctionsWithItsDerivatives) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  std::vector<double> centres;
  for (const double c : unit_points({.kind = SamplerKind::r_sequence}, 2, 6)) {
    centres.push_back(1.1 * (2 * c - 1));
  }
  for (const RbfKernel kernel : {RbfKernel::gaussian, RbfKernel::inverse_quadratic,
                                 RbfKernel::multiquadric, RbfKernel::inverse_multiquadric}) {
    for (const bool learn : {false, true}) {
      const Rbf options{.centres = 6,
                        .kernel = kernel,
                        .shape = 1.5,
                        .learn_centres = learn,
                        .learn_shapes = learn,
                        .tail = 0};
      const auto graph =
          std::make_shared<const Graph>(make_network(options, {"x", "y"}, one_field));
      const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(3));
      HostExecutor<double> executor(graph, {{"u", {u}}}, {.threads = 1});
      const std::vector<Expr> wanted{u, d(u, x), d(u, y, y), d(u, x, x, y, y)};
      std::vector<double> got(20);
      executor.predict(wanted, theta, points, got);
      const std::vector<double> a(theta.end() - 6, theta.end());  // the coefficients come last
      const std::vector<std::vector<int>> orders{{0, 0}, {1, 0}, {0, 2}, {2, 2}};
      const std::vector<std::span<const double>> sums(4, a);
      Matrix expected(5, 4);
      RbfBasis(kernel, 1.5, centres, 2).derivatives_of_sums(sums, points, orders, expected.view());
      for (std::size_t i = 0; i < 20; ++i) {
        // Fourth derivatives are some 100 of sizes that cancel to 1.
        EXPECT_NEAR(got[i], expected.data()[i], 1e-12) << static_cast<int>(kernel) << " " << i;
      }
    }
  }
}

TEST(RbfNetwork, GradientByCentresShapesAndCoefficientsIsThatOfDifferences) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  for (const RbfKernel kernel : {RbfKernel::gaussian, RbfKernel::inverse_quadratic,
                                 RbfKernel::multiquadric, RbfKernel::inverse_multiquadric}) {
    const auto graph = std::make_shared<const Graph>(
        make_network(Rbf{.centres = 4, .kernel = kernel}, {"x", "y"}, one_field));
    std::vector<double> theta = initial_parameters(graph->parameters(), Rng(5));
    Rng draw(7);
    for (double& v : theta) v += 0.2 * draw.normal();
    HostExecutor<double> executor(graph, {{"r", {d(u, x, x) + d(u, y, y) + u * u - x}}},
                                  {.threads = 1});
    executor.set_points(0, points);
    std::vector<double> gradient(theta.size());
    executor.gradient(theta, gradient);
    const double h = 1e-5;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      std::vector<double> up = theta, down = theta;
      up[k] += h;
      down[k] -= h;
      const double difference = (executor.loss(up) - executor.loss(down)) / (2 * h);
      // Truncation h^2 f'''/6 and rounding eps f / h: about 1e-8 for losses of size 10 here.
      EXPECT_NEAR(gradient[k], difference, 1e-6 * (1 + std::abs(gradient[k]))) << k;
    }
  }
}

TEST(RbfNetwork, WithFrozenCentresTheOptimiserEndsAtTheLeastSquaresAnswer) {
  const Coordinate x("x");
  const Field u("u");
  const auto graph = std::make_shared<const Graph>(make_network(
      Rbf{.centres = 5, .shape = 2, .learn_centres = false, .learn_shapes = false, .tail = 0},
      {"x"}, one_field));
  HostExecutor<double> executor(
      graph, {{"equation", {d(u, x, x) + 4 * u - sin(3 * x)}}, {"end", {u}}}, {.threads = 1});
  std::vector<double> inside;
  for (int i = 0; i < 20; ++i) inside.push_back(-0.95 + 0.1 * i);
  executor.set_points(0, inside);
  executor.set_points(1, std::vector<double>{-1, 1});
  // Kansa's matrix, by the engine, and its solution by QR.
  Matrix m(executor.n_rows(), 5), w(executor.n_rows(), 1);
  const std::vector<double> zero(5, 0.0);
  executor.rows_jacobian(zero, {m.data(), m.size()});
  executor.rows(zero, {w.data(), w.size()});
  for (std::size_t i = 0; i < w.rows(); ++i) w(i, 0) = -w(i, 0);
  const LeastSquaresSolution<double> best = least_squares(m.view(), w.view());
  ASSERT_EQ(best.rank, 5u);
  FunctionObjective loss(5, [&](std::span<const double> a, std::span<double> g) {
    return g.empty() ? executor.loss(a) : executor.gradient(a, g);
  });
  std::vector<double> a = initial_parameters(graph->parameters(), Rng(1));
  Lbfgs lbfgs;
  const MinimizeReport report = minimize(lbfgs, loss, a, {.gradient_tolerance = 1e-12});
  EXPECT_EQ(report.status, Status::converged);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(a[k], best.x(k, 0), 1e-8);
}

TEST(RbfNetwork, RefusesNumbersOutOfRangeAndKernelsThatAreNotSmooth) {
  const auto make = [](const Rbf& rbf) { (void)make_network(rbf, {"x"}, one_field); };
  EXPECT_THROW(make({.centres = 0}), Error);
  EXPECT_THROW(make({.kernel = RbfKernel::thin_plate}), Error);
  EXPECT_THROW(make({.shape = -1}), Error);
  EXPECT_THROW(make({.tail = 3}), Error);
  EXPECT_THROW((void)make_network(Rbf{}, {"x"}, {}), Error);
}

}  // namespace
}  // namespace cauchy::test_rbf
