// Elements: which answers are trusted, materials, unknown constants, flows in time.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>

#include "solvers/classical/contradiction.hpp"
#include "solvers/classical/inverse.hpp"
#include "solvers/fem/fem_mesher.hpp"
#include "solvers/fem/fem_solver.hpp"

namespace cauchy::test_fem_answers {
namespace {

using namespace detail;

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v"), q("q");
const Space plane{x, y};
const Expr u_n = normal_derivative(u, {"x", "y"});

/// Poisson's equation with a given value, a flux and a Robin condition; the flux by a factor.
Problem mixed(double factor = 1) {
  Problem p;
  p.domain = Rectangle({0, 0}, {1, 1});
  p.fields = {"u"};
  p.equation = {-laplacian(u, plane) == 2 * pi * pi * sin(pi * x) * sin(pi * y)};
  p.condition = {on("left or bottom", u == 0), on("right", u_n == -factor * pi * sin(pi * y)),
                 on("top", u_n + u == -pi * sin(pi * x))};
  p.reference.formulas = {{"u", sin(pi * x) * sin(pi * y)}};
  return p;
}

std::string told(const Solution& s) {
  std::string text;
  for (const std::string& f : s.findings) text += f + "\n";
  return text;
}

const TermCheck& check_of(const Solution& s, TermCheck::Kind kind, std::size_t number) {
  for (const TermCheck& c : s.checks) {
    if (c.kind == kind && number-- == 0) return c;
  }
  throw Error("no such check");
}

TEST(FemTrust, RightFluxesOfCoarseElementsAreNotBlamed) {
  for (const int order : {1, 2}) {
    const Solution s = solve(mixed(), Fem{.n = 24, .order = order});
    EXPECT_EQ(s.grade, Grade::converged) << told(s);
    for (const TermCheck& c : s.checks) EXPECT_LT(c.fresh, 1e-2) << order << " " << c.name;
    EXPECT_EQ(contradiction_of(s), "");
  }
}

TEST(FemTrust, FluxesBesideASingularCornerHoldInTheMean) {
  Problem p = mixed();
  const Expr r = sqrt(x * x + y * y);
  const Expr motz = where(x <= 0, sqrt((r - x) / 2), y / sqrt(2 * (r + x)));
  p.domain = Rectangle({-1, 0}, {1, 1});
  p.equation = {laplacian(u, plane) == 0};
  p.condition = {on("bottom and x >= 0", u == 0), on("bottom and x < 0", u_n == 0),
                 on("not bottom", u == motz)};
  p.reference.formulas = {{"u", motz}};
  const Solution s = solve(p, Fem{.n = 48, .order = 2});
  EXPECT_EQ(s.grade, Grade::converged) << told(s);
  EXPECT_LT(check_of(s, TermCheck::Kind::condition, 1).fresh, 1e-2);
  EXPECT_LT(check_of(s, TermCheck::Kind::equation, 0).fresh, 2e-2);
}

TEST(FemTrust, WrongAnswersAreBlamed) {
  const auto shared = std::make_shared<const Problem>(mixed());
  const Solution right = solve(*shared, Fem{.n = 12});
  const auto& field = dynamic_cast<const FemField&>(*right.model);
  // A field that is half as large again fulfils neither the equation nor the fluxes.
  std::vector<double> values(field.last("u").begin(), field.last("u").end());
  for (double& a : values) a *= 1.5;
  Solution wrong = right;
  wrong.problem = *shared;
  wrong.model = std::make_shared<FemField>(
      shared, std::make_shared<FemMesh>(field.mesh()), std::vector<std::string>{"u"},
      std::vector<int>{2}, std::vector<double>{}, std::vector<std::vector<double>>{values});
  wrong.checks = check_terms(wrong);
  EXPECT_GT(check_of(wrong, TermCheck::Kind::equation, 0).fresh, 0.15);
  EXPECT_GT(check_of(wrong, TermCheck::Kind::condition, 1).fresh, 0.1);
  // The answer to another problem, whose flux has the other sign: it fulfils its own weak form, and
  // is caught at points.
  Solution other = solve(mixed(-1), Fem{.n = 12});
  EXPECT_LT(check_of(other, TermCheck::Kind::condition, 1).fresh, 5e-2);
  other.problem = *shared;
  other.checks = check_terms(other);
  EXPECT_GT(check_of(other, TermCheck::Kind::condition, 1).fresh, 0.5);
  EXPECT_NE(contradiction_of(other), "");
}

TEST(FemTrust, EquationsOfElementsCanContradictThem) {
  Problem p = mixed();
  const Solution s = solve(p, Fem{.n = 12});
  Solution other = s;
  other.problem.equation = {-laplacian(u, plane) == -2 * pi * pi * sin(pi * x) * sin(pi * y)};
  other.checks = check_terms(other);
  EXPECT_NE(contradiction_of(other).find("does not fulfil"), std::string::npos)
      << check_of(other, TermCheck::Kind::equation, 0).fresh << " "
      << check_of(other, TermCheck::Kind::equation, 0).scale;
}

TEST(FemMesher, NarrowPartsOfTheBoundaryGetTheirNodes) {
  Problem p = mixed();
  p.equation = {-laplacian(u, plane) == 0};
  p.condition = {on("bottom and x > 0.47 and x < 0.53", u == 1), on("top", u == 0)};
  p.reference = {};
  const Solution s = solve(p, Fem{.n = 8, .order = 1});
  EXPECT_NEAR(s("u", {0.47, 0}), 1, 1e-12);
  EXPECT_NEAR(s("u", {0.53, 0}), 1, 1e-12);
  EXPECT_LT(s("u", {0.4, 0}), 0.95);
}

TEST(FemMaterials, TwoLayersAreExactWhereverTheyMeet) {
  Problem p;
  p.domain = Interval(0, 1);
  p.fields = {"u"};
  const double s = 0.3337, a = 1, b = 10;
  const Expr k = where(x < s, a, b);
  p.equation = {-d(k * d(u, x), x) == 1};
  p.condition = {on_boundary(u == 0)};
  const double m = (s * s / (2 * a) + (1 - s * s) / (2 * b)) / (s / a + (1 - s) / b);
  p.reference.formulas = {
      {"u", where(x < s, x * (2 * m - x) / (2 * a), (1 - x) * (1 + x - 2 * m) / (2 * b))}};
  const Solution answer = solve(p, Fem{.n = 8, .order = 2});
  EXPECT_LT(answer.error.relative_l2(), 1e-12) << told(answer);
  EXPECT_EQ(answer.grade, Grade::converged) << told(answer);
  // The same with the flux as a field of its own.
  Problem first = p;
  first.fields = {"u", "q"};
  first.equation = {q / k + d(u, x) == 0, d(q, x) == 1};
  first.reference.formulas.emplace("q", x - m);
  const Solution both = solve(first, Fem{.n = 8, .order = 2});
  EXPECT_LT(both.error.relative_l2(), 1e-11) << told(both);
  Checkpoint c;
  both.model->save(c);
  const auto loaded = load_model("fem", c, first, Fem{});
  std::vector<double> value(1);
  loaded->evaluate(std::vector<Expr>{q}, std::vector<double>{0.7}, value);
  EXPECT_NEAR(value[0], 0.7 - m, 1e-11);
}

TEST(FemMaterials, ObliqueInterfacesPassThePatchTest) {
  Problem p = mixed();
  const Expr level = x + 2 * y - 1.3;
  const Expr exact = where(level < 0, level, level / 5);
  p.equation = {-div(where(level < 0, 1, 5) * grad(u, plane), plane) == 0};
  p.condition = {on_boundary(u == exact)};
  p.reference.formulas = {{"u", exact}};
  const Solution s = solve(p, Fem{.n = 7, .order = 1});
  EXPECT_LT(s.error.relative_l2(), 1e-12) << told(s);
  EXPECT_EQ(s.grade, Grade::converged) << told(s);
}

TEST(FemMaterials, CurvedInterfacesKeepTheOrder) {
  Problem p = mixed();
  p.domain = Rectangle({-1, -1}, {1, 1});
  const Expr r2 = x * x + y * y;
  const double inner = 10, outer = 1, radius = 0.5;
  const double b = radius * radius * (outer - inner) / (outer + inner);
  const Expr exact = where(r2 < radius * radius, 2 * outer / (inner + outer) * x, x * (1 + b / r2));
  p.equation = {-div(where(r2 < radius * radius, inner, outer) * grad(u, plane), plane) == 0};
  p.condition = {on_boundary(u == exact)};
  p.reference.formulas = {{"u", exact}};
  const double coarse = solve(p, Fem{.n = 8, .order = 1}).error.relative_l2();
  const double fine = solve(p, Fem{.n = 32, .order = 1}).error.relative_l2();
  EXPECT_GT(std::log2(coarse / fine) / 2, 1.7) << coarse << " " << fine;
}

TEST(FemMaterials, JumpsOfFluxesAreSourcesOnTheSurface) {
  Problem p;
  p.domain = Interval(0, 1);
  p.fields = {"u"};
  p.equation = {-d(u, x, x) == 0};
  p.condition = {on_boundary(u == 0), on("x = 0.4", jump(d(u, x) * normal_component("x")) == 1)};
  p.reference.formulas = {{"u", where(x < 0.4, -0.6 * x, 0.4 * (x - 1))}};
  const Solution s = solve(p, Fem{.n = 4, .order = 1});
  EXPECT_LT(s.error.relative_l2(), 1e-12) << told(s);
  p.condition = {on_boundary(u == 0), on("x = 0.4", jump(u) == 1)};
  EXPECT_THROW((void)prepare(p, Fem{}), Error);
}

Problem bar_with_data(double noise) {
  Problem p;
  p.domain = Interval(0, 1);
  p.fields = {"u"};
  p.unknowns = {{.name = "k", .initial = 5, .lower = 0, .truth = 2},
                {.name = "c", .initial = 0, .truth = 1}};
  const Parameter k("k"), c("c");
  p.equation = {-d(k * d(u, x), x) == 1 + c * x};
  p.condition = {on("left", u == 0), on("right", u == 0)};
  Observation o;
  o.name = "thermometer";
  o.quantity = u;
  o.column = "u";
  o.table.columns = {"x", "u"};
  for (int i = 1; i < 20; ++i) {
    const double at = i / 20.0;
    const double value = (at * (1 - at) / 2 + at * (1 - at * at) / 6) / 2;
    o.table.values.push_back(at);
    o.table.values.push_back(value + noise * std::sin(37.0 * i * i));
  }
  p.observation = {o};
  p.tolerance = 1e-2;
  return p;
}

TEST(FemInverse, FindsConstantsWithIntervalsThatHoldTheTruth) {
  const Solution exact = solve(bar_with_data(0), Fem{.n = 20});
  EXPECT_NEAR(exact.unknowns.at("k"), 2, 1e-7);
  EXPECT_NEAR(exact.unknowns.at("c"), 1, 1e-7);
  const Solution noisy = solve(bar_with_data(2e-4), Fem{.n = 20});
  for (const auto& [name, truth] : {std::pair{"k", 2.0}, std::pair{"c", 1.0}}) {
    ASSERT_TRUE(noisy.intervals.contains(name));
    const ConfidenceInterval& i = noisy.intervals.at(name);
    EXPECT_LT(i.lower, truth) << name;
    EXPECT_GT(i.upper, truth) << name;
    EXPECT_LT(i.upper - i.lower, truth) << name;
  }
}

TEST(FemInverse, DerivativesByTheConstantsAreThoseOfTheAnswer) {
  const Problem p = bar_with_data(0);
  const auto solved = [&](double k) {
    const std::vector<double> values{k, 1.0};
    return solve(tangent_problem(p, values), Fem{.n = 8});
  };
  const Solution at = solved(2), up = solved(2.001), down = solved(1.999);
  const double slope = (up("u", {0.3}) - down("u", {0.3})) / 0.002;
  EXPECT_NEAR(at(tangent_name("u", "k"), {0.3}), slope, 1e-6 * std::abs(slope) + 1e-9);
}

TEST(FemInverse, SaysWhatIsMissing) {
  const auto message = [](const Problem& problem) -> std::string {
    try {
      (void)prepare(problem, Fem{});
    } catch (const Error& e) {
      return e.what();
    }
    return "none";
  };
  Problem p = bar_with_data(0);
  p.condition = {on("left", u == 0)};
  EXPECT_NE(message(p).find("determined without the observations"), std::string::npos)
      << message(p);
  p = bar_with_data(0);
  p.observation.clear();
  EXPECT_NE(message(p).find("observations"), std::string::npos) << message(p);
}

/// A flow that Taylor-Hood elements hold exactly at every time: errors are those of the steps.
Problem flow_in_time() {
  const Expr g = cos(3 * t);
  const Expr ue = y * y * g, ve = x * x * g, pe = (x - 0.5) * g;
  const double nu = 0.1;
  Problem p;
  p.domain = Rectangle({0, 0}, {1, 1}) * Time(t, 0, 1);
  p.fields = {"u", "v", "q"};
  p.equation = {d(u, t) + u * d(u, x) + v * d(u, y) + d(q, x) - nu * laplacian(u, plane) ==
                    y * y * d(g, t) + ve * 2 * y * g + g - 2 * nu * g,
                d(v, t) + u * d(v, x) + v * d(v, y) + d(q, y) - nu * laplacian(v, plane) ==
                    x * x * d(g, t) + ue * 2 * x * g - 2 * nu * g,
                d(u, x) + d(v, y) == 0};
  p.condition = {at(t == 0, u == ue), at(t == 0, v == ve), on_boundary(u == ue),
                 on_boundary(v == ve), integral(q == 0)};
  p.reference.formulas = {{"u", ue}, {"v", ve}, {"q", pe}};
  return p;
}

TEST(FemFlow, MarchesVelocityAndPressureWithOrderTwo) {
  const Problem p = flow_in_time();
  for (const TimeScheme scheme : {TimeScheme::bdf2, TimeScheme::theta}) {
    std::array<ErrorReport, 2> errors;
    for (std::size_t k = 0; k < 2; ++k) {
      Fem method{.n = 2};
      method.time.scheme = scheme;
      method.time.step = k == 0 ? 1.0 / 20 : 1.0 / 40;
      errors[k] = solve(p, method).error;
    }
    for (std::size_t f = 0; f < 3; ++f) {
      const double a = errors[0].fields[f].relative_l2, b = errors[1].fields[f].relative_l2;
      EXPECT_LT(b, 2e-2) << f;
      EXPECT_GT(std::log2(a / b), 1.6) << errors[0].fields[f].field << " " << a << " " << b;
    }
  }
  Fem method;
  method.time.scheme = TimeScheme::esdirk;
  EXPECT_THROW((void)prepare(p, method), Error);
}

/// u = 1 - r^4 in the unit disk, 0 on the circle: the value is given on the arcs, not on the
/// chords. With straight sides and chords alone the rate is 2.
TEST(FemAnswers, OrderTwoKeepsItsOrderWhereValuesAreGivenOnArcs) {
  const Coordinate first("x"), second("y");
  const Field field("u");
  Problem p;
  p.domain = Disk({0, 0}, 1);
  p.fields = {"u"};
  const Expr square = first * first + second * second;
  p.equation = {-laplacian(field, {first, second}) == 16 * square};
  p.condition = {on_boundary(field == 0)};
  p.reference.formulas = {{"u", 1 - square * square}};
  double before = 0;
  for (const int n : {8, 16, 32}) {
    const double error = solve(p, Fem{.n = n, .order = 2}).error.relative_l2();
    if (before > 0) {
      EXPECT_GT(std::log2(before / error), 2.7) << n << ": " << error;
    }
    before = error;
  }
  EXPECT_LT(before, 5e-5);
}

/// The same in the unit ball; cells are no copies of each other, so that the rate is against the
/// cubic root of the number of unknowns.
TEST(FemAnswers, OrderTwoKeepsItsOrderOnASphere) {
  const Coordinate first("x"), second("y"), third("z");
  const Field field("u");
  Problem p;
  p.domain = Ball({0, 0, 0}, 1);
  p.fields = {"u"};
  const Expr square = first * first + second * second + third * third;
  p.equation = {-laplacian(field, {first, second, third}) == 20 * square};
  p.condition = {on_boundary(field == 0)};
  p.reference.formulas = {{"u", 1 - square * square}};
  const Solution coarse = solve(p, Fem{.n = 4, .order = 2});
  const Solution fine = solve(p, Fem{.n = 8, .order = 2});
  const double size =
      std::cbrt(static_cast<double>(fine.n_unknowns) / static_cast<double>(coarse.n_unknowns));
  const double rate =
      std::log(coarse.error.relative_l2() / fine.error.relative_l2()) / std::log(size);
  EXPECT_GT(rate, 2.6) << coarse.error.relative_l2() << " " << fine.error.relative_l2();
  EXPECT_LT(fine.error.relative_l2(), 3e-3);
}

TEST(FemAnswers, GapsOfNextToNothingAreRefusedWithTheirPlace) {
  Problem p;
  p.domain = Rectangle({0, 0}, {1, 1}) - Rectangle({0.3, 1e-7}, {0.6, 0.5});
  p.fields = {"u"};
  p.equation = {-laplacian(Field("u"), {Coordinate("x"), Coordinate("y")}) == 1};
  p.condition = {on_boundary(Field("u") == 0)};
  try {
    (void)solve(p, Fem{.n = 8});
    ADD_FAILURE() << "a mesh of millions of cells was made";
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("grows beyond 300000 triangles, last at ("), std::string::npos)
        << e.message();
  }
}

}  // namespace
}  // namespace cauchy::test_fem_answers
