#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/engine/executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/variational.hpp>
#include <cmath>

#include "solvers/variational/prepared_variational.hpp"
#include "support/formula_field.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_ritz {
namespace {

using detail::PinnAssembly;
using detail::PinnTerm;

const Coordinate t("t"), x("x"), y("y");
const Field u("u");

/// -u'' = pi^2 sin(pi x), u = 0 at both ends: E(sin(pi x)) = -pi^2 / 4.
Problem line() {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {-d(u, x, x) == pi * pi * sin(pi * x)};
  p.condition = {on_boundary(u == 0)};
  p.reference.formulas = {{"u", sin(pi * x)}};
  return p;
}

/// -u'' + u = x with u' + 2 u = 3 at the right end, in the outward normal.
Problem robin() {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {-d(u, x, x) + u == x};
  p.condition = {on("left", u == 0), on("right", normal_derivative(u, {"x"}) + 2 * u == 3)};
  p.reference.formulas = {{"u", x}};
  return p;
}

PinnAssembly assembled(const Problem& p, const Ritz& method) {
  return detail::variational_network(std::make_shared<const Problem>(p), method).pinn;
}

/// What a term of identity form is for a formula.
double value_of(const PinnTerm& term, const Problem& p, const Expr& formula) {
  const Points points = term.draw(term.n, {});
  const FormulaField field(p.coordinates(), {{"u", formula}});
  std::vector<double> r(points.size());
  field.evaluate(term.term.residuals, points.values, r);
  EXPECT_EQ(term.term.form, TermForm::identity);
  double sum = 0;
  if (!term.groups) {  // a mean over points
    for (const double v : r) sum += v / static_cast<double>(r.size());
    return term.term.weight * sum;
  }
  EXPECT_EQ(term.groups->size(), 1u);
  for (std::size_t i = 0; i < term.groups->points.size(); ++i) {
    sum += term.groups->weights[i] * r[term.groups->points[i]];
  }
  return sum;
}

TEST(Ritz, TheEnergyIsThatOfTheEquationAndItsFluxes) {
  const Pinn plain{.points = {.interior = 40}, .scale = false};
  const Problem p = line();
  const PinnAssembly a = assembled(p, {.trial = plain, .essential = Essential::penalty});
  ASSERT_EQ(a.loss.terms.size(), 2u);
  EXPECT_EQ(a.loss.terms[0].term.name, "energy");
  EXPECT_LT(std::abs(value_of(a.loss.terms[0], p, sin(pi * x)) + M_PI * M_PI / 4), 1e-12);
  EXPECT_EQ(a.loss.terms[1].term.weight, 1000);  // 500 times two end points
  // E(u) = int u'^2/2 + u^2/2 - x u dx + u(1)^2 - 3 u(1), here of u = x^2.
  const Problem q = robin();
  const PinnAssembly b = assembled(q, {.trial = plain});
  ASSERT_EQ(b.loss.terms.size(), 2u);  // the value on the left is built in
  EXPECT_LT(std::abs(value_of(b.loss.terms[0], q, x * x) - (2.0 / 3 + 0.1 - 0.25)), 1e-13);
  EXPECT_LT(std::abs(value_of(b.loss.terms[1], q, x * x) - (1 - 3)), 1e-13);
  // A mean over points times the measure, here 3, of points that are drawn anew.
  Problem wide = line();
  wide.domain = Interval(x, 0, 3);
  const PinnAssembly c = assembled(wide, {.trial = plain, .quadrature = EnergyRule::random});
  EXPECT_TRUE(c.loss.terms[0].redrawn);
  // int_0^3 1/2 - pi^2 sin(pi x) x dx = 3/2 - 3 pi, by 40 points.
  EXPECT_LT(std::abs(value_of(c.loss.terms[0], wide, x) - (1.5 - 3 * M_PI)), 1);
}

TEST(Ritz, NitscheIsStationaryAtTheAnswerForEveryPenalty) {
  // -u'' = 0, u(0) = 0, u(1) = 1, and a network that is a w x + ...: the answer is x.
  Problem p = line();
  p.equation = {-d(u, x, x) == 0};
  p.condition = {on("left", u == 0), on("right", u == 1)};
  for (const double penalty : {3.0, 500.0}) {
    for (const Essential essential : {Essential::nitsche, Essential::penalty}) {
      const Pinn trial{.network = Mlp{.width = 1, .depth = 1, .activation = Activation::identity},
                       .points = {.interior = 8, .boundary = 1},
                       .scale = false};
      const PinnAssembly a =
          assembled(p, {.trial = trial, .essential = essential, .penalty = penalty});
      const auto executor = make_executor(a.graph, engine_terms(a.loss), {.threads = 1});
      for (std::size_t i = 0; i < a.loss.terms.size(); ++i) {
        const PinnTerm& term = a.loss.terms[i];
        set_term_points(*executor, i, *a.problem, term, term.draw(term.n, {}));
      }
      const std::vector<double> theta{1, 0, 1, 0};
      std::vector<double> g(4);
      const double energy = executor->gradient(theta, g);
      EXPECT_LT(std::abs(energy - 0.5), 1e-14);
      double norm = 0;
      for (const double v : g) norm += v * v;
      if (essential == Essential::nitsche) {
        EXPECT_LT(norm, 1e-26);
      } else {
        EXPECT_GT(norm, 1);  // a penalty leaves an error of the order of 1 / penalty
      }
    }
  }
}

TEST(Ritz, IntegratesEnergiesOverMeshesOfRegionsWithoutGaussRule) {
  const Pinn trial{
      .network = Mlp{.width = 2, .depth = 1}, .points = {.interior = 2000}, .scale = false};
  Problem p;
  p.fields = {"u"};
  p.equation = {-d(u, x, x) - d(u, y, y) == 0};
  p.condition = {on_boundary(u == 0)};
  // 1/2 int |grad x^2|^2 = int 2 x^2 over an L: 8/3 - 2/3, exact.
  p.domain = Rectangle({-1, -1}, {1, 1}) - Rectangle({0, 0}, {1, 1});
  const auto energy = [&](const Ritz& method, const Expr& formula) {
    return value_of(assembled(p, method).loss.terms.front(), p, formula);
  };
  EXPECT_LT(std::abs(energy({.trial = trial, .quadrature = EnergyRule::mesh}, x * x) - 2), 1e-12);
  EXPECT_GT(std::abs(energy({.trial = trial, .quadrature = EnergyRule::random}, x * x) - 2), 1e-6);
  // The slit: int 1 / (8 r) = ln(1 + sqrt 2). Cells of size h at the tip leave out about h / 4.
  p.domain = Rectangle({-1, -1}, {1, 1}) - Slit({{0, 0}, {1, 0}});
  const Expr r = sqrt(x * x + y * y);
  const double found = energy({.trial = trial, .quadrature = EnergyRule::mesh}, sqrt((r - x) / 2));
  EXPECT_NEAR(found, std::log(1 + std::sqrt(2.0)), 0.02);
  // Points that are drawn anew are the default there, and stages that suit them.
  const PinnAssembly drawn = assembled(p, {.trial = trial});
  EXPECT_TRUE(drawn.loss.terms.front().redrawn);
  EXPECT_TRUE(assembled(p, {}).loss.terms.front().redrawn);
  EXPECT_TRUE(std::holds_alternative<SoapOptions>(assembled(p, {}).stages.front().method));
}

TEST(Ritz, FindsTheMinimumWithBuiltInAndNaturalConditions) {
  const Pinn trial{.network = Mlp{.width = 8, .depth = 1},
                   .points = {.interior = 30},
                   .stages = {{AdamOptions{.learning_rate = 1e-2}, 100}, {LbfgsOptions{}, 150}}};
  for (const Problem& p : {line(), robin()}) {
    const Method method = Ritz{.trial = trial};
    const Solution s = solve(p, method);
    EXPECT_LT(s.error.relative_l2(), 1e-3) << s.problem.equation.size();
    EXPECT_EQ(s.grade, Grade::converged);
    EXPECT_LT(s.training->loss(), 0);  // both energies are negative, and no stage ended by that
    EXPECT_GT(s.training->steps, 100u);
    const TemporaryFolder folder;
    save_solution(folder.path() / "solution.bin", s);
    const Solution again = load_solution(folder.path() / "solution.bin", p, method);
    EXPECT_EQ(again("u", {0.3}), s("u", {0.3}));
  }
}

/// u from 0 to 1 costs 1/2 at least. With the values by penalty and three nodes that stay, the
/// network climbs between two of them, and the nodes see next to nothing.
TEST(Ritz, WarnsOfAMinimumThatTheNodesDoNotSee) {
  Problem p;
  p.domain = Interval(x, 0, 1);
  p.fields = {"u"};
  p.equation = {-d(u, x, x) == 0};
  p.condition = {on("left", u == 0), on("right", u == 1)};
  const auto warned = [&](std::size_t nodes) {
    const Pinn trial{.network = Mlp{.width = 8, .depth = 1},
                     .points = {.interior = nodes},
                     .stages = {{AdamOptions{.learning_rate = 2e-2}, 200}, {LbfgsOptions{}, 300}}};
    const Solution s = solve(p, Ritz{.trial = trial,
                                     .essential = Essential::penalty,
                                     .penalty = 50,
                                     .quadrature = EnergyRule::gauss});
    const bool found = std::any_of(s.warnings.begin(), s.warnings.end(), [](const auto& w) {
      return w.find("false minimum") != std::string::npos;
    });
    EXPECT_TRUE(!found || s.grade == Grade::suspicious);
    return found;
  };
  EXPECT_TRUE(warned(3));
  EXPECT_FALSE(warned(200));
}

TEST(Ritz, RefusesWhatHasNoEnergyAndSaysWhy) {
  const auto message = [](const Problem& p, const Ritz& method) {
    return message_of([&] { (void)prepare(p, method); });
  };
  Problem p = line();
  p.equation = {-d(u, x, x) + d(u, x) == 1};
  EXPECT_EQ(message(p, {}),
            "[solvers.ritz]: ritz needs an energy: the weak form is not symmetric, so that it is "
            "the derivative of none; use vpinn or pinn");
  Problem evolving = line();
  evolving.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  evolving.equation = {d(u, t) == d(u, x, x)};
  evolving.condition = {at(t == 0, u == 0), on_boundary(u == 0)};
  evolving.reference = {};
  EXPECT_NE(message(evolving, {}).find("time"), std::string::npos);
  Problem inverse = line();
  inverse.unknowns = {{.name = "k"}};
  inverse.equation = {-Parameter("k") * d(u, x, x) == 1};
  EXPECT_NE(message(inverse, {}).find("unknown"), std::string::npos);
  Problem wave = line();  // u_xx - u_yy: a saddle
  wave.domain = Rectangle({0, 0}, {1, 1});
  wave.equation = {d(u, x, x) - d(u, y, y) == 0};
  wave.reference = {};
  EXPECT_NE(message(wave, {}).find("bounded from below"), std::string::npos);
  const auto with = [](Pinn trial) { return Ritz{.trial = std::move(trial)}; };
  EXPECT_EQ(message(line(), with({.stages = {{LevenbergMarquardtOptions{}, 10}}})),
            "[method]: ritz is not trained by 'levenberg_marquardt': an energy is no sum of "
            "squares; use adam, lbfgs or ssbroyden, or vpinn");
  EXPECT_NE(
      message(
          line(),
          with({.stages = {{LbfgsOptions{}, 10, {}, 0, 0, 0, 0, 0, 0, LossTransform::logarithm}}})),
      "no error");
  EXPECT_NE(message(line(), with({.rules = {.balancer = GradNormBalancer{}}})), "no error");
  EXPECT_NE(message(line(), with({.last_layer = LastLayerStart::least_squares})), "no error");
  EXPECT_NE(message(line(), with({.decompose = {"x = 0.5"}})), "no error");
  EXPECT_NE(message(line(), {.penalty = -1}), "no error");
}

}  // namespace
}  // namespace cauchy::test_ritz
