#include <cauchy/solvers/decompose.hpp>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "solvers/pinn/pieces.hpp"
#include "solvers/pinn/pinn_assembly.hpp"
#include "support/message_of.hpp"
#include "support/pinn_cases.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_decompose {
namespace {

using namespace pinn_cases;
using detail::InnerSurface;
using detail::Pieces;
using detail::PinnAssembly;

std::vector<std::string> forms_of(const std::vector<Condition>& conditions) {
  std::vector<std::string> texts;
  for (const Condition& c : conditions) texts.push_back(to_string(c.form));
  return texts;
}

PinnAssembly assembly(const Problem& p, const Pinn& m) {
  return PinnAssembly(std::make_shared<const Problem>(p), m);
}

// --- surfaces ---

TEST(Surfaces, PointsLieOnThemInsideTheDomainWithNormalsIntoThePositiveSide) {
  Problem p = poisson(Rectangle({-1, -1}, {1, 1}));
  const InnerSurface circle(p, "x^2 + y^2 = 0.25");
  const Points points = circle.points(200);
  ASSERT_EQ(points.size(), 200u);
  double upper = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const double px = points.row(i)[0], py = points.row(i)[1];
    EXPECT_NEAR(std::hypot(px, py), 0.5, 1e-12);
    EXPECT_NEAR(points.normals[2 * i], 2 * px, 1e-12);  // outwards: radius 1/2
    EXPECT_NEAR(points.normals[2 * i + 1], 2 * py, 1e-12);
    upper += py > 0 ? 1 : 0;
  }
  EXPECT_NEAR(upper, 100, 15);  // next to uniform
  const InnerSurface line(p, "0.5 = x");
  for (const double n : line.points(3).normals) EXPECT_LE(n, 1e-15);  // 0.5 - x falls along x
  EXPECT_NE(message_of([&] { (void)InnerSurface(p, "x = 3").points(2); }).find("no point inside"),
            std::string::npos);
  EXPECT_NE(message_of([&] { (void)InnerSurface(p, "u = 3"); }).find("it depends on 'u'"),
            std::string::npos);
  EXPECT_NE(message_of([&] { (void)InnerSurface(p, "1 = 3"); }).find("no coordinate"),
            std::string::npos);
}

TEST(Surfaces, OfASlitDomainEndAtTheSlit) {
  Problem p = poisson(Rectangle({-1, -1}, {1, 1}) - Slit({{0, 0}, {1, 0}}));
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_LT(InnerSurface(p, "y = 0").points(50).row(i)[0], 0);
  }
}

// --- pieces ---

TEST(PiecesOfADomain, HaveTheSignsOfTheirPoints) {
  const Problem p = heat();  // x in [-1, 1], t in [0, 1]
  const Pieces pieces(p, {"x = -0.5", "x = 0.5", "t = 0.25"});
  EXPECT_EQ(pieces.size(), 6u);
  Points points;
  points.columns = {"t", "x"};
  points.values = {0.1, -0.9, 0.1, 0, 0.1, 0.9, 0.9, -0.9, 0.9, 0, 0.9, 0.9};
  std::vector<std::size_t> all = pieces.at(points);
  std::vector<std::size_t> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(sorted[k], k);
  const auto& axes = pieces.axes(all[1]);  // 0 < t < 0.25, -0.5 < x < 0.5
  EXPECT_NEAR(axes[0].center, 0.125, 2e-3);
  EXPECT_NEAR(axes[1].half, 0.5, 2e-3);
}

TEST(PiecesOfADomain, RefuseCutsThatMakeNone) {
  const auto said = [](const std::vector<std::string>& cuts, const char* what) {
    EXPECT_NE(message_of([&] { (void)Pieces(heat(), cuts); }).find(what), std::string::npos)
        << cuts[0];
  };
  said({"x = 5"}, "does not cut the domain");
  said({"x = 0.5", "x = 0.5001"}, "a thousandth");
  said({"x = = 2"}, "decompose");
  Problem p = heat();
  p.condition = {at(t == 0, u == sin(pi * x)), periodic(x)};
  EXPECT_NE(message_of([&] { (void)Pieces(p, {"x = 0"}); }).find("periodic coordinate 'x'"),
            std::string::npos);
  EXPECT_NO_THROW((void)Pieces(p, {"t = 0.5"}));
}

// --- what joins them ---

TEST(InterfaceConditions, AreTheValueAndTheFluxOfTheEquationAsItWasWritten) {
  Problem p = poisson(Rectangle({-1, -1}, {1, 1}));
  const Expr a = where(x < 0.5, Expr(1), Expr(10));
  p.equation = {div(a * grad(u, {x, y}), {x, y}) == -1};
  const auto line = forms_of(interface_conditions(p, "x = 0.5"));
  ASSERT_EQ(line.size(), 2u);
  EXPECT_EQ(line[0], "jump(u) = 0");
  EXPECT_EQ(line[1], to_string(jump(a * d(u, x)) == Expr(0)));
  const auto circle = forms_of(interface_conditions(p, "x^2 + y^2 = 0.25"));
  ASSERT_EQ(circle.size(), 2u);
  const Expr flux = normal_component("x") * (a * d(u, x)) + normal_component("y") * (a * d(u, y));
  EXPECT_EQ(circle[1], to_string(jump(flux) == Expr(0)));
}

TEST(InterfaceConditions, OfAFirstOrderSystemDoNotHoldForTangentialFluxes) {
  Problem p = poisson(Rectangle({-1, -1}, {1, 1}));
  const Field q("q"), r("r");
  p.fields = {"u", "q", "r"};
  p.equation = {q + d(u, x) == 0, r + d(u, y) == 0, d(q, x) + d(r, y) == 1};
  const auto forms = forms_of(interface_conditions(p, "x = 0.5"));
  EXPECT_EQ(forms, (std::vector<std::string>{"jump(u) = 0", "jump(q) = 0"}));
}

TEST(InterfaceConditions, FollowTheOrderAcrossTheSurface) {
  Problem p = heat();
  EXPECT_EQ(forms_of(interface_conditions(p, "t = 0.5")), std::vector<std::string>{"jump(u) = 0"});
  EXPECT_EQ(forms_of(interface_conditions(p, "x = 0.5")).size(), 2u);
  p.equation = {d(u, t, t) == d(u, x, x, x, x)};
  EXPECT_EQ(forms_of(interface_conditions(p, "t = 0.5")),
            (std::vector<std::string>{"jump(u) = 0", "jump(u_t) = 0"}));
  EXPECT_EQ(forms_of(interface_conditions(p, "x = 0")),
            (std::vector<std::string>{"jump(u) = 0", "jump(u_x) = 0", "jump(u_xx) = 0",
                                      "jump(u_xxx) = 0"}));
}

TEST(InterfaceConditions, OfAMovingSurfaceHoldTheFluxThroughIt) {
  Problem p = heat();
  p.equation = {d(u, t) + d(u * u / 2, x) == 0};
  // Rankine and Hugoniot: s' [u] = [u^2 / 2], however the surface is written.
  for (const char* const cut : {"x = 0.25*t", "0.25*t = x", "2*x - 0.5*t = 0"}) {
    const std::vector<Condition> all = interface_conditions(p, cut);
    ASSERT_EQ(all.size(), 1u) << cut;
    const Expr want = jump(u * u / 2 - 0.25 * u), got = all[0].form.left;
    EXPECT_TRUE(same(got, want) || same(got, -want)) << cut << ": " << to_string(all[0].form);
  }
  p.equation = {d(u, t) == d(u, x, x)};
  EXPECT_EQ(forms_of(interface_conditions(p, "x = 0.25*t")).size(), 2u);
}

TEST(SuggestedCuts, AreWhereCoefficientsJumpAndAlongSlits) {
  Problem p = poisson(Rectangle({-1, -1}, {1, 1}) - Slit({{0, 0}, {1, 0}}));
  EXPECT_EQ(suggested_cuts(p).size(), 1u);
  EXPECT_NO_THROW((void)Pieces(p, suggested_cuts(p)));
  p = poisson(Rectangle({-1, -1}, {1, 1}));
  EXPECT_TRUE(suggested_cuts(p).empty());
  p.parameters = {{"s", Expr(0.5)}};
  const Expr a = where(x < Parameter("s"), Expr(1), Expr(10));
  p.equation = {a * d(u, x, x) + d(u, y, y) == sign(y) + where(x < Expr(7), Expr(1), Expr(2)) +
                                                   where(u < Expr(0), Expr(1), Expr(2))};
  EXPECT_EQ(suggested_cuts(p), (std::vector<std::string>{"x = s", "y = 0"}));
  p.equation = {d(u, x, x) + d(u, y, y) == floor(2 * x)};
  EXPECT_EQ(suggested_cuts(p).size(), 3u);  // 2 x = -1, 0, 1
}

// --- the language ---

const char* const two_materials = R"toml(
name = "two_materials"
fields = ["u"]
[domain]
space = { x = [0, 1] }
[parameters]
s = 0.5
[definitions]
a = "where(x < s, 1, 10)"
[[equation]]
form = "d(a*u_x, x) = -1"
[[condition]]
where = "boundary"
form = "u = 0"
[[condition]]
where = "x = s"
form = "jump(u) = 0.3"
weight = 2
[[condition]]
where = "x = s"
form = "jump(a*u_n) = 1"
[method]
kind = "pinn"
decompose = { x = 0.5 }
)toml";

TEST(Jumps, AreReadPrintedAndReadAgain) {
  const ProblemFile file = parse_problem_file(two_materials, "two.toml");
  ASSERT_EQ(file.problem.condition.size(), 3u);
  EXPECT_EQ(file.problem.condition[1].kind, Condition::Kind::interface);
  EXPECT_TRUE(same(file.problem.condition[1].form.left, jump(Field("u"))));
  EXPECT_EQ(std::get<Pinn>(file.method).decompose, std::vector<std::string>{"x = 0.5"});
  const std::string text = to_toml(file);
  const ProblemFile again = parse_problem_file(text, "again.toml");
  EXPECT_EQ(to_toml(again), text);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(same(file.problem.condition[i].form.residual(),
                     again.problem.condition[i].form.residual()));
  }
}

TEST(Jumps, AreRefusedWhereTheyMeanNothing) {
  Problem p = heat();
  const auto said = [&](const Condition& c, const char* what) {
    Problem with = p;
    with.condition.push_back(c);
    const std::string message = message_of([&] { check(with); });
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  said(on("x = 0.5", jump(u) == u), "has two values on the surface");
  said(on("x = 0.5", jump(u) * jump(u) == 1), "not linear in the jumps");
  said(on("x = 0.5", jump(jump(u)) == 0), "a jump stands in a jump");
  said(on("x = 5", jump(u) == 0), "no point inside");
  said(hard(on("x = 0.5", jump(u) == 0)), "cannot be hard");
  p.equation[0].form = jump(u) == d(u, t);
  EXPECT_NE(message_of([&] { check(p); }).find("on a surface inside"), std::string::npos);
  p = heat();
  p.parameters.push_back({"jump", Expr(1)});
  EXPECT_NE(message_of([&] { check(p); }).find("reserved"), std::string::npos);
}

TEST(Jumps, AreRefusedByOneNetworkAndByClassicalMethodsWithTheReason) {
  Problem p = heat();
  p.condition.push_back(on("x = 0.5", jump(u) == 0));
  const std::string one = message_of([&] { (void)prepare(p, small()); });
  EXPECT_NE(one.find("one network is smooth"), std::string::npos) << one;
  EXPECT_NE(one.find("decompose = [\"x = 0.5\"]"), std::string::npos) << one;
  EXPECT_NE(message_of([&] { (void)prepare(p, Fdm{}); }).find("has no jumps inside"),
            std::string::npos);
  Pinn elsewhere = small();
  elsewhere.decompose = {"x = 0.1"};
  EXPECT_NE(message_of([&] { (void)prepare(p, elsewhere); }).find("no cut lies on 'x = 0.5'"),
            std::string::npos);
}

// --- networks on pieces ---

TEST(NetworksOnPieces, ShareOutTermsPointsAndWeights) {
  Problem p = heat();
  Pinn m = small();
  m.decompose = {"x = 0.5"};
  const PinnAssembly pinn = assembly(p, m);
  double weight = 0;
  std::size_t n = 0, terms = 0;
  for (const detail::PinnTerm& term : pinn.loss.terms) {
    if (term.kind != PointSource::Kind::equation) continue;
    weight += term.term.weight;
    n += term.n;
    ++terms;
    const Points points = term.draw(term.n, {});
    const bool right = term.term.name.ends_with("piece 2");
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(points.row(i)[1] >= 0.5, right);
    for (const Expr& r : term.term.residuals) {
      const Expr roots[] = {r};
      for (const Expr& f : field_atoms(roots)) EXPECT_EQ(f.name(), right ? "u#2" : "u#1");
    }
  }
  EXPECT_EQ(terms, 2u);
  EXPECT_NEAR(weight, 1, 1e-12);
  EXPECT_LE(n, m.points.interior + 2);
  EXPECT_EQ(pinn.graph->n_parameters(), 2 * assembly(p, small()).graph->n_parameters());
  EXPECT_EQ(pinn.describe().find("pinn, 2 pieces of 8 x 2 tanh"), 0u);
}

TEST(NetworksOnPieces, SeeTheirOwnBranchOfACoefficientAtTheInterface) {
  const ProblemFile file = parse_problem_file(two_materials, "two.toml");
  Pinn m = small();
  m.decompose = {"x = s"};
  m.scale = false;
  const PinnAssembly pinn = assembly(file.problem, m);
  const auto it = std::find_if(
      pinn.loss.terms.begin(), pinn.loss.terms.end(), [](const detail::PinnTerm& term) {
        return term.term.name.find("u_x") != std::string::npos && term.term.name.find("jump") == 0;
      });
  ASSERT_NE(it, pinn.loss.terms.end());
  // 10 u#2_x - u#1_x - 1 on any fields.
  HostExecutor<double> executor(pinn.graph, {it->term}, {.threads = 1});
  const Points points = it->draw(1, {});
  EXPECT_NEAR(points.values[0], 0.5, 1e-12);
  detail::set_term_points(executor, 0, *pinn.problem, *it, points);
  const std::vector<double> theta = initial_parameters(pinn.graph->parameters(), Rng(3));
  std::vector<double> r(1), sides(2);
  executor.residuals(0, theta, r);
  const Coordinate at("x");
  executor.predict(std::vector<Expr>{d(Field("u#1"), at), d(Field("u#2"), at)}, theta,
                   points.values, sides);
  EXPECT_NEAR(r[0], 10 * sides[1] - sides[0] - 1, 1e-12);
}

/// u = x (1 - x) / 2 + c_1 x on the left, and such on the right that u and a u_x jump as asked.
TEST(NetworksOnPieces, FindAPiecewiseSolutionWithJumpsOfValueAndFlux) {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  const Expr a = where(x < 0.5, Expr(1), Expr(4));
  p.equation = {d(a * d(u, x), x) == -1};
  // Left: x - x^2/2, flux 1 - x. Right: flux 2 - x = 4 u_x, u = (2 x - x^2/2)/4 + b with u(1) = b1.
  const Expr left = x - x * x / 2, right = (2 * x - x * x / 2) / 4 + 0.2;
  p.condition = {on("left", u == 0), on("right", u == 1.5 / 4 + 0.2),
                 on("x = 0.5", jump(u) == (1 - 0.125) / 4 + 0.2 - 0.375),
                 on("x = 0.5", jump(a * d(u, x)) == 1)};
  p.reference.formulas = {{"u", where(x < 0.5, left, right)}};
  Pinn m = small();
  m.decompose = {"x = 0.5"};
  m.points.interior = 40;
  m.stages = {{LevenbergMarquardtOptions{}, 60}};
  const Solution s = solve(p, m);
  EXPECT_LT(s.error.relative_l2(), 1e-5);
  for (const TermCheck& c : s.checks) EXPECT_LT(c.fresh, 1e-3) << c.name;
  EXPECT_NEAR(s("u", {0.5 + 1e-6}) - s("u", {0.5 - 1e-6}), 0.04375, 1e-5);
  EXPECT_NEAR(4 * s("u_x", {0.5 + 1e-6}) - s("u_x", {0.5 - 1e-6}), 1, 1e-4);
}

TEST(NetworksOnPieces, JoinByConditionsFromTheEquationsAndAreGradedByThem) {
  Problem p = poisson(Rectangle({-1, -1}, {1, 1}));
  const Expr r2 = x * x + y * y, k = where(r2 < 0.25, Expr(3), Expr(1));
  // Inside (r^2 - 1/4) / 3, outside r^2 - 1/4: the flux 2 r is continuous.
  p.equation = {div(k * grad(u, {x, y}), {x, y}) == 4};
  const Expr truth = where(r2 < 0.25, (r2 - 0.25) / 3, r2 - 0.25);
  p.condition = {on_boundary(u == r2 - 0.25)};
  p.reference.formulas = {{"u", truth}};
  Pinn m = small();
  m.decompose = {"x^2 + y^2 = 0.25"};
  m.points.interior = 200;
  m.stages = {{LevenbergMarquardtOptions{}, 40}};
  const Solution s = solve(p, m);
  EXPECT_LT(s.error.relative_l2(), 1e-3);
  std::size_t interfaces = 0;
  for (const TermCheck& c : s.checks) {
    if (c.name.find("jump") == std::string::npos) continue;
    ++interfaces;
    EXPECT_LT(c.fresh, 1e-2) << c.name;
    EXPECT_TRUE(std::isfinite(c.trained)) << c.name;
  }
  EXPECT_EQ(interfaces, 2u);
}

TEST(NetworksOnPieces, AreSavedLoadedAndResumedToTheSameBits) {
  const TemporaryFolder folder;
  Pinn m = small();
  m.decompose = {"x = 0.5", "t = 0.5"};
  m.points.redraw = 7;
  m.stages = {{AdamOptions{}, 12}, {LbfgsOptions{}, 6}};
  const Solution whole = solve(heat(), m);
  StopAfter progress(9);
  const auto file = folder / "checkpoint.bin";
  EXPECT_TRUE(solve(heat(), m, {.progress = &progress, .checkpoint = file}).interrupted);
  EXPECT_EQ(solve(heat(), m, {.checkpoint = file}).training->parameters,
            whole.training->parameters);
  save_solution(folder / "solution.bin", whole);
  const Solution again = load_solution(folder / "solution.bin", heat(), m);
  const std::vector<double> rows{0.2, 0.1, 0.7, -0.5, 0.2, 0.9, 0.7, 0.8};
  EXPECT_EQ(whole("u_x", rows), again("u_x", rows));
}

/// Two materials with the surface x = s t between them: u = (x - s t) / a, the flux is 1.
Problem moving_surface(double s) {
  Problem p = heat();
  const Expr a = where(x < s * t, Expr(1), Expr(4));
  p.equation = {d(u, t) == d(a * d(u, x), x) - s / a};
  p.condition = {at(t == 0, u == x / a), on_boundary(u == (x - s * t) / a)};
  p.reference.formulas = {{"u", (x - s * t) / a}};
  return p;
}

Pinn few_steps_on(std::vector<std::string> cuts) {
  Pinn m = small();
  m.network = Mlp{.width = 6, .depth = 1};
  m.decompose = std::move(cuts);
  m.points.interior = 120;
  m.stages = {{LevenbergMarquardtOptions{}, 20}};
  return m;
}

TEST(NetworksOnPieces, FollowASurfaceThatMoves) {
  const Solution s = solve(moving_surface(0.3), few_steps_on({"x = 0.3*t"}));
  EXPECT_LT(s.error.relative_l2(), 1e-3);
  EXPECT_NEAR(4 * s("u_x", {1, 0.3 + 1e-6}) - s("u_x", {1, 0.3 - 1e-6}), 0, 2e-2);
}

TEST(NetworksOnPieces, WorkInWindowsOfTimeWithTheCutsOfEachWindow) {
  const TemporaryFolder folder;
  Pinn m = few_steps_on({"x = 0.3*t", "t = 0.3"});  // the second one lies in the first window
  m.rules.curriculum = WindowCurriculum{.count = 2};
  const Problem p = moving_surface(0.3);
  const Solution s = solve(p, m);
  EXPECT_LT(s.error.relative_l2(), 1e-3);
  save_solution(folder / "solution.bin", s);
  const Solution again = load_solution(folder / "solution.bin", p, m);
  const std::vector<double> rows{0.1, 0.5, 0.4, -0.2, 0.8, 0.1, 0.9, 0.5};
  EXPECT_EQ(s("u_x", rows), again("u_x", rows));
  StopAfter progress(25);  // in the second window
  const auto file = folder / "checkpoint.bin";
  EXPECT_TRUE(solve(p, m, {.progress = &progress, .checkpoint = file}).interrupted);
  EXPECT_EQ(solve(p, m, {.checkpoint = file})("u", rows), s("u", rows));
}

TEST(NetworksOnPieces, ShareObservationsIntegralsAndUnknownConstants) {
  Problem p = heat();
  p.unknowns = {{.name = "k", .initial = 0.5}};
  p.equation = {d(u, t) == Parameter("k") * d(u, x, x)};
  Observation o;
  o.name = "probe";
  o.quantity = u;
  o.column = "u";
  o.table.columns = {"t", "x", "u"};
  o.table.values = {0.5, -0.5, 1, 0.5, 0.5, 2, 0.5, 0.9, 3};  // the second one lies on the cut
  p.observation = {o};
  p.condition.push_back(integral(u == 0));
  Pinn m = small();
  m.decompose = {"x = 0.5"};
  const PinnAssembly pinn = assembly(p, m);
  std::size_t observed = 0, integrals = 0;
  double weight = 0;
  for (const detail::PinnTerm& term : pinn.loss.terms) {
    if (term.kind == PointSource::Kind::observation) {
      observed += term.n;
      weight += term.term.weight;
      EXPECT_EQ(term.observed.size(), term.n);
    }
    integrals += term.groups ? 1 : 0;
  }
  EXPECT_EQ(observed, 3u);
  EXPECT_NEAR(weight, 1, 1e-15);
  EXPECT_EQ(integrals, 1u);
  EXPECT_TRUE(std::isfinite(solve(p, m).training->loss()));
}

TEST(Pieces, CutAtEveryJumpLeaveNoneThatPointsDoNotShow) {
  const ProblemFile file = parse_problem_file(two_materials, "p", ".");
  Pinn method = std::get<Pinn>(file.method);
  method.decompose = suggested_cuts(file.problem);
  ASSERT_EQ(method.decompose.size(), 1u);
  EXPECT_TRUE(prepare(file.problem, method)->warnings().empty());
  Problem one = file.problem;  // the same without its jump conditions, in one piece
  one.condition.resize(1);
  method.decompose.clear();
  EXPECT_FALSE(prepare(one, method)->warnings().empty());
}

}  // namespace
}  // namespace cauchy::test_decompose
