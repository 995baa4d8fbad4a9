#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/polynomials.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace cauchy::test_polynomials {
namespace {

using Family = OrthogonalPolynomials;
constexpr double eps = std::numeric_limits<double>::epsilon();

struct Case {
  std::string name;
  Family family;
  Rule rule;                     // Gauss rule of the family's weight with 20 nodes
  std::vector<double> degree12;  // value and three derivatives of p_12 at 0.3, to 20 digits
};

std::vector<Case> cases() {
  return {
      {"chebyshev_t",
       Family::chebyshev_t(),
       gauss_jacobi(20, -0.5, -0.5),
       {-0.87043099443200006875, 6.1927273267199984481, 139.78008944640000927,
        -834.89882111999974597}},
      {"chebyshev_u",
       Family::chebyshev_u(),
       gauss_jacobi(20, 0.5, 0.5),
       {-0.71561281126400011328, 10.203290173439998421, 142.20430049280001794,
        -1615.644426239999681}},
      {"legendre",
       Family::legendre(),
       gauss_legendre(20),
       {-0.18100217969140724712, 1.8516735792460543295, 32.249828768579299882,
        -270.83289745230462253}},
      {"jacobi",
       Family::jacobi(0.5, -0.25),
       gauss_jacobi(20, 0.5, -0.25),
       {-0.078468661073191337379, 3.5731165657001416191, 19.30572331512101564,
        -572.51860654986498815}},
      {"jacobi with alpha + beta = -1",
       Family::jacobi(-0.75, -0.25),
       gauss_jacobi(20, -0.75, -0.25),
       {}},
      {"hermite",
       Family::hermite(),
       gauss_hermite(20),
       {49478.715933659174345, -3453841.5519021465238, -3259794.1135491080219,
        74028637.673717758783}},
      {"laguerre",
       Family::laguerre(0.5),
       gauss_laguerre(20, 0.5),
       {-0.83129511806047614971, -4.6467577545933992768, 51.838835740792645186,
        -209.77034443072143423}},
  };
}

TEST(Polynomials, AreOrthogonalWithTheStatedNorms) {
  constexpr std::size_t n = 16;
  for (const auto& c : cases()) {
    std::vector<double> p(n);
    Matrix gram(n, n);
    for (std::size_t q = 0; q < c.rule.size(); ++q) {
      c.family.evaluate(c.rule.nodes[q], std::span<double>(p));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) gram(i, j) += c.rule.weights[q] * p[i] * p[j];
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const double scale = std::sqrt(c.family.norm_squared(i) * c.family.norm_squared(j));
        // 20 terms, each from 16 recurrence steps, at nodes that are themselves rounded.
        EXPECT_LT(std::abs(gram(i, j) / scale - (i == j ? 1 : 0)), 16 * 20 * eps)
            << c.name << " " << i << " " << j;
      }
  }
}

TEST(Polynomials, ValuesAndDerivativesMatchExactNumbers) {
  for (const auto& c : cases()) {
    if (c.degree12.empty()) continue;
    Matrix out(4, 13);
    c.family.evaluate(0.3, out.view());
    for (std::size_t k = 0; k < 4; ++k) {
      // Relative to the derivative's size nearby, taken from its neighbours in degree and order.
      const double size = std::abs(out(k, 12)) + std::abs(out(k, 11)) + std::abs(out(k, 10));
      EXPECT_LT(std::abs(out(k, 12) - c.degree12[k]), 16 * 12 * eps * size) << c.name << " " << k;
    }
  }
}

TEST(Polynomials, EndpointValuesAreExact) {
  constexpr std::size_t n = 30;
  std::vector<double> p(n);
  const double alpha = 1.5, beta = -0.5;
  for (const double x : {1.0, -1.0}) {
    Family::chebyshev_t().evaluate(x, std::span<double>(p));
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(p[i], i % 2 == 0 ? 1 : x);
    Family::chebyshev_u().evaluate(x, std::span<double>(p));
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_EQ(p[i], (i % 2 == 0 ? 1 : x) * static_cast<double>(i + 1));
    Family::legendre().evaluate(x, std::span<double>(p));
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_LT(std::abs(p[i] - (i % 2 == 0 ? 1 : x)), 8 * n * eps);
    Family::jacobi(alpha, beta).evaluate(x, std::span<double>(p));
    double binomial = 1;
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0)
        binomial *= x * (static_cast<double>(i) + (x > 0 ? alpha : beta)) / static_cast<double>(i);
      EXPECT_LT(std::abs(p[i] / binomial - 1), 64 * n * eps) << i;
    }
  }
}

TEST(Polynomials, EndpointDerivativesOfChebyshevTMatchTheFormula) {
  // d^k T_n / dx^k (1) = prod_{j<k} (n^2 - j^2) / (2j + 1); all numbers are exact in double.
  constexpr std::size_t n = 20;
  Matrix out(5, n + 1);
  Family::chebyshev_t().evaluate(1, out.view());
  for (std::size_t i = 0; i <= n; ++i) {
    double exact = 1;
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_LT(std::abs(out(k, i) - exact), 4 * eps * std::abs(exact) + 1e-300) << i << " " << k;
      const double m = static_cast<double>(i), j = static_cast<double>(k);
      exact *= (m * m - j * j) / (2 * j + 1);
    }
  }
}

TEST(Polynomials, DerivativesObeyTheIdentitiesOfTheirFamilies) {
  constexpr std::size_t n = 25;
  constexpr double x = -0.62;
  const double tol = 64 * n * eps;
  const double alpha = 0.4, beta = 1.7;
  std::vector<double> u(n), up(n);
  Matrix t(2, n), j(2, n), h(2, n), he(2, n), l(2, n);
  Family::chebyshev_t().evaluate(x, t.view());
  Family::chebyshev_u().evaluate(x, std::span<double>(u));
  Family::jacobi(alpha, beta).evaluate(x, j.view());
  Family::jacobi(alpha + 1, beta + 1).evaluate(x, std::span<double>(up));
  Family::hermite().evaluate(x, h.view());
  Family::hermite_probabilists().evaluate(x, he.view());
  Family::laguerre(alpha).evaluate(x, l.view());
  std::vector<double> lp(n);
  Family::laguerre(alpha + 1).evaluate(x, std::span<double>(lp));
  for (std::size_t i = 1; i < n; ++i) {
    const double m = static_cast<double>(i);
    EXPECT_LT(std::abs(t(1, i) - m * u[i - 1]), tol * m);  // T_n' = n U_{n-1}
    EXPECT_LT(std::abs(j(1, i) - (m + alpha + beta + 1) / 2 * up[i - 1]), tol * m);
    EXPECT_LT(std::abs(h(1, i) - 2 * m * h(0, i - 1)), tol * std::abs(h(1, i)) + tol);
    EXPECT_LT(std::abs(he(1, i) - m * he(0, i - 1)), tol * std::abs(he(1, i)) + tol);
    EXPECT_LT(std::abs(l(1, i) + lp[i - 1]), tol * std::abs(lp[i - 1]));  // x < 0: no cancellation
  }
}

TEST(Polynomials, ProbabilistsHermiteHasKnownValues) {
  Matrix out(4, 13);
  Family::hermite_probabilists().evaluate(0.3, out.view());
  const double exact[] = {5192.6906016580413554, -32008.193613522359202, -71914.745303953203669,
                          330515.70615755999092};
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_LT(std::abs(out(k, 12) - exact[k]), 200 * eps * 330515) << k;
  EXPECT_DOUBLE_EQ(Family::hermite_probabilists().norm_squared(3),
                   6 * std::sqrt(2 * std::acos(-1)));
}

TEST(Polynomials, ClenshawSumsTheSameSeries) {
  constexpr std::size_t n = 20;
  std::vector<double> coefficients(n), p(n);
  for (std::size_t i = 0; i < n; ++i)
    coefficients[i] = (i % 3 == 0 ? -1.0 : 1.0) / static_cast<double>(i + 1);
  for (const auto& c : cases())
    for (const double x : {-1.0, -0.3, 0.0, 0.77, 1.0}) {
      c.family.evaluate(x, std::span<double>(p));
      double sum = 0, size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += coefficients[i] * p[i];
        size += std::abs(coefficients[i] * p[i]);
      }
      EXPECT_LT(std::abs(c.family.series(coefficients, x) - sum), 16 * n * eps * size)
          << c.name << " at " << x;
    }
  EXPECT_EQ(Family::legendre().series({}, 0.5), 0);
  EXPECT_EQ(Family::legendre().series(std::vector<double>{3}, 0.5), 3);
}

TEST(Polynomials, ChebyshevValuesMatchTheCosineUpToDegreeThousand) {
  constexpr std::size_t n = 1001;
  std::vector<double> p(n);
  const double theta = 1.1;
  Family::chebyshev_t().evaluate(std::cos(theta), std::span<double>(p));
  // The rounding of cos(theta) moves the angle by eps / sin(theta), times the degree.
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_LT(std::abs(p[i] - std::cos(static_cast<double>(i) * theta)), 4 * n * eps);
}

TEST(OrthogonalPolynomials, ChebyshevOnesAreJacobiOnesTimesQuotientsOfGammaFunctions) {
  // T_n = n! G(1/2) / G(n + 1/2) P_n^(-1/2, -1/2),  U_n = (n + 1)! G(3/2) / G(n + 3/2) P_n^(1/2,
  // 1/2)
  constexpr std::size_t count = 13;
  std::vector<double> t(count), u(count), low(count), high(count);
  for (const double x : {-1.0, -0.7, 0.0, 0.3, 1.0}) {
    Family::chebyshev_t().evaluate(x, std::span<double>(t));
    Family::chebyshev_u().evaluate(x, std::span<double>(u));
    Family::jacobi(-0.5, -0.5).evaluate(x, std::span<double>(low));
    Family::jacobi(0.5, 0.5).evaluate(x, std::span<double>(high));
    for (std::size_t i = 0; i < count; ++i) {
      const auto n = static_cast<double>(i);
      const double first = std::tgamma(n + 1) * std::tgamma(0.5) / std::tgamma(n + 0.5);
      const double second = std::tgamma(n + 2) * std::tgamma(1.5) / std::tgamma(n + 1.5);
      // Some roundings in each of n steps; values are at most 1 and n + 1.
      EXPECT_LT(std::abs(first * low[i] - t[i]), 16 * (n + 1) * eps) << i << " at " << x;
      EXPECT_LT(std::abs(second * high[i] - u[i]), 16 * (n + 1) * (n + 1) * eps)
          << i << " at " << x;
    }
  }
}

TEST(Polynomials, EmptyOutputsAreLegalAndBadExponentsAreNot) {
  std::vector<double> none;
  EXPECT_NO_THROW(Family::legendre().evaluate(0.5, std::span<double>(none)));
  EXPECT_NO_THROW(Family::legendre().evaluate(0.5, MatrixView<double>()));
  EXPECT_THROW(Family::jacobi(-1, 0), Error);
  EXPECT_THROW(Family::jacobi(0, std::nan("")), Error);
  EXPECT_THROW(Family::laguerre(-1.5), Error);
}

}  // namespace
}  // namespace cauchy::test_polynomials
