#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cauchy/math/special.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

namespace cauchy::test_quadrature {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

double legendre(std::size_t degree, double x) {
  double previous = 0, p = 1;
  for (std::size_t k = 0; k < degree; ++k) {
    const double m = static_cast<double>(k);
    const double next = ((2 * m + 1) * x * p - m * previous) / (m + 1);
    previous = p;
    p = next;
  }
  return p;
}

/// Largest error over P_0 .. P_degree, whose integrals are 2, 0, 0, ... Unlike monomials these stay
/// of size one inside the interval, so no degree is hidden by small numbers.
double worst_legendre_moment(const Rule& rule, std::size_t degree) {
  double worst = 0;
  for (std::size_t k = 0; k <= degree; ++k) {
    const double sum = rule.integrate([k](double x) { return legendre(k, x); });
    const double error = std::abs(sum - (k == 0 ? 2.0 : 0.0));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

double legendre_moment(const Rule& rule, std::size_t degree) {
  return std::abs(rule.integrate([degree](double x) { return legendre(degree, x); }));
}

void expect_symmetric_positive_ascending(const Rule& rule) {
  const std::size_t n = rule.size();
  ASSERT_EQ(rule.weights.size(), n);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(rule.nodes[i], -rule.nodes[n - 1 - i]);
    EXPECT_EQ(rule.weights[i], rule.weights[n - 1 - i]);
    EXPECT_GT(rule.weights[i], 0);
    if (i > 0) {
      EXPECT_LT(rule.nodes[i - 1], rule.nodes[i]);
    }
  }
}

// Sum of n terms, each with the rounding of a recurrence of `degree` steps: (n + degree) eps is
// generous for the nearly random signs.
double moment_tolerance(std::size_t n, std::size_t degree) {
  return static_cast<double>(n + degree + 4) * eps;
}

TEST(GaussLegendre, IntegratesPolynomialsOfDegree2nMinus1Exactly) {
  for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 8u, 17u, 64u, 200u, 201u, 300u}) {
    const Rule rule = gauss_legendre(n);
    EXPECT_LT(worst_legendre_moment(rule, 2 * n - 1), moment_tolerance(n, 2 * n)) << n;
    // Degree 2n is integrated wrongly, by about 1.25 / sqrt(n).
    EXPECT_GT(legendre_moment(rule, 2 * n), 0.9 / std::sqrt(static_cast<double>(n))) << n;
  }
}

TEST(GaussLegendre, IsSymmetricPositiveAndAscending) {
  for (const std::size_t n : {1u, 2u, 7u, 200u, 201u, 1000u})
    expect_symmetric_positive_ascending(gauss_legendre(n));
}

TEST(GaussLegendre, MatchesTheTabulatedRuleOfFivePoints) {
  const Rule rule = gauss_legendre(5);
  EXPECT_EQ(rule.nodes[2], 0);
  EXPECT_DOUBLE_EQ(rule.nodes[3], 0.53846931010568309104);
  EXPECT_DOUBLE_EQ(rule.nodes[4], 0.9061798459386639928);
  EXPECT_DOUBLE_EQ(rule.weights[2], 128.0 / 225);
  EXPECT_DOUBLE_EQ(rule.weights[3], 0.47862867049936646804);
  EXPECT_DOUBLE_EQ(rule.weights[4], 0.23692688505618908751);
}

TEST(GaussLegendre, LargeRulesMatchExactValuesToTheLastDigit) {
  struct Entry {
    std::size_t n, k;  // k-th node from the right end
    double x, w;
  };
  // Newton's method with 45 digits. k = 15 and 16 lie on either side of the change of method.
  const std::vector<Entry> table = {
      {201, 1, 0.99992878343626459598, 0.00018276253113453970115},
      {201, 15, 0.97367076130653734798, 0.0035539033795080423493},
      {201, 16, 0.96999866425577360714, 0.0037901419532653731001},
      {201, 50, 0.71396123054401113563, 0.010916540811015202809},
      {201, 100, 0.015590350904836947343, 0.015589087648987427667},
      {1000, 1, 0.99999711129807551057, 7.4133384164320715175e-6},
      {1000, 16, 0.99877720839197144598, 0.00015522762908070090768},
      {1000, 250, 0.70793882661809896266, 0.0022177150288593113188},
      {1000, 500, 0.001570010480083193829, 0.003140018380182867787},
      {10000, 1, 0.99999997108696172481, 7.4200192732393227966e-8},
      {10000, 15, 0.999989263564194698, 1.4556159187046030328e-6},
      {10000, 16, 0.99998775860574680775, 1.5543009526797018207e-6},
      {10000, 2500, 0.70719007528602840793, 0.00022210687031313672481},
      {10000, 5000, 0.00015707177824834783418, 0.00031414355391322682763},
  };
  for (const auto& e : table) {
    const Rule rule = gauss_legendre(e.n);
    EXPECT_LT(std::abs(rule.nodes[e.n - e.k] - e.x), eps) << e.n << " " << e.k;
    EXPECT_LT(std::abs(rule.weights[e.n - e.k] / e.w - 1), 2 * eps) << e.n << " " << e.k;
  }
}

TEST(GaussLegendre, AgreesWithThePlainEigenvalueMethod) {
  // Golub and Welsch: eigenvalues and first components of eigenvectors of the Jacobi matrix.
  for (const std::size_t n : {6u, 50u, 250u}) {
    std::vector<double> diagonal(n, 0.0), off(n - 1);
    for (std::size_t k = 1; k < n; ++k) {
      const double m = static_cast<double>(k);
      off[k - 1] = m / std::sqrt(4 * m * m - 1);
    }
    const auto eigen = tridiagonal_eigen(diagonal, off);
    ASSERT_EQ(eigen.status, Factorization::ok);
    const Rule rule = gauss_legendre(n);
    const double tol = 4 * static_cast<double>(n) * eps;  // error of the QL iteration
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_LT(std::abs(rule.nodes[i] - eigen.values[i]), tol);
      const double v = eigen.vectors(0, i);
      EXPECT_LT(std::abs(rule.weights[i] - 2 * v * v), tol);
    }
  }
}

TEST(GaussLegendre, AMillionNodesSumToTwo) {
  const Rule rule = gauss_legendre(1000000);
  long double sum = 0, second = 0;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    sum += rule.weights[i];
    second += static_cast<long double>(rule.weights[i]) * rule.nodes[i] * rule.nodes[i];
  }
  EXPECT_LT(std::abs(static_cast<double>(sum - 2)), 4 * eps);
  EXPECT_LT(std::abs(static_cast<double>(second - 2.0L / 3)), 4 * eps);
}

TEST(GaussJacobi, MatchesExactNodesAndWeights) {
  struct Entry {
    double x, w;
  };
  const std::vector<Entry> six = {{-0.954510133708843734, 0.42018508325774069758},
                                  {-0.71571177691441322546, 0.59196696310624100166},
                                  {-0.31887352511334395334, 0.56729171949646807535},
                                  {0.14855127144410692855, 0.41759971186528416839},
                                  {0.58342276669527226748, 0.2214458119289960611},
                                  {0.88977445882171151269, 0.061249737415024582069}};
  const Rule rule = gauss_jacobi(6, 0.5, -0.25);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LT(std::abs(rule.nodes[i] - six[i].x), eps);
    EXPECT_LT(std::abs(rule.weights[i] / six[i].w - 1), 2 * eps);
  }
  const Rule large = gauss_jacobi(60, 2.5, -0.875);
  const std::vector<std::pair<std::size_t, Entry>> some = {
      {0, {-0.9999293930766076961, 18.786046040883296959}},
      {1, {-0.99780594610854239023, 4.1186056955228061677}},
      {30, {-0.017255225941806284295, 0.054313891349381616785}},
      {59, {0.99558438483181345476, 3.7400119826113564526e-9}}};
  for (const auto& [i, e] : some) {
    EXPECT_LT(std::abs(large.nodes[i] - e.x), eps);
    EXPECT_LT(std::abs(large.weights[i] / e.w - 1), 2 * eps);
  }
}

TEST(GaussJacobi, MomentsAreBetaFunctions) {
  // Integral of (1-x)^(alpha+k) (1+x)^beta = 2^(alpha+beta+k+1) B(alpha+k+1, beta+1).
  for (const auto& [alpha, beta] :
       {std::pair{0.0, 0.0}, {-0.5, -0.5}, {1.0, 1.0}, {-0.7, 2.3}, {-0.25, -0.75}, {3.0, 0.5}}) {
    constexpr std::size_t n = 8;
    const Rule rule = gauss_jacobi(n, alpha, beta);
    for (std::size_t k = 0; k <= 2 * n; ++k) {
      const double power = static_cast<double>(k);
      const double exact =
          std::exp2(alpha + beta + power + 1) * std::exp(log_beta(alpha + power + 1, beta + 1));
      const double sum = rule.integrate([k](double x) { return std::pow(1 - x, k); });
      // Nodes within eps/2 change (1-x)^k by k eps; exp(log_beta) adds about 20 eps.
      if (k < 2 * n)
        EXPECT_LT(std::abs(sum / exact - 1), (power + 40) * eps) << alpha << " " << beta;
      else
        EXPECT_GT(std::abs(sum / exact - 1), 1e-12) << "degree 2n must not be exact";
    }
  }
}

TEST(GaussJacobi, WithZeroExponentsIsGaussLegendre) {
  const Rule jacobi = gauss_jacobi(33, 0, 0), gauss = gauss_legendre(33);
  for (std::size_t i = 0; i < 33; ++i) {
    EXPECT_LT(std::abs(jacobi.nodes[i] - gauss.nodes[i]), eps);
    EXPECT_LT(std::abs(jacobi.weights[i] - gauss.weights[i]), eps);
  }
}

TEST(GaussJacobi, WithExponentsMinusOneHalfIsGaussChebyshev) {
  constexpr std::size_t n = 40;
  const Rule rule = gauss_jacobi(n, -0.5, -0.5);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = std::numbers::pi * (static_cast<double>(n - i) - 0.5) / n;
    EXPECT_LT(std::abs(rule.nodes[i] - std::cos(angle)), 2 * eps);
    EXPECT_LT(std::abs(rule.weights[i] * n / std::numbers::pi - 1), 4 * eps);
  }
}

TEST(GaussLobatto, IntegratesPolynomialsOfDegree2nMinus3Exactly) {
  for (const std::size_t n : {2u, 3u, 4u, 5u, 6u, 20u, 101u}) {
    const Rule rule = gauss_lobatto(n);
    EXPECT_LT(worst_legendre_moment(rule, 2 * n - 3), moment_tolerance(n, 2 * n)) << n;
    EXPECT_GT(legendre_moment(rule, 2 * n - 2), 0.1) << n;
    EXPECT_EQ(rule.nodes.front(), -1);
    EXPECT_EQ(rule.nodes.back(), 1);
    expect_symmetric_positive_ascending(rule);
  }
}

TEST(GaussLobatto, MatchesTheTabulatedRuleOfSixPoints) {
  const Rule rule = gauss_lobatto(6);
  EXPECT_LT(std::abs(rule.nodes[3] - 0.28523151648064509631), eps);
  EXPECT_LT(std::abs(rule.nodes[4] - 0.76505532392946469285), eps);
  EXPECT_LT(std::abs(rule.weights[3] - 0.55485837703548635302), eps);
  EXPECT_LT(std::abs(rule.weights[4] - 0.37847495629784698032), eps);
  EXPECT_LT(std::abs(rule.weights[5] - 1.0 / 15), eps);
}

TEST(ClenshawCurtis, IntegratesPolynomialsOfDegreeNMinus1Exactly) {
  for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 10u, 33u, 100u}) {
    const Rule rule = clenshaw_curtis(n);
    EXPECT_LT(worst_legendre_moment(rule, n - 1), moment_tolerance(n, n)) << n;
    EXPECT_GT(legendre_moment(rule, n + n % 2), 1e-7) << n;  // odd degrees vanish by symmetry
    expect_symmetric_positive_ascending(rule);
  }
}

TEST(ClenshawCurtis, OfThreePointsIsSimpsonsRule) {
  const Rule rule = clenshaw_curtis(3);
  EXPECT_EQ(rule.nodes, (std::vector<double>{-1, 0, 1}));
  EXPECT_LT(std::abs(rule.weights[0] - 1.0 / 3), eps);
  EXPECT_LT(std::abs(rule.weights[1] - 4.0 / 3), 2 * eps);
}

TEST(GaussHermite, MatchesExactValuesAndMoments) {
  const Rule rule = gauss_hermite(5);
  EXPECT_LT(std::abs(rule.nodes[4] - 2.0201828704560856329), 2 * eps);
  EXPECT_LT(std::abs(rule.nodes[3] - 0.95857246461381850711), eps);
  EXPECT_EQ(rule.nodes[2], 0);
  EXPECT_LT(std::abs(rule.weights[4] / 0.019953242059045913208 - 1), 2 * eps);
  EXPECT_LT(std::abs(rule.weights[2] / 0.94530872048294188123 - 1), 2 * eps);
  // Integral of x^2 exp(-x^2) is sqrt(pi)/2, whatever the number of nodes.
  const double second = gauss_hermite(300).integrate([](double x) { return x * x; });
  EXPECT_LT(std::abs(second / (std::sqrt(std::numbers::pi) / 2) - 1), 32 * eps);
}

TEST(GaussLaguerre, MatchesExactValuesAndMoments) {
  const Rule rule = gauss_laguerre(4, 0.5);
  const std::vector<double> x = {0.5235260767382691097, 2.1566487632690943284,
                                 5.1373875461767115982, 10.182437613815924964};
  const std::vector<double> w = {0.4530087465586075343, 0.38161696017179968693,
                                 0.050794627572240761686, 0.00080659115011003073391};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LT(std::abs(rule.nodes[i] / x[i] - 1), 2 * eps);
    EXPECT_LT(std::abs(rule.weights[i] / w[i] - 1), 2 * eps);
  }
  const double third = gauss_laguerre(100).integrate([](double t) { return t * t * t; });
  EXPECT_LT(std::abs(third / 6 - 1), 64 * eps);
}

TEST(Scaled, MovesARuleToAnotherInterval) {
  const Rule rule = scaled(gauss_legendre(4), 1, 3);
  EXPECT_LT(std::abs(rule.integrate([](double x) { return x * x * x; }) - 20), 40 * eps);
  const Rule backwards = scaled(gauss_legendre(4), 3, 1);
  EXPECT_LT(std::abs(backwards.integrate([](double x) { return x * x * x; }) + 20), 40 * eps);
}

TEST(Quadrature, RefusesImpossibleRules) {
  EXPECT_THROW(gauss_legendre(0), Error);
  EXPECT_THROW(gauss_jacobi(0, 0, 0), Error);
  EXPECT_THROW(gauss_jacobi(3, -1, 0), Error);
  EXPECT_THROW(gauss_jacobi(3, 0, std::nan("")), Error);
  EXPECT_THROW(gauss_jacobi(3, 1e6, 1e6), Error);
  EXPECT_THROW(gauss_jacobi(3, 1e308, 1e308), Error);
  EXPECT_THROW(gauss_laguerre(3, 1e4), Error);
  EXPECT_THROW(gauss_lobatto(1), Error);
  EXPECT_THROW(clenshaw_curtis(0), Error);
  EXPECT_THROW(gauss_hermite(2001), Error);
  EXPECT_THROW(gauss_laguerre(3, -2), Error);
  EXPECT_THROW(scaled(gauss_legendre(2), 0, std::numeric_limits<double>::infinity()), Error);
}

}  // namespace
}  // namespace cauchy::test_quadrature
