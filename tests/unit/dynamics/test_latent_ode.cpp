#include "dynamics/latent_ode.hpp"
#include "dynamics/ode_rnn.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include <cauchy/networks/initialize.hpp>

#include "support/message_of.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_latent_ode {
namespace {

/// Waves with their own phases at irregular times; every fifth number was not seen.
TrajectoryData waves(int n, int rows) {
  TrajectoryData d{{"x", "y"}, {}};
  int count = 0;
  for (int i = 0; i < n; ++i) {
    Trajectory t{std::to_string(i), {}, {}};
    for (int j = 0; j < rows + i % 3; ++j) {
      const double s = 0.4 * j + 0.12 * std::sin(2.1 * j + i);
      t.times.push_back(s);
      const double gap = std::numeric_limits<double>::quiet_NaN();
      t.values.push_back(++count % 5 == 0 ? gap : std::cos(s + 0.9 * i));
      t.values.push_back(++count % 5 == 0 ? gap : 2 + std::sin(s + 0.9 * i));
    }
    d.trajectories.push_back(std::move(t));
  }
  return d;
}

LatentOde small() {
  LatentOde m{.latent = 2, .units = 3, .network = Mlp{.width = 4, .depth = 1}};
  m.flow = {.relative = 1e-10, .absolute = 1e-11};
  m.kl = 0.3;
  return m;
}

/// The gradient of a loss against differences, without and with what is drawn at random.
template <class Loss>
void expect_exact_gradient(Loss& loss_of_blocks) {
  detail::BlockTarget target(loss_of_blocks, std::make_shared<Threads>(1));
  target.start();
  for (const std::uint64_t step : {0U, 5U}) {
    if (step > 0) (void)target.ask({.step = step, .first_order = true});
    Objective& loss = target.objective();
    std::vector<double> theta = initial_parameters(loss_of_blocks.parameters(), Rng(2)),
                        g(loss.size());
    ASSERT_EQ(theta.size(), loss.size());
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += 0.1 * std::sin(double(i));
    (void)loss.gradient(theta, g);
    double size = 0, worst = 0;
    for (std::size_t i = 0; i < theta.size(); i += 4) {  // all kinds of them
      const double old = theta[i], h = 1e-5;
      theta[i] = old + h;
      const double up = loss.value(theta);
      theta[i] = old - h;
      const double down = loss.value(theta);
      theta[i] = old;
      size = std::max(size, std::abs(g[i]));
      const double off = std::abs(g[i] - (up - down) / (2 * h));
      if (!(off <= worst)) worst = off;
    }
    EXPECT_LT(worst, 2e-5 * size) << step;
  }
}

}  // namespace

TEST(LatentOde, GradientGoesThroughEncoderStartsAndDecoder) {
  // 18 trajectories: two blocks. With starts that are drawn, and with their means.
  const TrajectoryData data = waves(18, 3);
  detail::LatentForm form{small(), detail::row_units(data)};
  for (const RowCell cell : {RowCell::gru, RowCell::lstm}) {
    form.options.cell = cell;
    detail::LatentLoss loss(form, data);
    expect_exact_gradient(loss);
  }
}

OdeRnn small_rnn() {
  OdeRnn m{.units = 3, .network = Mlp{.width = 4, .depth = 1}};
  m.flow = {.relative = 1e-10, .absolute = 1e-11};
  m.drop = 0.4;
  return m;
}

TEST(OdeRnn, GradientGoesThroughRowsGapsAndReadOut) {
  const TrajectoryData data = waves(18, 4);
  detail::OdeRnnForm form{small_rnn(), detail::row_units(data)};
  for (const RowCell cell : {RowCell::gru, RowCell::lstm}) {
    form.options.cell = cell;
    detail::OdeRnnLoss loss(form, data);
    expect_exact_gradient(loss);
  }
}

TEST(RowEncoder, AnLstmCellIsItsFormulas) {
  // Two rows at one time, so that nothing flows between them: c = f c + i g, h = o tanh(c).
  detail::RowEncoder encoder(Mlp{.width = 2, .depth = 1}, RowCell::lstm, 1, 1, 8);
  const std::size_t n = encoder.n_parameters();
  ASSERT_EQ(n, (1 * 2 + 2) + (2 + 1) + 4 * (3 + 1));  // field; gates of h, row and mask
  std::vector<double> theta(n);
  for (std::size_t i = 0; i < n; ++i) theta[i] = std::sin(1.7 * double(i) + 0.3);
  encoder.prepare(theta);
  auto lane = encoder.make_lane({});
  const detail::RowUnits units{.columns = {"x"}, .shift = {0}, .size = {1}};
  const double rows[] = {0.7, -0.4};
  ASSERT_EQ(encoder.run(lane, units, {{{0, &rows[0]}, {0, &rows[1]}}}), "");
  double h = 0, c = 0;
  for (const double x : rows) {
    const auto gate = [&](int k) {
      const double* w = &theta[n - 16 + 4 * static_cast<std::size_t>(k)];
      return w[0] * h + w[1] * x + w[2] + w[3];
    };
    const auto sigmoid = [](double z) { return 1 / (1 + std::exp(-z)); };
    c = sigmoid(gate(0)) * c + sigmoid(gate(1)) * std::tanh(gate(3));
    h = sigmoid(gate(2)) * std::tanh(c);
  }
  EXPECT_NEAR(lane.visits[1].after[0], h, 1e-12);
  EXPECT_NEAR(lane.visits[1].after[8], c, 1e-12);
}

TEST(OdeRnn, LearnsToGoOnFromIrregularRowsAndResumesToTheSameBits) {
  DynamicsProblem p{.name = "waves", .field = {.states = {"x", "y"}}, .data = waves(10, 10)};
  p.field.unknown = FieldUnknown{};
  p.test = 2;
  OdeRnn m = small_rnn();
  m.units = 6;
  m.drop = 0.2;
  m.flow = {.relative = 1e-3, .absolute = 1e-4};
  m.stages = {{AdamOptions{.learning_rate = 2e-2}, 150}};
  const DynamicsResult whole = learn_dynamics(p, m, {.threads = 1});
  const std::vector<HistoryEntry>& h = whole.training.history;
  EXPECT_LT(h.back().loss, 0.2 * h.front().loss);
  EXPECT_LT(whole.test.mean(), 0.5);  // trajectories that it has not seen
  EXPECT_NE(whole.model->describe().find("ODE-RNN of 6 units"), std::string::npos);
  const TemporaryFolder folder;
  StopAfter stop(23);
  RunOptions options{.threads = 2};
  options.checkpoint = folder / "checkpoint.bin";
  options.progress = &stop;
  EXPECT_TRUE(learn_dynamics(p, m, options).interrupted);
  options.progress = nullptr;
  EXPECT_EQ(learn_dynamics(p, m, options).training.parameters, whole.training.parameters);
  Checkpoint c;
  whole.model->save(c);
  const std::vector<std::vector<double>> times(10, {0.5, 1, 9});
  const auto answers = whole.model->predict(p.data, times, 2);
  EXPECT_EQ(load_dynamics(c, p, m)->predict(p.data, times, 1), answers);
  // A row is answered from those before it: what comes later does not count, what was before does.
  TrajectoryData other = p.data;
  other.trajectories[0].values.back() += 1;
  EXPECT_EQ(whole.model->predict(other, times, 1)[0][0], answers[0][0]);
  other.trajectories[0].values[0] += 1;
  EXPECT_NE(whole.model->predict(other, times, 1)[0][0], answers[0][0]);
  EXPECT_NE(message_of([&] {
              (void)whole.model->predict(p.data, {{-1}}, 1);
            }).find("time -1 lies before the start"),
            std::string::npos);
  m.stages = {{LbfgsOptions{}, 3}};
  EXPECT_NE(message_of([&] { (void)learn_dynamics(p, m); }).find("rows are dropped anew"),
            std::string::npos);
}

TEST(LatentOde, LearnsFromRowsWithGapsAndResumesToTheSameBits) {
  DynamicsProblem p{.name = "waves", .field = {.states = {"x", "y"}}, .data = waves(10, 6)};
  p.field.unknown = FieldUnknown{};
  p.test = 2;
  LatentOde m = small();
  m.kl = 1e-3;
  m.flow = {.relative = 1e-3, .absolute = 1e-4};
  m.stages = {{AdamOptions{.learning_rate = 2e-2}, 60}};
  const DynamicsResult whole = learn_dynamics(p, m, {.threads = 1});
  const std::vector<HistoryEntry>& h = whole.training.history;
  EXPECT_LT(h.back().loss, 0.6 * h.front().loss);
  EXPECT_EQ(whole.test.relative_l2.size(), 2U);
  const TemporaryFolder folder;
  StopAfter stop(23);
  RunOptions options{.threads = 2};
  options.checkpoint = folder / "checkpoint.bin";
  options.progress = &stop;
  EXPECT_TRUE(learn_dynamics(p, m, options).interrupted);
  options.progress = nullptr;
  EXPECT_EQ(learn_dynamics(p, m, options).training.parameters, whole.training.parameters);
  // Answers at other times, also from a model that was saved.
  Checkpoint c;
  whole.model->save(c);
  const std::vector<std::vector<double>> times(10, {0.5, 1, 9});
  EXPECT_EQ(load_dynamics(c, p, m)->predict(p.data, times, 1),
            whole.model->predict(p.data, times, 2));
  p.field.constants.push_back({"k", 1});
  EXPECT_NE(message_of([&] { (void)learn_dynamics(p, m); }).find("has no equations"),
            std::string::npos);
}

}  // namespace cauchy::test_latent_ode
