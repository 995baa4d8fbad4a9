#include "sampling/selection_search.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "support/effort.hpp"

namespace cauchy::test_selection_search {
namespace {

const Coordinate x("x"), y("y"), z("z");

/// "met" or the beginning of the message, and the instructions of formulas that it took.
std::pair<std::string, std::uint64_t> outcome(const Domain& domain, const std::string& where,
                                              std::size_t n) {
  std::string text;
  const Effort effort = effort_of([&] {
    try {
      const Points p = boundary_points(domain, where, n);
      text = p.size() == n ? "met" : "none";
    } catch (const Error& e) {
      text = e.message();
    }
  });
  return {text, effort.work.of(WorkKind::formulas)};
}

std::string none_of(const std::string& where) {
  return "'" + where + "' selects no part of the boundary, or less than 1e-06 of it";
}

TEST(Violation, IsZeroWhereTheConditionHoldsAndTellsHowFarItIsElsewhere) {
  const auto at = [](const Expr& c, double a, double b) {
    Values v;
    v.set(x, a);
    v.set(y, b);
    return evaluate(detail::violation(c), v);
  };
  EXPECT_EQ(at(x < 2, 1, 0), 0);
  EXPECT_EQ(at(x < 2, 5, 0), 3);
  EXPECT_EQ(at(1 - (x < 2), 0.5, 0), 1.5);
  EXPECT_EQ(at(min(x<2, y> 1), 5, 0.5), 3);
  EXPECT_EQ(at(max(x<2, y> 1), 5, 0.5), 0.5);
  EXPECT_EQ(at(1 - max(x<2, y> 1), 0, 4), 3);
  EXPECT_EQ(at(abs(x - 1) <= Expr(0.25), 3, 0), 1.75);
}

TEST(EmptySelections, AreRejectedAfterFewCandidates) {
  const Domain square = Rectangle({0, 0}, {1, 1});
  const Domain box = Box({0, 0, 0}, {1, 1, 1});
  const Domain holed = Rectangle({0, 0}, {2, 1}) - Disk({1, 0.5}, 0.2);
  const Domain moving = Domain(Disk({0, 0}, Parameter("R"))) * Range(Parameter("R"), 1, 2);
  struct Case {
    const Domain& domain;
    std::string where;
  };
  for (const Case& c : std::vector<Case>{{square, "x > 2"},
                                         {square, "x = 0.5"},  // two points
                                         {square, "left and y > 1"},
                                         {square, "x < 0.5 and x > 0.5"},
                                         {square, "x > 0.2 and x < 0.8 and y > 0.2 and y < 0.8"},
                                         {box, "x = 0.5"},  // four lines
                                         {box, "x + y + z > 3.5"},
                                         {holed, "(x - 1)^2 + (y - 0.5)^2 < 0.03"},
                                         {moving, "x > 3"}}) {
    const auto [text, instructions] = outcome(c.domain, c.where, 8);
    EXPECT_EQ(text, none_of(c.where));
    // The candidates before the search, the search, and their conditions of some instructions; the
    // four million candidates of a part that is only small take more.
    EXPECT_GT(instructions, detail::tries_before_search) << c.where;
    EXPECT_LT(instructions, 32 * detail::tries_before_search) << c.where;
  }
}

TEST(SmallSelections, AreMet) {
  const Domain square = Rectangle({0, 0}, {1, 1});
  const Domain box = Box({0, 0, 0}, {1, 1, 1});
  const Domain ball = Ball({0, 0, 0}, 1);
  const Domain moving = Domain(Disk({0, 0}, Parameter("R"))) * Range(Parameter("R"), 1, 2);
  struct Case {
    const Domain& domain;
    std::string where;
  };
  for (const Case& c :
       std::vector<Case>{{square, "x > 0.7 and x < 0.7002 and bottom"},           // 5e-5
                         {square, "y = 0 and x > 0.123 and x < 0.12304"},         // 1e-5
                         {box, "x = 0 and (y - 0.5)^2 + (z - 0.3)^2 < 0.01^2"},   // 5e-5
                         {box, "x = 0 and (y - 0.5)^2 + (z - 0.3)^2 < 0.003^2"},  // 5e-6
                         {box, "top and x > 0.4 and x < 0.40006"},                // 1e-5, a slit
                         {box, "not (z < 1) and abs(x - y) < 3e-5"},              // 1e-5, a slit
                         {ball, "z > 0.9999"},                                    // 5e-5
                         {moving, "y > 0 and x > 0.3 and x < 0.3002"}}) {         // 3e-5
    EXPECT_EQ(outcome(c.domain, c.where, 1).first, "met") << c.where;
  }
}

}  // namespace
}  // namespace cauchy::test_selection_search
