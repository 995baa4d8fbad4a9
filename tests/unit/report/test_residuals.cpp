#include "report/residuals.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "support/formula_field.hpp"

namespace cauchy::test_residuals {
namespace {

const Coordinate x("x"), y("y");
const Field u("u"), v("v");

Solution solution_of(Problem p, const std::map<std::string, Expr>& formulas) {
  Solution s;
  s.problem = std::move(p);
  s.model = std::make_shared<FormulaField>(s.problem.coordinates(), formulas);
  return s;
}

TEST(EquationResiduals, AreThoseOfTheEquationsInUnitsOfTheirSize) {
  Problem p;
  p.domain = Interval(x, 0, 4);
  p.fields = {"u", "v"};
  p.sizes = {{"u", 8}, {"v", 3}};
  p.parameters = {{"a", Expr(5.0)}};
  p.unknowns = {{.name = "c", .initial = 2, .lower = 0.0}};
  p.equation = {d(u, x, x) == Parameter("a") * v, d(v, x) == Parameter("c") * u};
  Solution s = solution_of(p, {{"u", x * x * x}, {"v", 2 * x}});
  s.unknowns = {{"c", 0.5}};
  const detail::EquationResiduals residuals(s);
  // Half width 2: u_xx has size 8 / 4, 5 v has size 15; v_x has 3 / 2, u / 2 has 4.
  EXPECT_EQ(residuals.sizes(), (std::vector<double>{15, 4}));
  const std::vector<double> at = {1, 3};
  const std::vector<double> found = residuals(at);
  ASSERT_EQ(found.size(), 4u);
  const double tolerance = 1e-14;  // a few operations
  EXPECT_NEAR(found[0], std::abs(6.0 - 10) / 15, tolerance);
  EXPECT_NEAR(found[1], std::abs(2 - 0.5) / 4, tolerance);
  EXPECT_NEAR(found[2], std::abs(18.0 - 30) / 15, tolerance);
  EXPECT_NEAR(found[3], std::abs(2 - 0.5 * 27) / 4, tolerance);
}

TEST(EquationResiduals, HoldOnlyWhereTheirEquationDoes) {
  Problem p;
  p.domain = Domain(Rectangle({0, 0}, {1, 1}));
  p.fields = {"u"};
  ProblemEquation left(d(u, x) == 1), right(d(u, x) == 3);
  left.where = "x < 0.5 and y > 0.2";
  right.where = "x >= 0.5";
  p.equation = {left, right};
  const Solution s = solution_of(p, {{"u", 2 * x}});
  const detail::EquationResiduals residuals(s);
  const std::vector<double> at = {0.25, 0.5, 0.25, 0.1, 0.75, 0.5};
  const std::vector<double> found = residuals(at);
  EXPECT_EQ(found[0], 1 / residuals.sizes()[0]);
  EXPECT_TRUE(std::isnan(found[1]));
  EXPECT_TRUE(std::isnan(found[2]));
  EXPECT_TRUE(std::isnan(found[3]));
  EXPECT_TRUE(std::isnan(found[4]));
  EXPECT_EQ(found[5], 1 / residuals.sizes()[1]);
}

TEST(EquationResiduals, KnowTabulatedFunctions) {
  Problem p;
  p.domain = Interval(x, 0, 1);
  p.fields = {"u"};
  TabulatedFunction f{.name = "f", .arguments = {"x"}, .column = "f", .file = {}, .table = {}};
  f.table.columns = {"x", "f"};
  for (int i = 0; i <= 10; ++i) {
    f.table.values.insert(f.table.values.end(), {0.1 * i, std::pow(0.1 * i, 3)});
  }
  p.functions = {f};
  p.equation = {parse_equation("u_x = f(x) + d(f(x), x)", p.context())};
  const Solution s = solution_of(p, {{"u", x}});
  const detail::EquationResiduals residuals(s);
  const std::vector<double> at = {0.35};
  // Cubic splines with not-a-knot ends are exact for cubics.
  const double expected = std::abs(1 - (std::pow(0.35, 3) + 3 * 0.35 * 0.35));
  EXPECT_NEAR(residuals(at)[0] * residuals.sizes()[0], expected, 1e-12);
}

}  // namespace
}  // namespace cauchy::test_residuals
