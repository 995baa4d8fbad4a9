#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/variational.hpp>
#include <cmath>
#include <filesystem>

#include "problem/point_data.hpp"
#include "solvers/variational/prepared_variational.hpp"
#include "support/formula_field.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_vpinn {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u");

/// The residual of every test function, for fields that are formulas.
template <class Settings>
std::vector<double> residuals(const Problem& p, const Settings& method, const Expr& formula) {
  const detail::VariationalNetwork made =
      detail::variational_network(std::make_shared<const Problem>(p), method);
  const detail::PinnTerm& term = made.pinn.loss.terms.front();
  const Points points = term.draw(0, {});
  const FormulaField field(p.coordinates(), {{"u", formula}});
  std::vector<double> r(points.size());
  for (double c = 0; c < 10; ++c) {  // the column that a point is for comes with it
    std::vector<std::size_t> at;
    std::vector<double> rows;
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (term.observed[i] != c) continue;
      at.push_back(i);
      rows.insert(rows.end(), points.row(i).begin(), points.row(i).end());
    }
    std::vector<double> values(at.size());
    const std::vector<Expr> column{
        substitute(term.term.residuals[0], detail::observed_symbol(), Expr(c))};
    field.evaluate(column, rows, values);
    for (std::size_t i = 0; i < at.size(); ++i) r[at[i]] = values[i];
  }
  std::vector<double> sums;
  const Groups& g = *term.groups;
  for (std::size_t k = 0; k < g.size(); ++k) {
    sums.push_back(-g.targets[k]);
    for (std::size_t i = g.offsets[k]; i < g.offsets[k + 1]; ++i) {
      sums.back() += g.weights[i] * r[g.points[i]];
    }
  }
  return sums;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

/// -div((1 + x^2) grad u) + u_x + u = f on a rectangle, f for u = sin(2 x) cos(y).
Problem diffusion() {
  Problem p;
  p.fields = {"u"};
  p.domain = Rectangle({0, -1}, {1, 1});
  const Space space{x, y};
  const Expr exact = sin(2 * x) * cos(y);
  const auto form = [&](const Expr& w) {
    return -div((1 + x * x) * grad(w, space), space) + d(w, x) + w;
  };
  p.equation = {form(u) == form(exact)};
  p.condition = {on_boundary(u == exact)};
  p.reference.formulas = {{"u", exact}};
  return p;
}

Problem line() {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {-d(u, x, x) == pi * pi * sin(pi * x)};
  p.condition = {on_boundary(u == 0)};
  p.reference.formulas = {{"u", sin(pi * x)}};
  p.tolerance = 1e-4;
  return p;
}

/// The residuals of all families, one list after the other.
std::vector<std::vector<double>> of_all_families(const Problem& p, const Expr& formula, int parts) {
  std::vector<std::vector<double>> all;
  for (const TestFamily f : {TestFamily::sine, TestFamily::legendre, TestFamily::jacobi}) {
    for (const bool vanish : {true, false}) {
      all.push_back(residuals(
          p, Vpinn{.family = f, .tests = 2, .parts = parts, .vanish = vanish, .quadrature = 14},
          formula));
    }
  }
  const auto with = [&](TestFamily f, std::vector<double> elements, std::size_t q) {
    all.push_back(residuals(p,
                            HpVpinn{.family = f,
                                    .elements = std::move(elements),
                                    .tests = 2,
                                    .parts = parts,
                                    .quadrature = q},
                            formula));
  };
  with(TestFamily::legendre, {2, 3}, 9);
  with(TestFamily::spline, {3}, 8);
  with(TestFamily::hat, {3}, 8);
  return all;
}

TEST(Vpinn, FormsIntegratedByPartsZeroOneAndTwoTimesAgree) {
  const Problem p = diffusion();
  // No solution, and not zero at the boundary: all terms count.
  const Expr other = exp(x) * sin(y + 0.3);
  const auto zero = of_all_families(p, other, 0), once = of_all_families(p, other, 1),
             twice = of_all_families(p, other, 2);
  for (std::size_t i = 0; i < zero.size(); ++i) {
    const std::vector<double>&a = zero[i], &b = once[i], &c = twice[i];
    ASSERT_EQ(a.size(), b.size());
    ASSERT_EQ(a.size(), c.size());
    const double size = largest(a);
    EXPECT_GT(size, 1e-3) << i;
    // A row may have the other sign; which one, the first large sum says.
    std::size_t k = 0;
    while (std::abs(a[k]) < 0.1 * size) ++k;
    const double sign = a[k] * b[k] > 0 ? 1 : -1;
    for (k = 0; k < a.size(); ++k) {
      EXPECT_LT(std::abs(a[k] - sign * b[k]), 1e-9 * size) << i << " " << k;
      EXPECT_LT(std::abs(a[k] - sign * c[k]), 1e-9 * size) << i << " " << k;
    }
  }
}

TEST(Vpinn, TheSolutionLeavesNothingButTheErrorOfTheQuadrature) {
  const Problem p = diffusion();
  const Expr exact = sin(2 * x) * cos(y);
  for (const int parts : {0, 1, 2}) {
    for (const std::vector<double>& r : of_all_families(p, exact, parts)) {
      EXPECT_LT(largest(r), 1e-11);
    }
  }
  double before = 1;
  for (const std::size_t q : {3, 4, 5}) {
    const double now = largest(residuals(p, Vpinn{.tests = 2, .quadrature = q}, exact));
    EXPECT_LT(now, 0.1 * before);
    before = now;
  }
}

TEST(Vpinn, FunctionsOfTimeNeedNotVanish) {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  const Expr exact = exp(-t) * sin(pi * x);
  p.equation = {d(u, t) == d(u, x, x) + (pi * pi - 1) * exact};
  p.condition = {at(t == 0, u == sin(pi * x)), on_boundary(u == 0)};
  const Vpinn method{.tests = 3, .quadrature = 16};
  EXPECT_EQ(residuals(p, method, exact).size(), 9u);
  EXPECT_LT(largest(residuals(p, method, exact)), 1e-12);
  // Constant in time and one arch in space see a wrong decay: no function of time may be missing.
  EXPECT_GT(std::abs(residuals(p, method, exp(-2 * t) * sin(pi * x))[0]), 1e-2);
}

/// Left minus right of every sum after the common sign, over the largest one.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  const double size = largest(a);
  double plus = 0, minus = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    plus = std::max(plus, std::abs(a[k] - b[k]));
    minus = std::max(minus, std::abs(a[k] + b[k]));
  }
  return std::min(plus, minus) / size;
}

TEST(Vpinn, HatFunctionsOfAMeshServeRegionsThatAreNoBoxes) {
  Problem p = diffusion();
  const Expr exact = sin(2 * x) * cos(y), other = exp(x) * sin(y + 0.3);
  const std::vector<Region> regions = {Rectangle({-1, -1}, {1, 1}) - Rectangle({0, 0}, {1, 1}),
                                       Rectangle({-1, -1}, {1, 1}) - Slit({{0, 0}, {1, 0}}),
                                       Disk({0, 0}, 1)};
  for (const Region& region : regions) {
    p.domain = region;
    const auto of = [&](int parts, const Expr& formula, bool vanish = false) {
      return residuals(p, Vpinn{.tests = 2, .parts = parts, .vanish = vanish, .quadrature = 7},
                       formula);
    };
    const auto zero = of(0, other);
    EXPECT_GT(largest(zero), 1e-3);
    EXPECT_LT(difference(zero, of(1, other)), 1e-9);
    EXPECT_LT(difference(zero, of(2, other)), 1e-9);
    for (const int parts : {0, 1, 2}) EXPECT_LT(largest(of(parts, exact)), 1e-11) << parts;
    const auto inner = of(1, other, true);  // without the nodes of the boundary
    EXPECT_LT(inner.size(), zero.size());
    for (const double r : inner) {
      EXPECT_TRUE(std::any_of(zero.begin(), zero.end(), [&](double z) {
        return std::abs(std::abs(z) - std::abs(r)) < 1e-9 * largest(zero);
      }));
    }
  }
}

TEST(Vpinn, HatFunctionsOfSpaceAreMultipliedByFunctionsOfTime) {
  Problem p;
  p.fields = {"u"};
  p.domain = Disk({0, 0}, 1) * Time(t, 0, 1);
  const Expr exact = exp(-t) * (1 - x * x - y * y);
  p.equation = {d(u, t) == d(u, x, x) + d(u, y, y) - exact + 4 * exp(-t)};
  p.condition = {at(t == 0, u == 1 - x * x - y * y), on_boundary(u == 0)};
  const Vpinn method{.tests = 4};
  EXPECT_LT(largest(residuals(p, method, exact)), 1e-12);
  EXPECT_GT(largest(residuals(p, method, exp(-2 * t) * (1 - x * x - y * y))), 1e-2);
}

TEST(Vpinn, HatFunctionsOfTetrahedraAreIntegratedByParts) {
  Problem p;
  p.fields = {"u"};
  p.domain = Ball({0, 0, 0}, 1);
  const Coordinate z("z");
  p.equation = {-d(u, x, x) - d(u, y, y) - d(u, z, z) + u == x};
  p.condition = {on_boundary(u == 0)};
  const Expr other = x * y + z * z + x * z;
  const auto of = [&](int parts) {
    return residuals(p, Vpinn{.tests = 2, .parts = parts, .vanish = false, .quadrature = 2}, other);
  };
  const auto zero = of(0);
  EXPECT_LT(difference(zero, of(1)), 1e-11);
  EXPECT_LT(difference(zero, of(2)), 1e-11);
}

TEST(Vpinn, SolvesALinearProblemInOneStepOfRandomFeatures) {
  const Problem p = line();
  const Pinn trial{.network = Elm{.features = 40, .scale = 4}, .points = {.boundary = 2}};
  const std::vector<Method> methods = {
      Vpinn{.trial = trial, .tests = 30},
      Vpinn{.trial = trial, .family = TestFamily::sine, .tests = 30, .parts = 2},
      HpVpinn{.trial = trial, .elements = {4}, .tests = 8}};
  for (const Method& method : methods) {
    const Solution s = solve(p, method);
    EXPECT_LT(s.error.relative_l2(), 1e-6) << s.method;
    EXPECT_EQ(s.grade, Grade::converged);
    const TemporaryFolder folder;
    save_solution(folder.path() / "solution.bin", s);
    const Solution again = load_solution(folder.path() / "solution.bin", p, method);
    EXPECT_EQ(again("u", {0.3}), s("u", {0.3}));
  }
}

TEST(Vpinn, ValueAndSlopeAtOneEndAreTermsOfTheLoss) {
  Problem p = line();
  p.condition = {on("left", u == 0), on("left", d(u, x) == 1)};
  p.equation = {-d(u, x, x) == sin(x)};
  p.domain = Interval(x, 0, 1);
  p.reference.formulas = {{"u", sin(x)}};
  const Pinn trial{.network = Elm{.features = 40, .scale = 4}, .points = {.boundary = 2}};
  const Solution s = solve(p, Vpinn{.trial = trial, .tests = 30});
  EXPECT_LT(s.error.relative_l2(), 1e-6);
}

TEST(Vpinn, SaysWhatItCannotDo) {
  const auto message = [](const Problem& p, const Method& method) {
    return message_of([&] { (void)prepare(p, method); });
  };
  Problem disk = diffusion();
  disk.domain = Disk({0, 0}, 1);
  EXPECT_EQ(message(disk, Vpinn{}), "no error");
  EXPECT_EQ(message(disk, Vpinn{.family = TestFamily::sine}),
            "[solvers.vpinn]: products of test functions need a box, and the region is none; use "
            "family = \"hat\", the hat functions of a mesh");
  EXPECT_EQ(message(disk, HpVpinn{}),
            "[solvers.vpinn]: hp_vpinn cuts boxes, and the region is none; use vpinn, whose test "
            "functions are those of a mesh");
  disk.domain = Triangle({0, 0}, {1, 0}, {0, 1});
  EXPECT_EQ(message(disk, Vpinn{.tests = 1}),
            "[solvers.vpinn]: every node of the mesh lies on the boundary: there is no test "
            "function; use more tests");
  Problem third = line();
  third.equation = {d(u, x, x, x) == 1};
  EXPECT_NE(message(third, Vpinn{}), "no error");
  EXPECT_EQ(message(third, Vpinn{.parts = 0}), "no error");
  Problem nonlinear = line();
  nonlinear.equation = {-d((1 + u * u) * d(u, x), x) == 1};
  EXPECT_EQ(message(nonlinear, Vpinn{}), "no error");
  EXPECT_NE(message(nonlinear, Vpinn{.parts = 2}), "no error");
  EXPECT_NE(message(line(), Vpinn{.parts = 3}), "no error");
  EXPECT_NE(message(line(), HpVpinn{.elements = {2, 2}}), "no error");
  EXPECT_NE(message(line(), HpVpinn{.elements = {1.5}}), "no error");
  EXPECT_NE(message(line(), Vpinn{.trial = {.sobolev = 1}}), "no error");
  const Pinn moving{.rules = {.point_scheme = ResidualPoints{}}};
  EXPECT_NE(message(line(), Vpinn{.trial = moving}), "no error");
  Problem weighted = line();
  weighted.equation[0].weight = 1 + x;
  EXPECT_NE(message(weighted, Vpinn{}), "no error");
}

}  // namespace
}  // namespace cauchy::test_vpinn
