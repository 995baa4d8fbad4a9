#include "problem/error_meter.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>

namespace cauchy::detail {
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

}  // namespace
}  // namespace cauchy::detail
