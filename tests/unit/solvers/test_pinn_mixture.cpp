// Mixtures of experts and random features in the PINN solver.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/report/html_report.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "solvers/pinn/pinn_training.hpp"
#include "support/pinn_cases.hpp"
#include "support/problem_file_same.hpp"

namespace cauchy::test_pinn_mixture {
namespace {

using namespace pinn_cases;

Pinn mixture(double sparsity = 0) {
  Pinn m = small();
  m.network = Experts{
      .experts = {Mlp{.width = 4, .depth = 1}, Mlp{.width = 3, .depth = 2}, Elm{.features = 5}},
      .gate = {Mlp{.width = 3, .depth = 1}},
      .sparsity = sparsity,
      .power = 0.25};
  return m;
}

TEST(PinnElm, SolvesALinearProblemInOneStep) {
  Pinn m;
  m.network = Elm{.features = 60};
  m.points = {.interior = 150, .boundary = 2};
  Problem p = rod(pi * pi * sin(pi * x));
  p.reference.formulas["u"] = sin(pi * x);
  const Solution s = solve(p, m, {.threads = 1});
  EXPECT_LT(s.error.fields.at(0).relative_l2, 1e-9);
  EXPECT_LE(s.training->steps, 2u);
  m.stages = {{GaussNewtonOptions{}, 1}};
  EXPECT_LT(solve(p, m, {.threads = 1}).error.fields.at(0).relative_l2, 1e-9);
}

TEST(PinnElm, IsSolvedByLeastSquaresAsTheProblemWants) {
  const auto first = [](const Problem& p, const Network& network) {
    Pinn m;
    m.network = network;
    const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), m);
    return entry_of(pinn.stages.front().method).name;
  };
  Problem nonlinear = rod(1);
  nonlinear.equation = {-d(u, x, x) + u * u == 1};
  EXPECT_EQ(first(rod(1), Elm{}), "gauss_newton");
  EXPECT_EQ(first(nonlinear, Elm{}), "levenberg_marquardt");
  EXPECT_EQ(first(rod(1), Elm{.features = 5000}), "adam");  // too many for a dense matrix
  EXPECT_EQ(first(rod(1), Rbf{.learn_centres = false, .learn_shapes = false}), "gauss_newton");
  EXPECT_EQ(first(rod(1), Rbf{}), "adam");
  EXPECT_EQ(first(rod(1), Mlp{}), "adam");
}

TEST(PinnElm, FindsAnUnknownConstantByLevenbergMarquardt) {
  Problem p = rod(pi * pi * sin(pi * x));
  const Parameter k("k");
  p.equation = {-k * d(u, x, x) == pi * pi * sin(pi * x)};
  p.unknowns = {{"k"}};
  Table table{.columns = {"x", "u"}, .values = {}, .source = {}};
  for (const double at : {0.2, 0.5, 0.7}) {
    table.values.insert(table.values.end(), {at, std::sin(pi * at) / 2});
  }
  p.observation = {{"data", u, "u", "", table}};
  Pinn m;
  m.network = Elm{.features = 60};
  m.points = {.interior = 150, .boundary = 2};
  const Solution s = solve(p, m, {.threads = 1});
  EXPECT_NEAR(s.unknowns.at("k"), 2, 1e-7);
}

TEST(PinnMixture, GivesItsGatesAndExpertsAsFields) {
  Problem p = heat();
  p.condition = {hard(at(t == 0, u == cos(pi * x / 2))), on_boundary(u == 0)};
  const auto problem = std::make_shared<const Problem>(p);
  const detail::PinnAssembly pinn(problem, mixture());
  EXPECT_EQ(pinn.graph->outputs().size(), 1u);  // the training does without
  detail::PinnTraining training(pinn, std::make_shared<Threads>(1));
  std::vector<double> theta = training.first_parameters();
  Rng rng(3);
  for (double& w : theta) w += 0.3 * rng.normal();
  const auto field = training.field(theta);
  const std::vector<std::string> names{"gate_1",     "gate_2",     "gate_3",
                                       "u_expert_1", "u_expert_2", "u_expert_3"};
  EXPECT_EQ(field->parts(), names);
  Expr sum = 0, one = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    one += Field(names[i]);
    sum += Field(names[i]) * Field(names[i + 3]);
  }
  const std::vector<Expr> zeros{sum - u, one - 1};
  const Points points = interior_points(*p.domain, 20);
  std::vector<double> out(40);
  field->evaluate(zeros, points.values, out);
  for (const double e : out) EXPECT_NEAR(e, 0, 1e-13);
  // Every expert keeps the hard condition.
  const std::vector<Expr> start{Field("u_expert_2") - cos(pi * x / 2)};
  const Points initial = initial_points(*p.domain, 10);
  std::vector<double> at_start(10);
  field->evaluate(start, initial.values, at_start);
  for (const double e : at_start) EXPECT_NEAR(e, 0, 1e-13);
}

TEST(PinnMixture, SeparateNetworksHaveGatesOfTheirOwn) {
  Problem p = heat();
  p.fields = {"u", "v"};
  p.equation.push_back(d(v, t) == d(v, x));
  p.condition.push_back(at(t == 0, v == 0));
  Pinn m = mixture(0.1);
  EXPECT_EQ(detail::gate_names(p, m).size(), 3u);
  m.separate = true;
  EXPECT_EQ(detail::gate_names(p, m).at(3), "v_gate_1");
  EXPECT_TRUE(detail::gate_names(p, small()).empty());
}

TEST(PinnMixture, SparsityIsBetweenOneForASingleExpertAndItsMostForAll) {
  const auto problem = std::make_shared<const Problem>(heat());
  const detail::PinnAssembly pinn(problem, mixture(2));
  detail::PinnTraining training(pinn, std::make_shared<Threads>(1));
  const detail::PinnTerm& term = pinn.loss.terms.back();
  ASSERT_EQ(term.term.name, "sparsity of the gates");
  Executor& executor = training.loss().executor();
  detail::set_term_points(executor, pinn.loss.terms.size() - 1, *problem, term,
                          term.draw(term.n, {}));
  for (std::size_t i = 0; i + 1 < pinn.loss.terms.size(); ++i) {
    const detail::PinnTerm& other = pinn.loss.terms[i];
    detail::set_term_points(executor, i, *problem, other, other.draw(other.n, {}));
  }
  // The last layer of the gate: without weights its biases are the logits everywhere.
  const auto& blocks = pinn.graph->parameters();
  const ParameterBlock& weight = blocks[blocks.size() - 2];
  const ParameterBlock& bias = blocks[blocks.size() - 1];
  ASSERT_EQ(bias.size(), 3);
  std::vector<double> theta = training.first_parameters();
  std::fill_n(theta.begin() + weight.offset, weight.size(), 0.0);
  const auto sparsity = [&](std::vector<double> logits) {
    std::copy(logits.begin(), logits.end(), theta.begin() + bias.offset);
    (void)executor.loss(theta);
    return executor.last_terms().back();
  };
  EXPECT_NEAR(sparsity({0, 0, 0}), 2 * std::pow(3, 0.75), 1e-12);
  // Two experts that do nothing weigh exp(-200) each: below 1e-12 that counts as 1e-12.
  EXPECT_NEAR(sparsity({100, -100, -100}), 2 * (1 + 2 * std::pow(1e-12, 0.25)), 1e-9);
  const double between = sparsity({1, 0, 0});
  EXPECT_LT(between, 2 * std::pow(3, 0.75));
  EXPECT_GT(between, 2);
}

TEST(PinnMixture, SparsityLeavesOneExpertAtWork) {
  Pinn m = mixture(5);
  m.stages = {{AdamOptions{.learning_rate = 1e-2}, 200}};
  const Solution s = solve(heat(), m, {.threads = 1});
  const std::vector<Expr> gates{Field("gate_1"), Field("gate_2"), Field("gate_3")};
  const Points points = interior_points(*s.problem.domain, 50);
  std::vector<double> mean(3, 0.0);
  const std::vector<double> lambda = s.evaluate(gates, points.values);
  for (std::size_t i = 0; i < lambda.size(); ++i) mean[i % 3] += lambda[i] / 50;
  EXPECT_GT(*std::max_element(mean.begin(), mean.end()), 0.9);
  EXPECT_NE(html_report(s).find("Experts and gates"), std::string::npos);
}

TEST(PinnMixture, IsReadFromAFileAndWrittenAgain) {
  const std::string text = R"(fields = ["u"]
domain = { time = { t = [0, 1] } }
equation = [{ form = "u_t = -u" }]
condition = [{ where = "t = 0", form = "u = 1" }]
[method]
kind = "pinn"
[method.network]
kind = "experts"
sparsity = 0.01
initialization = "he_normal"
[method.network.gate]
width = 7
[[method.network.expert]]
kind = "elm"
features = 33
[[method.network.expert]]
kind = "pinnsformer"
sequence = 3
)";
  const ProblemFile file = parse_problem_file(text, "p", ".");
  const auto& experts = std::get<Experts>(std::get<Pinn>(file.method).network);
  ASSERT_EQ(experts.experts.size(), 2u);
  EXPECT_EQ(std::get<Elm>(experts.experts[0]).features, 33);
  EXPECT_EQ(std::get<Pinnsformer>(experts.experts[1]).sequence, 3);
  EXPECT_EQ(std::get<Mlp>(experts.gate.at(0)).width, 7);
  EXPECT_EQ(experts.sparsity, 0.01);
  test::expect_round_trip(file, ".");
}

}  // namespace
}  // namespace cauchy::test_pinn_mixture
