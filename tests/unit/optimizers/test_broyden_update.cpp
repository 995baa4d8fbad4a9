#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/cpu.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/optimizers/broyden.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "optimizers/inverse_hessian.hpp"

namespace cauchy::test_broyden_update {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Vector times(const Vector& h, const Vector& x) {
  const std::size_t n = x.size();
  Vector out(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) out[i] += h[i * n + j] * x[j];
  }
  return out;
}

Vector normal_vector(Rng& rng, std::size_t n) {
  Vector v(n);
  for (double& e : v) e = rng.normal();
  return v;
}

Vector identity(std::size_t n) {
  Vector h(n * n);
  for (std::size_t i = 0; i < n; ++i) h[i * n + i] = 1;
  return h;
}

/// Cholesky factor, empty when h is not positive definite.
Vector cholesky(const Vector& h, std::size_t n) {
  Vector l(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = h[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
      if (i == j && !(sum > 0)) return {};
      l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
    }
  }
  return l;
}

/// A positive definite H and a pair with y's > 0, with all that the update is made of.
struct Case {
  std::size_t n;
  Vector h, s, y, hy;
  double ys, yhy, shs;  ///< shs = s'H^-1 s
  Case(std::size_t size, std::uint64_t seed) : n(size), h(identity(size)) {
    Rng rng(seed);
    for (int k = 0; k < 4; ++k) {  // I + sum of squares: eigenvalues from 1 to about 4 n
      const Vector u = normal_vector(rng, n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) h[i * n + j] += u[i] * u[j];
      }
    }
    s = normal_vector(rng, n);
    y = normal_vector(rng, n);
    if (dot(s, y) < 0) std::transform(y.begin(), y.end(), y.begin(), std::negate<>());
    hy = times(h, y);
    ys = dot(y, s);
    yhy = dot(y, hy);
    const Vector l = cholesky(h, n);
    Vector z = s;  // L z = s, then s'H^-1 s = |z|^2
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) z[i] -= l[i * n + j] * z[j];
      z[i] /= l[i * n + i];
    }
    shs = dot(z, z);
  }
  [[nodiscard]] double a() const { return shs * yhy / (ys * ys) - 1; }
  /// Rounding of one update, entry by entry: the sizes of its terms, amplified by 1 / y's.
  [[nodiscard]] double tolerance(double tau, double phi) const {
    const double grow = 1 + std::abs(phi) * yhy * dot(s, s) / (ys * ys) + dot(hy, hy) / yhy;
    return 64 * eps * static_cast<double>(n) * (1 + 1 / tau) * (grow + dot(s, s) / ys);
  }
};

double largest_difference(const Vector& a, const Vector& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference;  // NaN stays
  }
  return largest;
}

TEST(BroydenUpdate, SatisfiesTheSecantEquationForAnyTauAndPhi) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    for (const double tau : {0.3, 1.0, 2.5}) {
      for (const double phi : {-0.4, 0.0, 0.5, 1.0, 3.0}) {
        Case c(7, seed);
        broyden_update(c.h, c.s, c.y, tau, phi);
        const double scale = std::sqrt(dot(c.y, c.y));
        EXPECT_LT(largest_difference(times(c.h, c.y), c.s), scale * c.tolerance(tau, phi));
        for (std::size_t i = 0; i < 7; ++i) {
          for (std::size_t j = 0; j < i; ++j) {
            EXPECT_LT(std::abs(c.h[i * 7 + j] - c.h[j * 7 + i]), c.tolerance(tau, phi));
          }
        }
      }
    }
  }
}

TEST(BroydenUpdate, IsBfgsForTauAndPhiOne) {
  // (I - s y'/y's) H (I - y s'/y's) + s s'/y's, by two products.
  const std::size_t n = 8;
  Case c(n, 3);
  Vector left = identity(n), half(n * n), bfgs(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) left[i * n + j] -= c.s[i] * c.y[j] / c.ys;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) half[i * n + j] += left[i * n + k] * c.h[k * n + j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) bfgs[i * n + j] += half[i * n + k] * left[j * n + k];
      bfgs[i * n + j] += c.s[i] * c.s[j] / c.ys;
    }
  }
  const double tolerance = c.tolerance(1, 1);
  broyden_update(c.h, c.s, c.y, 1, 1);
  EXPECT_LT(largest_difference(c.h, bfgs), tolerance);
}

TEST(BroydenUpdate, IsDfpForTauOneAndPhiZero) {
  const std::size_t n = 8;
  Case c(n, 4);
  Vector dfp = c.h;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      dfp[i * n + j] += c.s[i] * c.s[j] / c.ys - c.hy[i] * c.hy[j] / c.yhy;
    }
  }
  const double tolerance = c.tolerance(1, 0);
  broyden_update(c.h, c.s, c.y, 1, 0);
  EXPECT_LT(largest_difference(c.h, dfp), tolerance);
}

TEST(BroydenUpdate, IsPositiveDefiniteExactlyWhenOnePlusAThetaIsPositive) {
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    for (const double sigma : {-2.0, -0.3, -0.05, 0.05, 0.3, 1.0, 4.0}) {
      for (const double tau : {0.4, 1.0}) {
        Case c(6, seed);
        const double theta = (sigma - 1) / c.a();
        broyden_update(c.h, c.s, c.y, tau, (1 - theta) / sigma);
        EXPECT_EQ(!cholesky(c.h, 6).empty(), sigma > 0) << seed << " " << sigma;
      }
    }
  }
}

TEST(BroydenUpdate, RefusesWhatDoesNotFit) {
  Vector h(9), s(3, 1.0), y(2, 1.0);
  try {
    broyden_update(h, s, y, 1, 1);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "H has 9 entries, s 3 and y 2");
  }
  y.assign(3, 1.0);
  EXPECT_THROW(broyden_update(h, s, y, 1, 1), Error);  // H = 0: y'Hy = 0
  h = identity(3);
  EXPECT_THROW(broyden_update(h, s, y, 0, 1), Error);
  EXPECT_THROW(broyden_update(h, s, Vector{1, -1, 0}, 1, 1), Error);
  EXPECT_NO_THROW(broyden_update(h, s, y, 1, 1));
}

TEST(BroydenParameters, TheBoundsAreReciprocalAndHaveTheClosedForm) {
  for (const double b : {1e-3, 0.2, 0.9, 1.0, 1.5, 7.0, 400.0}) {
    for (const double a : {1e-6, 0.01, 0.5, 3.0, 200.0}) {
      const double h = (1 + a) / b, c = std::sqrt(a / (1 + a));
      const auto k = broyden_parameters(QuasiNewtonUpdate::ssbroyden, b, h, 10);
      // h b - 1 loses 1 / a of its digits, c half as many.
      const double tolerance = 16 * eps * (1 + 1 / a);
      EXPECT_LT(std::abs(k.a - a), tolerance * a);
      EXPECT_LT(std::abs(k.c - c), tolerance * c);
      // 1 - c, as the formula is printed, loses digits where c is near 1: 1 / (1 - c) < 402.
      EXPECT_LT(std::abs(k.rho_minus - std::min(1.0, h * (1 - c))), 1000 * tolerance * k.rho_minus);
      EXPECT_LT(std::abs(k.theta_plus - 1 / k.rho_minus), 4 * eps * k.theta_plus);
      EXPECT_LT(std::abs(k.theta_plus - std::max(1.0, b * (1 + c))), tolerance * k.theta_plus);
      EXPECT_LE(k.theta_minus, 0);
      EXPECT_LE(k.theta_minus, k.theta);
      EXPECT_LE(k.theta, k.theta_plus);
      EXPECT_GT(k.sigma, 0);
    }
  }
}

/// The formulas as printed, without guards.
BroydenParameters printed_formulas(double b, double h, double n) {
  BroydenParameters k;
  k.a = h * b - 1;
  k.c = std::sqrt(k.a / (k.a + 1));
  k.rho_minus = std::min(1.0, h * (1 - k.c));
  k.theta_minus = (k.rho_minus - 1) / k.a;
  k.theta_plus = 1 / k.rho_minus;
  k.theta = std::max(k.theta_minus, std::min(k.theta_plus, (1 - b) / b));
  k.sigma = 1 + k.a * k.theta;
  const double tau1 = std::min(1.0, 1 / b), root = std::pow(k.sigma, -1 / (n - 1));
  k.tau = k.theta > 0 ? tau1 * std::min(root, 1 / k.theta) : std::min(tau1 * root, k.sigma);
  k.phi = (1 - k.theta) / (1 + k.a * k.theta);
  return k;
}

TEST(BroydenParameters, AreThePrintedFormulasAwayFromTheirSingularities) {
  int positive = 0, negative = 0;
  for (const double b : {0.1, 0.4, 0.8, 1.3, 2.0, 9.0}) {
    for (const double a : {0.1, 0.5, 3.0, 20.0}) {
      const double h = (1 + a) / b;
      const auto k = broyden_parameters(QuasiNewtonUpdate::ssbroyden, b, h, 12);
      const auto p = printed_formulas(b, h, 12);
      (p.theta > 0 ? positive : negative)++;
      const double tolerance = 1e-12;  // the printed form cancels: 1 - c > 0.02, sigma > 0.05
      EXPECT_LT(std::abs(k.theta - p.theta), tolerance * (1 + std::abs(p.theta)));
      EXPECT_LT(std::abs(k.sigma - p.sigma), tolerance * p.sigma);
      EXPECT_LT(std::abs(k.tau - p.tau), tolerance * p.tau);
      EXPECT_LT(std::abs(k.phi - p.phi), tolerance * (1 + std::abs(p.phi)));
      const auto first = broyden_parameters(QuasiNewtonUpdate::ssbroyden, b, h, 12, true);
      EXPECT_LT(std::abs(first.tau - h / p.sigma), tolerance * first.tau);
      EXPECT_EQ(first.phi, k.phi);
    }
  }
  EXPECT_GT(positive, 5);
  EXPECT_GT(negative, 5);
}

TEST(BroydenParameters, OfTheOtherMembers) {
  for (const double b : {0.25, 4.0}) {
    const double h = 2 / b;  // a = 1
    const auto bfgs = broyden_parameters(QuasiNewtonUpdate::bfgs, b, h, 5);
    EXPECT_EQ(bfgs.tau, 1);
    EXPECT_EQ(bfgs.phi, 1);
    EXPECT_EQ(broyden_parameters(QuasiNewtonUpdate::bfgs, b, h, 5, true).tau, h);
    const auto dfp = broyden_parameters(QuasiNewtonUpdate::dfp, b, h, 5);
    EXPECT_EQ(dfp.tau, 1);
    EXPECT_EQ(dfp.phi, 0);
    EXPECT_EQ(broyden_parameters(QuasiNewtonUpdate::dfp, b, h, 5, true).tau, 1 / b);
    const auto scaled = broyden_parameters(QuasiNewtonUpdate::ssbfgs, b, h, 5);
    EXPECT_EQ(scaled.tau, std::min(1.0, 1 / b));
    EXPECT_EQ(scaled.phi, 1);
    EXPECT_EQ(broyden_parameters(QuasiNewtonUpdate::ssbfgs, b, h, 5, true).tau, h);
  }
}

TEST(BroydenParameters, StayFiniteAndDefiniteAtTheEdges) {
  struct Edge {
    double b, h;
    std::size_t n;
  };
  const std::vector<Edge> edges{{1, 1, 5},       {2, 0.5, 5},      {0.5, 2, 5},     {1, 1, 1},
                                {3, 1 / 3.0, 1}, {0.2, 5, 1},      {1, 1 - eps, 4}, {1, 1 + eps, 4},
                                {3, 1e20, 2},    {1e-8, 1e20, 2},  {1e12, 1e12, 3}, {1e-9, 1e9, 3},
                                {1e9, 1e-9, 3},  {1e150, 1e150, 2}};
  for (const Edge& e : edges) {
    for (const bool scale : {false, true}) {
      const auto k = broyden_parameters(QuasiNewtonUpdate::ssbroyden, e.b, e.h, e.n, scale);
      EXPECT_TRUE(std::isfinite(k.tau) && k.tau > 0) << e.b << " " << e.h;
      EXPECT_TRUE(std::isfinite(k.phi)) << e.b << " " << e.h;
      EXPECT_TRUE(std::isfinite(k.theta)) << e.b << " " << e.h;
      EXPECT_GT(k.sigma, 0) << e.b << " " << e.h;
      EXPECT_GE(k.a, 0);
      EXPECT_FALSE(std::isnan(k.theta_minus));
    }
  }
  // a = 0: theta is (1 - b) / b between its bounds, and sigma is 1 whatever theta.
  EXPECT_EQ(broyden_parameters(QuasiNewtonUpdate::ssbroyden, 2, 0.5, 5).theta, -0.5);
  EXPECT_EQ(broyden_parameters(QuasiNewtonUpdate::ssbroyden, 0.5, 2, 5).theta, 1);
  EXPECT_EQ(broyden_parameters(QuasiNewtonUpdate::ssbroyden, 2, 0.5, 5).sigma, 1);
  // n = 1 with an a that is not quite 0: sigma^(-1 / 0) is not used.
  const auto single = broyden_parameters(QuasiNewtonUpdate::ssbroyden, 0.5, 2 * (1 + 1e-12), 1);
  EXPECT_EQ(single.b, 0.5);
  EXPECT_EQ(single.tau, 1);
  // At theta_minus sigma is rho_minus to the last digit, however small.
  const auto steep = broyden_parameters(QuasiNewtonUpdate::ssbroyden, 1e12, 1e12, 3);
  EXPECT_LT(std::abs(steep.sigma - 5e-13), 1e-25);
  // Nonsense comes back as BFGS.
  for (const double bad : {0.0, -1.0, infinity, std::nan(""), 1e300}) {
    for (const auto& k : {broyden_parameters(QuasiNewtonUpdate::ssbroyden, bad, 1e300, 5),
                          broyden_parameters(QuasiNewtonUpdate::dfp, 1e300, bad, 5)}) {
      EXPECT_EQ(k.tau, 1);
      EXPECT_EQ(k.phi, 1);
    }
  }
}

/// A long random run of updates in both forms, with products between them.
void compare_with_reference(std::size_t n, int updates) {
  Rng rng(n + 17);
  detail::InverseHessian fast(n, 1);
  Vector plain = identity(n);
  double error = 0, scale = 1;
  for (int k = 0; k < updates; ++k) {
    // Pairs of a quadratic with curvatures from 0.5 to 1.5: H stays within bounds.
    Vector s = normal_vector(rng, n), y(n), hy(n), x = normal_vector(rng, n), hx(n), next(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = s[i] * (0.5 + static_cast<double>(i % 11) / 10);
    fast.multiply(y, hy);
    const double ys = dot(y, s), yhy = dot(y, hy);
    const double tau = 0.8 + 0.4 * rng.uniform(), phi = 1.5 * rng.uniform();
    fast.multiply(x, hx);
    fast.update(1 / tau, s, hy, (1 + phi * yhy / ys / tau) / ys, -phi / (tau * ys),
                (phi - 1) / (tau * yhy));
    fast.product_after_update(x, hx, next);
    broyden_update(plain, s, y, tau, phi);
    const Vector expected = times(plain, x);
    for (const double e : expected) scale = std::max(scale, std::abs(e));
    error = std::max(error, largest_difference(next, expected));
    if (k % 3 == 0) {
      fast.multiply(x, hx);
      error = std::max(error, largest_difference(hx, expected));
    }
    const Vector triangle = fast.triangle();
    ASSERT_EQ(triangle.size(), n * (n + 1) / 2);
    for (std::size_t i = 0, at = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j, ++at) {
        error = std::max(error, std::abs(triangle[at] - plain[i * n + j]));
      }
    }
  }
  // Each update adds its own rounding and passes on the earlier ones, not enlarged by more than
  // 1 / tau on average 1.
  EXPECT_LT(error, 256 * eps * scale * updates * std::sqrt(static_cast<double>(n))) << n;
}

TEST(InverseHessian, FollowsThePlainUpdate) {
  for (std::size_t n = 1; n <= 26; ++n) compare_with_reference(n, 12);
  compare_with_reference(100, 40);
  compare_with_reference(521, 3);  // four pieces
}

/// Three updates and products on n rows; the bits of everything that comes out.
Vector run_updates(std::size_t n, int threads) {
  Rng rng(23);
  detail::InverseHessian h(n, threads);
  Vector all;
  for (int k = 0; k < 3; ++k) {
    const Vector s = normal_vector(rng, n), w = normal_vector(rng, n), x = normal_vector(rng, n);
    h.update(0.7, s, w, 0.3, -0.2, 0.1);
    Vector hx(n);
    h.multiply(x, hx);
    all.insert(all.end(), hx.begin(), hx.end());
  }
  const Vector triangle = h.triangle();
  all.insert(all.end(), triangle.begin(), triangle.end());
  return all;
}

TEST(InverseHessian, HasTheSameBitsForAnyNumberOfThreads) {
  for (const std::size_t n : {90u, 701u}) {
    const Vector one = run_updates(n, 1);
    EXPECT_EQ(run_updates(n, 2), one);
    EXPECT_EQ(run_updates(n, 3), one);
  }
}

TEST(InverseHessian, HasTheSameBitsOnEveryInstructionSet) {
  const Vector expected = run_updates(93, 1);
  for (const Target target : available_targets()) {
    force_target(target);
    EXPECT_EQ(run_updates(93, 1), expected) << to_string(target);
  }
  reset_target();
}

TEST(InverseHessian, ContinuesFromItsTriangleWithTheSameBits) {
  const std::size_t n = 37;
  Rng rng(4);
  detail::InverseHessian whole(n, 1), loaded(n, 1);
  Vector x(n), a(n), b(n);
  for (int k = 0; k < 4; ++k) {
    const Vector s = normal_vector(rng, n), w = normal_vector(rng, n);
    whole.update(0.9, s, w, 0.3, -0.2, 0.1);  // the last one is still to be applied
  }
  EXPECT_FALSE(whole.identity());
  loaded.load(whole.triangle());
  x = normal_vector(rng, n);
  whole.multiply(x, a);
  loaded.multiply(x, b);
  EXPECT_EQ(a, b);
  EXPECT_EQ(whole.triangle(), loaded.triangle());
  whole.reset();
  EXPECT_TRUE(whole.identity());
  whole.multiply(x, a);
  EXPECT_EQ(a, x);
  // Nothing of the old matrix comes back with the next update.
  const Vector zero(n);
  whole.update(2, zero, zero, 1, 1, 1);
  whole.multiply(x, a);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(a[i], 2 * x[i]);
  // Two updates without a product between them.
  whole.update(4, zero, zero, 1, 1, 1);
  whole.update(8, zero, zero, 1, 1, 1);
  whole.multiply(x, a);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(a[i], 64 * x[i]);
}

}  // namespace
}  // namespace cauchy::test_broyden_update
