#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/math/spherical_harmonics.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/spherical_layers.hpp>
#include <cauchy/tensor/executor.hpp>

namespace cauchy::test_spherical_layers {
namespace {

constexpr double pi = std::numbers::pi;

SphereSpectrum some_spectrum(std::size_t degree, std::uint64_t seed) {
  Rng rng(seed);
  SphereSpectrum a(spectrum_size(degree));
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double re = rng.normal(), im = rng.normal();
    a[k] = {re, k <= degree ? 0 : im};
  }
  return a;
}

/// A value of a graph with one input for one sample, in double.
std::vector<double> value_of(const std::shared_ptr<TensorGraph>& g, int value,
                             const std::vector<double>& theta, const std::vector<double>& in) {
  const auto executor = make_tensor_executor(g, {}, {.threads = 1, .precision = Precision::f64});
  std::vector<double> out(g->shape(value).size());
  const std::span<const double> inputs[] = {in};
  executor->predict(value, theta, 1, inputs, out);
  return out;
}

std::vector<SphereGrid> some_grids() {
  return {sphere_grid(Latitudes::gauss_legendre, 9, 20),
          sphere_grid(Latitudes::equiangular, 18, 36),
          sphere_grid(Latitudes::clenshaw_curtis, 17, 17)};
}

TEST(SphericalLayers, AreTheTransforms) {
  const std::size_t L = 8;
  for (const SphereGrid& grid : some_grids()) {
    const SphericalTransform transform(grid, L, false);
    auto g = std::make_shared<TensorGraph>();
    const int x = g->input(
        "x", {2, {static_cast<int>(grid.n_latitudes), static_cast<int>(grid.n_longitudes)}});
    const int a = add_spherical_analysis(*g, x, grid, L);
    const int back = add_spherical_synthesis(*g, a, grid, L);
    std::vector<double> in(2 * grid.size());
    Rng(3).fill_normal(in);
    SphereSpectrum expected(2 * transform.n_coefficients());
    transform.analyze(in, expected);
    std::vector<double> smooth(in.size());
    transform.synthesize(expected, smooth);
    const std::vector<double> found = value_of(g, a, {}, in), values = value_of(g, back, {}, in);
    ASSERT_EQ(found.size(), 2 * expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(found[2 * k], expected[k].real(), 1e-13);
      EXPECT_NEAR(found[2 * k + 1], expected[k].imag(), 1e-13);
    }
    for (std::size_t i = 0; i < in.size(); ++i) EXPECT_NEAR(values[i], smooth[i], 1e-12);
  }
}

TEST(SphericalLayers, ConvolutionCommutesWithRotations) {
  const std::size_t L = 8;
  const double alpha = 0.7, beta = 1.9, gamma = -0.4;
  const SphereGrid grid = sphere_grid(Latitudes::equiangular, 18, 36);
  const SphericalTransform transform(grid, L, false);
  auto g = std::make_shared<TensorGraph>();
  const int x = g->input("x", {2, {18, 36}});
  const int y = add_spherical_convolution(*g, x, grid, L, 3);
  std::vector<double> theta = initial_parameters(g->parameters(), Rng(5));
  // Filters that differ from degree to degree, and both channels.
  Rng rng(7);
  for (double& t : theta) t += rng.normal();
  SphereSpectrum a = some_spectrum(L, 1), turned = rotated(a, alpha, beta, gamma);
  for (const SphereSpectrum& b : {some_spectrum(L, 2)}) {
    a.insert(a.end(), b.begin(), b.end());
    const SphereSpectrum c = rotated(b, alpha, beta, gamma);
    turned.insert(turned.end(), c.begin(), c.end());
  }
  std::vector<double> f(2 * grid.size()), f_turned(f);
  transform.synthesize(a, f);
  transform.synthesize(turned, f_turned);
  const std::vector<double> out = value_of(g, y, theta, f), other = value_of(g, y, theta, f_turned);
  SphereSpectrum b(3 * transform.n_coefficients());
  transform.analyze(out, b);
  double size = 0;
  std::vector<double> expected(grid.size());
  for (std::size_t c = 0; c < 3; ++c) {
    const std::span part =
        std::span(b).subspan(c * transform.n_coefficients(), transform.n_coefficients());
    transform.synthesize(rotated(part, alpha, beta, gamma), expected);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(other[c * expected.size() + i], expected[i], 1e-11);
      size = std::max(size, std::abs(expected[i]));
    }
  }
  EXPECT_GT(size, 1);  // and it is not zero
}

TEST(SphericalLayers, HaveGradientsThatAgreeWithDifferences) {
  const std::size_t L = 5;
  const SphereGrid grid = sphere_grid(Latitudes::equiangular, 12, 16);
  auto g = std::make_shared<TensorGraph>();
  const int x = g->input("x", {1, {12, 16}});
  const int y = add_spherical_convolution(*g, x, grid, L, 2, Activation::gelu);
  const int loss = g->reduce(g->function(g->linear(y, 1), ElementFunction::square));
  std::vector<double> theta = initial_parameters(g->parameters(), Rng(5)), gradient(theta.size());
  std::vector<double> in(grid.size());
  Rng(3).fill_normal(in);
  const auto executor =
      make_tensor_executor(g, {{"loss", loss}}, {.threads = 1, .precision = Precision::f64});
  const std::span<const double> inputs[] = {in};
  executor->set_batch(1, inputs);
  (void)executor->gradient(theta, gradient);
  for (std::size_t k = 0; k < theta.size(); ++k) {
    const double h = 1e-6, keep = theta[k];
    theta[k] = keep + h;
    const double up = executor->loss(theta);
    theta[k] = keep - h;
    const double down = executor->loss(theta);
    theta[k] = keep;
    EXPECT_NEAR(gradient[k], (up - down) / (2 * h), 1e-7) << k;
  }
}

TEST(SphericalLayers, RefuseWhatDoesNotFit) {
  TensorGraph g;
  const SphereGrid grid = sphere_grid(Latitudes::equiangular, 12, 24);
  const int x = g.input("x", {1, {12, 24}}), y = g.input("y", {1, {12, 20}});
  try {
    (void)add_spherical_analysis(g, x, grid, 6);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "[networks.spherical_layers]: degree 6 does not fit the grid of 12 x 24 points "
                 "(equiangular); take degree 5 at most");
  }
  EXPECT_THROW((void)add_spherical_analysis(g, y, grid, 5), Error);
  EXPECT_THROW((void)add_spherical_synthesis(g, x, grid, 5), Error);
  EXPECT_THROW((void)add_degree_filter(g, x, 5), Error);
}

/// Every kernel about a point, by points in space: independent of the layer.
std::vector<double> dense_integrals(const DiscoKernel& kernel, const SphereGrid& from,
                                    const std::vector<double>& f, double latitude,
                                    double longitude) {
  using V = std::array<double, 3>;
  const auto at = [](double phi, double lambda) {
    return V{std::cos(phi) * std::cos(lambda), std::cos(phi) * std::sin(lambda), std::sin(phi)};
  };
  const auto dot = [](const V& a, const V& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  const V p = at(latitude, longitude), north = at(latitude + pi / 2, longitude);
  const V east = {-std::sin(longitude), std::cos(longitude), 0};
  std::vector<double> sums(static_cast<std::size_t>(kernel.size()), 0.0);
  for (std::size_t i = 0; i < from.n_latitudes; ++i) {
    for (std::size_t j = 0; j < from.n_longitudes; ++j) {
      const V y = at(from.latitude(i), from.longitude(j));
      const double r = std::acos(std::clamp(dot(p, y), -1.0, 1.0));
      if (r >= kernel.radius) continue;
      const double alpha = std::atan2(dot(y, north), dot(y, east));
      const double mass =
          from.area(i) * f[i * from.n_longitudes + j] / (2 * pi * (1 - std::cos(kernel.radius)));
      std::size_t b = 0;
      for (int k = 0; k < kernel.rings; ++k) {
        const double hat = std::max(0.0, 1 - std::abs(r * kernel.rings / kernel.radius - k));
        sums[b++] += mass * hat;
        for (int m = 1; k > 0 && m <= kernel.harmonics; ++m) {
          sums[b++] += mass * hat * std::cos(m * alpha);
          sums[b++] += mass * hat * std::sin(m * alpha);
        }
      }
    }
  }
  return sums;
}

TEST(Disco, IsTheIntegralAgainstEveryKernel) {
  const DiscoKernel kernel{.radius = 0.9, .rings = 3, .harmonics = 2};
  const SphereGrid from = sphere_grid(Latitudes::equiangular, 12, 24);
  for (const SphereGrid& to : {from, sphere_grid(Latitudes::gauss_legendre, 6, 16)}) {
    for (const bool south : {false, true}) {
      auto g = std::make_shared<TensorGraph>();
      const int x = g->input("x", {2, {12, 24}});
      const int y = add_disco(*g, x, from, to, kernel, south);
      std::vector<double> in(2 * from.size());
      Rng(4).fill_normal(in);
      const std::vector<double> out = value_of(g, y, {}, in);
      for (std::size_t c = 0; c < 2; ++c) {
        std::vector<double> f(from.size());
        for (std::size_t n = 0; n < f.size(); ++n) {
          const std::size_t row = south ? 11 - n / 24 : n / 24;
          f[n] = in[c * f.size() + row * 24 + n % 24];
        }
        for (std::size_t n = 0; n < to.size(); ++n) {
          const std::size_t i = n / to.n_longitudes, j = n % to.n_longitudes;
          const auto exact = dense_integrals(kernel, from, f, to.latitude(i), to.longitude(j));
          const std::size_t row = south ? to.n_latitudes - 1 - i : i;
          for (std::size_t b = 0; b < exact.size(); ++b) {
            // Distances by the arc cosine are off by sqrt(eps) where points meet.
            ASSERT_NEAR(out[(c * exact.size() + b) * to.size() + row * to.n_longitudes + j],
                        exact[b], 1e-7);
          }
        }
      }
    }
  }
}

TEST(Disco, CommutesWithRotationsAboutTheAxis) {
  const DiscoKernel kernel{.radius = 0.6, .rings = 2, .harmonics = 1};
  const SphereGrid grid = sphere_grid(Latitudes::equiangular, 14, 28);
  auto g = std::make_shared<TensorGraph>();
  const int x = g->input("x", {1, {14, 28}});
  const int y = add_local_convolution(*g, x, grid, grid, kernel, 3, Activation::gelu);
  const std::vector<double> theta = initial_parameters(g->parameters(), Rng(5));
  std::vector<double> in(grid.size()), turned(in.size());
  Rng(6).fill_normal(in);
  for (std::size_t n = 0; n < in.size(); ++n) turned[n / 28 * 28 + (n + 5) % 28] = in[n];
  const std::vector<double> a = value_of(g, y, theta, in), b = value_of(g, y, theta, turned);
  double size = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    EXPECT_NEAR(b[n / 28 * 28 + (n + 5) % 28], a[n], 1e-14);
    size = std::max(size, std::abs(a[n]));
  }
  EXPECT_GT(size, 0.01);
}

TEST(Disco, IsotropicKernelsHaveHarmonicsAsEigenfunctions) {
  // Funk and Hecke: the factor is 2 pi / cap times the integral of hat(r) P_l(cos r) sin r; the
  // quadrature of kernels with kinks is of second order.
  const DiscoKernel kernel{.radius = 0.8, .rings = 2, .harmonics = 0};
  constexpr std::size_t l = 3;
  double factor = 0;
  for (int n = 0; n < 20'000; ++n) {
    const double r = kernel.radius * (n + 0.5) / 20'000,
                 hat = std::max(0.0, 1 - std::abs(r / 0.4 - 1));
    factor += hat * std::legendre(l, std::cos(r)) * std::sin(r) * kernel.radius / 20'000;
  }
  factor /= 1 - std::cos(kernel.radius);
  double error[2];
  for (const std::size_t k : {0u, 1u}) {
    const std::size_t n = k == 0 ? 20 : 40;
    const SphereGrid grid = sphere_grid(Latitudes::equiangular, n, 2 * n);
    const SphericalTransform transform(grid, 5, false);
    SphereSpectrum a(transform.n_coefficients());
    a[spectrum_index(5, l, 2)] = {1, 0.5};
    std::vector<double> f(grid.size());
    transform.synthesize(a, f);
    auto g = std::make_shared<TensorGraph>();
    const int x = g->input("x", {1, {static_cast<int>(n), static_cast<int>(2 * n)}});
    const std::vector<double> out = value_of(g, add_disco(*g, x, grid, grid, kernel), {}, f);
    error[k] = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      error[k] = std::max(error[k], std::abs(out[f.size() + i] - factor * f[i]));
    }
  }
  EXPECT_LT(error[0], 0.03);
  EXPECT_GT(std::log2(error[0] / error[1]), 1.5);
}

TEST(Disco, KernelsThatNoGridSeesAreRefused) {
  const SphereGrid grid = sphere_grid(Latitudes::equiangular, 10, 20);
  TensorGraph g;
  const int x = g.input("x", {1, {10, 20}});
  EXPECT_THROW(add_disco(g, x, grid, grid, {.radius = 0.5, .rings = 3}), Error);
  EXPECT_THROW(add_disco(g, x, grid, grid, {.radius = 2}), Error);
  EXPECT_THROW(add_disco(g, g.input("y", {1, {8, 16}}), grid, grid, {.radius = 1}), Error);
}

}  // namespace
}  // namespace cauchy::test_spherical_layers
