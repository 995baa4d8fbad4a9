#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/math/spherical_harmonics.hpp>
#include <cauchy/sampling/sphere_noise.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_sphere_noise {
namespace {

const SphereNoise two{.lengths = {40, 15}, .times = {24, 6}, .degree = 7};

SphereGrid small_grid() { return sphere_grid(Latitudes::equiangular, 16, 32); }

/// Moments of one sequence, one behind the other: [moment, channel, point].
std::vector<double> sequence(const SphereNoiseSource& source, const Rng& rng, std::size_t moments) {
  const std::size_t one = source.channels() * source.n_points();
  std::vector<double> all(moments * one);
  SphereNoiseSource::State state;
  for (std::size_t k = 0; k < moments; ++k) {
    source.next(rng, state, std::span(all).subspan(k * one, one));
  }
  return all;
}

TEST(SphereNoise, HasVarianceOneAtAllTimesAndForgetsInItsTime) {
  const SphereNoiseSource source(two, small_grid(), 6);
  constexpr std::size_t moments = 5, sequences = 1600;
  const SphereGrid grid = small_grid();
  const std::size_t points = source.n_points(), one = 2 * points;
  // Means over the sphere and the sequences of v(0)^2, v(k)^2 and v(0) v(k).
  double first[2] = {}, last[2] = {}, lagged[2] = {}, next[2] = {};
  std::vector<double> product(points);
  for (std::size_t s = 0; s < sequences; ++s) {
    const std::vector<double> v = sequence(source, Rng(7).split(s), moments);
    for (std::size_t c = 0; c < 2; ++c) {
      const auto mean = [&](std::size_t a, std::size_t b) {
        for (std::size_t p = 0; p < points; ++p) {
          product[p] = v[a * one + c * points + p] * v[b * one + c * points + p];
        }
        return integrate(grid, product) / (16 * std::atan(1.0)) / sequences;
      };
      first[c] += mean(0, 0);
      last[c] += mean(moments - 1, moments - 1);
      next[c] += mean(0, 1);
      lagged[c] += mean(0, moments - 1);
    }
  }
  // The mean square over the sphere is a sum of squares of normal numbers, most of them of l = 0
  // and 1: it varies by 0.97, its mean over 1600 sequences by 0.024; four deviations.
  const double keep[2] = {std::exp(-6.0 / 24), std::exp(-1.0)};
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(first[c], 1, 0.1);
    EXPECT_NEAR(last[c], 1, 0.1);
    EXPECT_NEAR(next[c], keep[c], 0.1);
    EXPECT_NEAR(lagged[c], std::pow(keep[c], 4), 0.1);
  }
}

TEST(SphereNoise, HasTheSpectrumOfMatern) {
  const SphereNoiseSource source(two, small_grid(), 6);
  const SphericalTransform transform(small_grid(), 7, false);
  SphereSpectrum a(transform.n_coefficients());
  std::vector<double> power(8, 0.0);
  constexpr std::size_t sequences = 400;
  for (std::size_t s = 0; s < sequences; ++s) {
    const std::vector<double> v = sequence(source, Rng(8).split(s), 2);
    transform.analyze(std::span(v).subspan(3 * source.n_points()), a);  // second channel, later
    const std::vector<double> p = power_spectrum(a);
    for (std::size_t l = 0; l < 8; ++l) power[l] += p[l] / sequences;
  }
  const double length = 15 * std::atan(1.0) / 45;
  double sum = 0;
  std::vector<double> exact;
  for (int l = 0; l < 8; ++l) {
    exact.push_back((2 * l + 1) * std::pow(1 + length * length * l * (l + 1), -3.0));
    sum += exact.back();
  }
  for (std::size_t l = 0; l < 8; ++l) {
    // A sum of (2l+1) squares of normal numbers, 400 times; four deviations.
    const double expected = 16 * std::atan(1.0) * exact[l] / sum;
    const double deviation = std::sqrt(2 / ((2.0 * static_cast<double>(l) + 1) * sequences));
    EXPECT_LT(std::abs(power[l] / expected - 1), 4 * deviation) << l;
  }
}

TEST(SphereNoise, IsAFunctionOfGeneratorAndMoment) {
  const SphereNoiseSource source(two, small_grid(), 6);
  const std::vector<double> a = sequence(source, Rng(1).split(3), 3);
  EXPECT_EQ(sequence(source, Rng(1).split(3), 3), a);
  EXPECT_NE(sequence(source, Rng(1).split(4), 3), a);
  // Going on from a state is the same as starting anew.
  SphereNoiseSource::State state;
  std::vector<double> moment(2 * source.n_points());
  for (int k = 0; k < 2; ++k) source.next(Rng(1).split(3), state, moment);
  SphereNoiseSource::State copy = state;
  source.next(Rng(1).split(3), copy, moment);
  EXPECT_TRUE(std::equal(moment.begin(), moment.end(),
                         a.end() - static_cast<std::ptrdiff_t>(moment.size())));
}

TEST(SphereNoise, RefusesWhatDoesNotFit) {
  EXPECT_EQ(message_of([] { SphereNoiseSource({.lengths = {10}}, small_grid(), 6); }),
            "[sampling.sphere_noise]: 1 lengths have 3 times; give one time for each length");
  EXPECT_NE(message_of([] { SphereNoiseSource({.degree = 8}, small_grid(), 6); }), "");
}

}  // namespace
}  // namespace cauchy::test_sphere_noise
