#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/engine/host_executor.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/training/loss.hpp>

#include "solvers/pinn/pinn_assembly.hpp"
#include "support/message_of.hpp"
#include "support/pinn_cases.hpp"

namespace cauchy::test_pinn_loss {
namespace {

using namespace pinn_cases;

/// An executor with the terms of a loss, at the first points that their samplers draw.
std::unique_ptr<Executor> at_first_points(const detail::PinnLoss& loss,
                                          const std::shared_ptr<const Graph>& graph,
                                          const Problem& p, const Pinn& m, int threads) {
  auto executor = make_executor(graph, detail::engine_terms(loss), {.threads = threads});
  for (std::size_t i = 0; i < loss.terms.size(); ++i) {
    const detail::PinnTerm& term = loss.terms[i];
    detail::set_term_points(*executor, i, p, term, term.draw(term.n, m.points.sampler));
  }
  return executor;
}

// --- rules ---

TEST(GaussPoints, MakeATermTheIntegralOfTheSquaredResidual) {
  Problem p;
  p.fields = {"u"};
  const Coordinate y("y");
  p.domain = Rectangle({0, 0}, {2, 1});
  p.equation = {u == 0};
  Pinn m = small();
  m.scale = false;
  m.points.rule = PointRule::gauss;
  m.points.interior = 9;
  for (const Expr& weight : {Expr(1), 1 + x}) {
    p.equation[0].weight = weight;
    const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), m);
    const detail::PinnTerm& term = pinn.loss.terms.front();
    const Points points = term.draw(term.n, {});
    ASSERT_EQ(points.size(), 9u);
    const std::vector<double> all =
        weight.is_constant() ? term.weights
                             : detail::term_weights(term, detail::PointEvaluator(p), points);
    double mean = 0;
    for (std::size_t i = 0; i < 9; ++i) {
      mean += all[i] * std::pow(points.row(i)[0] * points.row(i)[1], 2) / 9;
    }
    // int x^2 y^2 / 2 = 4/9; with the factor 1 + x that and int x^3 y^2 / 2 = 2/3.
    EXPECT_NEAR(mean, weight.is_constant() ? 4.0 / 9 : 4.0 / 9 + 2.0 / 3, 1e-13);
  }
  EXPECT_LT(solve(p, m).training->trained.begin()->second, 1);
  p.equation[0].where = "x > 1";
  EXPECT_EQ(message_of([&] { (void)prepare(p, m); }),
            "[method.points]: the Gauss rule is one of the whole domain: an equation holds where x "
            "> 1; use rule = \"sampler\"");
}

// --- scaling ---

TEST(Scaling, MakesARescaledProblemTheSameProblem) {
  // x -> 1000 x, t -> 10^6 t, u -> 50 u leaves the heat equation as it is.
  const Problem unit = heat();
  Problem large = heat();
  const double L = 1000, T = 1e6, U = 50;
  large.domain = Interval(x, -L, L) * Time(t, 0, T);
  large.condition = {at(t == 0, u == U * cos(pi * x / (2 * L))), on_boundary(u == 0)};
  const auto loss_of = [](const Problem& p) {
    const Pinn m = small();
    const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), m);
    const auto& graph = pinn.graph;
    const auto executor = at_first_points(pinn.loss, graph, p, m, 1);
    TrainingLoss objective(*executor);
    return objective.value(initial_parameters(graph->parameters(), Rng(1)));
  };
  const double a = loss_of(unit), b = loss_of(large);
  EXPECT_LT(std::abs(a - b), 1e-10 * a);
  EXPECT_GT(a, 1e-3);
}

TEST(Scaling, CanBeSwitchedOffAndIsReported) {
  Pinn m = small();
  const Solution with = solve(heat(), m);
  EXPECT_EQ(with.training->scales.at("t"), 0.5);
  EXPECT_EQ(with.training->scales.at("u"), 1);
  m.scale = false;
  EXPECT_TRUE(solve(heat(), m).training->scales.empty());
}

TEST(Scaling, TakesTheSizeOfAFieldFromTheProblemWhereItIsGiven) {
  Problem p = heat();
  p.sizes["u"] = 30;
  EXPECT_EQ(solve(p, small()).training->scales.at("u"), 30);
  const auto message = [&](const std::string& field, double size) {
    p.sizes = {{field, size}};
    return message_of([&] { check(p); });
  };
  EXPECT_EQ(message("u", 2), "no error");
  EXPECT_EQ(message("w", 2), "[problem 'heat']: unknown field 'w'; did you mean 'u'?");
  EXPECT_EQ(message("u", 0),
            "[problem 'heat']: the size of field 'u' is 0; sizes are positive and finite");
  EXPECT_EQ(message("u", INFINITY),
            "[problem 'heat']: the size of field 'u' is inf; sizes are positive and finite");
}

// --- terms ---

TEST(Terms, NormalDerivativesUseTheNormalOfEachPoint) {
  // On the circle u = x^2 + y^2 has normal derivative 2; a hard extension makes u exactly that.
  Problem p = poisson(Disk({0, 0}, 1));
  const std::vector<std::string> space{"x", "y"};
  p.condition = {on_boundary(normal_derivative(u, space) == 3)};
  const Pinn m = small();
  const detail::Lowering lower(p);
  const auto sizes = detail::characteristic_sizes(p, lower, false);
  auto loss = detail::make_loss(std::make_shared<const Problem>(p), m, lower, sizes);
  Graph g({"x", "y"});
  g.constant("unused", 0);
  g.output("u", g.expression({x * x + y * y}));
  const auto graph = std::make_shared<const Graph>(std::move(g));
  const auto executor = at_first_points(loss, graph, p, m, 1);
  TrainingLoss objective(*executor);
  const std::vector<double> theta{0};
  (void)objective.value(theta);
  EXPECT_LT(std::abs(objective.parts()[0] * std::pow(loss.terms[0].size, 2) - 25), 1e-10);
  EXPECT_LT(std::abs(objective.parts()[1] * std::pow(loss.terms[1].size, 2) - 1), 1e-10);
}

TEST(Terms, IntegralConditionsHaveTheGradientOfTheirValue) {
  Problem p = heat();
  p.condition.push_back(integral(u == 0.5));
  Pinn m = small();
  const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), m);
  const auto& graph = pinn.graph;
  const auto executor = at_first_points(pinn.loss, graph, p, m, 2);
  TrainingLoss objective(*executor);
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(2)), g(theta.size());
  (void)objective.gradient(theta, g);
  EXPECT_GT(objective.parts().back(), 1e-3);
  for (const std::size_t k : {std::size_t{0}, theta.size() / 2, theta.size() - 1}) {
    const double h = 1e-5, old = theta[k];
    theta[k] = old + h;
    const double up = objective.value(theta);
    theta[k] = old - h;
    const double down = objective.value(theta);
    theta[k] = old;
    // Central difference: h^2 = 1e-10 times third derivatives, rounding 1e-16 / h.
    EXPECT_LT(std::abs((up - down) / (2 * h) - g[k]), 1e-7 * (1 + std::abs(g[k])));
  }
}

TEST(Terms, LossIsTheSumOfSquaresWithTheJacobianOfItsRows) {
  Problem p = heat();
  p.condition.push_back(integral(u == 0.5));
  p.condition.back().weight = 3;
  const Pinn m = small();
  const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), m);
  const auto& graph = pinn.graph;
  const auto executor = at_first_points(pinn.loss, graph, p, m, 2);
  TrainingLoss objective(*executor);
  const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(2));
  const std::size_t n = theta.size(), rows = objective.n_residuals();
  std::vector<double> g(n), r(rows), again(rows), j(rows * n), move(n), w(rows), jv(rows), jtw(n);
  const double value = objective.gradient(theta, g);
  objective.residuals(theta, r);
  objective.jacobian(theta, again, j);
  EXPECT_EQ(r, again);
  double sum = 0;
  for (const double e : r) sum += e * e;
  // Sums of some hundred terms, in another order: 1e3 roundings at most.
  const double tolerance = 1e3 * std::numeric_limits<double>::epsilon();
  EXPECT_LT(std::abs(sum - value), tolerance * value);
  Rng rng(8);
  for (double& e : move) e = rng.normal();
  for (double& e : w) e = rng.normal();
  objective.jacobian_times(theta, move, jv);
  objective.jacobian_transposed_times(theta, w, jtw);
  for (std::size_t k = 0; k < n; ++k) {
    double slope = 0, column = 0, size = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      slope += 2 * j[i * n + k] * r[i];
      column += j[i * n + k] * w[i];
      size += std::abs(j[i * n + k] * w[i]) + 2 * std::abs(j[i * n + k] * r[i]);
    }
    EXPECT_LT(std::abs(slope - g[k]), tolerance * (size + value));
    EXPECT_LT(std::abs(column - jtw[k]), tolerance * size);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    double row = 0, size = 0;
    for (std::size_t k = 0; k < n; ++k) {
      row += j[i * n + k] * move[k];
      size += std::abs(j[i * n + k] * move[k]);
    }
    EXPECT_LT(std::abs(row - jv[i]), tolerance * size);
  }
}

TEST(Terms, RowsFollowWeightsThatChangeDuringTraining) {
  Problem p = heat();
  p.condition.push_back(integral(u == 0.5));
  const Pinn m = small();
  const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), m);
  const auto& graph = pinn.graph;
  const auto executor = at_first_points(pinn.loss, graph, p, m, 2);
  TrainingLoss objective(*executor);
  for (std::size_t i = 0; i < executor->n_terms(); ++i) {
    executor->set_weight(i, 2.5 + static_cast<double>(i));
    std::vector<double> w(executor->weights(i).size());
    for (std::size_t g = 0; g < w.size(); ++g) w[g] = 0.5 + static_cast<double>(g % 3);
    executor->set_weights(i, w);
  }
  const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(2));
  std::vector<double> g(theta.size()), r(objective.n_residuals()), jtr(theta.size());
  const double value = objective.gradient(theta, g);
  objective.residuals(theta, r);
  objective.jacobian_transposed_times(theta, r, jtr);
  double sum = 0, largest = 0;
  for (const double e : r) sum += e * e;
  for (const double e : g) largest = std::max(largest, std::abs(e));
  // Sums of some hundred terms, in another order: 1e3 roundings at most.
  const double tolerance = 1e3 * std::numeric_limits<double>::epsilon();
  EXPECT_LT(std::abs(sum - value), tolerance * value);
  for (std::size_t k = 0; k < g.size(); ++k) {
    EXPECT_LT(std::abs(2 * jtr[k] - g[k]), tolerance * largest) << k;
  }
}

TEST(Terms, TabulatedFunctionsGiveTheLossOfTheirFormula) {
  // Linear interpolation is exact for a = 1 + x + 2 y, derivative included.
  Problem formula = poisson(Rectangle({0, 0}, {1, 1})), table = formula;
  const Expr a = 1 + x + 2 * y;
  const Expr b = DataFunction("a")(x, y);
  formula.equation = {d(a * d(u, x), x) + a * d(u, y, y) == -1};
  table.equation = {d(b * d(u, x), x) + b * d(u, y, y) == -1};
  table.functions = {{"a",
                      {"x", "y"},
                      "a",
                      "",
                      Table{{"y", "x", "a"}, {0, 0, 1, 1, 0, 3, 0, 1, 2, 1, 1, 4}, "memory"}}};
  check(table);
  Pinn m = small();
  m.scale = false;
  const auto loss_of = [&](const Problem& p) {
    const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), m);
    const auto& graph = pinn.graph;
    const auto executor = at_first_points(pinn.loss, graph, p, m, 1);
    TrainingLoss objective(*executor);
    return objective.value(initial_parameters(graph->parameters(), Rng(4)));
  };
  const double exact = loss_of(formula);
  EXPECT_LT(std::abs(loss_of(table) - exact), 1e-12 * exact);
}

TEST(Terms, FollowTheIntegralConventionOnRequest) {
  Problem p = poisson(Rectangle({0, 0}, {3, 2}));
  const Pinn m = small();
  const detail::Lowering lower(p);
  const auto sizes = detail::characteristic_sizes(p, lower, true);
  const auto risk = detail::make_loss(std::make_shared<const Problem>(p), m, lower, sizes);
  p.convention = LossConvention::integral;
  const auto integral_loss = detail::make_loss(std::make_shared<const Problem>(p), m, lower, sizes);
  EXPECT_LT(std::abs(integral_loss.terms[0].term.weight / risk.terms[0].term.weight - 6), 1e-12);
  EXPECT_LT(std::abs(integral_loss.terms[1].term.weight / risk.terms[1].term.weight - 10), 1e-12);
}

TEST(Unknowns, KeepTheirBoundsAndStartWhereAsked) {
  Problem p = heat();
  p.unknowns = {
      {"a", 0.3, 0.0, {}, {}}, {"b", 0.7, 0.5, 1.0, {}}, {"c", -2, {}, 0.0, {}}, {"f", 5}};
  const detail::Lowering lower(p);
  const Untrained net(p, small());
  std::vector<double> theta = initial_parameters(net.graph->parameters(), Rng(1));
  HostExecutor<double> executor(net.graph, {});
  const std::vector<Expr> what{lower(Parameter("a")), lower(Parameter("b")), lower(Parameter("c")),
                               lower(Parameter("f"))};
  std::vector<double> out(4);
  executor.predict(what, theta, std::vector<double>{0, 0}, out);
  const double expected[] = {0.3, 0.7, -2, 5};
  for (int i = 0; i < 4; ++i) EXPECT_LT(std::abs(out[i] - expected[i]), 1e-14);
  for (double& w : theta) w = -30;  // far out: still inside
  executor.predict(what, theta, std::vector<double>{0, 0}, out);
  EXPECT_GE(out[0], 0);
  EXPECT_GE(out[1], 0.5);
  EXPECT_LE(out[2], 0);
}

}  // namespace
}  // namespace cauchy::test_pinn_loss
