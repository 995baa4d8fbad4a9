#include "solvers/spectral/etdrk4.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <gtest/gtest.h>

namespace cauchy::detail::test_etdrk4 {
namespace {

using Complex = std::complex<double>;
using Long = std::complex<long double>;

/// phi_k by its series, or far from 0 by the recursion, with 64 bits of mantissa.
Long exact_phi(int k, Long z) {
  if (std::abs(z) < 2) {
    Long sum = 0, power = 1;
    long double factorial = 1;
    for (int j = 1; j <= k; ++j) factorial *= static_cast<long double>(j);
    for (int j = 0; j < 45; ++j) {
      sum += power / factorial;
      power *= z;
      factorial *= static_cast<long double>(j + k + 1);
    }
    return sum;
  }
  Long phi = std::exp(z);
  long double factorial = 1;
  for (int j = 0; j < k; ++j) {
    phi = (phi - Long(1 / factorial)) / z;
    factorial *= static_cast<long double>(j + 1);
  }
  return phi;
}

double relative_error(Complex value, Long exact) {
  const long double least = std::numeric_limits<double>::min();
  return static_cast<double>(std::abs(Long(value) - exact) / std::max(least, std::abs(exact)));
}

TEST(Etdrk4, PhiFunctionsOfNumbersAreExactNearZeroAndFarFromIt) {
  const Complex places[] = {0,   1e-12, -1e-6,     {0, 1e-4}, 0.3, {0, 1},  -1.9,
                            -30, -1e5,  {0, 40.2}, {0, 1e4},  3.1, {-2, 3}, {-0.01, 0.02}};
  for (const Complex z : places) {
    const Phi phi = phi_functions(z);
    for (int k = 0; k < 4; ++k) {
      // Three divisions and subtractions at |z| >= 2, or a series of 26 falling terms.
      EXPECT_LT(relative_error(phi[static_cast<std::size_t>(k)], exact_phi(k, z)),
                16 * std::numeric_limits<double>::epsilon())
          << "phi_" << k << " at " << z;
    }
  }
}

TEST(Etdrk4, PhiFunctionsOfADefectiveMatrixHaveTheDerivativeAboveTheDiagonal) {
  for (const double a : {0.0, -0.7, -60.0}) {
    SmallMatrix z(2);
    z(0, 0) = z(1, 1) = a;
    z(0, 1) = 0.25;
    const MatrixPhi phi = phi_functions(z);
    for (int k = 0; k < 4; ++k) {
      const SmallMatrix& p = phi.full[static_cast<std::size_t>(k)];
      const Long middle = exact_phi(k, Long(a));
      // phi_k' = phi_k - k phi_(k+1)
      const Long slope = middle - static_cast<long double>(k) * exact_phi(k + 1, Long(a));
      const double tol = 1e-14 + 60 * 4 * std::numeric_limits<double>::epsilon();
      EXPECT_LT(static_cast<double>(std::abs(Long(p(0, 0)) - middle)), tol);
      EXPECT_LT(static_cast<double>(std::abs(Long(p(0, 1)) - 0.25L * slope)), tol);
      EXPECT_EQ(p(1, 0), Complex(0));
    }
  }
}

TEST(Etdrk4, PhiFunctionsOfAStiffWaveAreBalanced) {
  // y'' = -k^2 y as a system; without balancing the norm k^2 h would cost six more digits.
  const double k = 4000, h = 0.02;
  SmallMatrix z(2);
  z(0, 1) = h;
  z(1, 0) = -k * k * h;
  const MatrixPhi phi = phi_functions(z);
  const double angle = k * h, tol = 64 * angle * std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(phi.full[0](0, 0).real(), std::cos(angle), tol);
  EXPECT_NEAR(phi.full[0](0, 1).real() * k, std::sin(angle), tol);
  EXPECT_NEAR(phi.full[0](1, 0).real() / k, -std::sin(angle), tol);
  EXPECT_NEAR(phi.half[0](0, 0).real(), std::cos(angle / 2), tol);
  EXPECT_NEAR(phi.full[1](0, 0).real(), std::sin(angle) / angle, tol);
  EXPECT_NEAR(phi.full[2](0, 0).real(), (1 - std::cos(angle)) / (angle * angle), tol);
}

TEST(Etdrk4, AStepIsExactForAPolynomialSourceOfDegreeTwo) {
  // y' = c y + 1 + 2 t + 3 t^2 from t = 0.3: y = e^(ch) y0 + sum of derivatives times h^(k+1) phi.
  const Complex c(-3, 4);
  const double h = 0.4, t0 = 0.3;
  ModeMatrices linear(1, 1, 1);
  linear.set(0, 0, 0, c);
  Etdrk4 scheme(linear, h);
  Modes y(1, Complex(0.5, -0.2));
  scheme.advance(t0, y, [](double t, const Modes&, Modes& out) { out[0] = 1 + 2 * t + 3 * t * t; });
  const Phi phi = phi_functions(h * c);
  const Complex exact = phi[0] * Complex(0.5, -0.2) + h * phi[1] * (1 + 2 * t0 + 3 * t0 * t0) +
                        h * h * phi[2] * (2 + 6 * t0) + h * h * h * phi[3] * 6.0;
  EXPECT_LT(std::abs(y[0] - exact), 1e-15);
}

TEST(Etdrk4, AStepWithoutLinearPartIsThatOfRungeAndKutta) {
  ModeMatrices linear(1, 1, 1);
  Etdrk4 scheme(linear, 0.5);
  const auto f = [](double t, Complex y) { return y * y - t; };
  Modes y(1, Complex(0.7, 0));
  scheme.advance(1, y, [&](double t, const Modes& s, Modes& out) { out[0] = f(t, s[0]); });
  const Complex k1 = f(1, 0.7), k2 = f(1.25, 0.7 + 0.25 * k1), k3 = f(1.25, 0.7 + 0.25 * k2),
                k4 = f(1.5, 0.7 + 0.5 * k3);
  EXPECT_LT(std::abs(y[0] - (0.7 + 0.5 / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))), 2e-15);
}

TEST(Etdrk4, MatricesOfModesSkipWhatIsZeroForAll) {
  ModeMatrices m(2, 3, 2);
  m.set(0, 1, 0, {0, 2});
  m.set(0, 1, 1, 3);
  m.set(0, 2, 1, 1);
  m.set(1, 0, 0, 0);
  EXPECT_TRUE(m.is_zero(1, 0));
  EXPECT_FALSE(m.is_diagonal());
  const Modes in{1, 2, {3, 1}, 4, 5, 6};
  Modes out(4, 100);
  m.apply(in, out);
  EXPECT_EQ(out, (Modes{{-2, 6}, 18, 0, 0}));
  m.add(in, out);
  EXPECT_EQ(out, (Modes{{-4, 12}, 36, 0, 0}));
}

}  // namespace
}  // namespace cauchy::detail::test_etdrk4
