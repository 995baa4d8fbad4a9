#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/math/rbf.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace cauchy::test_rbf {
namespace {

constexpr double eps_machine = std::numeric_limits<double>::epsilon();

/// phi as an expression of s = r^2.
Expr formula(RbfKernel kernel, double eps, const Expr& s) {
  switch (kernel) {
    case RbfKernel::gaussian:
      return exp(-eps * s);
    case RbfKernel::inverse_quadratic:
      return 1 / (1 + eps * s);
    case RbfKernel::multiquadric:
      return sqrt(1 + eps * s);
    case RbfKernel::inverse_multiquadric:
      return 1 / sqrt(1 + eps * s);
    case RbfKernel::thin_plate:
      return s * log(s) / 2;
    case RbfKernel::cubic:
      return pow(s, 1.5);
  }
  return 0;
}

double one(const RbfBasis& basis, const std::vector<double>& x, const std::vector<int>& orders) {
  Matrix out(1, basis.size());
  const MatrixView<double> view = out.view();
  basis.derivatives(x, std::span(&orders, 1), std::span(&view, 1));
  return out(0, 0);
}

/// Points that are spread, but on no grid.
std::vector<double> spread(std::size_t n, std::size_t d) {
  std::vector<double> x;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      x.push_back(std::fmod(
          0.5 + static_cast<double>(i + 1) * (j == 0 ? 0.7548776662 : 0.5698402910), 1.0));
    }
  }
  return x;
}

Matrix gram(RbfKernel kernel, double eps, const std::vector<double>& points, std::size_t d) {
  const RbfBasis basis(kernel, eps, points, d);
  Matrix out(basis.size(), basis.size());
  const MatrixView<double> view = out.view();
  const std::vector<int> value(d, 0);
  basis.derivatives(points, std::span(&value, 1), std::span(&view, 1));
  return out;
}

TEST(Rbf, KernelsHaveTheValuesOfTheirFormulasWithEpsBeforeTheSquare) {
  double out[1];
  const auto at = [&](RbfKernel k, double r) {
    rbf_radial_derivatives(k, 3, r * r, out);
    return out[0];
  };
  EXPECT_DOUBLE_EQ(at(RbfKernel::gaussian, 2), std::exp(-12.0));  // not exp(-36)
  EXPECT_DOUBLE_EQ(at(RbfKernel::inverse_quadratic, 2), 1.0 / 13);
  EXPECT_DOUBLE_EQ(at(RbfKernel::multiquadric, 2), std::sqrt(13.0));
  EXPECT_DOUBLE_EQ(at(RbfKernel::inverse_multiquadric, 2), 1 / std::sqrt(13.0));
  EXPECT_DOUBLE_EQ(at(RbfKernel::thin_plate, 2), 4 * std::log(2.0));
  EXPECT_DOUBLE_EQ(at(RbfKernel::cubic, 2), 8);
  EXPECT_EQ(at(RbfKernel::thin_plate, 0), 0);
  EXPECT_EQ(at(RbfKernel::cubic, 0), 0);
  for (const RbfKernelEntry& e : all_rbf_kernels()) EXPECT_EQ(entry_of(e.kernel).name, e.name);
}

TEST(Rbf, DerivativesToOrderFourAreThoseOfTheSymbolicLayer) {
  const Coordinate x("x"), y("y"), z("z");
  const std::vector<double> centre{0.3, -0.2, 0.1};
  const std::vector<std::vector<double>> points{
      {0.9, 0.4, -0.5}, {0.3, 0.5, 0.1}, {0.3, -0.2, 0.1}};
  const std::vector<std::vector<int>> orders{{0, 0, 0}, {1, 0, 0}, {0, 0, 2}, {1, 1, 0}, {3, 0, 0},
                                             {1, 1, 1}, {2, 0, 2}, {4, 0, 0}, {1, 2, 1}};
  const Expr s = pow(x - centre[0], 2) + pow(y - centre[1], 2) + pow(z - centre[2], 2);
  for (const RbfKernelEntry& kernel : all_rbf_kernels()) {
    const RbfBasis basis(kernel.kernel, 1.7, centre, 3);
    const Expr phi = formula(kernel.kernel, 1.7, s);
    for (const auto& order : orders) {
      const Expr derivative = d_n(d_n(d_n(phi, x, order[0]), y, order[1]), z, order[2]);
      for (const auto& p : points) {
        if (p == centre && kernel.smoothness != RbfKernelEntry::any_order) continue;
        const double expected =
            evaluate(derivative, Values().set(x, p[0]).set(y, p[1]).set(z, p[2]));
        // Order 4 has up to 6 terms that may cancel; each is at most some 100 here.
        EXPECT_NEAR(one(basis, p, order), expected, 1e4 * eps_machine) << kernel.name;
      }
    }
  }
}

TEST(Rbf, LaplacianAtTheCentreIsTheLimit) {
  // phi(s) has the Laplacian 2 d phi'(0) at the centre.
  for (const std::size_t d : {1u, 2u, 3u}) {
    const std::vector<double> centre(d, 0.4);
    const auto laplacian = [&](RbfKernel k) {
      const RbfBasis basis(k, 2, centre, d);
      double sum = 0;
      for (std::size_t j = 0; j < d; ++j) {
        std::vector<int> order(d, 0);
        order[j] = 2;
        sum += one(basis, centre, order);
      }
      return sum / static_cast<double>(2 * d);
    };
    EXPECT_DOUBLE_EQ(laplacian(RbfKernel::gaussian), -2);
    EXPECT_DOUBLE_EQ(laplacian(RbfKernel::multiquadric), 1);
    EXPECT_DOUBLE_EQ(laplacian(RbfKernel::inverse_multiquadric), -1);
    EXPECT_DOUBLE_EQ(laplacian(RbfKernel::inverse_quadratic), -2);
    EXPECT_EQ(laplacian(RbfKernel::cubic), 0);
    EXPECT_TRUE(std::isnan(laplacian(RbfKernel::thin_plate)));
  }
  const RbfBasis thin(RbfKernel::thin_plate, 1, {0.4, 0.4}, 2);
  EXPECT_EQ(one(thin, {0.4, 0.4}, {1, 0}), 0);
}

TEST(Rbf, GramMatricesAreSymmetricAndOfTheirSigns) {
  const std::vector<double> points = spread(25, 2);
  for (const RbfKernelEntry& kernel : all_rbf_kernels()) {
    const Matrix a = gram(kernel.kernel, 20, points, 2);
    for (std::size_t i = 0; i < a.rows(); ++i) {
      for (std::size_t k = 0; k < i; ++k) EXPECT_EQ(a(i, k), a(k, i)) << kernel.name;
    }
    const std::vector<double> values = symmetric_eigenvalues(a).values;
    const bool definite = kernel.kernel == RbfKernel::gaussian ||
                          kernel.kernel == RbfKernel::inverse_quadratic ||
                          kernel.kernel == RbfKernel::inverse_multiquadric;
    if (definite) {
      EXPECT_GT(values.front(), 0) << kernel.name;
    }
    // Micchelli: multiquadrics have one positive eigenvalue, all others are negative.
    if (kernel.kernel == RbfKernel::multiquadric) {
      EXPECT_GT(values.back(), 0);
      EXPECT_LT(values[values.size() - 2], 0);
    }
  }
}

TEST(Rbf, InterpolatesAndKeepsItsSideConditions) {
  const std::vector<double> points = spread(40, 2);
  std::vector<double> values;
  for (std::size_t i = 0; i < 40; ++i)
    values.push_back(std::sin(3 * points[2 * i]) + points[2 * i + 1]);
  for (const RbfKernelEntry& kernel : all_rbf_kernels()) {
    for (const int tail : {kernel.least_tail, 1, 2}) {
      const RbfInterpolant s =
          interpolate_rbf(points, 2, values, {.kernel = kernel.kernel, .tail = tail});
      ASSERT_EQ(s.status, Factorization::ok);
      EXPECT_EQ(s.rank, s.coefficients.size());
      for (std::size_t i = 0; i < 40; ++i) {
        // Backward stable: the residual is eps times the coefficients, which are below 1e4 here.
        EXPECT_NEAR(s(std::span(points).subspan(2 * i, 2)), values[i], 1e-10) << kernel.name;
      }
      double sum = 0, first = 0;
      for (std::size_t i = 0; i < 40; ++i) {
        sum += s.coefficients[i];
        first += s.coefficients[i] * points[2 * i];
      }
      if (tail < 1) continue;
      EXPECT_NEAR(sum, 0, 1e-9) << kernel.name;
      EXPECT_NEAR(first, 0, 1e-9) << kernel.name;
    }
  }
}

TEST(Rbf, TailsReproduceTheirPolynomials) {
  const std::vector<double> points = spread(30, 2);
  const auto p = [](double x, double y) { return 2 - x + 3 * y + x * y - 0.5 * y * y; };
  std::vector<double> values;
  for (std::size_t i = 0; i < 30; ++i) values.push_back(p(points[2 * i], points[2 * i + 1]));
  const RbfInterpolant s =
      interpolate_rbf(points, 2, values, {.kernel = RbfKernel::thin_plate, .tail = 2});
  for (const double x : {-1.0, 0.2, 3.0}) {  // far outside too
    EXPECT_NEAR(s(std::vector<double>{x, 1.5}), p(x, 1.5), 1e-9);
    EXPECT_NEAR(s.derivative(std::vector<double>{x, 1.5}, {1, 1}), 1, 1e-9);
  }
}

TEST(Rbf, ReportsHowIllConditionedASystemIs) {
  const std::vector<double> points = spread(30, 2);
  const std::vector<double> values(30, 1.0);
  const double peaked = interpolate_rbf(points, 2, values, {RbfKernel::gaussian, 100}).condition;
  const double flat = interpolate_rbf(points, 2, values, {RbfKernel::gaussian, 5}).condition;
  EXPECT_GT(peaked, 1);
  EXPECT_GT(flat, 100 * peaked);
  const RbfInterpolant flattest = interpolate_rbf(points, 2, values, {RbfKernel::gaussian, 0.01});
  EXPECT_LT(flattest.rank, 30u);
  EXPECT_NEAR(flattest(std::vector<double>{0.5, 0.5}), 1, 1e-6);
  std::vector<double> twice = points;
  twice[2] = twice[0];
  twice[3] = twice[1];
  EXPECT_EQ(interpolate_rbf(twice, 2, values, {RbfKernel::gaussian, 100}).rank, 29u);
}

TEST(Rbf, RefusesWhatDoesNotFit) {
  EXPECT_THROW(RbfBasis(RbfKernel::gaussian, 0, {0, 0}, 2), Error);
  EXPECT_THROW(RbfBasis(RbfKernel::gaussian, 1, {0, 0, 1}, 2), Error);
  EXPECT_THROW(RbfBasis(RbfKernel::gaussian, 1, {}, 2), Error);
  EXPECT_THROW(RbfBasis(RbfKernel::gaussian, 1, {0, std::nan("")}, 2), Error);
  EXPECT_THROW(RbfBasis(RbfKernel::gaussian, 1, {0, 0}, 2, -2), Error);
  const RbfBasis basis(RbfKernel::gaussian, 1, {0, 0}, 2);
  EXPECT_THROW(one(basis, {0, 0}, {1}), Error);
  const std::vector<double> three(3, 0.0), two(2, 0.0);
  EXPECT_THROW((void)interpolate_rbf(three, 2, two), Error);
  EXPECT_THROW((void)interpolate_rbf({}, 2, {}), Error);
}

}  // namespace
}  // namespace cauchy::test_rbf
