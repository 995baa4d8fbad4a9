// DeepONets through learn(): data, physics, principal functions, what is refused.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/io/option_text.hpp>

#include "data/input_sampler.hpp"
#include "operators/deeponet/trained_deeponet.hpp"
#include "support/message_of.hpp"
#include "support/operator_cases.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_deeponet {
namespace {

/// Cosines and sines of the angle whose cosine and sine are the inputs: the trunk that heat on a
/// circle has. n_outputs is 1 + 2 modes.
class Harmonics final : public NetworkPlugin {
 public:
  [[nodiscard]] std::string describe() const override { return "harmonics"; }
  int add(Graph& g, int input, int n_outputs) const override {
    const int c = g.slice(input, 0, 1), s = g.slice(input, 1, 1);
    std::vector<int> all{g.number(1)};
    int ck = c, sk = s;
    while (static_cast<int>(all.size()) < n_outputs) {
      all.insert(all.end(), {ck, sk});
      const int next = g.subtract(g.multiply(ck, c), g.multiply(sk, s));
      sk = g.add(g.multiply(sk, c), g.multiply(ck, s));
      ck = next;
    }
    return g.concatenate(all);
  }
};

DeepOnet small_deeponet() {
  DeepOnet m;
  m.branch = Network(Mlp{.width = 8, .depth = 1});
  m.trunk = Mlp{.width = 8, .depth = 1};
  m.width = 5;
  m.batch = 4;
  m.epochs = 5;
  m.precision = Precision::f64;
  return m;
}

/// Linear in the values at the sensors.
Network linear_network(int width) {
  return Mlp{.width = width, .depth = 1, .activation = Activation::identity};
}

TEST(DeepOnet, ALinearOperatorIsLearntToRounding) {
  // Heat on the circle maps 9 harmonics to multiples of themselves: a linear branch and a trunk of
  // harmonics hold it exactly.
  DeepOnet m = small_deeponet();
  m.branch = linear_network(12);
  m.trunk = CustomNetwork{std::make_shared<Harmonics>()};
  m.width = 9;
  m.stages = {{LbfgsOptions{}, 400}};
  const OperatorResult r = learn(heat_problem(24, 4, 8), heat_data(32, 36), m, {.threads = 1});
  EXPECT_EQ(r.grade, Grade::converged) << r.findings.front();
  EXPECT_LT(r.test.worst_l2(), 1e-7);
  // A point is a point: other grids are answered as well as the first. The inputs there are
  // interpolated by splines to the sensors, of error (2 pi 4 / 64)^4 / 24 of their highest mode.
  EXPECT_LT(measure(*r.model, heat_data(64, 36).part(28, 8), 1).worst_l2(), 2e-2);
}

TEST(DeepOnet, PrincipalFunctionsAnswerLikeTheProjection) {
  DeepOnet m = small_deeponet();
  m.branch = linear_network(12);
  m.pod = true;
  m.width = 4;
  m.relative = false;
  m.stages = {{LbfgsOptions{}, 300}};
  const DataSet data = heat_data(32, 36);
  const OperatorResult r = learn(heat_problem(36, 0, 0), data, m, {.threads = 1});
  const auto& model = dynamic_cast<const detail::TrainedDeepOnet&>(*r.model);
  // The mean and four orthogonal functions of the answers; on a circle all nodes weigh the same.
  const std::vector<double>& pod = model.map().pod;
  ASSERT_EQ(pod.size(), 5u * 32u);
  const auto product = [&](const double* a, const double* b) {
    double sum = 0;
    for (std::size_t j = 0; j < 32; ++j) sum += a[j] * b[j];
    return sum;
  };
  for (std::size_t k = 1; k <= 4; ++k) {
    for (std::size_t l = 1; l < k; ++l) {
      EXPECT_LT(std::abs(product(&pod[k * 32], &pod[l * 32])), 1e-12 * product(&pod[32], &pod[32]));
    }
  }
  // What is left of every answer when its projection is taken off is the error of the model.
  const std::vector<double> answer = model.predict(data, 1);
  for (std::size_t s = 0; s < 36; ++s) {
    std::vector<double> projection(pod.begin(), pod.begin() + 32);
    for (std::size_t k = 1; k <= 4; ++k) {
      double c = 0;
      for (std::size_t j = 0; j < 32; ++j) c += (data.out[s * 32 + j] - pod[j]) * pod[k * 32 + j];
      c /= product(&pod[k * 32], &pod[k * 32]);
      for (std::size_t j = 0; j < 32; ++j) projection[j] += c * pod[k * 32 + j];
    }
    for (std::size_t j = 0; j < 32; ++j)
      EXPECT_LT(std::abs(answer[s * 32 + j] - projection[j]), 1e-5);
  }
}

/// s' = a on [0, 1], s(0) = 0; cubic polynomials a.
OperatorFile antiderivative(const std::string& train, const std::string& condition = "s = 0") {
  return parse_operator_file(R"t(name = "antiderivative"
fields = ["s"]
tolerance = 0.01
[domain]
space = { x = [0, 1] }
[[equation]]
form = "s_x = a"
[[condition]]
where = "left"
form = ")t" + condition + R"t("
[operator]
inputs = { a = { field = "chebyshev(n = 4)" } }
grid = 21
samples = 40
validation = 2
test = 8
[train]
kind = "deeponet"
precision = "f64"
width = 6
branch = { kind = "mlp", width = 10, depth = 1, activation = "identity" }
trunk = { kind = "mlp", width = 10, depth = 1 }
)t" + train,
                             "antiderivative.toml");
}

/// Its exact answers at the nodes: Simpson's rule is exact for cubics.
DataSet antiderivative_data(const OperatorProblem& p, std::size_t first, std::size_t n) {
  DataSet d;
  d.grid = grid_of(p);
  d.inputs = {"a"};
  d.outputs = {"s"};
  const detail::InputSampler sampler(p, d.grid), fine(p, detail::refined(d.grid, 2));
  for (std::size_t i = first; i < first + n; ++i) {
    const std::vector<double> a = sampler.on_grid(0, i), b = fine.on_grid(0, i);
    d.in.insert(d.in.end(), a.begin(), a.end());
    double sum = 0;
    d.out.push_back(0);
    for (std::size_t j = 0; j + 2 < b.size(); j += 2) {
      d.out.push_back(sum += (b[j] + 4 * b[j + 1] + b[j + 2]) / 120);
    }
  }
  return d;
}

constexpr const char* physics_only = R"(
[train.physics]
weight = 1
data = 0
interior = 24
[[train.stage]]
optimizer = "ssbroyden"
steps = 300
)";

TEST(DeepOnet, EquationsAloneTeachTheAntiderivative) {
  const OperatorFile file = antiderivative(physics_only);
  const DataSet data = antiderivative_data(file.problem, 40, 10);  // none for the training
  const OperatorResult r = learn(file.problem, data, file.method, {.threads = 1});
  EXPECT_TRUE(r.train.empty());
  EXPECT_EQ(r.split.train, 40u);
  ASSERT_EQ(r.test.size(), 8u);
  EXPECT_LT(r.test.mean_l2(), 5e-3);
  EXPECT_EQ(r.training.term_names, (std::vector<std::string>{"s_x = a(x)", "s = 0 on left"}));
  // The operator is linear, and so is its branch: sums of inputs have sums of answers (the bias
  // stands for the mean of the inputs).
  DataSet pair = data.part(0, 3);
  for (std::size_t j = 0; j < 21; ++j) {
    pair.in[42 + j] = 2 * pair.in[j] - pair.in[21 + j];
  }
  const std::vector<double> out = r.model->predict(pair, 1);
  for (std::size_t j = 0; j < 21; ++j) {
    EXPECT_LT(std::abs(out[42 + j] - 2 * out[j] + out[21 + j]), 1e-12);
  }
}

TEST(DeepOnet, AWrongConditionIsLearntAsItIsWritten) {
  // The same with s = 0.5 at the left end: every answer is off by a half.
  // Samples for validation, which have s = 0, would choose other parameters.
  OperatorFile file = antiderivative(physics_only, "s = 0.5");
  file.problem.validation = 0;
  const DataSet data = antiderivative_data(file.problem, 40, 8);
  const OperatorResult r = learn(file.problem, data, file.method, {.threads = 1});
  const std::vector<double> out = r.model->predict(data, 1);
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_LT(std::abs(out[i] - data.out[i] - 0.5), 0.02);
}

TEST(DeepOnet, AHardConditionHoldsWhateverTheParameters) {
  OperatorFile file = antiderivative(R"(
epochs = 1
)");
  file.problem.problem.condition[0].hard = true;
  const DataSet data = antiderivative_data(file.problem, 0, 50);
  const OperatorResult r = learn(file.problem, data, file.method, {.threads = 1});
  const std::vector<double> out = r.model->predict(data, 1);
  for (std::size_t s = 0; s < 50; ++s) EXPECT_EQ(out[s * 21], 0);
  EXPECT_NE(out[20], 0);
}

TEST(DeepOnet, AHardConditionMayBeAnInputFunction) {
  // u_t = 0.01 u_xx on a circle from u = a: at t = 0 the answer is a itself.
  const OperatorFile file = parse_operator_file(R"t(name = "ring"
fields = ["u"]
[domain]
time = { t = [0, 1] }
space = { x = [0, 1] }
[[equation]]
form = "u_t = 0.01*u_xx"
[[condition]]
where = "t = 0"
form = "u = a"
hard = true
[[condition]]
periodic = "x"
[operator]
inputs = { a = { field = "grf(alpha = 4, tau = 3, modes = 2)" } }
times = [0, 0.5, 1]
grid = 32
samples = 30
validation = 0
test = 6
[train]
kind = "deeponet"
precision = "f64"
width = 8
branch = { kind = "mlp", width = 10, depth = 1, activation = "identity" }
trunk = { kind = "mlp", width = 12, depth = 2 }
[train.physics]
weight = 1
data = 0
interior = 60
[[train.stage]]
optimizer = "lbfgs"
steps = 250
)t",
                                                "ring.toml");
  // exp(-0.01 (2 pi k)^2 t) of each harmonic.
  DataSet data;
  data.grid = grid_of(file.problem);
  data.inputs = {"a"};
  data.outputs = {"u(t=0)", "u(t=0.5)", "u(t=1)"};
  const detail::InputSampler sampler(file.problem, data.grid);
  for (std::size_t s = 30; s < 36; ++s) {
    const std::vector<double> a = sampler.on_grid(0, s);
    data.in.insert(data.in.end(), a.begin(), a.end());
    for (const double t : {0.0, 0.5, 1.0}) {
      for (std::size_t i = 0; i < 32; ++i) {
        double u = 0;
        for (int k = 0; k <= 4; ++k) {
          const double w = 2 * std::numbers::pi * k;
          for (std::size_t j = 0; j < 32; ++j) {
            const double x = (static_cast<double>(i) - static_cast<double>(j)) / 32;
            u += (k == 0 ? 1 : 2) / 32.0 * std::exp(-0.01 * w * w * t) * std::cos(w * x) * a[j];
          }
        }
        data.out.push_back(u);
      }
    }
  }
  const OperatorResult r = learn(file.problem, data, file.method, {.threads = 1});
  EXPECT_EQ(r.training.term_names, std::vector<std::string>{"u_t = 0.01*u_xx"});
  EXPECT_LT(r.test.mean_l2(), 2e-2) << r.findings.front();
  const std::vector<double> out = r.model->predict(data, 1);
  for (std::size_t j = 0; j < 32; ++j) EXPECT_LT(std::abs(out[j] - data.in[j]), 1e-12);
  // At a point, too, with its derivatives: those of the splines through a.
  const Expr u = Field("u"), wanted[] = {u, d(u, Coordinate("x"))};
  const std::vector<double> start{0, 9.0 / 32, 0, 8.5 / 32, 0, 9.5 / 32};
  const std::vector<double> v = r.model->predict_at(data.part(0, 1), wanted, start, 1);
  EXPECT_LT(std::abs(v[0] - data.in[9]), 1e-12);
  EXPECT_LT(std::abs(v[1] - (v[4] - v[2]) * 32), 0.05 * std::abs(v[1]) + 0.05);
  Checkpoint saved;
  r.model->save(saved);
  const auto again = load_operator(parse_checkpoint(checkpoint_bytes(saved), "model"), file.method);
  EXPECT_EQ(again->predict(data, 1), out);
}

/// Stopped after some steps, then resumed: everything as in one go. With points drawn anew, a
/// balancer, and functions without answers.
TEST(DeepOnet, ARunThatIsResumedHasTheSameBits) {
  const OperatorFile file = antiderivative(R"(
batch = 16
points = 7
[train.physics]
weight = 0.5
samples = 50
interior = 20
[train.balancer]
kind = "relobralo"
period = 2
[[train.stage]]
optimizer = "adam"
steps = 9
[[train.stage]]
optimizer = "lbfgs"
steps = 4
)");
  const DataSet data = antiderivative_data(file.problem, 0, 50);
  const OperatorResult whole = learn(file.problem, data, file.method, {.threads = 1});
  EXPECT_EQ(learn(file.problem, data, file.method, {.threads = 2}).training.parameters,
            whole.training.parameters);
  for (const std::uint64_t steps : {5u, 11u}) {
    const TemporaryFolder folder;
    StopAfter stop(steps);
    RunOptions options{.threads = 1};
    options.checkpoint = folder / "checkpoint.bin";
    options.progress = &stop;
    EXPECT_TRUE(learn(file.problem, data, file.method, options).interrupted);
    options.progress = nullptr;
    const OperatorResult rest = learn(file.problem, data, file.method, options);
    EXPECT_EQ(rest.training.parameters, whole.training.parameters) << steps;
    EXPECT_EQ(rest.epochs.size(), whole.epochs.size());
    EXPECT_EQ(rest.best_epoch, whole.best_epoch);
  }
}

TEST(DeepOnet, EveryBranchLearnsAndIsReadBack) {
  const DataSet data = heat_data(16, 14);
  for (const BranchEntry& entry : all_branch_networks()) {
    if (entry.name == "pinnsformer" || entry.name == "windows" || entry.name == "experts") continue;
    DeepOnet m = small_deeponet();
    m.branch = entry.options;
    if (auto* network = std::get_if<Network>(&m.branch)) {  // as wide as the sensors are many
      if (auto* r = std::get_if<ResidualMlp>(network)) r->width = 16;
    }
    if (auto* fno = std::get_if<FieldNetwork>(&m.branch)) {
      if (auto* f = std::get_if<Fno>(fno)) *f = {.width = 4, .depth = 1, .modes = {4}};
      if (auto* c = std::get_if<Cnn>(fno)) *c = {.width = 4, .depth = 2};
      if (!std::holds_alternative<Fno>(*fno) && !std::holds_alternative<Cnn>(*fno)) continue;
      m.head = 6;
      m.shortcut = true;
    }
    m.stages = {{AdamOptions{.learning_rate = 3e-3}, 30}};
    const OperatorResult r = learn(heat_problem(10, 2, 2), data, m, {.threads = 1});
    EXPECT_LT(r.training.history.back().loss, 0.9 * r.training.history.front().loss) << entry.name;
    Checkpoint saved;
    r.model->save(saved);
    const auto again = load_operator(parse_checkpoint(checkpoint_bytes(saved), "model"), m);
    EXPECT_EQ(again->predict(data, 1), r.model->predict(data, 2)) << entry.name;
    EXPECT_EQ(again->n_parameters(), r.model->n_parameters());
  }
}

TEST(DeepOnet, AnyNetworkMayBeTheTrunk) {
  // Kan: DeepOKAN.
  for (const Network& trunk :
       {Network(Kan{}), Network(ChebyshevKan{}), Network(FourierNetwork{.width = 8, .depth = 1}),
        Network(Siren{.width = 8, .depth = 1})}) {
    DeepOnet m = small_deeponet();
    m.trunk = trunk;
    if (std::holds_alternative<Kan>(trunk)) m.branch = Network(Kan{});
    m.stages = {{AdamOptions{.learning_rate = 3e-3}, 30}};
    const OperatorResult r = learn(heat_problem(10, 2, 2), heat_data(16, 14), m, {.threads = 1});
    EXPECT_LT(r.training.history.back().loss, 0.9 * r.training.history.front().loss)
        << describe(trunk);
  }
}

TEST(DeepOnet, APluckMakesTheMotionOfItsString) {
  // f = sum a_k sin(k pi x) moves as sum a_k cos(k pi t) sin(k pi x): a linear map of f.
  DataSet data{.grid = {.axes = {{"x", 17, 0, 1, false}}}, .inputs = {"f"}};
  const std::vector<double> times{0.15, 0.4, 0.7, 1};
  for (const double t : times) data.outputs.push_back("u(t=" + std::to_string(t) + ")");
  Rng rng(5);
  for (int s = 0; s < 30; ++s) {
    double a[4];
    for (double& x : a) x = rng.normal();
    const auto string = [&](double t, double x) {
      double sum = 0;
      for (int k = 1; k <= 4; ++k) {
        const double w = k * std::numbers::pi;
        sum += a[k - 1] / k * std::cos(w * t) * std::sin(w * x);
      }
      return sum;
    };
    for (int i = 0; i < 17; ++i) data.in.push_back(string(0, i / 16.0));
    for (const double t : times) {
      for (int i = 0; i < 17; ++i) data.out.push_back(string(t, i / 16.0));
    }
  }
  DeepOnet m = small_deeponet();
  m.branch = linear_network(8);
  m.pod = true;
  m.width = 4;
  m.stages = {{LbfgsOptions{}, 300}};
  OperatorProblem p = heat_problem(24, 0, 6);
  const OperatorResult r = learn(p, data, m, {.threads = 1});
  EXPECT_LT(r.test.worst_l2(), 1e-6) << r.findings.front();
}

TEST(DeepOnet, SamplesAreMetInTheSymmetriesOfTheEquations) {
  // u'' = a, u = 0 at both ends; loads of one shape on the left half teach those on the right one.
  const OperatorFile file = parse_operator_file(R"toml(
name = "beam"
fields = ["u"]
[domain]
space = { x = [0, 1] }
[[equation]]
form = "u_xx = a"
[[condition]]
where = "boundary"
form = "u = 0"
[operator]
inputs = { a = { field = "sines(n = 2)" } }
grid = 16
samples = 4
test = 4
)toml",
                                                "beam.toml");
  DataSet data{.grid = {.axes = {{"x", 16, 0, 1, false}}}, .inputs = {"a"}, .outputs = {"u"}};
  for (int s = 0; s < 8; ++s) {
    // The Green's function of a unit load at y, and its image for the other four.
    const double y = 0.1 * (s % 4 + 1);
    for (int i = 0; i < 16; ++i) {
      const double x = s < 4 ? i / 15.0 : 1 - i / 15.0;
      data.in.push_back(std::exp(-100 * (x - y) * (x - y)));
      data.out.push_back(x < y ? x * (y - 1) : y * (x - 1));
    }
  }
  DeepOnet m = small_deeponet();
  m.sensors = {8};
  m.stages = {{AdamOptions{.learning_rate = 1e-2}, 600}};
  m.batch = 2;
  const OperatorResult with = learn(file.problem, data, m, {.threads = 1});
  m.augment = false;
  const OperatorResult without = learn(file.problem, data, m, {.threads = 1});
  EXPECT_LT(with.test.worst_l2(), 0.2);
  EXPECT_GT(without.test.worst_l2(), 0.4);
  ASSERT_EQ(with.training.choices.size(), without.training.choices.size() + 1);
  EXPECT_EQ(with.training.choices.back(),
            "symmetries of the equations: flips of x; every sample is met in all of them");
}

TEST(DeepOnet, TimesAreACoordinateOfTheTrunk) {
  DeepOnet m = small_deeponet();
  m.branch = linear_network(10);
  m.trunk = Mlp{.width = 12, .depth = 2};
  m.width = 8;
  m.stages = {{LbfgsOptions{}, 150}};
  const std::vector<double> times{0.5, 1, 1.5};
  const OperatorResult r =
      learn(heat_problem(20, 2, 4), heat_data(16, 26, times, 1), m, {.threads = 1});
  EXPECT_LT(r.test.mean_l2(), 0.05) << r.findings.front();
  // Answers between the times of the training, and channels in another order.
  DataSet other = heat_data(16, 26, {0.75, 1.25}, 1);
  EXPECT_LT(measure(*r.model, other, 1).mean_l2(), 0.1);
}

TEST(DeepOnet, SensorsMayLieAnywhere) {
  DeepOnet m = small_deeponet();
  m.branch = linear_network(12);
  m.trunk = CustomNetwork{std::make_shared<Harmonics>()};
  m.width = 9;
  m.stages = {{LbfgsOptions{}, 200}};
  for (int i = 0; i < 12; ++i) m.sensor_points.push_back(0.02 + 0.08 * i);
  const OperatorResult r = learn(heat_problem(24, 4, 8), heat_data(64, 36), m, {.threads = 1});
  EXPECT_LT(r.test.mean_l2(), 1e-2);
  EXPECT_NE(r.model->describe().find("12 sensors"), std::string::npos);
}

/// The answers of the training samples of heat_data as rows (sample, x, u), node after node.
Triples heat_triples(const DataSet& data, std::size_t samples) {
  Triples t{.coordinates = {"x"}, .fields = {"u"}};
  const std::size_t n = data.grid.n_points();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t s = 0; s < samples; ++s) {
      t.sample.push_back(s);
      t.points.push_back(data.grid.axes[0].node(static_cast<int>(i)));
      t.values.push_back(data.out[s * n + i]);
    }
  }
  return t;
}

TEST(DeepOnet, TriplesOfAGridAreTheAlignedData) {
  // On a circle all nodes have one weight: both losses are one function, and so are their steps, in
  // all functions at once and in batches.
  const DataSet aligned = heat_data(16, 14);
  DataSet triples = aligned;
  triples.triples = heat_triples(aligned, 10);
  for (double& v : triples.out) v = 1e3 + v;  // of the training: not looked at
  std::copy(aligned.out.begin() + 160, aligned.out.end(), triples.out.begin() + 160);
  for (const bool batches : {false, true}) {
    DeepOnet m = small_deeponet();
    m.stages = {batches ? Stage{AdamOptions{}, 9} : Stage{LbfgsOptions{}, 9}};
    const OperatorResult a = learn(heat_problem(10, 2, 2), aligned, m, {.threads = 1});
    const OperatorResult b = learn(heat_problem(10, 2, 2), triples, m, {.threads = 1});
    // Sums of 160 products in another order, over 9 steps.
    EXPECT_LT(std::abs(a.training.loss() - b.training.loss()), 1e-9 * a.training.loss());
    EXPECT_LT(std::abs(a.test.mean_l2() - b.test.mean_l2()), 1e-9);
    EXPECT_LT(a.training.history.back().loss, a.training.history.front().loss);
  }
}

TEST(DeepOnet, FunctionsMayBeMeasuredAtPointsOfTheirOwn) {
  // 25 points for each function, none of them common; some values were not seen, and the functions
  // of the training are in the data, their answers are not.
  DataSet data = heat_data(32, 36);
  Triples& t = data.triples;
  t = {.coordinates = {"x"}, .fields = {"u"}};
  Rng rng(5);
  for (std::size_t s = 0; s < 24; ++s) {
    if (s == 7) continue;  // nothing was measured
    const TrigonometricSample f(4, 7, s);
    for (int i = 0; i < 25; ++i) {
      const double x = rng.uniform();
      t.sample.push_back(s);
      t.points.push_back(x);
      t.values.push_back(i == 3 ? std::nan("") : f.at(x, 0.02, 1));
    }
  }
  DeepOnet m = small_deeponet();
  m.branch = linear_network(12);
  m.trunk = CustomNetwork{std::make_shared<Harmonics>()};
  m.width = 9;
  m.stages = {{LbfgsOptions{}, 400}};
  const OperatorResult r = learn(heat_problem(24, 4, 8), data, m, {.threads = 1});
  EXPECT_LT(r.test.worst_l2(), 1e-5);
  const auto error = [&](const DeepOnet& method) {
    return message_of([&] { (void)learn(heat_problem(24, 4, 8), data, method, {.threads = 1}); });
  };
  m.pod = true;
  EXPECT_NE(error(m).find("principal functions are those of answers on one grid"),
            std::string::npos);
  m.pod = false;
  t.points[3] = 1.5;
  EXPECT_NE(error(m).find("row 4 lies outside of the domain: x = 1.5; x runs from 0 to 1"),
            std::string::npos);
  t.points[3] = 0.5;
  t.sample[3] = 24;
  EXPECT_NE(error(m).find("row 4 is of sample 24, 24 are for the training"), std::string::npos);
  const std::string said = message_of(
      [&] { (void)learn(heat_problem(24, 4, 8), data, small_operator(), {.threads = 1}); });
  EXPECT_NE(said.find("use kind = \"deeponet\" for triples"), std::string::npos) << said;
}

TEST(DeepOnet, AnswersAtAnyPointsHaveExactDerivatives) {
  DeepOnet m = small_deeponet();
  const DataSet data = heat_data(16, 14);
  const OperatorResult r = learn(heat_problem(10, 2, 2), data, m, {.threads = 1});
  EXPECT_EQ(r.model->coordinates(), std::vector<std::string>{"x"});
  const Coordinate x("x");
  const Field u("u");
  const DataSet two = data.part(3, 2);
  const double h = 1e-4, at = 0.3;
  const Expr wanted[] = {u, d(u, x), d(u, x, x), u * u + x};
  const std::vector<double> points{0.25, at - h, at, at + h};
  const std::vector<double> v = r.model->predict_at(two, wanted, points, 1);
  ASSERT_EQ(v.size(), 2u * 4u * 4u);
  const std::vector<double> on_grid = r.model->predict(two, 1);
  for (std::size_t s = 0; s < 2; ++s) {
    const auto value = [&](std::size_t point, std::size_t e) { return v[(s * 4 + point) * 4 + e]; };
    EXPECT_LT(std::abs(value(0, 0) - on_grid[s * 16 + 4]), 1e-14);
    // Differences of error h^2 (2 pi)^3 / 6 and rounding 1e-16 / h^2.
    EXPECT_LT(std::abs(value(2, 1) - (value(3, 0) - value(1, 0)) / (2 * h)), 1e-5);
    EXPECT_LT(std::abs(value(2, 2) - (value(3, 0) - 2 * value(2, 0) + value(1, 0)) / (h * h)),
              1e-4);
    EXPECT_LT(std::abs(value(2, 3) - value(2, 0) * value(2, 0) - at), 1e-13);
  }
  EXPECT_NE(message_of([&] {
              const Expr other[] = {Field("v")};
              (void)r.model->predict_at(two, other, points, 1);
            }).find("knows no output 'v'"),
            std::string::npos);
}

TEST(DeepOnet, TheEikonalFileHoldsDistancesFromACurve) {
  OperatorProblem p =
      read_operator_file(CAUCHY_TEST_DATA "/../../problems/operators/eikonal_physics.toml").problem;
  const DataSet d = make_data(p, {0, 3}, {.threads = 1});
  const detail::InputSampler fine(p, d.grid.resized({6400}));
  double off = 0, trivial = 0;
  for (std::size_t s = 0; s < 3; ++s) {
    const std::vector<double> curve = fine.on_grid(0, s);
    for (std::size_t m = 0; m < 64; m += 9) {
      // The nearest point of the curve to the point 0.3 above it.
      const double height = d.in[s * 64 + m] + 0.3;
      double least = 1;
      for (int j = -3200; j < 3200; ++j) {
        const auto at = static_cast<std::size_t>((static_cast<int>(m) * 100 + j + 6400) % 6400);
        least = std::min(least, std::hypot(j / 6400.0, curve[at] - height));
      }
      const double answer = d.out[(s * 6 + 5) * 64 + m];
      off = std::max(off, std::abs(answer - least));
      trivial = std::max(trivial, std::abs(0.3 - least));
    }
  }
  // The data are good to a tenth of the tolerance of the file, in the mean; this is the largest.
  EXPECT_LT(off, 2 * 0.1 * *p.problem.tolerance * 0.3);
  EXPECT_GT(trivial, 5e-3);  // the height is no answer
}

TEST(DeepOnet, TooFewSensorsAreTold) {
  // gp(length = 0.1): the broken line through 6 values misses most of it; its distance falls like
  // the square of the spacing, so that what is said to do does.
  const auto file = [](const std::string& sensors) {
    OperatorFile f = antiderivative("epochs = 1\n" + sensors);
    f.problem.inputs[0].field = "gp(length = 0.1)";
    f.problem.grid = {101};
    return f;
  };
  OperatorFile few = file("sensors = [6]");
  const std::vector<std::string> said = cautions(few.problem, few.method);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("6 sensors are too few for 'a': the broken line"), std::string::npos);
  const std::size_t at = said[0].find("sensors = [", 20);
  ASSERT_NE(at, std::string::npos) << said[0];
  const int enough = std::stoi(said[0].substr(at + 11));
  EXPECT_GT(enough, 6);
  std::get<DeepOnet>(few.method).sensors = {2 * enough};
  EXPECT_TRUE(cautions(few.problem, few.method).empty()) << enough;
  EXPECT_TRUE(cautions(file("").problem, file("").method).empty());
  // Scattered ones.
  EXPECT_EQ(cautions(file("sensor_points = [0, 0.1, 0.9, 1]").problem,
                     file("sensor_points = [0, 0.1, 0.9, 1]").method)
                .size(),
            1u);
  few = file("sensors = [6]");
  few.problem.grid = {21};
  few.problem.samples = 4;
  few.problem.validation = 0;
  few.problem.test = 2;
  const OperatorResult r =
      learn(few.problem, antiderivative_data(few.problem, 0, 6), few.method, {.threads = 1});
  EXPECT_NE(r.findings.back().find("6 sensors are too few"), std::string::npos);
}

TEST(DeepOnet, WhatItCannotDoIsSaid) {
  const DataSet data = heat_data(16, 14);
  const auto error = [&](const DeepOnet& m, const DataSet& d) {
    return message_of([&] { (void)learn(heat_problem(10, 2, 2), d, m, {.threads = 1}); });
  };
  const auto expect = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  DeepOnet m = small_deeponet();
  m.sensor_points = {0.5, 1.5};
  expect(error(m, data), "sensor 2 lies outside of the domain: x = 1.5; x runs from 0 to 1");
  m.sensor_points = {0.25, 0.5};
  m.branch = FieldNetwork(Cnn{});
  expect(error(m, data), "needs sensors on a grid, not at scattered points");
  m = small_deeponet();
  m.sensors = {8, 8};
  expect(error(m, data), "2 numbers of sensors for 1 axes");
  m = small_deeponet();
  m.pod = true;
  m.width = 30;
  expect(error(m, data), "10 samples at 16 points have no 30 principal functions");
  m.physics.weight = 1;
  expect(error(m, data), "have no derivatives that equations could use");
  m = small_deeponet();
  m.head = 4;
  expect(error(m, data), "a head belongs to a branch on a grid");
  m = small_deeponet();
  m.shortcut = m.product = true;
  expect(error(m, data), "they have no shortcut; remove 'shortcut' or 'product'");
  m = small_deeponet();
  m.balancer = NtkBalancer{};
  expect(error(m, data), "take kind = \"gradient-norms\"");
  m = small_deeponet();
  m.stages = {{GaussNewtonOptions{}, 3}};
  expect(error(m, data), "needs the gradient of every residual");
  m = small_deeponet();
  m.physics.weight = 1;
  expect(error(m, data), "the problem has no equations and no domain");
  m = small_deeponet();
  const OperatorResult r = learn(heat_problem(10, 2, 2), data, m, {.threads = 1});
  DataSet other = data;
  other.inputs = {"g"};
  expect(message_of([&] { (void)r.model->predict(other, 1); }), "the data have no input 'f'");
  other = data;
  other.grid.axes[0].upper = 2;
  expect(message_of([&] { r.model->check_fits(other); }), "the data lie on another box");
}

TEST(DeepOnet, OptionsComeBackFromText) {
  const OperatorFile file = antiderivative(R"(
stacked = true
bias = false
sensors = [11]
relative = false
shortcut = true
augment = false
[train.physics]
weight = 2
)");
  const auto& m = std::get<DeepOnet>(file.method);
  EXPECT_TRUE(m.stacked);
  EXPECT_TRUE(m.shortcut);
  EXPECT_FALSE(m.augment);
  EXPECT_EQ(m.sensors, std::vector<int>{11});
  EXPECT_EQ(m.physics.weight, 2);
  const OperatorFile again = parse_operator_file(to_toml(file), "again.toml");
  EXPECT_EQ(option_text("train", again.method), option_text("train", file.method));
}

}  // namespace
}  // namespace cauchy::test_deeponet
