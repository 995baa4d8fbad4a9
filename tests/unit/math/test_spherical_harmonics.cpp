#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/math/spherical_harmonics.hpp>

#include "math/sphere/legendre_sweep.hpp"
#include "math/sphere/plain_transform.hpp"

namespace cauchy::test_spherical_harmonics {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;
constexpr double eps = 2.2e-16;

/// Random coefficients of order 1; m = 0 real, those of l = 0 on request 0 (vectors have none).
SphereSpectrum random_spectrum(std::size_t degree, std::uint64_t seed, bool mean = true) {
  Rng rng(seed);
  SphereSpectrum a(spectrum_size(degree));
  for (std::size_t m = 0; m <= degree; ++m) {
    for (std::size_t l = m; l <= degree; ++l) {
      const double re = rng.normal(), im = rng.normal();
      a[spectrum_index(degree, l, m)] = {re, m == 0 ? 0 : im};
    }
  }
  if (!mean) a[0] = 0;
  return a;
}

std::vector<double> random_numbers(std::size_t n, std::uint64_t seed) {
  std::vector<double> x(n);
  Rng(seed).fill_normal(x);
  return x;
}

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  double most = a.size() == b.size() ? 0 : NAN;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    if (!(d <= most)) most = d;
  }
  return most;
}

double real_product(const SphereSpectrum& a, const SphereSpectrum& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (std::conj(a[i]) * b[i]).real();
  return sum;
}
double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Grids that carry a degree, the smallest of each kind and one with an equator.
std::vector<SphereGrid> grids_for(std::size_t L) {
  return {sphere_grid(Latitudes::gauss_legendre, L + 1, 2 * L + 2),
          sphere_grid(Latitudes::gauss_legendre, L + 2, 2 * L + 1),
          sphere_grid(Latitudes::equiangular, 2 * L + 1, 2 * L + 1),
          sphere_grid(Latitudes::equiangular, 2 * L + 2, 2 * L + 4),
          sphere_grid(Latitudes::clenshaw_curtis, 2 * L + 1, 2 * L + 2)};
}

TEST(SphereGrid, IntegratesPowersOfTheSineOfLatitudeUpToItsDegree) {
  for (const std::size_t n : {2u, 7u, 16u, 33u}) {
    for (const Latitudes kind :
         {Latitudes::gauss_legendre, Latitudes::equiangular, Latitudes::clenshaw_curtis}) {
      const SphereGrid grid = sphere_grid(kind, n, 4);
      const std::size_t exact = kind == Latitudes::gauss_legendre ? 2 * n - 1 : n - 1;
      for (std::size_t p = 0; p <= exact; ++p) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
          sum += grid.weights[i] * std::pow(grid.x[i], static_cast<double>(p));
        }
        const double truth = p % 2 == 0 ? 2 / static_cast<double>(p + 1) : 0;
        EXPECT_LT(std::abs(sum - truth), 8 * eps) << to_string(kind) << " " << n << " x^" << p;
      }
      // And not beyond it, or the degree was understated.
      const double even = static_cast<double>(exact + 1 + (exact + 1) % 2);
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += grid.weights[i] * std::pow(grid.x[i], even);
      if (n >= 16) continue;
      EXPECT_GT(std::abs(sum - 2 / (even + 1)), 1e-6) << to_string(kind) << " " << n;
    }
  }
}

TEST(SphereGrid, GoesFromNorthToSouthAndCoversTheSphere) {
  const SphereGrid grid = sphere_grid(Latitudes::clenshaw_curtis, 19, 36);
  EXPECT_NEAR(grid.latitude(0), pi / 2, eps);
  EXPECT_NEAR(grid.latitude(9), 0, eps);
  EXPECT_NEAR(grid.colatitude(18), pi, 4 * eps);
  EXPECT_NEAR(grid.colatitude(6), pi / 3, 4 * eps);
  EXPECT_NEAR(grid.longitude(9), pi / 2, eps);
  EXPECT_NEAR(integrate(grid, std::vector<double>(grid.size(), 1.0)), 4 * pi, 64 * eps);
  // T42, T63 and T127 with the 2/3 rule are the grids of the literature.
  for (const auto& [degree, n] :
       {std::pair{42u, 64u}, std::pair{63u, 96u}, std::pair{127u, 192u}}) {
    EXPECT_EQ(gauss_grid(degree, 2).n_latitudes, n);
    EXPECT_EQ(gauss_grid(degree, 2).n_longitudes, 2 * n);
  }
}

TEST(SphericalHarmonics, HaveTheValuesOfTheClosedForms) {
  // Y_00, Y_10, Y_11, Y_20, Y_21, Y_22, Y_33 with the phase of Condon and Shortley.
  const double theta = 0.7, lambda = 1.1, c = std::cos(theta), s = std::sin(theta);
  const auto value = [&](std::size_t l, std::size_t m, double part) {
    SphereSpectrum a(spectrum_size(3));
    a[spectrum_index(3, l, m)] = m == 0 ? Complex(1) : part > 0 ? Complex(0.5) : Complex(0, -0.5);
    return evaluate_spectrum(a, std::vector{theta}, std::vector{lambda})[0];
  };
  const auto expect = [&](std::size_t l, std::size_t m, double p) {
    const double angle = static_cast<double>(m) * lambda;
    EXPECT_NEAR(value(l, m, 1), p * std::cos(angle), 8 * eps) << l << " " << m;
    if (m == 0) return;
    EXPECT_NEAR(value(l, m, -1), p * std::sin(angle), 8 * eps) << l << " " << m;
  };
  expect(0, 0, std::sqrt(1 / (4 * pi)));
  expect(1, 0, std::sqrt(3 / (4 * pi)) * c);
  expect(1, 1, -std::sqrt(3 / (8 * pi)) * s);
  expect(2, 0, std::sqrt(5 / (16 * pi)) * (3 * c * c - 1));
  expect(2, 1, -std::sqrt(15 / (8 * pi)) * s * c);
  expect(2, 2, std::sqrt(15 / (32 * pi)) * s * s);
  expect(3, 3, -std::sqrt(35 / (64 * pi)) * s * s * s);
}

TEST(SphericalTransform, AgreesWithPlainSumsOnEveryKindOfGrid) {
  const std::size_t L = 9;
  const SphereSpectrum a = random_spectrum(L, 1), s = random_spectrum(L, 2, false),
                       t = random_spectrum(L, 3, false);
  const double tolerance = 64 * eps * static_cast<double>(spectrum_size(L));
  for (const SphereGrid& grid : grids_for(L)) {
    const SphericalTransform transform(grid, L);
    std::vector<double> f(grid.size()), g(f), u(f), v(f), u2(f), v2(f);
    transform.synthesize(a, f);
    detail::plain_synthesis(grid, L, a, g);
    EXPECT_LT(largest_difference(f, g), tolerance) << to_string(grid.latitudes);
    transform.synthesize_vector(s, t, u, v);
    detail::plain_vector_synthesis(grid, L, s, t, u2, v2);
    EXPECT_LT(largest_difference(u, u2), tolerance) << to_string(grid.latitudes);
    EXPECT_LT(largest_difference(v, v2), tolerance) << to_string(grid.latitudes);
    const std::vector<double> x = random_numbers(grid.size(), 4),
                              y = random_numbers(grid.size(), 5);
    SphereSpectrum b(a.size()), c(b), b2(b), c2(b);
    transform.analyze(x, b);
    detail::plain_analysis(grid, L, x, c);
    EXPECT_LT(largest_difference(b, c), tolerance) << to_string(grid.latitudes);
    transform.analyze_vector(x, y, b, c);
    detail::plain_vector_analysis(grid, L, x, y, b2, c2);
    EXPECT_LT(largest_difference(b, b2), tolerance) << to_string(grid.latitudes);
    EXPECT_LT(largest_difference(c, c2), tolerance) << to_string(grid.latitudes);
  }
}

TEST(SphericalTransform, InvertsItselfForScalarsAndVectors) {
  const std::size_t L = 24;
  const SphereSpectrum a = random_spectrum(L, 1), s = random_spectrum(L, 2, false),
                       t = random_spectrum(L, 3, false);
  for (const SphereGrid& grid : grids_for(L)) {
    const SphericalTransform transform(grid, L);
    std::vector<double> f(grid.size()), u(f), v(f);
    SphereSpectrum b(a.size()), c(b);
    transform.synthesize(a, f);
    transform.analyze(f, b);
    EXPECT_LT(largest_difference(a, b), 1e-13) << to_string(grid.latitudes);
    transform.synthesize_vector(s, t, u, v);
    transform.analyze_vector(u, v, b, c);
    EXPECT_LT(largest_difference(s, b), 1e-13) << to_string(grid.latitudes);
    EXPECT_LT(largest_difference(t, c), 1e-13) << to_string(grid.latitudes);
    transform.synthesize_wind(t, s, 3, u, v);
    transform.analyze_wind(u, v, 3, b, c);
    EXPECT_LT(largest_difference(t, b), 1e-13) << to_string(grid.latitudes);
    EXPECT_LT(largest_difference(s, c), 1e-13) << to_string(grid.latitudes);
  }
}

TEST(SphericalTransform, GoesThereAndBackAtDegree180) {
  const std::size_t L = 180;
  const SphereSpectrum a = random_spectrum(L, 1);
  const SphericalTransform transform(gauss_grid(L), L, false);
  std::vector<double> f(transform.n_points());
  SphereSpectrum b(a.size());
  transform.synthesize(a, f);
  transform.analyze(f, b);
  EXPECT_LT(largest_difference(a, b), 1e-12);
}

TEST(SphericalTransform, GoesThereAndBackAtDegree512) {
  const std::size_t L = 512;
  const SphereSpectrum a = random_spectrum(L, 1);
  const SphericalTransform transform(gauss_grid(L), L, false);
  std::vector<double> f(transform.n_points());
  SphereSpectrum b(a.size());
  transform.synthesize(a, f);
  transform.analyze(f, b);
  EXPECT_LT(largest_difference(a, b), 1e-11);
}

TEST(LegendreSweep, HasARangeBeyondThatOfItsNumbers) {
  // The recursion is linear: begun 2^256 times smaller, all values are as much smaller, and come
  // back when they have grown. Outside of [-1, 1] they grow for ever.
  const std::size_t L = 400, m = 3;
  const detail::LegendreSweep sweep(L, m);
  std::vector<long double> small(L + 1), large(L + 1);
  sweep(2.0L, {1, 0}, large);
  sweep(2.0L, {1, -1}, small);
  EXPECT_EQ(small[0], 0);
  std::size_t seen = 0;
  for (std::size_t k = 0; k + m <= L; ++k) {
    if (small[k] == 0) continue;
    ++seen;
    EXPECT_LT(std::abs(small[k] / (large[k] * 0x1p-256L) - 1), 1e-15L) << k;
  }
  EXPECT_GT(seen, 100u);
  // sin^5000 of a thousandth is 1e-15000.
  const std::vector<detail::ScaledReal> first = detail::sectoral_values(5000, 1e-3L);
  const long double log10 = std::log10(std::abs(first[5000].value)) +
                            256 * static_cast<long double>(first[5000].exponent) * std::log10(2.0L);
  long double expected = -0.5L * std::log10(4 * static_cast<long double>(pi)) - 3 * 4999;
  for (int k = 1; k <= 5000; ++k) expected += 0.5L * std::log10((2.0L * k + 1) / (2.0L * k));
  EXPECT_LT(std::abs(log10 - expected), 1e-9L);
}

TEST(SphericalTransform, HasNoSpotsAtDegree1500) {
  // Addition theorem: sum_m |Y_lm|^2 = (2l+1) / (4 pi) at any point, near the pole as well.
  const std::size_t L = 1500;
  for (const double theta : {0.002, 0.3, 1.2}) {
    const std::vector<detail::ScaledReal> first =
        detail::sectoral_values(L, std::sin(static_cast<long double>(theta)));
    std::vector<long double> q(L + 1);
    long double sum = 0;
    for (std::size_t m = 0; m <= L; ++m) {
      const detail::LegendreSweep sweep(L, m);
      sweep(std::cos(static_cast<long double>(theta)), first[m], q);
      const long double p = q[L - m] * (m == 0 ? 1 : std::sin(static_cast<long double>(theta)));
      sum += (m == 0 ? 1 : 2) * p * p;
    }
    EXPECT_LT(std::abs(sum * 4 * static_cast<long double>(pi) / (2.0L * L + 1) - 1), 1e-13L);
  }
}

TEST(SphericalTransform, IsOrthonormal) {
  const std::size_t L = 8;
  const SphericalTransform transform(gauss_grid(L), L);
  for (std::size_t k = 0; k < spectrum_size(L); ++k) {
    for (const Complex z : {Complex(1), Complex(0, 1)}) {
      SphereSpectrum a(spectrum_size(L)), zero(a), back(a);
      a[k] = z;
      const bool real = k > L;
      if (!real && z.real() == 0) continue;
      std::vector<double> f(transform.n_points()), g(f);
      transform.synthesize(a, f);
      for (double& x : f) x *= x;
      // A coefficient of m > 0 stands for two harmonics.
      EXPECT_NEAR(integrate(transform.grid(), f), real ? 2 : 1, 1e-14);
      if (k == 0) continue;
      transform.synthesize_vector(a, zero, f, g);
      for (std::size_t i = 0; i < f.size(); ++i) f[i] = f[i] * f[i] + g[i] * g[i];
      EXPECT_NEAR(integrate(transform.grid(), f), real ? 2 : 1, 1e-14);
    }
  }
}

TEST(SphericalTransform, HasAdjointsThatFulfilTheirIdentity) {
  const std::size_t L = 13;
  for (const SphereGrid& grid : grids_for(L)) {
    const SphericalTransform transform(grid, L);
    const SphereSpectrum a = random_spectrum(L, 1), b = random_spectrum(L, 2);
    const SphereSpectrum s = random_spectrum(L, 3, false), t = random_spectrum(L, 4, false);
    const std::vector<double> x = random_numbers(grid.size(), 5),
                              y = random_numbers(grid.size(), 6);
    std::vector<double> f(grid.size()), u(f), v(f);
    SphereSpectrum c(a.size()), d(a.size());
    const double tolerance = 1e-12;  // sums of 1,000 terms of size 10
    transform.synthesize(a, f);
    transform.synthesize_adjoint(x, c);
    EXPECT_NEAR(product(f, x), real_product(a, c), tolerance * product(f, f));
    transform.analyze(x, c);
    transform.analyze_adjoint(b, f);
    EXPECT_NEAR(real_product(b, c), product(f, x), tolerance * real_product(b, b));
    transform.synthesize_vector(s, t, u, v);
    transform.synthesize_vector_adjoint(x, y, c, d);
    EXPECT_NEAR(product(u, x) + product(v, y), real_product(s, c) + real_product(t, d),
                tolerance * product(u, u));
    transform.analyze_vector(x, y, c, d);
    transform.analyze_vector_adjoint(s, t, u, v);
    EXPECT_NEAR(real_product(s, c) + real_product(t, d), product(u, x) + product(v, y),
                tolerance * real_product(s, s));
  }
}

TEST(SphericalTransform, KnowsSolidRotationAndTheGradientOfHeight) {
  // psi = -omega x turns the sphere: u = omega sin(theta), vorticity 2 omega x. Both signs count.
  const std::size_t L = 5;
  const double omega = 0.3, radius = 2;
  const SphericalTransform transform(gauss_grid(L), L);
  const SphereGrid& grid = transform.grid();
  std::vector<double> u(grid.size()), v(grid.size()), vorticity(grid.size()),
      divergence(grid.size());
  for (std::size_t i = 0; i < grid.size(); ++i) {
    u[i] = omega * radius * std::sin(grid.colatitude(i / grid.n_longitudes));
  }
  SphereSpectrum z(spectrum_size(L)), d(z);
  transform.analyze_wind(u, v, radius, z, d);
  transform.synthesize(z, vorticity);
  transform.synthesize(d, divergence);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    EXPECT_NEAR(vorticity[i], 2 * omega * grid.x[i / grid.n_longitudes], 1e-14);
    EXPECT_NEAR(divergence[i], 0, 1e-14);
  }
  // grad of f = sin(theta) cos(lambda): east -sin(lambda), north -cos(theta) cos(lambda).
  SphereSpectrum f(spectrum_size(L)), zero(f);
  f[spectrum_index(L, 1, 1)] = -std::sqrt(8 * pi / 3) / 2;
  for (Complex& c : f) c *= std::sqrt(2.0);  // sqrt(l (l+1)) of l = 1
  transform.synthesize_vector(f, zero, u, v);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const double lambda = grid.longitude(i % grid.n_longitudes);
    EXPECT_NEAR(u[i], -std::sin(lambda), 1e-14);
    EXPECT_NEAR(v[i], -grid.x[i / grid.n_longitudes] * std::cos(lambda), 1e-14);
  }
}

TEST(SphericalTransform, GivesTheEigenvaluesOfTheLaplacian) {
  // div grad f from two vector transforms is the Laplacian of coefficients.
  const std::size_t L = 12;
  const SphericalTransform transform(gauss_grid(L), L);
  const SphereSpectrum a = random_spectrum(L, 1);
  SphereSpectrum lap = a, zero(a.size()), gradient = a, s(a.size()), t(a.size());
  apply_laplacian(lap, 2);
  for (std::size_t m = 0; m <= L; ++m) {
    for (std::size_t l = m; l <= L; ++l) {
      const auto n = static_cast<double>(l);
      EXPECT_EQ(lap[spectrum_index(L, l, m)], a[spectrum_index(L, l, m)] * (-n * (n + 1) / 4));
      gradient[spectrum_index(L, l, m)] *= std::sqrt(n * (n + 1)) / 2;
    }
  }
  std::vector<double> u(transform.n_points()), v(u);
  transform.synthesize_vector(gradient, zero, u, v);
  transform.analyze_wind(u, v, 2, t, s);
  EXPECT_LT(largest_difference(s, lap), 1e-11);
  invert_laplacian(lap, 2);
  lap[0] = a[0];
  EXPECT_LT(largest_difference(lap, a), 1e-15 * 8);
}

TEST(SphericalTransform, TreatsBatchesAndThreadsAlike) {
  const std::size_t L = 21;
  const SphericalTransform transform(gauss_grid(L, 2), L);
  const std::size_t n = transform.n_coefficients(), points = transform.n_points();
  SphereSpectrum a, one;
  for (std::uint64_t k = 0; k < 3; ++k) {
    const SphereSpectrum b = random_spectrum(L, k, false);
    a.insert(a.end(), b.begin(), b.end());
  }
  std::vector<double> f(3 * points), g(f), u(f), v(f), u1(f), v1(f), h(points);
  Threads one_thread(1), four(4);
  transform.synthesize(a, f, &one_thread);
  transform.synthesize(a, g, &four);
  EXPECT_EQ(f, g);
  transform.synthesize(std::span(a).subspan(n, n), h);
  EXPECT_LT(largest_difference(h, {f.begin() + static_cast<long>(points),
                                   f.begin() + static_cast<long>(2 * points)}),
            1e-12);
  transform.synthesize_vector(a, a, u, v);
  transform.synthesize_vector(a, a, u1, v1, &four);
  EXPECT_EQ(u, u1);
  EXPECT_EQ(v, v1);
  SphereSpectrum b(a.size()), c(a.size());
  transform.analyze(f, b);
  transform.analyze(f, c, &four);
  EXPECT_EQ(b, c);
  EXPECT_LT(largest_difference(a, b), 1e-13);
}

TEST(SphereRotation, MovesValuesToTheTurnedPoints) {
  const std::size_t L = 20;
  const SphereSpectrum a = random_spectrum(L, 7);
  const double alpha = 0.4, beta = 1.1, gamma = -2.3;
  for (const double b : {beta, -beta, pi / 2, pi, 0.0}) {
    const SphereSpectrum turned = rotated(a, alpha, b, gamma);
    std::vector<double> theta, lambda, theta2, lambda2;
    for (int k = 0; k < 25; ++k) {
      theta.push_back(0.05 + 0.12 * k);
      lambda.push_back(0.37 * k);
      // R^-1 p = Rz(-gamma) Ry(-b) Rz(-alpha) p.
      const double l = lambda.back() - alpha, t = theta.back();
      const double x = std::sin(t) * std::cos(l), y = std::sin(t) * std::sin(l), z = std::cos(t);
      const double x2 = std::cos(b) * x - std::sin(b) * z, z2 = std::sin(b) * x + std::cos(b) * z;
      theta2.push_back(std::atan2(std::hypot(x2, y), z2));
      lambda2.push_back(std::atan2(y, x2) - gamma);
    }
    EXPECT_LT(largest_difference(evaluate_spectrum(turned, theta, lambda),
                                 evaluate_spectrum(a, theta2, lambda2)),
              1e-12)
        << b;
  }
}

TEST(SphereRotation, KeepsPowerSpectraAndIsUndoneByItsInverse) {
  const std::size_t L = 100;
  const SphereSpectrum a = random_spectrum(L, 8);
  const SphereSpectrum b = rotated(a, 0.9, 2.2, -0.3);
  const std::vector<double> before = power_spectrum(a), after = power_spectrum(b);
  for (std::size_t l = 0; l <= L; ++l) EXPECT_NEAR(after[l] / before[l], 1, 1e-12) << l;
  EXPECT_LT(largest_difference(rotated(b, 0.3, -2.2, -0.9), a), 1e-12);
}

TEST(PowerSpectrum, AddsUpToTheIntegralOfTheSquare) {
  const std::size_t L = 10;
  const SphericalTransform transform(gauss_grid(L, 2), L);
  const SphereSpectrum a = random_spectrum(L, 9);
  std::vector<double> f(transform.n_points());
  transform.synthesize(a, f);
  for (double& x : f) x *= x;
  double sum = 0;
  for (const double p : power_spectrum(a)) sum += p;
  EXPECT_NEAR(integrate(transform.grid(), f) / sum, 1, 1e-13);
}

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(SphericalTransform, RefusesGridsThatDoNotCarryTheDegree) {
  EXPECT_EQ(message_of([] {
              (void)SphericalTransform(sphere_grid(Latitudes::gauss_legendre, 32, 64), 40);
            }),
            "[math.spherical_harmonics]: degree 40 does not fit the grid of 32 x 64 points "
            "(gauss-legendre); give at least 41 latitudes and 81 longitudes, or degree 31 at most");
  EXPECT_EQ(message_of(
                [] { (void)SphericalTransform(sphere_grid(Latitudes::equiangular, 64, 128), 32); }),
            "[math.spherical_harmonics]: degree 32 does not fit the grid of 64 x 128 points "
            "(equiangular); give at least 65 latitudes and 65 longitudes, or degree 31 at most");
  EXPECT_THROW((void)sphere_grid(Latitudes::gauss_legendre, 1, 8), Error);
  const SphericalTransform scalars(gauss_grid(3), 3, false);
  std::vector<double> f(scalars.n_points()), g(f.size() - 1);
  SphereSpectrum a(scalars.n_coefficients());
  EXPECT_THROW(scalars.synthesize(a, g), Error);
  EXPECT_THROW(scalars.synthesize_vector(a, a, f, f), Error);
  EXPECT_THROW((void)degree_of_spectrum(7), Error);
  EXPECT_THROW((void)rotated(a, 0, NAN, 0), Error);
}

}  // namespace
}  // namespace cauchy::test_spherical_harmonics
