#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/math/spherical_harmonics.hpp>
#include <cauchy/networks/spherical.hpp>
#include <cauchy/tensor/executor.hpp>

#include "operators/ensemble_loss.hpp"
#include "support/message_of.hpp"

namespace cauchy::detail::test_ensemble_loss {
namespace {

constexpr int n_lat = 12, n_lon = 24;
constexpr std::size_t points = n_lat * n_lon;

FieldGrid degrees() {
  const double end = 90 - 90.0 / n_lat;
  return {.axes = {{"latitude", n_lat, -end, end}, {"longitude", n_lon, 0, 360, true}}};
}

/// Misfits of M members with two channels.
std::vector<double> random_misfits(std::size_t M) {
  std::vector<double> e(M * 2 * points);
  Rng(4).fill_normal(e);
  return e;
}

/// The score of misfits by a graph that adds it.
template <class Add>
double score_of(std::size_t M, Add add) {
  auto graph = std::make_shared<TensorGraph>();
  const int all = graph->input("e", {static_cast<int>(2 * M), {n_lat, n_lon}});
  std::vector<int> misfits;
  for (std::size_t m = 0; m < M; ++m) {
    misfits.push_back(graph->slice(all, static_cast<int>(2 * m), 2));
  }
  const int value = add(*graph, misfits);
  const auto executor = make_tensor_executor(graph, {{"score", value, 1}},
                                             {.threads = 1, .precision = Precision::f64});
  const std::vector<double> e = random_misfits(M);
  const std::span<const double> inputs[] = {e};
  executor->set_batch(1, inputs);
  return executor->loss({});
}

/// Fair CRPS by its definition, of numbers i of all members.
double plain_crps(const std::vector<double>& e, std::size_t M, std::size_t i, std::size_t stride) {
  double near = 0, apart = 0;
  for (std::size_t a = 0; a < M; ++a) {
    near += std::abs(e[a * stride + i]) / static_cast<double>(M);
    for (std::size_t b = 0; b < M; ++b) apart += std::abs(e[a * stride + i] - e[b * stride + i]);
  }
  const auto n = static_cast<double>(M);
  return M == 1 ? near : near - apart / (2 * n * (n - 1));
}

TEST(EnsembleLoss, IsTheScoreWeightedByArea) {
  const FieldGrid grid = degrees();
  for (const std::size_t M : {1u, 2u, 4u}) {
    const std::vector<double> e = random_misfits(M);
    double expected = 0;
    for (std::size_t i = 0; i < 2 * points; ++i) {
      const double phi = grid.axes[0].node(static_cast<int>(i % points / n_lon));
      const double half = std::numbers::pi / 360;  // half a degree per degree
      const double width = 180.0 / n_lat;
      const double area =
          (std::sin((2 * phi + width) * half) - std::sin((2 * phi - width) * half)) / 2 / n_lon;
      expected += area / 2 * plain_crps(e, M, i, 2 * points);
    }
    const double found = score_of(M, [&](TensorGraph& g, const std::vector<int>& misfits) {
      return add_spatial_crps(g, misfits, grid);
    });
    EXPECT_LT(std::abs(found - expected), 1e-13) << M;
  }
}

TEST(EnsembleLoss, CountsEveryRealHarmonicOnce) {
  const SphereGrid sphere = sphere_of(degrees());
  const std::size_t L = sphere.max_degree(), n = spectrum_size(L);
  const SphericalTransform transform(sphere, L, false);
  for (const std::size_t M : {1u, 3u}) {
    const std::vector<double> e = random_misfits(M);
    // Coefficients of the real orthonormal harmonics: a_l0, and sqrt(2) times both parts.
    std::vector<double> real;
    SphereSpectrum a(n);
    for (std::size_t field = 0; field < 2 * M; ++field) {
      transform.analyze(std::span(e).subspan(field * points, points), a);
      for (std::size_t m = 0; m <= L; ++m) {
        for (std::size_t l = m; l <= L; ++l) {
          const auto c = a[spectrum_index(L, l, m)];
          if (m == 0) {
            real.push_back(c.real());
          } else {
            real.push_back(std::numbers::sqrt2 * c.real());
            real.push_back(std::numbers::sqrt2 * c.imag());
          }
        }
      }
    }
    const std::size_t N = (L + 1) * (L + 1);
    ASSERT_EQ(real.size(), 2 * M * N);
    double expected = 0;
    for (std::size_t i = 0; i < 2 * N; ++i) {
      expected += plain_crps(real, M, i, 2 * N) / 2 /
                  std::sqrt(4 * std::numbers::pi * static_cast<double>(N));
    }
    const double found = score_of(M, [&](TensorGraph& g, const std::vector<int>& misfits) {
      return add_spectral_crps(g, misfits, degrees());
    });
    EXPECT_LT(std::abs(found - expected), 1e-12) << M;
  }
}

TEST(EnsembleLoss, NeedsASphere) {
  const FieldGrid box = {.axes = {{"x", n_lat, 0, 1}, {"y", n_lon, 0, 1, true}}};
  EXPECT_NE(message_of([&] {
              (void)score_of(2, [&](TensorGraph& g, const std::vector<int>& misfits) {
                return add_spatial_crps(g, misfits, box);
              });
            }).find("the latitude in degrees"),
            std::string::npos);
}

}  // namespace
}  // namespace cauchy::detail::test_ensemble_loss
