// Weights that are expressions, and residuals with their derivatives.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/training/loss.hpp>

#include "problem/point_evaluator.hpp"
#include "solvers/pinn/pinn_assembly.hpp"
#include "support/message_of.hpp"
#include "support/pinn_cases.hpp"

namespace cauchy::test_pinn_weights {
namespace {

using namespace pinn_cases;

/// The loss of a problem at its first points, with the weights of the problem.
struct Weighted {
  detail::PinnAssembly pinn;
  detail::PointEvaluator evaluator;
  std::unique_ptr<Executor> executor;
  std::vector<Points> points;
  std::vector<double> theta;

  Weighted(const Problem& p, const Pinn& m)
      : pinn(std::make_shared<const Problem>(p), m),
        evaluator(p),
        executor(make_executor(pinn.graph, detail::engine_terms(pinn.loss), {.threads = 1})),
        theta(initial_parameters(pinn.graph->parameters(), Rng(m.seed))) {
    for (std::size_t i = 0; i < pinn.loss.terms.size(); ++i) {
      const detail::PinnTerm& term = pinn.loss.terms[i];
      SamplerOptions sampler = m.points.sampler;
      sampler.seed += m.seed;
      points.push_back(term.draw(term.n, sampler));
      detail::set_term_points(*executor, i, p, term, points[i]);
      const std::vector<double> w = detail::term_weights(term, evaluator, points[i]);
      if (!w.empty()) executor->set_weights(i, w);
    }
  }
  /// Mean over the points of a term of weight(row) times the sum of its squared residuals.
  template <class Weight>
  double mean(std::size_t term, Weight weight) {
    std::vector<double> r(executor->n_residuals(term));
    executor->residuals(term, theta, r);
    const std::size_t n = points[term].size(), m = r.size() / n;
    double sum = 0;
    for (std::size_t i = 0; i < r.size(); ++i) sum += weight(points[term].row(i / m)) * r[i] * r[i];
    return sum / static_cast<double>(n);
  }
};

Problem weighted_heat() {
  Problem p = heat();
  p.equation[0].weight = 1 + 10 * exp(-t);
  p.condition[1].weight = 2 + x * t;
  return p;
}

// Sums of some hundred terms, in another order: 1e3 roundings at most.
constexpr double rounding = 1e3 * std::numeric_limits<double>::epsilon();

TEST(Weights, ATermIsTheMeanOfWeightedSquares) {
  Weighted w(weighted_heat(), small());
  TrainingLoss loss(*w.executor);
  (void)loss.value(w.theta);
  const double by_hand[] = {
      w.mean(0, [](auto row) { return 1 + 10 * std::exp(-row[0]); }),
      w.mean(1, [](auto) { return 1.0; }),
      w.mean(2, [](auto row) { return 2 + row[0] * row[1]; }),
  };
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(std::abs(loss.parts()[i] - by_hand[i]), rounding * by_hand[i]) << i;
  }
  // The run itself begins with this loss.
  const Solution s = solve(weighted_heat(), small());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(std::abs(s.training->history[0].terms[i] - by_hand[i]), rounding * by_hand[i]) << i;
  }
}

TEST(Weights, LossGradientRowsAndJacobianAreOfOneFunction) {
  Problem p = weighted_heat();
  p.condition.push_back(weighted(1 + t, integral(u == 0.5)));
  Weighted w(p, small());
  TrainingLoss loss(*w.executor);
  std::vector<double> g(w.theta.size()), r(loss.n_residuals()), jtr(g.size());
  const double value = loss.gradient(w.theta, g);
  loss.residuals(w.theta, r);
  loss.jacobian_transposed_times(w.theta, r, jtr);
  double sum = 0, largest = 0;
  for (const double e : r) sum += e * e;
  for (const double e : g) largest = std::max(largest, std::abs(e));
  EXPECT_LT(std::abs(sum - value), rounding * value);
  for (std::size_t k = 0; k < g.size(); ++k) {
    EXPECT_LT(std::abs(2 * jtr[k] - g[k]), rounding * largest) << k;
  }
}

TEST(Weights, AnIntegralHasOnePerTime) {
  Problem plain = heat(), later = heat();
  plain.condition.push_back(integral(u == 0.5));
  later.condition.push_back(weighted(3 * t, integral(u == 0.5)));
  Weighted a(plain, small()), b(later, small());
  std::vector<double> r(a.executor->n_rows()), s(b.executor->n_rows());
  a.executor->rows(a.theta, r);
  b.executor->rows(b.theta, s);
  ASSERT_EQ(r.size(), s.size());
  for (std::size_t j = 0; j < 20; ++j) {  // 20 times from 0 to 1, at the end of the rows
    const std::size_t row = r.size() - 20 + j;
    const double factor = std::sqrt(3 * static_cast<double>(j) / 19);
    EXPECT_LT(std::abs(s[row] - factor * r[row]), rounding * (1 + std::abs(r[row]))) << j;
  }
}

TEST(Weights, EquationsShareATermWhenPlaceAndWeightAreTheSame) {
  Problem p = heat();
  p.fields = {"u", "v"};
  p.parameters = {{"k", Expr(10)}};
  const Expr k = Parameter("k");
  p.equation = {d(u, t) == d(u, x, x), d(v, t) == d(v, x, x)};
  const auto terms = [&](const Expr& first, const Expr& second) {
    p.equation[0].weight = first;
    p.equation[1].weight = second;
    const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), small());
    std::size_t n = 0;
    for (const auto& term : pinn.loss.terms) n += term.kind == PointSource::Kind::equation ? 1 : 0;
    return n;
  };
  EXPECT_EQ(terms(1 + t, 1 + t), 1u);
  EXPECT_EQ(terms(1 + k * t, 1 + 10 * t), 1u) << "parameters are numbers";
  EXPECT_EQ(terms(k, 10), 1u);
  EXPECT_EQ(terms(1 + t, 1 + 2 * t), 2u);
  EXPECT_EQ(terms(1 + t, 1), 2u);
}

TEST(Weights, TablesAndParameterRangesCount) {
  Problem p = heat();
  p.functions = {{"w", {"t"}, "w", "", Table{{"t", "w"}, {0, 1, 1, 5}, "memory"}}};
  p.equation[0].weight = DataFunction("w")(t);
  check(p);
  Weighted table(p, small());
  p.equation[0].weight = 1 + 4 * t;
  Weighted formula(p, small());
  const double a = table.executor->loss(table.theta), b = formula.executor->loss(formula.theta);
  EXPECT_LT(std::abs(a - b), rounding * b);
}

TEST(Weights, ChangeTheFingerprintOfARun) {
  const auto fingerprint = [](const Problem& p) {
    return detail::PinnAssembly(std::make_shared<const Problem>(p), small()).fingerprint();
  };
  Problem other = weighted_heat();
  other.equation[0].weight = 1 + 11 * exp(-t);
  EXPECT_EQ(fingerprint(weighted_heat()), fingerprint(weighted_heat()));
  EXPECT_NE(fingerprint(weighted_heat()), fingerprint(other));
}

TEST(Weights, AreChecked) {
  const auto message = [](const Expr& weight) {
    Problem p = heat();
    p.unknowns = {{"c", 1}};
    p.condition[0].weight = weight;
    return message_of([&] { check(p); });
  };
  const std::string place = "weight of condition 'u = cos(0.5*pi*x) on t = 0': ";
  const std::string fix = "; write it with coordinates, parameters and tables";
  EXPECT_EQ(message(1 + x * x), "no error");
  EXPECT_EQ(message(1 + u), place + "it depends on 'u'" + fix);
  EXPECT_EQ(message(d(u, x)), place + "it depends on 'u_x'" + fix);
  EXPECT_EQ(message(Parameter("c")), place + "it depends on 'c'" + fix);
  EXPECT_EQ(message(y), place + "unknown coordinate 'y'; did you mean 't'?");
  EXPECT_NE(message(x).find(place + "it is -0."), std::string::npos) << message(x);
  EXPECT_NE(message(x).find(" at x = -0."), std::string::npos) << message(x);
  EXPECT_NE(message(log(x)).find("is NaN at x = -0."), std::string::npos) << message(log(x));
  Problem p = heat();
  p.condition.push_back(weighted(1 + x * x, integral(u == 0.5)));
  EXPECT_NE(
      message_of([&] { check(p); }).find("it depends on 'x'; an integral has one value per time"),
      std::string::npos);
}

// --- residuals with their derivatives ---

TEST(Sobolev, AddsTheDerivativesOfTheResidualWithTheirWeight) {
  // r = u_t - u_xx / 4 of a network, its derivatives written by hand.
  const Problem p = heat();
  Pinn m = small();
  m.scale = false;
  m.sobolev = 2;
  m.sobolev_weight = 0.3;
  Weighted w(p, m);
  const auto& term = w.pinn.loss.terms[0];
  ASSERT_EQ(term.term.residuals.size(), 6u) << "r, r_t, r_x, r_tt, r_tx, r_xx";
  const auto r = [](const Expr& f) { return d(f, t) - 0.25 * d(f, x, x); };
  const std::vector<Expr> by_hand{r(u),          r(d(u, t)),    r(d(u, x)),
                                  r(d(u, t, t)), r(d(u, t, x)), r(d(u, x, x))};
  std::vector<double> values(by_hand.size() * w.points[0].size());
  HostExecutor<double>(w.pinn.graph, {}).predict(by_hand, w.theta, w.points[0].values, values);
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += (i % 6 == 0 ? 1 : 0.3) * values[i] * values[i];
  }
  sum /= static_cast<double>(w.points[0].size());
  TrainingLoss loss(*w.executor);
  (void)loss.value(w.theta);
  // Fourth derivatives of the network in two orders of summation.
  EXPECT_LT(std::abs(loss.parts()[0] - sum), 1e-10 * sum);
}

TEST(Sobolev, LeavesAnExactSolutionAsItIs) {
  // A network that is the solution: all derivatives of the residual vanish with it.
  const Problem p = heat();
  Pinn m = small();
  m.sobolev = 2;
  const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), m);
  Graph g({"t", "x"});
  g.constant("unused", 0);
  g.output("u", g.expression({p.reference.formulas.at("u")}));
  const auto executor = make_executor(std::make_shared<const Graph>(std::move(g)),
                                      detail::engine_terms(pinn.loss), {.threads = 1});
  for (std::size_t i = 0; i < pinn.loss.terms.size(); ++i) {
    const auto& term = pinn.loss.terms[i];
    detail::set_term_points(*executor, i, p, term, term.draw(term.n, {}));
  }
  EXPECT_LT(executor->loss(std::vector<double>{0}), 1e-25);
}

TEST(Sobolev, CostsDerivativesOfHigherOrder) {
  Pinn m = small();
  const auto components = [&](int order) {
    m.sobolev = order;
    return estimate_cost(heat(), m).training->terms[0].components;
  };
  EXPECT_LT(components(0), components(1));
  EXPECT_LT(components(1), components(2));
  // Weight 0 is no derivative at all.
  m.sobolev_weight = 0;
  EXPECT_EQ(components(2), components(0));
}

TEST(Sobolev, TrainsAndReportsItsParts) {
  Pinn m = small();
  m.sobolev = 1;
  const Solution s = solve(heat(), m);
  const auto& trained = s.training->trained;
  EXPECT_EQ(trained.size(), 5u);
  EXPECT_TRUE(trained.contains("u_t = 0.25*u_xx, by t")) << trained.begin()->first;
  EXPECT_LT(s.training->history.back().loss, s.training->history[0].loss);
}

TEST(Sobolev, ParameterRangesAreNoCoordinatesOfIt) {
  Problem p = rod(Parameter("a") * x);
  p.domain = Interval(x, 0, 1) * Range(Parameter("a"), 1, 2);
  Pinn m = small();
  m.sobolev = 1;
  const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), m);
  EXPECT_EQ(pinn.loss.terms[0].term.residuals.size(), 2u);
}

TEST(Sobolev, RefusesWhatHasNoDerivative) {
  Pinn m = small();
  m.sobolev = 3;
  Problem p = rod(1);
  p.equation = {d_n(u, x, 10) == 1};
  EXPECT_EQ(message_of([&] { (void)estimate_cost(p, m); }),
            "equation 'd(u, x, 10) = 1': sobolev = 3 asks for derivatives of order 13, networks "
            "have at most 11; lower sobolev");
  p = rod(DataFunction("f")(x));
  p.functions = {{"f", {"x"}, "f", "", Table{{"x", "f"}, {0, 1, 0.5, 5, 1, 3}, "memory"}}};
  m.sobolev = 2;
  EXPECT_NE(message_of([&] {
              (void)estimate_cost(p, m);
            }).find("sobolev = 2 differentiates its tables: a table has no second derivatives"),
            std::string::npos);
  m.sobolev = 1;
  EXPECT_EQ(message_of([&] { (void)estimate_cost(p, m); }), "no error");
}

}  // namespace
}  // namespace cauchy::test_pinn_weights
