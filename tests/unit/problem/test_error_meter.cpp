#include "problem/error_meter.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "support/formula_field.hpp"
#include "support/message_of.hpp"

namespace cauchy::detail::test_error_meter {
namespace {

const Coordinate x("x");
const Field u("u");

/// One field, given by a formula of the first coordinate.
class FormulaModel final : public FieldModel {
 public:
  std::string_view kind() const noexcept override { return "test"; }
  void save(Checkpoint&) const override {}
  explicit FormulaModel(std::function<double(double)> f) : f_(std::move(f)) {}
  void evaluate(std::span<const Expr> /*expressions*/, std::span<const double> points,
                std::span<double> out) const override {
    const std::size_t D = points.size() / out.size();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = f_(points[i * D]);
  }

 private:
  std::function<double(double)> f_;
};

/// u = x on (0, 1), measured on a grid of 11 points.
ErrorMeter meter() {
  Problem p;
  p.name = "line";
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {d(u, x) == 1};
  p.reference.formulas["u"] = Expr(x);
  return ErrorMeter(p, 11);
}

TEST(ErrorMeter, FindsTheLargestErrorAndItsPlace) {
  const auto report = meter().measure(FormulaModel([](double at) { return at + at * (1 - at); }));
  ASSERT_EQ(report.fields.size(), 1u);
  EXPECT_LT(std::abs(report.fields[0].max - 0.25), 1e-15);
  EXPECT_LT(std::abs(report.fields[0].where.at(0) - 0.5), 1e-15);
}

TEST(ErrorMeter, KeepsTheFirstNaN) {
  // NaN on [0.25, 0.45], the largest finite error behind it.
  const FormulaModel model(
      [](double at) { return at > 0.25 && at < 0.45 ? std::nan("") : at + 10 * at; });
  const auto report = meter().measure(model);
  ASSERT_EQ(report.fields.size(), 1u);
  EXPECT_TRUE(std::isnan(report.fields[0].max));
  EXPECT_LT(std::abs(report.fields[0].where.at(0) - 0.3), 1e-15);
  EXPECT_TRUE(std::isnan(report.fields[0].relative_l2));
  EXPECT_TRUE(std::isnan(meter().largest(model)));
}

TEST(ErrorMeter, FindsPointsOfRegionsThatFallBetweenTheNodesOfAGrid) {
  const Coordinate y("y");
  Problem p;
  p.name = "two dots";
  p.fields = {"u"};
  p.domain = Domain(Disk({0, 0}, 1e-3) | Disk({1, 1}, 1e-3));
  p.equation = {d(u, x) + d(u, y) == 0};
  p.reference.formulas["u"] = Expr(1);
  const auto report = ErrorMeter(p, 400).measure(FormulaModel([](double) { return 1; }));
  EXPECT_GT(report.n_points, 0u);
}

/// u = 2x, v = 10.
FormulaField two_formulas() { return {{"x"}, {{"u", 2 * x}, {"v", Expr(10)}}}; }

/// u and v on (0, 1) with a table of references.
Problem measured(Table table) {
  Problem p;
  p.fields = {"u", "v"};
  p.domain = Interval(x, 0, 1);
  p.equation = {d(u, x) == 2, d(Field("v"), x) == 0};
  p.reference.table = std::move(table);
  return p;
}

TEST(ErrorMeter, MeasuresScatteredReferencesAtTheirPoints) {
  // x = 0.5 occurs twice: no grid. Errors of u: 0, 1, -1; of v: 2, 0, 0.
  const Problem p =
      measured({{"v", "x", "u"}, {8, 0.25, 0.5, 10, 0.5, 0, 10, 0.5, 2}, "/data/a.csv"});
  check(p);
  const auto report = ErrorMeter(p).measure(two_formulas());
  EXPECT_EQ(report.reference, "table in memory, 3 scattered points");
  EXPECT_EQ(report.n_points, 3u);
  ASSERT_EQ(report.fields.size(), 2u);
  EXPECT_EQ(report.fields[0].field, "u");
  EXPECT_LT(std::abs(report.fields[0].relative_l2 - std::sqrt(2 / 4.25)), 1e-15);
  EXPECT_EQ(report.fields[0].max, 1);
  EXPECT_EQ(report.fields[0].where, std::vector<double>{0.5});
  EXPECT_LT(std::abs(report.fields[1].relative_l2 - std::sqrt(4 / 264.0)), 1e-15);
  EXPECT_EQ(message_of([&] { (void)reference_values(p, std::vector<double>{0.3}); }),
            "table in memory, 3 scattered points: a reference of scattered points has no values "
            "between them; errors are measured at its points alone");
}

TEST(ErrorMeter, RefusesScatteredPointsThatAreNoReference) {
  const auto message = [](Table table) {
    return message_of([&] { check(measured(std::move(table))); });
  };
  EXPECT_EQ(
      message({{"x", "u"}, {0.5, 1, 0.5, 1, 1.5, 2}, ""}),
      "reference: row 3: the point (1.5) is outside of the domain; remove the row or mend it");
  EXPECT_EQ(message({{"x", "u"}, {0.5, 1, 0.5, std::nan(""), 1, 2}, ""}),
            "reference: row 2: 'u' is nan");
  EXPECT_EQ(message({{"x", "u"}, {}, ""}), "reference: its table has no rows");
  Problem family = measured({{"x", "k", "u"}, {0.5, 3, 1, 0.5, 1, 2, 0.1, 1, 2}, ""});
  family.domain = *family.domain * Range(Parameter("k"), 1, 2);
  EXPECT_EQ(message_of([&] { check(family); }),
            "reference: row 1: k = 3 is outside of [1, 2]; remove the row or mend it");
}

TEST(ErrorMeter, JoinsTheErrorsOfAllFields) {
  // u is x instead of 2x, v is 10: of all squares 1/4 of sum (2x)^2 is wrong.
  Problem p = measured({});
  p.reference.formulas = {{"u", Expr(x)}, {"v", Expr(10)}};
  const auto report = ErrorMeter(p, 3).measure(two_formulas());
  const double wrong = 0.25 + 1, all = 0.25 + 1 + 300;
  EXPECT_LT(std::abs(report.joint_l2 - std::sqrt(wrong / all)), 1e-15);
  EXPECT_EQ(report.fields[0].relative_l2, 1);
  EXPECT_EQ(report.fields[1].relative_l2, 0);
  EXPECT_EQ(meter().measure(FormulaModel([](double at) { return 3 * at; })).joint_l2, 2);
  EXPECT_TRUE(std::isnan(ErrorReport().joint_l2));
}

}  // namespace
}  // namespace cauchy::detail::test_error_meter
