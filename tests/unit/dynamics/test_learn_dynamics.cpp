#include <cauchy/dynamics/learn_dynamics.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include <cauchy/base/error.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/networks/initialize.hpp>

#include "dynamics/flow_target.hpp"
#include "support/message_of.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_learn_dynamics {
namespace {

const double missing = std::numeric_limits<double>::quiet_NaN();

/// Exact states of the oscillator x' = v, v' = -4 x at irregular times.
DynamicsProblem oscillator(bool with_velocity, std::size_t rows = 24) {
  const Expr x = Field("x"), v = Field("v");
  DynamicsProblem p{.name = "oscillator",
                    .field = {.states = {"x", "v"},
                              .slopes = {v, -Parameter("k") * x},
                              .constants = {{"k", 3.2}}},
                    .data = {{"x"}, {}}};
  if (with_velocity) p.data.columns.push_back("v");
  for (int i = 0; i < 3; ++i) {
    Trajectory t{std::to_string(i + 1), {}, {}};
    for (std::size_t j = 0; j < rows; ++j) {
      const double s =
          0.13 * static_cast<double>(j) + 0.05 * std::sin(1.7 * static_cast<double>(j));
      const double phase = 2 * s + 0.7 * i;
      t.times.push_back(s);
      t.values.push_back(std::cos(phase));
      if (with_velocity) t.values.push_back(-2 * std::sin(phase));
    }
    p.data.trajectories.push_back(std::move(t));
  }
  p.test = 1;
  p.train_until = 2.2;
  p.truths = {{"k", 4}};
  return p;
}

NeuralOde quick(std::uint64_t steps = 30) {
  NeuralOde m;
  m.network = Mlp{.width = 6, .depth = 1};
  m.flow.relative = 1e-8;
  m.stages = {{LbfgsOptions{}, steps}};
  return m;
}

}  // namespace

TEST(Trajectories, ComeFromATableWithGapsAndIrregularTimes) {
  const Table t = parse_csv("id,t,x,y\n1,0,1,2\n2,0.5,3,nan\n1,0.3,nan,4\n", "d.csv",
                            {.allow_nonfinite = true});
  const TrajectoryData d = trajectories_of(t, "id", "t", {"y", "x"});
  ASSERT_EQ(d.trajectories.size(), 2U);
  EXPECT_EQ(d.trajectories[0].times, (std::vector<double>{0, 0.3}));
  EXPECT_EQ(d.trajectories[0].values[2], 4);
  EXPECT_TRUE(std::isnan(d.trajectories[0].values[3]));
  EXPECT_EQ(d.trajectories[1].name, "2");
  const Table back = table_of(d, "id", "t");
  EXPECT_EQ(trajectories_of(back, "id", "t", {"y", "x"}).trajectories[1].values[1], 3);
}

TEST(Trajectories, SayWhichRowIsWrong) {
  const auto read = [](const char* text) {
    return message_of([&] {
      Table t = parse_csv(text, "d.csv", {.allow_nonfinite = true});
      t.source = "d.csv";
      (void)trajectories_of(t, "id", "t", {"x"});
    });
  };
  EXPECT_NE(read("id,t,x\n1,0,1\n2,7,1\n1,0,1\n")
                .find("d.csv: row 3: the times of trajectory 1 do not increase: 0 comes after 0"),
            std::string::npos);
  EXPECT_NE(read("id,t,x\n1,0,1\n1,nan,1\n").find("row 2: the time is not a number"),
            std::string::npos);
  EXPECT_NE(read("id,t,x\n1,0,inf\n").find("row 1: 'x' is infinite"), std::string::npos);
  EXPECT_NE(read("id,t,x\n1,0,1\n1,1,nan\n").find("row 2: no value of the row"), std::string::npos);
  EXPECT_NE(read("id,t,y\n1,0,1\n").find("'x'"), std::string::npos);
}

TEST(Trajectories, ErrorsAreRelativeAndSkipWhatWasNotSeen) {
  const TrajectoryData d{{"x", "y"}, {{"1", {0, 1}, {3, missing, 4, 2}}}};
  const TrajectoryError e = measure({{3.5, 99, 4, 1}}, d);
  // x: 0.5 / 5, y: 1 / 2; together sqrt((0.01 + 0.25) / 2).
  EXPECT_NEAR(e.relative_l2[0], std::sqrt(0.13), 1e-15);
  EXPECT_NEAR(e.column_l2[0], 0.1, 1e-15);
  EXPECT_EQ(e.maximum[0], 1);
  EXPECT_TRUE(std::isnan(measure({{missing, 0, 4, 2}}, d).mean()));
}

TEST(LearnDynamics, FindsAConstantAndPredictsLaterTimes) {
  const DynamicsResult r = learn_dynamics(oscillator(true), quick(), {.threads = 1});
  EXPECT_NEAR(r.model->constants().at("k"), 4, 1e-5);
  EXPECT_EQ(r.grade, Grade::converged) << r.findings.back();
  EXPECT_LT(r.test.mean(), 1e-5);
  EXPECT_EQ(r.test.relative_l2.size(), 3U);  // later times of two, and the third
  EXPECT_EQ(r.tested_on, "times behind those of the training and trajectories that were held back");
}

TEST(LearnDynamics, FindsAFieldThatWasNotSeen) {
  // Only x is given: v is hidden, and its starts are trained.
  DynamicsProblem p = oscillator(false);
  p.test = 0;
  NeuralOde m = quick(60);
  m.start = StartRule::trained;
  const DynamicsResult r = learn_dynamics(p, m, {.threads = 1});
  EXPECT_NEAR(r.model->constants().at("k"), 4, 1e-4);
  EXPECT_LT(r.test.mean(), 1e-4);
}

TEST(LearnDynamics, GradientsOfEveryStartAreExact) {
  // Also dL/dA = a(0) x', dL/db = a(0); with values that were not seen.
  for (const StartRule rule : {StartRule::data, StartRule::trained, StartRule::affine}) {
    for (const bool continuous : {false, true}) {
      DynamicsProblem p = oscillator(true, 7);
      p.field.slopes.clear();
      p.field.constants.clear();
      p.field.states.push_back("z");
      p.field.unknown = FieldUnknown{};
      p.data.trajectories[1].values[5] = missing;
      NeuralOde m = quick();
      m.start = rule;
      m.read_out = continuous ? ReadOut::states : ReadOut::affine;
      m.flow = {.relative = 1e-10, .absolute = 1e-12};
      m.gradient = continuous ? FlowGradient::continuous : FlowGradient::discrete;
      const detail::NeuralOdeForm form = detail::make_form(p, m, p.data);
      detail::FlowTarget target(form, m, p.data, std::make_shared<Threads>(1));
      target.start();
      Objective& loss = target.objective();
      std::vector<double> theta = initial_parameters(form.parameters(p.data), Rng(4));
      ASSERT_EQ(theta.size(), loss.size());
      // Starts that fit at once have no slope: move them.
      for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += 0.05 * std::sin(3.0 * double(i));
      std::vector<double> g(theta.size());
      (void)loss.gradient(theta, g);
      double size = 0, worst = 0;
      for (std::size_t i = 0; i < theta.size(); ++i) {
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
      // Steps of adaptive integrations change between differences: 1e-10 / h.
      EXPECT_LT(worst, 2e-5 * size) << static_cast<int>(rule) << continuous;
    }
  }
}

TEST(LearnDynamics, AReadOutFindsWhatIsSeenOfTheStates) {
  // x'' = -4 x from x = 4, of which 0.75 x + 1 is seen.
  DynamicsProblem p = oscillator(false);
  for (Trajectory& t : p.data.trajectories) {
    for (std::size_t j = 0; j < t.times.size(); ++j) t.values[j] = 1 + 3 * std::cos(2 * t.times[j]);
  }
  NeuralOde m = quick(80);
  EXPECT_GT(learn_dynamics(p, m, {.threads = 1}).train.mean(), 0.1);
  m.read_out = ReadOut::affine;
  const DynamicsResult r = learn_dynamics(p, m, {.threads = 1});
  EXPECT_NEAR(r.model->constants().at("k"), 4, 1e-4);
  EXPECT_LT(r.test.mean(), 1e-4);
  EXPECT_NEAR(r.training.parameters[1], 0.75, 1e-3);  // behind k: C, then d
  EXPECT_NEAR(r.training.parameters[3], 1, 1e-3);
  Checkpoint c;
  r.model->save(c);
  const std::vector<std::vector<double>> times(3, {1, 2.5});
  EXPECT_EQ(load_dynamics(c, p, m)->predict(p.data, times, 1), r.model->predict(p.data, times, 1));
}

TEST(LearnDynamics, WeightsThatChangeInTimeLearnWhatFixedOnesCannot) {
  // ANODEV2: y' = tanh(w y + b) with w' and b' given by a network. With fixed w and b the field of
  // one state has no turning points, and cannot follow sin t.
  const Expr y = Field("y"), w = Field("w"), b = Field("b");
  DynamicsProblem p;
  p.name = "turns";
  p.data = {{"y"}, {{"1", {}, {}}}};
  for (int j = 0; j <= 24; ++j) {
    p.data.trajectories[0].times.push_back(0.2 * j);
    p.data.trajectories[0].values.push_back(std::sin(0.2 * j));
  }
  p.field = {.states = {"y"},
             .slopes = {tanh(Parameter("w") * y + Parameter("b"))},
             .constants = {{"w", 0.1}, {"b", 0.5}}};
  NeuralOde m = quick(60);
  m.start = StartRule::trained;
  m.flow.relative = 1e-6;
  EXPECT_GT(learn_dynamics(p, m, {.threads = 1}).train.mean(), 0.3);
  p.field = {.states = {"y", "w", "b"}, .slopes = {tanh(w * y + b), Symbol("n1"), Symbol("n2")}};
  p.field.unknown = FieldUnknown{.inputs = {w, b, Coordinate("t")}, .outputs = {"n1", "n2"}};
  EXPECT_LT(learn_dynamics(p, m, {.threads = 1}).train.mean(), 0.03);
}

TEST(LearnDynamics, AResumedRunHasTheSameBits) {
  DynamicsProblem p = oscillator(true);
  p.field.slopes.clear();
  p.field.constants.clear();
  p.field.unknown = FieldUnknown{};
  NeuralOde m = quick();
  m.flow.relative = 1e-5;
  m.windows = {5, 8, 0};
  m.batch = 6;
  m.start = StartRule::trained;
  m.stages = {{AdamOptions{.learning_rate = 1e-2}, 8}, {AdamOptions{}, 4}, {LbfgsOptions{}, 4}};
  const DynamicsResult whole = learn_dynamics(p, m, {.threads = 1});
  for (const std::uint64_t steps : {5U, 10U, 14U}) {
    const TemporaryFolder folder;
    StopAfter stop(steps);
    RunOptions options{.threads = 2};
    options.checkpoint = folder / "checkpoint.bin";
    options.progress = &stop;
    EXPECT_TRUE(learn_dynamics(p, m, options).interrupted);
    options.progress = nullptr;
    const DynamicsResult rest = learn_dynamics(p, m, options);
    EXPECT_EQ(rest.training.parameters, whole.training.parameters) << steps;
    EXPECT_EQ(rest.test.relative_l2, whole.test.relative_l2) << steps;
  }
}

TEST(LearnDynamics, ABounceTeachesItsConstants) {
  // Heights of a ball at 20 times; g and the share of the velocity that a bounce leaves are sought.
  const double g = 9.81, r = 0.7;
  DynamicsProblem p;
  p.name = "ball";
  p.data = {{"x", "v"}, {{"1", {}, {}}}};
  double x0 = 1, v0 = 0, start = 0;
  for (int j = 0; j < 20; ++j) {
    const double t = 0.07 * j;
    const auto flight = [&] { return (v0 + std::sqrt(v0 * v0 + 2 * g * x0)) / g; };
    while (start + flight() < t) {
      const double f = flight(), v = v0 - g * f;
      start += f;
      x0 = 0;
      v0 = -r * v;
    }
    const double s = t - start;
    p.data.trajectories[0].times.push_back(t);
    p.data.trajectories[0].values.insert(p.data.trajectories[0].values.end(),
                                         {x0 + v0 * s - g * s * s / 2, v0 - g * s});
  }
  p.field = {.states = {"x", "v"},
             .slopes = {Field("v"), -Parameter("g")},
             .constants = {{"g", 9}, {"r", 0.75}},
             .events = {{Field("x"), -1, {{"v", -Parameter("r") * Field("v")}}}}};
  p.train_until = 1;
  p.truths = {{"g", g}, {"r", r}};
  const DynamicsResult learnt = learn_dynamics(p, quick(40), {.threads = 1});
  EXPECT_NEAR(learnt.model->constants().at("g"), g, 1e-5);
  EXPECT_NEAR(learnt.model->constants().at("r"), r, 1e-6);
  EXPECT_EQ(learnt.grade, Grade::converged);
}

TEST(LearnDynamics, AModelIsSavedAndLoaded) {
  DynamicsProblem p = oscillator(true);
  p.field.unknown = FieldUnknown{.outputs = {"n"}};
  p.field.slopes[1] = p.field.slopes[1] + Symbol("n");
  NeuralOde m = quick(5);
  m.start = StartRule::trained;
  const DynamicsResult r = learn_dynamics(p, m, {.threads = 1});
  Checkpoint c;
  r.model->save(c);
  const auto model = load_dynamics(c, p, m);
  const std::vector<std::vector<double>> times(3, {1, 2.5, 4});
  EXPECT_EQ(model->predict(p.data, times, 1), r.model->predict(p.data, times, 2));
  const std::vector<double> states{0.3, 0.1, -1, 2};
  EXPECT_EQ(model->slopes(0, states), r.model->slopes(0, states));
}

TEST(LearnDynamics, RefusesWhatDoesNotFit) {
  const auto refused = [](DynamicsProblem p, NeuralOde m) {
    return message_of([&] { (void)learn_dynamics(p, m, {.threads = 1}); });
  };
  DynamicsProblem p = oscillator(true);
  p.data.columns[1] = "w";
  EXPECT_NE(refused(p, quick()).find("column 'w' of the data is no field"), std::string::npos);
  p = oscillator(true);
  p.test = 3;
  EXPECT_NE(refused(p, quick()).find("3 trajectories are held back of 3"), std::string::npos);
  p = oscillator(true);
  p.data.trajectories[0].values.pop_back();
  EXPECT_NE(refused(p, quick()).find("values are given for"), std::string::npos);
  p = oscillator(true);
  p.data.trajectories[1].values[0] = missing;
  EXPECT_NE(refused(p, quick()).find("trajectory 2: the first row lacks 'x'"), std::string::npos);
  NeuralOde m = quick();
  m.stages = {{LevenbergMarquardtOptions{}, 3}};
  EXPECT_NE(refused(oscillator(true), m).find("needs rows of residuals"), std::string::npos);
  m = quick();
  m.gradient = FlowGradient::continuous;
  m.flow.scheme = FlowScheme::esdirk;
  EXPECT_NE(refused(oscillator(true), m).find("adaptive explicit pairs"), std::string::npos);
}

}  // namespace cauchy::test_learn_dynamics
