#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/applications/ensemble_scores.hpp>
#include <cauchy/applications/ensemble_skill.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/operators/learn.hpp>
#include <cauchy/tensor/executor.hpp>

#include "operators/operator_loss.hpp"
#include "support/message_of.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_weather_ensemble {
namespace {

/// Weather on 12 x 24 points, a spherical operator with two channels of noise.
OperatorFile small_file() {
  return parse_operator_file(R"(
name = "small"
tolerance = 0.5
[simulator]
kind = "weather"
degree = 5
latitudes = 12
frames = 3
spin_up = 0
[operator]
samples = 3
validation = 1
test = 2
[train]
kind = "field_network"
loss = "crps"
history = 1
increments = true
epochs = 2
batch = 2
precision = "f64"
[train.network]
kind = "spherical"
width = 4
depth = 2
local = 1
degree = 2
radius = 70
hidden = 5
[train.ensemble]
members = 3
forecast = 4
spectral = 0.3
[train.ensemble.noise]
lengths = [40, 20]
times = [24, 12]
degree = 3
)",
                             "small.toml");
}

const DataSet& small_data() {
  static const DataSet data = make_data(small_file().problem, RunOptions{.threads = 1});
  return data;
}

FieldOperator small_ensemble() { return std::get<FieldOperator>(small_file().method); }

OperatorResult trained(const FieldOperator& method, RunOptions options = {.threads = 1}) {
  return learn(small_file().problem, small_data(), method, options);
}

DataSet test_samples() { return small_data().part(4, 2); }

TEST(WeatherEnsemble, ItsLossHasTheGradientOfDifferences) {
  FieldOperator m = small_ensemble();
  m.unroll = 2;
  detail::FieldMap map;
  map.network = m.network;
  map.channels = detail::channels_of(small_file().problem, small_data(), m);
  map.grid = small_data().grid;
  map.precision = m.precision;
  auto [in, out] = detail::fit_normalizers(m.normalization, map.channels, small_data(), 3);
  map.input = in;
  map.output = out;
  map.increment = detail::fit_increments(m.normalization, map.channels, small_data(), 3);
  map.ensemble = m.ensemble;
  const detail::LossGraph loss = detail::make_loss(map, m, small_file().problem, {}, 2);
  ASSERT_EQ(loss.terms.size(), 2u);
  const auto executor =
      make_tensor_executor(loss.graph, loss.terms, {.threads = 1, .precision = Precision::f64});
  const std::size_t points = map.grid.n_points();
  const detail::OperatorSamples samples(map.channels, small_data(), 3,
                                        detail::norm_of(m.loss, map.grid), 2, 0);
  std::vector<std::vector<double>> inputs;
  for (const auto& input : loss.graph->inputs()) {
    if (input.name == detail::noise_input) {
      inputs.emplace_back(3 * 2 * 2 * points);
      Rng(9).fill_normal(inputs.back());
    } else {
      inputs.emplace_back(samples.width(input.name));
      samples.read(1, input.name, inputs.back());
    }
  }
  const std::vector<std::span<const double>> spans(inputs.begin(), inputs.end());
  executor->set_batch(1, spans);
  std::vector<double> theta = initial_parameters(loss.graph->parameters(), Rng(3));
  std::vector<double> gradient(theta.size()), direction(theta.size());
  (void)executor->gradient(theta, gradient);
  Rng(5).fill_normal(direction);
  double slope = 0;
  for (std::size_t i = 0; i < theta.size(); ++i) slope += gradient[i] * direction[i];
  // The score has kinks where members or truth meet: some of the 4608 numbers pass one.
  const double h = 1e-7;
  std::vector<double> moved = theta;
  for (std::size_t i = 0; i < theta.size(); ++i) moved[i] = theta[i] + h * direction[i];
  const double ahead = executor->loss(moved);
  for (std::size_t i = 0; i < theta.size(); ++i) moved[i] = theta[i] - h * direction[i];
  const double behind = executor->loss(moved);
  EXPECT_LT(std::abs((ahead - behind) / (2 * h) - slope), 1e-5 * (1 + std::abs(slope)));
  EXPECT_GT(std::abs(slope), 1e-3);
}

TEST(WeatherEnsemble, TheBitsDoNotDependOnTheThreads) {
  const OperatorResult one = trained(small_ensemble()),
                       two = trained(small_ensemble(), {.threads = 2});
  EXPECT_EQ(one.training.parameters, two.training.parameters);
  EXPECT_EQ(one.test.relative_l2, two.test.relative_l2);
  EXPECT_EQ(one.model->predict_member(test_samples(), 3, 1),
            two.model->predict_member(test_samples(), 3, 2));
}

TEST(WeatherEnsemble, ARunThatIsResumedHasTheSameBits) {
  const OperatorResult whole = trained(small_ensemble());
  const TemporaryFolder folder;
  StopAfter stop(5);
  RunOptions options{.threads = 1};
  options.checkpoint = folder / "checkpoint.bin";
  options.progress = &stop;
  const OperatorResult part = trained(small_ensemble(), options);
  EXPECT_TRUE(part.interrupted);
  options.progress = nullptr;
  const OperatorResult rest = trained(small_ensemble(), options);
  EXPECT_EQ(rest.training.parameters, whole.training.parameters);
  EXPECT_EQ(rest.test.relative_l2, whole.test.relative_l2);
}

TEST(WeatherEnsemble, MembersDifferAndTheirMeanIsTheAnswer) {
  const OperatorResult r = trained(small_ensemble());
  ASSERT_EQ(r.model->members(), 4u);
  const DataSet test = test_samples();
  std::vector<std::vector<double>> members;
  for (std::size_t m = 0; m < 4; ++m) members.push_back(r.model->predict_member(test, m, 1));
  EXPECT_NE(members[0], members[1]);
  const std::vector<double> answer = r.model->predict(test, 1);
  double off = 0;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    double mean = 0;
    for (const auto& m : members) mean += m[i] / 4;
    off = std::max(off, std::abs(mean - answer[i]) / (1 + std::abs(mean)));
  }
  EXPECT_LT(off, 1e-13);
  EXPECT_NE(message_of([&] { (void)r.model->predict_member(test, 4, 1); }).find("no member 4"),
            std::string::npos);
  // What is saved answers with the same bits.
  Checkpoint c;
  r.model->save(c);
  const auto again = load_operator(c, OperatorMethod(small_ensemble()));
  EXPECT_EQ(again->predict_member(test, 2, 1), members[2]);
  // Another way to answer has other numbers to remember.
  FieldOperator frames = small_ensemble();
  frames.increments = false;
  EXPECT_NE(message_of([&] {
              (void)load_operator(c, OperatorMethod(frames));
            }).find("answers by increments"),
            std::string::npos);
}

TEST(WeatherEnsemble, WithoutNoiseThereIsOneForecastThatAnEnsembleStartsFrom) {
  FieldOperator still = small_ensemble();
  still.ensemble.members = 1;
  still.ensemble.amplitude = 0;
  const OperatorResult r = trained(still);
  EXPECT_EQ(r.model->members(), 1u);
  const TemporaryFolder folder;
  Checkpoint c;
  r.model->save(c);
  save_checkpoint(folder / "model.bin", c);
  FieldOperator noisy = small_ensemble();
  noisy.start = (folder / "model.bin").string();
  noisy.stages = {{AdamOptions{.learning_rate = 1e-14}, 1}};
  const OperatorResult next = trained(noisy);
  EXPECT_EQ(next.model->n_parameters(), r.model->n_parameters());
  EXPECT_EQ(next.model->members(), 4u);
  double off = 0;
  for (std::size_t i = 0; i < r.training.parameters.size(); ++i) {
    off = std::max(off, std::abs(r.training.parameters[i] - next.training.parameters[i]));
  }
  EXPECT_LT(off, 1e-13);
  noisy.ensemble.amplitude = 0;
  EXPECT_NE(message_of([&] { (void)trained(noisy); }).find("all members are the same"),
            std::string::npos);
  noisy.loss = OperatorLoss::sphere;
  EXPECT_NE(message_of([&] { (void)trained(noisy); }).find("trained by its score"),
            std::string::npos);
}

TEST(WeatherEnsemble, IncrementsAreAddedToTheLastFrame) {
  // A network whose last layer is zero answers by the mean of the increments.
  FieldOperator m = small_ensemble();
  m.ensemble = {};
  m.loss = OperatorLoss::sphere;
  detail::FieldMap map;
  map.network = m.network;
  map.channels = detail::channels_of(small_file().problem, small_data(), m);
  map.grid = small_data().grid;
  map.precision = m.precision;
  auto [in, out] = detail::fit_normalizers(m.normalization, map.channels, small_data(), 3);
  map.input = in;
  map.output = out;
  map.increment = detail::fit_increments(m.normalization, map.channels, small_data(), 3);
  const DataSet test = test_samples();
  detail::MapPredictor predictor(map, test, std::make_shared<Threads>(1));
  const std::vector<double> theta(predictor.n_parameters(), 0.0);
  const std::vector<double> answer = predictor(theta, test);
  const std::size_t points = map.grid.n_points();
  for (const std::size_t f : {0u, 2u}) {  // u and h
    double mean = 0;
    for (std::size_t s = 0; s < 3; ++s) {
      for (std::size_t p = 0; p < points; ++p) {
        const std::size_t last = (s * 12 + 8 + f) * points + p,
                          first = (s * 5 + 1 + f) * points + p;
        mean +=
            (small_data().out[last] - small_data().in[first]) / (9 * static_cast<double>(points));
      }
    }
    for (std::size_t p = 0; p < points; p += 37) {
      const double start = test.in[(1 + f) * points + p];
      EXPECT_NEAR(answer[f * points + p], start + mean, 1e-9);
      EXPECT_NEAR(answer[(8 + f) * points + p], start + 3 * mean, 1e-9);
    }
  }
}

TEST(EnsembleSkill, IsTheScoreOfEveryFieldAndLead) {
  const DataSet test = test_samples();
  std::vector<std::vector<double>> members(3, test.out);
  Rng rng(3);
  for (auto& m : members) {
    for (double& x : m) x += 0.01 * rng.normal();
  }
  const std::vector<EnsembleSkill> skill = ensemble_skill(test, members);
  ASSERT_EQ(skill.size(), 4u);
  EXPECT_EQ(skill[2].field, "h");
  EXPECT_EQ(skill[2].lead, (std::vector<double>{6, 12, 18}));
  const std::size_t points = test.grid.n_points(), k = 6;  // h(t=12)
  std::vector<double> weights;
  double sum = 0;
  for (std::size_t p = 0; p < points; ++p) {
    weights.push_back(
        std::cos(test.grid.axes[0].node(static_cast<int>(p / 24)) * std::atan(1.0) / 45));
    sum += weights.back();
  }
  double expected = 0, squares = 0;
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t p = 0; p < points; ++p) {
      const std::size_t at = (s * 12 + k) * points + p;
      const double x[] = {members[0][at], members[1][at], members[2][at]};
      const double off = (x[0] + x[1] + x[2]) / 3 - test.out[at];
      expected += weights[p] / sum / 2 * crps(x, test.out[at]);
      squares += weights[p] / sum / 2 * off * off;
    }
  }
  EXPECT_LT(std::abs(skill[2].crps[1] / expected - 1), 1e-12);
  EXPECT_LT(std::abs(skill[2].rmse[1] / std::sqrt(squares) - 1), 1e-12);
  // The truth is the centre of the members, not one of them: sqrt(4/3 / (1/3)) of spread.
  EXPECT_NEAR(skill[2].spread_skill[1], 2, 0.1);
  // One member: its mean absolute error.
  const std::vector<EnsembleSkill> one = ensemble_skill(test, std::span(members).first(1));
  EXPECT_NEAR(one[2].crps[1], 0.01 * std::sqrt(2 / (4 * std::atan(1.0))), 1e-3);
  EXPECT_TRUE(std::isnan(one[2].spread[1]));
  EXPECT_THROW((void)ensemble_skill(test, {}), Error);
}

TEST(ForecastSpectra, AreThoseOfTheFields) {
  const DataSet test = test_samples();
  std::vector<std::vector<double>> members(2, test.out);
  for (double& x : members[0]) x *= 3;
  for (double& x : members[1]) x *= -1;
  const std::vector<ForecastSpectrum> spectra = forecast_spectra(test, members);
  ASSERT_EQ(spectra.size(), 4u);
  EXPECT_EQ(spectra[0].lead, 18);
  for (std::size_t l = 0; l <= 5; ++l) {
    EXPECT_NEAR(spectra[0].member[l] / spectra[0].truth[l], 5, 1e-9);  // (9 + 1) / 2
    EXPECT_NEAR(spectra[0].mean[l] / spectra[0].truth[l], 1, 1e-9);
  }
}

}  // namespace
}  // namespace cauchy::test_weather_ensemble
