#include <cauchy/files/problem_file.hpp>

#include <filesystem>

#include <gtest/gtest.h>

#include <cauchy/io/csv.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/npy.hpp>

#include "problem/lowering.hpp"
#include "support/io_support.hpp"
#include "support/problem_file_same.hpp"

namespace cauchy::test_problem_file {
namespace {

namespace fs = std::filesystem;

const fs::path problems = fs::path(CAUCHY_TEST_DATA) / ".." / ".." / "problems";

using test::expect_round_trip;
using test::expect_same;

/// A file that uses every key.
constexpr std::string_view complete = R"toml(
name = "complete"
title = "Everything \"at once\""
source = 'C:\papers\one.pdf'
notes = """
First line.
Second line with "quotes" and a tab	."""
fields = ["u", "v"]
coefficients = { k = ["x", "y"], c = [] }
sizes = { v = "T/4", c = 30 }
tolerance = 2e-3
loss = "integral"

[method]
kind = "pinn"
seed = "18446744073709551615"
precision = "f32"
scale = false
separate = true
[method.network]
width = 17
depth = 2
activation = "sin"
slope = "neuron"
fourier = 6
fourier_scale = 3.5
fourier_seed = 4
factorized = true
factor_mean = 1
[method.points]
interior = 1e3
boundary = 50
initial = 60
sampler = "halton"
randomize = "scramble"
seed = 7
skip = 3
redraw = 10
batch = 128
[[method.stage]]
optimizer = "adam"
steps = 500
learning_rate = 3e-3
beta1 = 0.8
beta2 = 0.99
epsilon = 1e-9
schedule = "cosine"
schedule_steps = 300
final_factor = 0.1
warmup = 20
[[method.stage]]
optimizer = "lbfgs"
steps = 70
memory = 9
curvature_guard = 1e-10
clear_when_changed = true
relative_decrease = 1e-4
line_search = { decrease = 1e-3, curvature = 0.8, max_evaluations = 12, max_step = 100, rounding = 1e-14 }

# Sections that the forms need may come behind them.
[[equation]]
name = "first"
form = "u_t = div(k*grad(u)) + lambda*f*a(x, y) + c"
where = "x < 0.5"
weight = 2
[[equation]]
form = "v_t + mu*v_x = g"

[[condition]]
name = "start"
where = "t = 0"
form = "u = f"
weight = 10
hard = true
[[condition]]
where = "inlet"
form = "u_n + h*u = n_x"
[[condition]]
where = "left and y < 0.5"
form = "v = -0.5"
[[condition]]
point = { mu = 0.15, t = "T/2", x = 0.25, y = 0.5, R = 0.2 }
form = "v = 1"
[[condition]]
integral = "domain"
form = "u = 0"
weight = 1e-3
[[condition]]
integral = "top"
form = "v_y = 1"

[[observation]]
file = "u.csv"
of = "u^2 + v_x"
column = "measured"
weight = 3
name = "sensor"
[[observation]]
file = "rows.npy"
columns = ["t", "x", "y", "R", "mu", "v"]
of = "v"

[reference]
exact = "burgers_cole_hopf"
parameters = { nu = "2*h + mu" }
u = "exp(-t)*sin(x)"
v = 0
file = "grid.csv"
interpolation = "linear"

[definitions]
f = "sin(pi*x)"
g = "f*u + h^2"

[functions]
a = { file = "a.csv", arguments = ["x", "y"], column = "values", interpolation = "linear" }

[unknown]
lambda = { initial = 0.8, lower = 0, upper = 2, truth = 1.0 }
kappa = 0.5

[parameters]
T = "2*pi"
h = "T/4"

[domain]
time = { t = [0, "T"] }
region = "rectangle((0, 0), (2, 1)) - disk((1, 0.5), R)"
ranges = { R = [0.1, 0.4], mu = [0.1, 0.2] }
tags = { inlet = "x = 0 and y > 0.5", far = "x > 1 + h/10" }
)toml";

void write_data(const fs::path& folder) {
  write_csv(folder / "a.csv",
            Table{{"x", "y", "values"}, {0, 0, 1, 0, 1, 2, 1, 0, 3, 1, 1, 4}, ""});
  write_csv(folder / "u.csv",
            Table{{"t", "x", "y", "R", "mu", "measured"}, {1, 0.1, 0.2, 0.3, 0.15, 7}, ""});
  write_npy(folder / "rows.npy", {{1, 6}, {1, 0.1, 0.2, 0.3, 0.15, 7}});
  std::string grid = "t,x,y,R,mu,u\n";
  for (int i = 0; i < 32; ++i) {
    grid += std::to_string(i >> 4) + "," + std::to_string((i >> 3) & 1) + "," +
            std::to_string((i >> 2) & 1) + "," + std::to_string((i >> 1) & 1) + "," +
            std::to_string(i & 1) + "," + std::to_string(i) + "\n";
  }
  write_csv(folder / "grid.csv", parse_csv(grid, "grid"));
}

/// A name that two sections give twice would be refused; references may hold everything.
ProblemFile read_complete(const TemporaryFolder& folder) {
  write_data(folder.path());
  // burgers_cole_hopf has coordinates t, x and field u: all are here.
  return parse_problem_file(complete, "complete.toml", folder.path());
}

}  // namespace

TEST(ProblemFile, ReadsWhatTheTextSays) {
  const ProblemFile file = read_problem_file(problems / "burgers.toml");
  const Problem& p = file.problem;
  EXPECT_EQ(p.name, "burgers");
  EXPECT_EQ(p.fields, std::vector<std::string>{"u"});
  EXPECT_EQ(p.coordinates(), (std::vector<std::string>{"t", "x"}));
  const Coordinate t("t"), x("x");
  const Field u("u");
  const Parameter nu("nu");
  ASSERT_EQ(p.equation.size(), 1u);
  expect_same(p.equation[0].form,
              Equation{field_derivative("u", {{"t", 1}}) + u * field_derivative("u", {{"x", 1}}),
                       nu * field_derivative("u", {{"x", 2}})});
  ASSERT_EQ(p.condition.size(), 2u);
  expect_same(p.condition[0].form, Equation{u, -sin(pi * x)});
  EXPECT_EQ(p.condition[1].where, "boundary");
  EXPECT_EQ(p.values().at("nu"), 0.01 / pi);
  EXPECT_EQ(p.reference.exact, "burgers_cole_hopf");
  EXPECT_EQ(p.tolerance, 1e-2);
  EXPECT_EQ(name_of(file.method), "auto");  // it names no method
}

TEST(ProblemFile, EquationsStayAsTheyWereWritten) {
  const ProblemFile file = parse_problem_file(
      "fields = [\"u\"]\n[domain]\ntime = { t = [0, 1] }\nspace = { x = [0, 1], y = [0, 1] }\n"
      "[parameters]\na = 3\n[definitions]\nflux = \"u^2/2\"\n[[equation]]\n"
      "form = \"u_t + d(flux, x) = div(a*grad(u)) + d(u*d(flux, x), y)/3\"\n",
      "law.toml");
  const Equation& law = file.problem.equation[0].form;
  const std::string text = "u_t + d(0.5*u^2, x) = div(a*grad(u)) + d(u*d(0.5*u^2, x), y)/3";
  EXPECT_EQ(to_string(law), text);
  const std::string toml = to_toml(file);
  EXPECT_NE(toml.find(text), std::string::npos) << toml;
  expect_same(parse_problem_file(toml, "law.toml").problem.equation[0].form, law);
  // Parameters become numbers, and the flux is still one.
  const detail::Lowering lower(file.problem);
  EXPECT_EQ(lower(law.right).written(), nullptr);
  EXPECT_EQ(written_to_string(lower.written(law.right)),
            "div(3*grad(u)) + d(u*d(0.5*u^2, x), y)/3");
}

TEST(ProblemFile, WithoutAMethodIsSolvedByTheDefaultRecipe) {
  const std::string text =
      "fields = [\"u\"]\n[domain]\nspace = { x = [0, 1] }\n[[equation]]\nform = \"u_xx = 1\"\n";
  expect_same(parse_problem_file(text, "plain.toml").method, Auto{});
  expect_same(parse_problem_file(text + "[method]\n", "plain.toml").method, Pinn{});
}

TEST(ProblemFile, ReadsEveryKey) {
  const TemporaryFolder folder;
  const ProblemFile file = read_complete(folder);
  const Problem& p = file.problem;
  EXPECT_EQ(p.title, "Everything \"at once\"");
  EXPECT_EQ(p.source, "C:\\papers\\one.pdf");
  EXPECT_EQ(p.notes, "First line.\nSecond line with \"quotes\" and a tab\t.");
  EXPECT_EQ(p.convention, LossConvention::integral);
  ASSERT_EQ(p.coefficients.size(), 2u);
  EXPECT_EQ(p.coefficients[0].coordinates, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(p.coordinates(), (std::vector<std::string>{"t", "x", "y", "R", "mu"}));
  EXPECT_EQ(p.domain->time()->upper, 2 * pi);
  EXPECT_EQ(p.domain->space()->tags().size(), 2u);
  ASSERT_EQ(p.unknowns.size(), 2u);
  EXPECT_EQ(p.unknowns[0].upper, 2.0);
  EXPECT_EQ(p.unknowns[0].truth, 1.0);
  EXPECT_EQ(p.unknowns[1].initial, 0.5);
  EXPECT_EQ(p.unknowns[1].lower, std::nullopt);
  EXPECT_EQ(p.functions[0].table.rows(), 4u);
  EXPECT_TRUE(p.equation[0].weight.is_constant(2));
  EXPECT_EQ(p.equation[0].where, "x < 0.5");
  ASSERT_EQ(p.condition.size(), 6u);
  EXPECT_TRUE(p.condition[0].hard);
  EXPECT_TRUE(p.condition[0].weight.is_constant(10));
  EXPECT_EQ(p.condition[3].kind, Condition::Kind::point);
  EXPECT_EQ(p.condition[3].point[1], (std::pair<std::string, double>("t", pi)));
  EXPECT_EQ(p.condition[4].kind, Condition::Kind::integral);
  EXPECT_EQ(p.condition[5].where, "top");
  ASSERT_EQ(p.observation.size(), 2u);
  EXPECT_EQ(p.observation[0].column, "measured");
  EXPECT_EQ(p.observation[1].name, "v in rows.npy");
  EXPECT_EQ(p.observation[1].table.values[5], 7);
  EXPECT_EQ(p.reference.table.rows(), 32u);
  EXPECT_EQ(p.reference.interpolation, TableInterpolation::linear);
  EXPECT_EQ(p.functions[0].interpolation, TableInterpolation::linear);
  EXPECT_EQ(p.sizes, (std::map<std::string, double>{{"c", 30}, {"v", pi / 2}}));

  const Pinn& m = std::get<Pinn>(file.method);
  EXPECT_EQ(m.seed, 18446744073709551615u);
  EXPECT_EQ(m.precision, Precision::f32);
  EXPECT_FALSE(m.scale);
  EXPECT_TRUE(m.separate);
  EXPECT_EQ(std::get<Mlp>(m.network).width, 17);
  EXPECT_EQ(std::get<Mlp>(m.network).activation, Activation::sin);
  EXPECT_EQ(m.points.interior, 1000u);
  EXPECT_EQ(m.points.sampler.kind, SamplerKind::halton);
  EXPECT_EQ(m.points.sampler.skip, 3u);
  ASSERT_EQ(m.stages.size(), 2u);
  EXPECT_EQ(m.stages[0].schedule.shape, ScheduleShape::cosine);
  EXPECT_EQ(m.stages[0].schedule.steps, 300u);
  EXPECT_EQ(std::get<LbfgsOptions>(m.stages[1].method).memory, 9u);
  EXPECT_EQ(std::get<LbfgsOptions>(m.stages[1].method).line_search.max_evaluations, 12u);
  EXPECT_EQ(m.stages[1].relative_decrease, 1e-4);
}

TEST(ProblemFile, WritesEveryKeyBack) {
  const TemporaryFolder folder;
  expect_round_trip(read_complete(folder), folder.path());
}

TEST(ProblemFile, EveryProblemOfTheLibraryReadsBackAsWritten) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(problems)) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    expect_round_trip(read_problem_file(entry.path()), problems);
    ++count;
  }
  EXPECT_GE(count, 3);
}

TEST(ProblemFile, TheExampleOfTheDocumentationIsGood) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "sensors.csv", "t,x,u_measured\n0.5,1,0.5\n");
  const std::string page = read_file(problems / ".." / "docs" / "format.md");
  const std::size_t first = page.find("```toml\n") + 8;
  const std::string text = page.substr(first, page.find("```", first) - first);
  const ProblemFile file = parse_problem_file(text, "format.md", folder.path());
  EXPECT_EQ(file.problem.name, "heat_and_source");
  EXPECT_EQ(std::get<Pinn>(file.method).stages.size(), 2u);
  expect_round_trip(file, folder.path());
}

TEST(ProblemFile, GivesTheWidthsOfANetworkOneByOne) {
  const std::string text = R"(fields = ["u"]
domain = { time = { t = [0, 1] } }
equation = [{ form = "u_t = -u" }]
condition = [{ where = "t = 0", form = "u = 1" }]
[method]
last_layer = "least_squares"
[method.network]
widths = [8, 6, 8]
skip = 2
layer_norm = true
biases = "uniform"
)";
  const ProblemFile file = parse_problem_file(text, "p");
  const Pinn& pinn = std::get<Pinn>(file.method);
  const Mlp& mlp = std::get<Mlp>(pinn.network);
  EXPECT_EQ(mlp.widths, (std::vector<int>{8, 6, 8}));
  EXPECT_EQ(mlp.skip, 2);
  EXPECT_TRUE(mlp.layer_norm);
  EXPECT_EQ(pinn.initialize.biases, BiasInitialization::uniform);
  EXPECT_EQ(pinn.last_layer, LastLayerStart::least_squares);
  expect_round_trip(file, ".");
  const auto message = [&](const std::string& setting) {
    return message_of([&] { (void)parse_problem_file(text, "p", ".", {setting}); });
  };
  EXPECT_EQ(message("method.network.width=6"), "p:7:1: give widths, or width and depth, not both");
  EXPECT_EQ(message("method.network.widths=[8, 2.5]"),
            "p:7:1: widths are whole numbers of at most 1000000, got 2.5");
  EXPECT_EQ(message("method.network.widths=[8, 0]"),
            "--set method.network.widths=[8, 0]: every 'widths' must be positive, got 0");
  EXPECT_EQ(message("method.network.skip=1"),
            "p:7:1: skip = 1 joins hidden layers 1 and 2, of widths 8 and 6");
  EXPECT_EQ(message("method.network.slope=steep"),
            "--set method.network.slope=steep: unknown slope 'steep'; slopes are: none, network, "
            "layer, neuron");
}

TEST(ProblemFile, NamesTheNetworkItsStartAndTheRulesOfTheTraining) {
  const std::string text = R"(fields = ["u"]
domain = { time = { t = [0, 1] } }
equation = [{ form = "u_t = -u" }]
condition = [{ where = "t = 0", form = "u = 1" }]
[method.points]
interior = 20
[method.network]
kind = "mlp"
width = 6
initialization = "siren"
siren_w0 = 4
[method.balancer]
kind = "fixed"
[[method.point_weights]]
kind = "none"
[method.point_scheme]
kind = "redraw"
[method.curriculum]
kind = "none"
[[method.stage]]
optimizer = "adam"
steps = 1
)";
  const ProblemFile file = parse_problem_file(text, "p");
  const Pinn& pinn = std::get<Pinn>(file.method);
  EXPECT_EQ(std::get<Mlp>(pinn.network).width, 6);
  EXPECT_EQ(pinn.initialize.weights, Initialization::siren);
  EXPECT_EQ(pinn.initialize.siren_w0, 4);
  expect_round_trip(file, ".");
  // The start is used: another one gives other parameters.
  const std::vector<std::string> other{"method.network.initialization=he_uniform"};
  const ProblemFile changed = parse_problem_file(text, "p", ".", other);
  EXPECT_NE(solve(file.problem, file.method).training->parameters,
            solve(changed.problem, changed.method).training->parameters);

  const auto message = [&](const std::string& setting) {
    return message_of([&] { (void)parse_problem_file(text, "p", ".", {setting}); });
  };
  EXPECT_EQ(message("method.network.kind=mpl"),
            "--set method.network.kind=mpl: unknown network 'mpl'; did you mean 'mlp'?");
  EXPECT_EQ(message("method.network.initialization=glorot"),
            "--set method.network.initialization=glorot: unknown initialization 'glorot'; "
            "initializations are: glorot_normal, glorot_uniform, he_normal, he_uniform, "
            "lecun_normal, lecun_uniform, siren, network, torch, by_activation");
  EXPECT_EQ(message("method.balancer.kind=fair"),
            "--set method.balancer.kind=fair: unknown balancer 'fair'; balancers are: fixed, "
            "gradnorm, uncertainty, annealing, softadapt, relobralo, config, m-config, ntk, "
            "gradient-norms");
  EXPECT_EQ(message("method.balancer.kind=gradnrm"),
            "--set method.balancer.kind=gradnrm: unknown balancer 'gradnrm'; did you mean "
            "'gradnorm'?");
  EXPECT_EQ(message("method.balancer.rate=1"),
            "--set method.balancer.rate=1: 'rate' has no meaning for balancer 'fixed'; remove it");
}

TEST(ProblemFile, AScheduleEndsWithItsStage) {
  const std::string text = std::string(R"(fields = ["u"]
domain = { time = { t = [0, 1] } }
equation = [{ form = "u_t = -u" }]
condition = [{ where = "t = 0", form = "u = 1" }]
[method]
stages = [
  { optimizer = "adam", steps = 700, schedule = "exponential", warmup = 100 },
  { optimizer = "adam", steps = 50 },
]
)");
  const ProblemFile file = parse_problem_file(text, "decay.toml");
  EXPECT_EQ(file.problem.name, "decay");
  ASSERT_EQ(std::get<Pinn>(file.method).stages.size(), 2u);
  EXPECT_EQ(std::get<Pinn>(file.method).stages[0].schedule.steps, 600u);
  expect_same(std::get<Pinn>(file.method).stages[1], Stage{.steps = 50});
  expect_round_trip(file);
}

}  // namespace cauchy::test_problem_file
