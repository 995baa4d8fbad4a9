#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/applications/forecast_skill.hpp>
#include <cauchy/applications/weather_simulator.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/operators/learn.hpp>

namespace cauchy::test_weather_simulator {
namespace {

WeatherSimulator small_weather() {
  return {.degree = 15, .latitudes = 32, .frames = 2, .spin_up = 6, .depths = {8000}};
}

TEST(Weather, IsAFunctionOfSeedAndNumber) {
  const WeatherSource source(small_weather());
  const SampleSource::Sample a = source.make(3, 5, nullptr), b = source.make(3, 5, nullptr);
  const SampleSource::Sample other = source.make(3, 6, nullptr);
  EXPECT_EQ(a.in, b.in);
  EXPECT_EQ(a.out, b.out);
  EXPECT_NE(a.out, other.out);
  const std::size_t points = source.grid().n_points();
  EXPECT_EQ(a.in.size(), source.inputs().size() * points);
  EXPECT_EQ(a.out.size(), source.outputs().size() * points);
  // The mountains are those of all samples.
  EXPECT_TRUE(std::equal(a.in.begin(), a.in.begin() + static_cast<long>(points), other.in.begin()));
  EXPECT_NEAR(*std::max_element(a.in.begin(), a.in.begin() + static_cast<long>(points)), 0.15,
              0.015);
}

TEST(Weather, NamesItsFramesForRollOuts) {
  const WeatherSource source(small_weather());
  EXPECT_EQ(source.inputs(),
            (std::vector<std::string>{"ground", "u(t=0)", "v(t=0)", "h(t=0)", "z(t=0)"}));
  EXPECT_EQ(source.outputs(),
            (std::vector<std::string>{"u(t=6)", "v(t=6)", "h(t=6)", "z(t=6)", "u(t=12)", "v(t=12)",
                                      "h(t=12)", "z(t=12)"}));
  WeatherSimulator two = small_weather();
  two.depths = {8000, 6000};
  EXPECT_EQ(WeatherSource(two).inputs()[5], "u2(t=0)");
  EXPECT_EQ(WeatherSource(two).outputs().size(), 16u);
}

TEST(Weather, GivesFieldsThatBelongTogether) {
  // Rows go from south to north: vorticity is that of the wind, westerlies blow, and h has the mean
  // of the depth over the sphere (plus that of the ground).
  const WeatherSource source(small_weather());
  const SampleSource::Sample sample = source.make(1, 0, nullptr);
  const std::size_t n = 32, n_lon = 64, points = n * n_lon;
  const SphericalTransform transform(sphere_grid(Latitudes::equiangular, n, n_lon), 15);
  const auto north_first = [&](std::size_t channel) {
    std::vector<double> f(points);
    for (std::size_t i = 0; i < n; ++i) {
      std::copy_n(sample.in.begin() + static_cast<long>((channel * n + n - 1 - i) * n_lon), n_lon,
                  f.begin() + static_cast<long>(i * n_lon));
    }
    return f;
  };
  SphereSpectrum z(transform.n_coefficients()), d(z);
  transform.analyze_wind(north_first(1), north_first(2), 6.37122e6, z, d);
  std::vector<double> vorticity(points);
  transform.synthesize(z, vorticity);
  const std::vector<double> given = north_first(4), h = north_first(3), ground = north_first(0);
  for (std::size_t i = 0; i < points; ++i) EXPECT_NEAR(vorticity[i], given[i], 1e-15);
  const double area = 4 * std::numbers::pi;
  EXPECT_NEAR(integrate(transform.grid(), h) / area,
              8000 * (1 + integrate(transform.grid(), ground) / area), 1e-8);
  // The height falls towards the poles where the wind blows from the west.
  EXPECT_LT(h[0], h[points / 2]);
  double jet = 0;
  for (std::size_t j = 0; j < n_lon; ++j) jet += north_first(1)[7 * n_lon + j] / n_lon;
  EXPECT_GT(jet, 15);
}

TEST(Weather, RefusesDegreesThatItsLatitudesDoNotCarry) {
  WeatherSimulator s = small_weather();
  s.degree = 16;
  try {
    (void)WeatherSource(s);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "degree: degree 16 does not fit 32 equally spaced latitudes; give at least 33 "
                 "latitudes, or degree 15 at most");
  }
  s = small_weather();
  s.depths = {};
  EXPECT_THROW((void)WeatherSource(s), Error);
  s.depths = {100};  // cannot balance its jets
  EXPECT_THROW((void)WeatherSource(s).make(1, 0, nullptr), Error);
}

TEST(Weather, FilesAreReadAndWritten) {
  const std::filesystem::path folder =
      std::filesystem::path(CAUCHY_TEST_DATA) / ".." / ".." / "problems" / "applications";
  for (const char* name : {"weather", "weather_ensemble", "fourcastnet", "fourcastnet3"}) {
    const OperatorFile file = read_operator_file(folder / (std::string(name) + ".toml"));
    EXPECT_EQ(file.problem.problem.name, name);
    const std::string text = to_toml(file);
    EXPECT_EQ(to_toml(parse_operator_file(text, "again")), text);
  }
  // The full size: 90 x 180 tokens of 8 x 8 points, 20 channels and the ground, 768 numbers each.
  const OperatorFile full = read_operator_file(folder / "fourcastnet.toml");
  EXPECT_EQ(full.problem.source->grid().sizes(), (std::vector<int>{8 * 90, 8 * 180}));
  EXPECT_EQ(full.problem.source->inputs().size(), 21u);
  const auto cost = cost_of(full.problem, full.method);
  ASSERT_TRUE(cost.has_value());
  const std::size_t w = 768, h = 4 * w, q = 64, positions = 17;
  EXPECT_EQ(cost->parameters, (21 * q + 1) * w + positions * w +
                                  12 * (4 * w * w / 8 + 4 * w + 2 * w * h + h + w + 4 * w) + 2 * w +
                                  (w + 1) * 20 * q);
  // 80 epochs of 1000 samples with 40 windows of one step, one at a time.
  EXPECT_EQ(cost->steps, 80 * 1000 * 40.0);
  EXPECT_EQ(cost->training, 3 * cost->flops * cost->steps);
}

/// Two samples of a wave that moves east by a quarter of a wave per frame.
DataSet waves(double shift) {
  DataSet d;
  d.grid.axes = {{.name = "latitude", .n = 8, .lower = -70, .upper = 70},
                 {.name = "longitude", .n = 16, .lower = 0, .upper = 360, .periodic = true}};
  d.inputs = {"u(t=0)"};
  d.outputs = {"u(t=6)", "u(t=12)"};
  d.times = {6, 12};
  for (int sample = 0; sample < 2; ++sample) {
    for (int frame = 0; frame < 3; ++frame) {
      for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 16; ++j) {
          const double angle = 2 * std::numbers::pi * (j / 16.0 - frame / 4.0 + sample / 2.0);
          (frame == 0 ? d.in : d.out).push_back(10 + i + std::cos(angle + shift));
        }
      }
    }
  }
  return d;
}

TEST(ForecastSkill, HasTheNumbersOfWavesThatMove) {
  // Both samples together are the climate 10 + i. Against it a perfect forecast has correlation 1,
  // one that is late by an angle its cosine; persistence 0 after a quarter, -1 after half a wave.
  const DataSet truth = waves(0);
  const std::vector<ForecastSkill> exact = forecast_skill(truth, truth, truth.out);
  ASSERT_EQ(exact.size(), 1u);
  EXPECT_EQ(exact[0].field, "u");
  EXPECT_EQ(exact[0].lead, (std::vector<double>{6, 12}));
  EXPECT_NEAR(exact[0].rmse[1], 0, 1e-14);
  EXPECT_NEAR(exact[0].correlation[0], 1, 1e-13);
  EXPECT_NEAR(exact[0].persistence_correlation[0], 0, 1e-13);
  EXPECT_NEAR(exact[0].persistence_correlation[1], -1, 1e-13);
  EXPECT_NEAR(exact[0].climatology_rmse[0], std::sqrt(0.5), 1e-13);
  EXPECT_NEAR(exact[0].persistence_rmse[1], std::sqrt(2.0), 1e-13);
  const std::vector<ForecastSkill> late = forecast_skill(truth, truth, waves(0.3).out);
  EXPECT_NEAR(late[0].correlation[0], std::cos(0.3), 1e-13);
  EXPECT_NEAR(late[0].rmse[0], 2 * std::sin(0.15) * std::sqrt(0.5), 1e-13);
  EXPECT_NEAR(exact[0].time_above(0.8, exact[0].persistence_correlation), 6 * 0.2, 1e-9);
  EXPECT_EQ(exact[0].time_above(0.8, exact[0].correlation), 12);
}

TEST(ForecastSkill, WeighsByTheCosineOfLatitude) {
  DataSet truth = waves(0);
  std::vector<double> wrong = truth.out;
  // An error of 1 on the southernmost circle of the first frame of both samples.
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t j = 0; j < 16; ++j) wrong[s * 2 * 128 + j] += 1;
  }
  double sum = 0;
  for (int i = 0; i < 8; ++i) sum += std::cos((-70 + 20 * i) * std::numbers::pi / 180);
  const double expected = std::sqrt(std::cos(70 * std::numbers::pi / 180) / sum);
  EXPECT_NEAR(forecast_skill(truth, truth, wrong)[0].rmse[0], expected, 1e-13);
  EXPECT_THROW((void)forecast_skill(truth, truth, std::vector<double>(3)), Error);
  DataSet other = truth;
  other.grid.axes[0].name = "x";
  EXPECT_THROW((void)forecast_skill(other, other, truth.out), Error);
}

}  // namespace
}  // namespace cauchy::test_weather_simulator
