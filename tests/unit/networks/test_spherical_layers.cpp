#include <cmath>
#include <complex>
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

}  // namespace
}  // namespace cauchy::test_spherical_layers
