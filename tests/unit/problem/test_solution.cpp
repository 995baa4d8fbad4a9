#include <cauchy/problem/solution.hpp>

#include <type_traits>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_solution {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u");

/// u = 10 t + x; every expression is taken for u.
class PlaneModel final : public FieldModel {
 public:
  std::string_view kind() const noexcept override { return "test"; }
  void save(Checkpoint&) const override {}
  void evaluate(std::span<const Expr>, std::span<const double> points,
                std::span<double> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = 10 * points[2 * i] + points[2 * i + 1];
  }
};

Solution plane() {
  Solution s;
  s.problem.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  s.problem.fields = {"u"};
  s.model = std::make_shared<PlaneModel>();
  return s;
}

TEST(Solution, GivesOneNumberForOnePoint) {
  const Solution s = plane();
  EXPECT_EQ(s("u", {0.5, 0.2}), 5.2);
  EXPECT_EQ(s(u, {1, 1}), 11);
  static_assert(std::is_same_v<decltype(s("u", {0.5, 0.2})), double>);
  EXPECT_EQ(message_of([&] { (void)s("u", {0.5}); }),
            "[solution]: a point has 2 coordinates (t, x), got 1 numbers; several points are rows "
            "of a std::vector<double>");
  EXPECT_THROW((void)s(u, {0.5, 0.2, 0.5, 0.2}), Error);
  EXPECT_THROW((void)s("u", {}), Error);
}

TEST(Solution, GivesOneNumberPerRow) {
  const Solution s = plane();
  const std::vector<double> rows{0.5, 0.2, 1, 1};
  EXPECT_EQ(s("u", rows), (std::vector<double>{5.2, 11}));
  EXPECT_EQ(s(u, std::vector<double>{1, 1}), std::vector<double>{11});
  EXPECT_EQ(s("u", std::span(rows).first(2)), std::vector<double>{5.2});
  EXPECT_EQ(s("u", {rows.data(), 2}), std::vector<double>{5.2});
}

TEST(Conditions, NormalDerivativesTakeNamesOfCoordinates) {
  const Expr expected = Symbol("n_x") * d(u, x) + Symbol("n_y") * d(u, y);
  EXPECT_TRUE(same(normal_derivative(u, {"x", "y"}), expected));
  EXPECT_TRUE(same(normal_derivative(u, {"x"}), Symbol("n_x") * d(u, x)));
  const std::vector<std::string> space{"x", "y"};
  EXPECT_TRUE(same(normal_derivative(u, space), expected));
}

}  // namespace
}  // namespace cauchy::test_solution
