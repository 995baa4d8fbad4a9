#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/applications/shallow_water_cases.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/math/quadrature.hpp>

namespace cauchy::test_sphere_shallow_water {
namespace {

constexpr double pi = std::numbers::pi, day = 86'400;

/// The flow of a case after some time, in steps of `step` seconds.
ShallowWaterState run(ShallowWaterModel& model, ShallowWaterCase which, double seconds) {
  ShallowWaterState y = initial_state(which, model);
  EXPECT_EQ(model.advance(y, seconds), Status::ok);
  return y;
}

double distance(const SphereSpectrum& a, const SphereSpectrum& b) {
  double sum = 0, size = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += std::norm(a[k] - b[k]);
    size += std::norm(b[k]);
  }
  return std::sqrt(sum / size);
}

TEST(ShallowWater, KeepsSolidRotationForFiveDaysAtAnyTilt) {
  for (const double tilt : {0.0, 0.05, pi / 2 - 0.05, pi / 2}) {
    ShallowWaterModel model({.degree = 21, .tilt = tilt, .step = 3600});
    const ShallowWaterState first = initial_state(ShallowWaterCase::steady_zonal, model);
    const std::vector<double> before = model.fields_of(first).depth;
    const ShallowWaterState last = run(model, ShallowWaterCase::steady_zonal, 5 * day);
    // Every one of the 120 steps may add some rounding errors of the transforms.
    EXPECT_LT(relative_l2(model.grid(), model.fields_of(last).depth, before), 1e-12) << tilt;
    EXPECT_DOUBLE_EQ(last.time, 5 * day);
    // The formula of the case, at the north pole of the earth's axis: h0 - (a Omega u0 + u0^2/2)/g.
    const double u0 = 2 * pi * 6.37122e6 / (12 * day);
    const double polar = (2.94e4 - 6.37122e6 * 7.292e-5 * u0 - u0 * u0 / 2) / 9.80616;
    double least = 1e9;
    for (const double h : before) least = std::min(least, h);
    EXPECT_LT(std::abs(least - polar), 0.02 * polar) << tilt;
  }
}

TEST(ShallowWater, HasGravityWavesOfTheRightFrequency) {
  // At rest and without rotation a small Y_lm of the depth oscillates as cos(w t),
  // w = sqrt(g H l (l+1)) / a.
  ShallowWaterModel model({.degree = 10, .rotation = 0, .step = 200});
  const std::size_t l = 6, m = 3, at = spectrum_index(10, l, m);
  ShallowWaterState y = model.balanced(SphereSpectrum(model.transform().n_coefficients()), 1000);
  y.geopotential[at] = 1e-3;
  const double w = std::sqrt(9.80616 * 1000 * static_cast<double>(l * (l + 1))) / 6.37122e6;
  const double period = 2 * pi / w;
  EXPECT_EQ(model.advance(y, period / 3), Status::ok);
  // Third order: w step = 0.02 leaves 1e-6 of the phase.
  EXPECT_NEAR(y.geopotential[at].real() / 1e-3, std::cos(2 * pi / 3), 1e-4);
  EXPECT_NEAR(y.divergence[at].real(), 1e-3 * w / (9.80616 * 1000) * std::sin(2 * pi / 3),
              1e-4 * 1e-3 * w / 9806);
}

TEST(ShallowWater, MovesTheRossbyWaveAtItsSpeed) {
  // Without divergence the wave turns by (R (3+R) w - 2 Omega) / ((1+R) (2+R)) = 12.2 degrees a
  // day; a free surface slows it by some percent.
  ShallowWaterModel model({.degree = 21, .step = 1800});
  const std::size_t at = spectrum_index(21, 5, 4);
  const ShallowWaterState first = initial_state(ShallowWaterCase::rossby_wave, model);
  const ShallowWaterState last = run(model, ShallowWaterCase::rossby_wave, day);
  const double turned = -std::arg(last.vorticity[at] / first.vorticity[at]) / 4;
  const double expected = (28 * 7.848e-6 - 2 * 7.292e-5) / 30 * day;
  EXPECT_GT(turned, 0.8 * expected);
  EXPECT_LT(turned, expected);
  // The wave of the start has no divergence, and vorticity of l = 1 and 5 alone.
  for (std::size_t k = 0; k < first.vorticity.size(); ++k) {
    EXPECT_LT(std::abs(first.divergence[k]), 1e-17);
    if (k != 1 && k != at) {
      EXPECT_LT(std::abs(first.vorticity[k]), 1e-17) << k;
    }
  }
}

TEST(ShallowWater, ConvergesWithThirdOrderInTime) {
  std::vector<ShallowWaterState> states;
  for (const double step : {800.0, 400.0, 50.0}) {
    ShallowWaterModel model({.degree = 10, .step = step});
    states.push_back(run(model, ShallowWaterCase::rossby_wave, day / 9));
  }
  for (const auto part : {&ShallowWaterState::vorticity, &ShallowWaterState::divergence,
                          &ShallowWaterState::geopotential}) {
    const double coarse = distance(states[0].*part, states[2].*part);
    const double fine = distance(states[1].*part, states[2].*part);
    EXPECT_GT(coarse / fine, 6.5);  // 8 in the limit
    EXPECT_LT(fine, 1e-3);
  }
}

TEST(ShallowWater, ConservesMassExactlyAndEnergyNearly) {
  const std::vector<double> ground = ground_of(ShallowWaterCase::mountain, gauss_grid(21, 2));
  ShallowWaterModel model({.degree = 21, .step = 1800}, ground);
  const ShallowWaterState first = initial_state(ShallowWaterCase::mountain, model);
  const ShallowWaterInvariants before = model.invariants(first);
  const ShallowWaterState last = run(model, ShallowWaterCase::mountain, 2 * day);
  const ShallowWaterInvariants after = model.invariants(last);
  EXPECT_NEAR(after.mass / before.mass, 1, 1e-14);
  EXPECT_NEAR(after.energy / before.energy, 1, 1e-6);
  EXPECT_NEAR(after.potential_enstrophy / before.potential_enstrophy, 1, 1e-5);
  EXPECT_GT(distance(last.vorticity, first.vorticity), 0.05);  // something has happened
}

TEST(ShallowWater, BalancesTheJetAsItsIntegralDoes) {
  // g h(phi) = g h0 - integral of a u (f + tan(phi) u / a): the step across the jet.
  ShallowWaterModel model({.degree = 85});
  const ShallowWaterState y = initial_state(ShallowWaterCase::unstable_jet, model);
  const double south = pi / 7, north = pi / 2 - south;
  const double en = std::exp(-4 / ((north - south) * (north - south)));
  const double drop = scaled(gauss_legendre(60), south, north).integrate([&](double p) {
    const double u = 80 / en * std::exp(1 / ((p - south) * (p - north)));
    return 6.37122e6 * u * (2 * 7.292e-5 * std::sin(p) + std::tan(p) * u / 6.37122e6);
  }) / 9.80616;
  const ShallowWaterFields f = model.fields_of(y);
  const SphereGrid& grid = model.grid();
  const std::size_t opposite = grid.n_longitudes / 2;  // far from the bump
  const double top = f.depth[opposite], bottom = f.depth[f.depth.size() - opposite];
  EXPECT_NEAR(bottom - top, drop, 1e-3 * drop);                  // the jet to degree 85
  EXPECT_NEAR(integrate(grid, f.depth) / (4 * pi), 10'000, 10);  // the bump has a mean of 3 m
  double fastest = 0;
  for (const double u : f.u) fastest = std::max(fastest, u);
  EXPECT_NEAR(fastest, 80, 1);  // between two circles
}

TEST(ShallowWater, KeepsABalancedJetOverGroundSteady) {
  // Zonal wind and zonal ground: balanced() must give a state that stays.
  const SphereGrid grid = gauss_grid(21, 2);
  std::vector<double> ground(grid.size());
  for (std::size_t i = 0; i < ground.size(); ++i) {
    const double x = grid.x[i / grid.n_longitudes];
    ground[i] = 500 * x * x * x;
  }
  ShallowWaterModel model({.degree = 21, .step = 3600}, ground);
  SphereSpectrum vorticity(model.transform().n_coefficients());
  vorticity[1] = 4e-5;
  vorticity[3] = 3e-5;
  ShallowWaterState y = model.balanced(vorticity, 5000);
  const ShallowWaterState first = y;
  EXPECT_EQ(model.advance(y, 2 * day), Status::ok);
  EXPECT_LT(distance(y.geopotential, first.geopotential), 1e-13);
  EXPECT_LT(distance(y.vorticity, first.vorticity), 1e-12);
}

TEST(ShallowWater, DampsTheHighestDegreeAsAsked) {
  ShallowWaterModel model(
      {.degree = 20, .rotation = 0, .step = 60, .damping_time = 7200, .damping_order = 4});
  SphereSpectrum vorticity(model.transform().n_coefficients());
  vorticity[20] = 1e-9;
  vorticity[10] = 1e-9;
  ShallowWaterState y = model.balanced(vorticity, 5000);
  EXPECT_EQ(model.advance(y, 7200), Status::ok);
  EXPECT_NEAR(y.vorticity[20].real() / 1e-9, std::exp(-1), 1e-5);
  EXPECT_NEAR(y.vorticity[10].real() / 1e-9, std::exp(-std::pow(110.0 / 420, 4)), 1e-5);
}

TEST(ShallowWater, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<SphereSpectrum> found;
  for (const int n : {0, 1, 3}) {
    ShallowWaterModel model({.degree = 31}, {}, n == 0 ? nullptr : std::make_shared<Threads>(n));
    found.push_back(run(model, ShallowWaterCase::unstable_jet, day / 8).vorticity);
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(ShallowWater, SaysWhenItBursts) {
  ShallowWaterModel model({.degree = 42, .step = 20'000});
  ShallowWaterState y = initial_state(ShallowWaterCase::unstable_jet, model);
  EXPECT_EQ(model.advance(y, 60 * day), Status::not_finite);
}

TEST(ShallowWater, RefusesWhatMakesNoSense) {
  EXPECT_THROW((void)ShallowWaterModel({.degree = 0}), Error);
  EXPECT_THROW((void)ShallowWaterModel({.degree = 5, .radius = -1}), Error);
  EXPECT_THROW((void)ShallowWaterModel({.degree = 5, .step = NAN}), Error);
  EXPECT_THROW((void)ShallowWaterModel({.degree = 5}, std::vector<double>(7)), Error);
  ShallowWaterModel model({.degree = 5}), other({.degree = 6}), tilted({.degree = 5, .tilt = 1});
  ShallowWaterState y = initial_state(ShallowWaterCase::steady_zonal, model);
  EXPECT_THROW((void)other.advance(y, 1), Error);
  EXPECT_THROW((void)model.advance(y, -1), Error);
  EXPECT_THROW((void)initial_state(ShallowWaterCase::mountain, tilted), Error);
  y.geopotential[0] = 0;
  EXPECT_THROW((void)model.advance(y, 1), Error);
}

}  // namespace
}  // namespace cauchy::test_sphere_shallow_water
