#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/geometry/primitives.hpp>
#include <cauchy/networks/initialize.hpp>

#include "operators/operator_loss.hpp"
#include "operators/operator_target.hpp"
#include "support/allocation_counter.hpp"
#include "support/message_of.hpp"
#include "support/operator_cases.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_learn {
namespace {

TEST(Learn, TheHeatSemigroupIsLearntToRounding) {
  // One Fourier layer without activation holds exp(-nu k^2 t) exactly; the loss is convex in it.
  FieldOperator m = small_operator();
  m.stages = {{LbfgsOptions{}, 300}};
  m.loss = OperatorLoss::mean_square;
  const OperatorResult r = learn(heat_problem(24, 4, 8), heat_data(32, 36), m, {.threads = 1});
  EXPECT_EQ(r.grade, Grade::converged) << r.findings.front();
  EXPECT_LT(r.test.worst_l2(), 1e-12);
  EXPECT_LT(r.test.mean_h1(), 1e-12);
  EXPECT_EQ(r.test.size(), 8u);
  // The same numbers serve another grid: the inputs have no more modes than the network.
  const DataSet fine = heat_data(50, 36);
  EXPECT_LT(measure(*r.model, fine.part(28, 8), 1).worst_l2(), 1e-12);
}

TEST(Learn, TheDefaultIsAdamOverAllEpochs) {
  FieldOperator m = small_operator();
  m.epochs = 40;
  const OperatorResult r = learn(heat_problem(10, 3, 3), heat_data(16, 16), m, {.threads = 1});
  EXPECT_EQ(r.training.steps, 40u * 3u);  // 10 samples in batches of 4: 4, 4, 2
  ASSERT_EQ(r.epochs.size(), 40u);
  EXPECT_EQ(r.epochs[1].step, 6u);
  EXPECT_LT(r.epochs.back().loss, r.epochs.front().loss);
  EXPECT_LT(r.epochs.back().validation, r.epochs.front().validation);
  EXPECT_EQ(r.train.size(), 10u);
  EXPECT_EQ(r.validation.mean_l2(), r.epochs[r.best_epoch - 1].validation);
  ASSERT_FALSE(r.training.choices.empty());
  // One entry of the history per epoch, with the validation error, and both ends.
  ASSERT_EQ(r.training.history.size(), 42u);
  EXPECT_EQ(r.training.history[2].error, r.epochs[1].validation);
}

std::vector<double> trained(const FieldOperator& m, const RunOptions& options,
                            const DataSet& data = heat_data(16, 14)) {
  return learn(heat_problem(10, 2, 2), data, m, options).training.parameters;
}

TEST(Learn, TheBitsDoNotDependOnTheThreads) {
  FieldOperator m = small_operator();
  m.precision = Precision::f32;
  m.noise = 0.1;
  const std::vector<double> one = trained(m, {.threads = 1});
  EXPECT_EQ(trained(m, {.threads = 2}), one);
  EXPECT_EQ(trained(m, {.threads = 3}), one);
  m.seed = 2;
  EXPECT_NE(trained(m, {.threads = 1}), one);
}

/// Stopped after `steps`, then resumed: everything as in one go.
void expect_same_resumed(const FieldOperator& m, const DataSet& data, std::uint64_t steps) {
  const OperatorProblem problem = heat_problem(10, 2, 2);
  const OperatorResult whole = learn(problem, data, m, {.threads = 1});
  const TemporaryFolder folder;
  StopAfter stop(steps);
  RunOptions options{.threads = 1};
  options.checkpoint = folder / "checkpoint.bin";
  options.progress = &stop;
  const OperatorResult part = learn(problem, data, m, options);
  EXPECT_TRUE(part.interrupted);
  EXPECT_EQ(part.training.steps, steps);
  options.progress = nullptr;
  const OperatorResult rest = learn(problem, data, m, options);
  EXPECT_FALSE(rest.interrupted);
  EXPECT_EQ(rest.training.parameters, whole.training.parameters);
  EXPECT_EQ(rest.test.relative_l2, whole.test.relative_l2);
  ASSERT_EQ(rest.epochs.size(), whole.epochs.size());
  for (std::size_t i = 0; i < whole.epochs.size(); ++i) {
    EXPECT_EQ(rest.epochs[i].loss, whole.epochs[i].loss) << i;
    EXPECT_EQ(rest.epochs[i].validation, whole.epochs[i].validation) << i;
  }
  EXPECT_EQ(rest.best_epoch, whole.best_epoch);
}

TEST(Learn, ARunThatIsResumedHasTheSameBits) {
  FieldOperator m = small_operator();
  expect_same_resumed(m, heat_data(16, 14), 7);  // in the middle of an epoch
  m.stages = {{AdamOptions{}, 4}, {LbfgsOptions{}, 6}};
  expect_same_resumed(m, heat_data(16, 14), 6);
  m.stages = {{SoapOptions{}, 9}};
  m.noise = 0.2;
  m.history = 1;
  m.unroll = 2;
  m.pushforward = true;
  expect_same_resumed(m, heat_data(16, 14, {0, 0.5, 1, 1.5}), 5);
}

TEST(Learn, AnotherRunIsNotResumed) {
  const TemporaryFolder folder;
  StopAfter stop(3);
  RunOptions options{.threads = 1};
  options.checkpoint = folder / "checkpoint.bin";
  options.progress = &stop;
  FieldOperator m = small_operator();
  (void)trained(m, options);
  m.batch = 5;
  EXPECT_NE(message_of([&] { (void)trained(m, options); }).find("other settings"),
            std::string::npos);
  m.batch = 4;
  DataSet other = heat_data(16, 14);
  other.out[5] += 1e-9;
  EXPECT_NE(message_of([&] { (void)trained(m, options, other); }).find("another problem"),
            std::string::npos);
}

TEST(Learn, EveryOptimizerLowersTheLoss) {
  for (const OptimizerEntry& entry : all_optimizers()) {
    if (entry.kind == OptimizerKind::least_squares) continue;
    FieldOperator m = small_operator();
    m.stages = {{entry.options, 6}};
    const OperatorResult r = learn(heat_problem(10, 2, 2), heat_data(16, 14), m, {.threads = 1});
    EXPECT_LT(r.training.history.back().loss, 0.999 * r.training.history.front().loss)
        << entry.name;
  }
}

TEST(Learn, EveryLossLowersTheError) {
  for (const OperatorLoss loss :
       {OperatorLoss::relative_l2, OperatorLoss::relative_h1, OperatorLoss::mean_square}) {
    for (const Normalization n :
         {Normalization::none, Normalization::channel, Normalization::point}) {
      FieldOperator m = small_operator();
      m.loss = loss;
      m.normalization = n;
      m.stages = {{AdamOptions{.learning_rate = 1e-2}, 60}};
      const OperatorResult r = learn(heat_problem(10, 2, 2), heat_data(16, 14), m, {.threads = 1});
      EXPECT_LT(r.test.mean_l2(), 0.3 * r.epochs.front().validation)
          << to_string(loss) << " " << to_string(n);
    }
  }
}

TEST(Learn, EarlyStoppingKeepsTheBestParameters) {
  FieldOperator m = small_operator();
  // A rate that is far too large: the validation error goes up and down.
  m.stages = {{AdamOptions{.learning_rate = 0.3}, 300}};
  m.patience = 4;
  const OperatorResult r = learn(heat_problem(10, 2, 2), heat_data(16, 14), m, {.threads = 1});
  ASSERT_GT(r.best_epoch, 0u);
  EXPECT_EQ(r.epochs.size(), r.best_epoch + 4);
  for (const EpochEntry& e : r.epochs) {
    EXPECT_GE(e.validation, r.epochs[r.best_epoch - 1].validation);
  }
  EXPECT_EQ(r.validation.mean_l2(), r.epochs[r.best_epoch - 1].validation);
  ASSERT_EQ(r.training.events.size(), 1u);
  EXPECT_EQ(r.training.events[0].text,
            "4 epochs have not lowered the validation error: the training ends");
}

TEST(Learn, FewSamplesAndManyParametersAreSuspicious) {
  // Outputs that have nothing to do with the inputs can only be learnt by heart.
  DataSet data = heat_data(16, 44);
  std::vector<double> shuffled;
  for (std::size_t s = 0; s < 44; ++s) {
    const TrigonometricSample other(4, 99, s);
    for (int i = 0; i < 16; ++i) shuffled.push_back(other.at(i / 16.0));
  }
  data.out = shuffled;
  FieldOperator m = small_operator();
  Fno network = std::get<Fno>(m.network);
  network.width = 16;
  network.depth = 2;
  m.network = network;
  m.stages = {{LbfgsOptions{}, 400}};
  const OperatorResult r = learn(heat_problem(4, 0, 40), data, m, {.threads = 1});
  EXPECT_LT(r.train.mean_l2(), 1e-2);
  EXPECT_EQ(r.grade, Grade::suspicious);
}

TEST(Learn, ARunThatDivergesSaysSo) {
  FieldOperator m = small_operator();
  m.stages = {{GradientDescentOptions{.learning_rate = 1e200}, 50}};
  const OperatorResult r = learn(heat_problem(10, 0, 2), heat_data(16, 12), m, {.threads = 1});
  EXPECT_EQ(r.grade, Grade::diverged);
  EXPECT_FALSE(r.findings.empty());
}

TEST(Learn, TestSamplesOfTheTrainingAreFound) {
  DataSet data = heat_data(16, 12);
  std::copy(data.in.begin(), data.in.begin() + 16, data.in.end() - 16);
  const OperatorResult r = learn(heat_problem(10, 0, 2), data, small_operator(), {.threads = 1});
  EXPECT_EQ(r.grade, Grade::suspicious);
}

TEST(Learn, ARollOutIsTheNetworkAgainAndAgain) {
  FieldOperator m = small_operator();
  m.history = 1;
  m.stages = {{LbfgsOptions{}, 200}};
  m.loss = OperatorLoss::mean_square;
  const std::vector<double> times = {0, 0.5, 1, 1.5, 2};
  const OperatorResult r =
      learn(heat_problem(24, 2, 4), heat_data(16, 30, times), m, {.threads = 1});
  EXPECT_LT(r.test.worst_l2(), 1e-4);
  // Frames beyond those of the training.
  const std::vector<double> longer = {0, 0.5, 1, 1.5, 2, 2.5, 3};
  EXPECT_LT(measure(*r.model, heat_data(16, 30, longer).part(26, 4), 1).worst_l2(), 1e-4);
  // The first frame is given: copied, and not counted.
  const DataSet test = heat_data(16, 2, times);
  EXPECT_EQ(r.model->given(test), (std::vector<std::size_t>{0}));
  const std::vector<double> answer = r.model->predict(test, 1);
  EXPECT_TRUE(std::equal(answer.begin(), answer.begin() + 16, test.out.begin()));
  EXPECT_NE(message_of([&] {
              DataSet nothing = test;
              nothing.out.clear();
              (void)r.model->predict(nothing, 1);
            }).find("starts from 1 frames"),
            std::string::npos);
}

TEST(Learn, BeginsWithTheModelOfAnotherRun) {
  // One step first, then fine-tuning of two steps: with a rate of next to nothing the second run
  // gives back the first one, with the normalisation of its data.
  const TemporaryFolder folder;
  const std::vector<double> times = {0, 0.5, 1, 1.5};
  const DataSet data = heat_data(16, 30, times);
  FieldOperator m = small_operator();
  m.history = 1;
  m.stages = {{AdamOptions{}, 30}};
  const OperatorResult first = learn(heat_problem(24, 2, 4), data, m, {.threads = 1});
  Checkpoint c;
  first.model->save(c);
  const std::string file = (folder / "model.bin").string();
  save_checkpoint(file, c);
  DataSet larger = data;
  for (double& x : larger.out) x *= 3;
  m.unroll = 2;
  m.stages = {{AdamOptions{.learning_rate = 1e-14}, 2}};
  const OperatorResult random = learn(heat_problem(24, 2, 4), larger, m, {.threads = 1});
  m.start = file;
  const OperatorResult second = learn(heat_problem(24, 2, 4), larger, m, {.threads = 1});
  const std::vector<double> a = first.model->predict(data, 1), b = second.model->predict(data, 1),
                            other = random.model->predict(data, 1);
  double difference = 0, chance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    chance = std::max(chance, std::abs(a[i] - other[i]));
  }
  EXPECT_LT(difference, 1e-9);
  EXPECT_GT(chance, 1e-3);
  // What does not fit is said with the file.
  Fno wide = std::get<Fno>(m.network);
  wide.width += 1;
  m.network = wide;
  const std::string message =
      message_of([&] { (void)learn(heat_problem(24, 2, 4), data, m, {.threads = 1}); });
  EXPECT_NE(message.find("[train.start] " + file + ": it holds"), std::string::npos) << message;
  m.start = (folder / "none.bin").string();
  EXPECT_NE(message_of([&] {
              (void)learn(heat_problem(24, 2, 4), data, m, {.threads = 1});
            }).find("[train.start]"),
            std::string::npos);
}

TEST(Learn, KnowsItsCostBeforeItRuns) {
  FieldOperator m = small_operator();
  const OperatorResult r = learn(heat_problem(10, 2, 2), heat_data(16, 14), m, {.threads = 1});
  // The same channels and grid, from a problem alone.
  Coordinate x("x");
  OperatorProblem problem = heat_problem(10, 2, 2);
  problem.problem.domain = Interval(x, 0, 1);
  problem.inputs = {{.name = "a", .field = "grf(alpha = 2, tau = 3)"}};
  problem.grid = {16};
  const std::optional<OperatorCost> cost = cost_of(problem, m);
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->parameters, r.model->n_parameters());
  EXPECT_EQ(cost->batch, m.batch);
  EXPECT_GT(cost->flops, 0);
  EXPECT_GT(cost->bytes, 8 * cost->parameters);
  EXPECT_FALSE(cost_of(problem, DeepOnet{}).has_value());
}

TEST(Learn, ATimeAxisAnswersAtOtherTimes) {
  FieldOperator m = small_operator();
  Fno network;
  network.width = 8;
  network.depth = 2;
  network.modes = {3, 5};
  network.projection = 16;
  m.network = network;
  m.time_axis = true;
  m.batch = 8;
  m.stages = {{AdamOptions{.learning_rate = 1e-2}, 150}};
  m.stages[0].schedule = {.shape = ScheduleShape::cosine, .steps = 150};
  const auto times = [](int n) {
    std::vector<double> t;
    for (int i = 0; i < n; ++i) t.push_back(1.0 + i / (n - 1.0));
    return t;
  };
  const OperatorResult r =
      learn(heat_problem(24, 4, 4), heat_data(16, 32, times(17)), m, {.threads = 1});
  const double trained = r.test.mean_l2();
  EXPECT_LT(trained, 0.1);
  const DataSet fine = heat_data(32, 32, times(33)).part(28, 4);
  EXPECT_LT(measure(*r.model, fine, 1).mean_l2(), 2 * trained);
}

TEST(Learn, WhatDoesNotFitIsSaid) {
  const auto error = [](const DataSet& d, const FieldOperator& m,
                        OperatorProblem p = heat_problem(10, 2, 2)) {
    return message_of([&] { (void)learn(p, d, m, {.threads = 1}); });
  };
  OperatorProblem other = heat_problem(10, 2, 2);
  other.inputs = {{.name = "a", .field = ""}};
  EXPECT_EQ(error(heat_data(16, 14), small_operator(), other),
            "[operators]: the data are not of this problem: they have no input 'a'; their inputs "
            "are: f");
  other.inputs.clear();
  other.outputs = {"p"};
  EXPECT_EQ(error(heat_data(16, 14), small_operator(), other),
            "[operators]: the data are not of this problem: they have no output 'p'; their outputs "
            "are: u");
  DataSet nan = heat_data(16, 14);
  nan.in[3 * 16 + 5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error(nan, small_operator()).find("sample 3"), std::string::npos)
      << error(nan, small_operator());
  EXPECT_NE(error(heat_data(8, 14), small_operator()).find("modes"), std::string::npos)
      << error(heat_data(8, 14), small_operator());
  EXPECT_EQ(error(heat_data(16, 0), small_operator()),
            "[data.data_set]: there are no samples; give at least one");
  EXPECT_EQ(error(heat_data(16, 14), small_operator(), heat_problem(0, 2, 2)),
            "[operators]: there is no sample to train on; give [operator] samples = 1 or more");
  FieldOperator m = small_operator();
  m.stages = {{LevenbergMarquardtOptions{}, 3}};
  EXPECT_EQ(error(heat_data(16, 14), m),
            "[train]: levenberg_marquardt needs residuals, which the loss of an operator does not "
            "have; use adam, adamw, soap or lbfgs");
  m.stages = {{LbfgsOptions{}, 3}};
  m.noise = 0.1;
  EXPECT_EQ(error(heat_data(16, 14), m),
            "[train]: noise and pushforward change the loss at every step, which lbfgs cannot "
            "bear; use adam, adamw or soap");
  m = small_operator();
  m.stages = {{AdamOptions{}, 3}};
  m.stages[0].schedule.shape = ScheduleShape::plateau;
  EXPECT_NE(error(heat_data(16, 14), m).find("batch = 0"), std::string::npos);
  m.batch = 0;
  EXPECT_EQ(error(heat_data(16, 14), m), "no error");
  m = small_operator();
  m.pushforward = true;
  EXPECT_EQ(error(heat_data(16, 14), m),
            "[train]: unroll and pushforward belong to a roll-out; give history = 1 as well");
}

TEST(Learn, AStepAllocatesNothing) {
  DataSet data = heat_data(16, 12);
  const FieldOperator m = small_operator();
  detail::FieldMap map;
  map.network = m.network;
  map.channels = detail::channels_of({}, data, m);
  map.grid = data.grid;
  auto [in, out] = detail::fit_normalizers(m.normalization, map.channels, data, 12);
  map.input = in;
  map.output = out;
  const detail::OperatorSamples samples(map.channels, data, 12, detail::norm_of(m.loss, map.grid),
                                        1, 0);
  const detail::LossGraph loss = detail::make_loss(map, m, heat_problem(12, 0, 0), {}, 1);
  const auto executor = make_tensor_executor(loss.graph, loss.terms, {.threads = 2});
  std::vector<double> noise = {0.1};
  detail::OperatorTarget target(*executor, samples, {.batch = 4, .noise = noise}, {}, 0);
  std::vector<double> theta = initial_parameters(loss.graph->parameters(), Rng(3));
  const std::unique_ptr<Optimizer> adam = make_optimizer(AdamOptions{});
  target.start();
  target.begin_stage(0, false);
  const auto step = [&](std::uint64_t i) {
    (void)target.ask({.step_in_stage = i, .step = i, .theta = theta});
    (void)adam->step(target.objective(), theta);
  };
  for (std::uint64_t i = 0; i < 3; ++i) step(i);
  const std::size_t before = AllocationCounter::total();
  for (std::uint64_t i = 3; i < 9; ++i) step(i);
  EXPECT_EQ(AllocationCounter::total(), before);
}

TEST(Learn, ADataSetOfAnotherSizeIsCutInProportion) {
  const DataSplit all = split_of(heat_problem(10, 2, 2), heat_data(8, 14));
  EXPECT_EQ(all.train, 10u);
  EXPECT_EQ(all.test, 2u);
  const DataSplit more = split_of(heat_problem(10, 2, 2), heat_data(8, 20));
  EXPECT_EQ(more.train, 10u);  // as the problem says
  const DataSplit fewer = split_of(heat_problem(1000, 100, 100), heat_data(8, 12));
  EXPECT_EQ(fewer.test, 4u);
  EXPECT_EQ(fewer.validation, 2u);
  EXPECT_EQ(fewer.train, 6u);
}

TEST(EpochOrder, IsAPermutationOfItsOwnInEveryEpoch) {
  const auto order = [](std::uint64_t seed, std::uint64_t epoch) {
    std::vector<std::size_t> all(50);
    detail::epoch_order(seed, epoch, all);
    return all;
  };
  const std::vector<std::size_t> first = order(3, 0);
  EXPECT_EQ(first, order(3, 0));
  EXPECT_NE(first, order(3, 1));
  EXPECT_NE(first, order(4, 0));
  std::vector<bool> seen(50);
  for (const std::size_t i : first) seen.at(i) = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 50);
}

TEST(TrainedOperator, ASaveAnswersWithTheSameBits) {
  for (const int history : {0, 2}) {
    FieldOperator m = small_operator();
    m.history = history;
    m.normalization = Normalization::point;
    m.precision = Precision::f32;
    const DataSet data = heat_data(16, 14, {0, 0.5, 1, 1.5});
    const OperatorResult r = learn(heat_problem(10, 2, 2), data, m, {.threads = 2});
    Checkpoint c;
    r.model->save(c);
    const auto back = load_operator(parse_checkpoint(checkpoint_bytes(c), "model"), m);
    EXPECT_EQ(back->predict(data, 1), r.model->predict(data, 3));
    EXPECT_EQ(back->inputs(), r.model->inputs());
    EXPECT_EQ(back->kind(), "field_network");
    FieldOperator other = m;
    Fno network = std::get<Fno>(m.network);
    network.width = 5;
    other.network = network;
    EXPECT_NE(message_of([&] { (void)load_operator(c, other); }).find("use the settings"),
              std::string::npos);
  }
}

TEST(TrainedOperator, AnotherBoxIsRefused) {
  const OperatorResult r =
      learn(heat_problem(10, 2, 2), heat_data(16, 14), small_operator(), {.threads = 1});
  DataSet other = heat_data(16, 2);
  other.grid.axes[0].upper = 2;
  EXPECT_EQ(message_of([&] { (void)r.model->predict(other, 1); }),
            "[operators]: the data lie on another box: x in [0, 2] (periodic); it must be x in [0, "
            "1] (periodic)");
}

}  // namespace
}  // namespace cauchy::test_learn
