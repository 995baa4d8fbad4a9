#include <cauchy/solvers/second_answer.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "support/message_of.hpp"
#include "support/small_problems.hpp"

namespace cauchy::test_second_answer {
namespace {

Pinn small(std::uint64_t seed, std::uint64_t steps) {
  Pinn m;
  m.network = Mlp{.width = 12, .depth = 2};
  m.points = {.interior = 200, .boundary = 100, .initial = 40};
  m.stages = {{AdamOptions{}, steps}, {QuasiNewtonOptions{}, steps}};
  m.seed = seed;
  return m;
}

/// -laplacian(u) = f on a cube of five dimensions, u = sum of cos(x_k + k).
Problem cube() {
  Problem p;
  p.fields = {"u"};
  std::vector<Coordinate> x;
  Expr exact = 0, laplacian = 0;
  const Field u("u");
  for (int k = 1; k <= 5; ++k) {
    x.emplace_back("x" + std::to_string(k));
    exact = exact + cos(x.back() + 0.3 * k);
    laplacian = laplacian + d(u, x.back(), x.back());
  }
  p.domain = Box(PointExpr(5, 0), PointExpr(5, 1));
  p.equation = {-laplacian == exact};
  p.condition = {on_boundary(u == exact)};
  p.reference.formulas["u"] = exact;
  return p;
}

/// u' = -k u with k to be found from values of exp(-2 t).
Problem inverse() {
  const Coordinate t("t");
  const Field u("u");
  Problem p;
  p.fields = {"u"};
  p.domain = Time(t, 0, 1);
  p.unknowns = {{.name = "k", .initial = 1, .truth = 2}};
  p.equation = {d(u, t) == -Parameter("k") * u};
  Observation o;
  o.name = "data";
  o.quantity = u;
  o.column = "u";
  o.table.columns = {"t", "u"};
  for (int i = 0; i <= 10; ++i)
    o.table.values.insert(o.table.values.end(), {i / 10.0, std::exp(-0.2 * i)});
  p.observation = {o};
  p.reference.formulas["u"] = exp(-2 * t);
  return p;
}

TEST(SecondAnswer, ChangesSeedWidthAndPoints) {
  std::vector<std::string> changes;
  const auto other = second_method(cube(), small(3, 10), 0.5, &changes);
  ASSERT_TRUE(other);
  const Pinn& pinn = std::get<Pinn>(*other);
  EXPECT_NE(pinn.seed, 3u);
  EXPECT_EQ(std::get<Mlp>(pinn.network).width, 15);
  EXPECT_EQ(pinn.points.sampler.randomize, Randomize::shift);
  EXPECT_EQ(pinn.stages[0].steps, 5u);
  EXPECT_EQ(changes.size(), 4u);
  // A recipe is written out; a method that does not train has no second answer.
  const auto recipe = second_method(cube(), Auto{}, 1, nullptr);
  ASSERT_TRUE(recipe);
  EXPECT_TRUE(std::holds_alternative<Pinn>(*recipe));
  EXPECT_FALSE(second_method(cube(), Fdm{}, 1, nullptr));
  EXPECT_NE(message_of([] { (void)second_method(cube(), Pinn{}, 0, nullptr); }).find("share"),
            std::string::npos);
}

TEST(SecondAnswer, AnswersThatAreTheSameDifferByNothing) {
  const Solution s = solve(heated_bar(), small(1, 20));
  const SecondAnswer same = compare_answers(s, s);
  EXPECT_EQ(same.relative_l2, 0);
  EXPECT_NEAR(same.factor, 1, 1e-12);
  const auto other = second_answer(s, small(1, 20), {});
  ASSERT_TRUE(other);
  EXPECT_GT(other->relative_l2, 0);
  EXPECT_FALSE(other->interrupted);
  EXPECT_NE(other->how.find("another seed, another width, other points"), std::string::npos)
      << other->how;
}

TEST(SecondAnswer, ItsDisagreementIsAboutTheErrorInFiveDimensions) {
  int good = 0;
  const Problem p = cube();
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Pinn m = small(seed, 60);
    const Solution s = solve(p, m);
    const auto second = second_answer(s, m, {});
    ASSERT_TRUE(second);
    const double real = s.error.relative_l2(), ratio = second->relative_l2 / real;
    std::cout << "  true " << real << ", estimate over true " << ratio << ", " << second->how
              << "\n";
    good += ratio >= 0.3 && ratio <= 3 ? 1 : 0;
  }
  EXPECT_GE(good, 3);
}

TEST(SecondAnswer, ItSeesHowFarUnknownConstantsAreOff) {
  int good = 0, field = 0;
  const Problem p = inverse();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Pinn m = small(seed, 40);
    const Solution s = solve(p, m);
    const auto second = second_answer(s, m, {});
    ASSERT_TRUE(second);
    const double real = std::abs(s.unknowns.at("k") - 2) / std::abs(s.unknowns.at("k"));
    const double ratio = second->unknowns_disagreement.at("k") / real;
    const double of_field = second->relative_l2 / s.error.relative_l2();
    std::cout << "  k off by " << real << ", estimate over true " << ratio << "; field "
              << s.error.relative_l2() << ", " << of_field << "\n";
    good += ratio >= 0.3 && ratio <= 3 ? 1 : 0;
    field += of_field >= 0.3 && of_field <= 3 ? 1 : 0;
  }
  EXPECT_GE(good, 3);
  EXPECT_GE(field, 4);
}

}  // namespace
}  // namespace cauchy::test_second_answer
