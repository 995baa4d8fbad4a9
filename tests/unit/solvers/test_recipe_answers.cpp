// What stands around the answer of a recipe: it is the one of its explicit settings, and it is
// saved and loaded with what was chosen and what happened.
#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/small_problems.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_recipe_answers {
namespace {

Problem small_rod() { return rod(sin(pi * Coordinate("x"))); }

TEST(RecipeAnswers, AreThoseOfTheirExplicitSettings) {
  const std::vector<Stage> stages = parse_stages("adam 4, lbfgs 3");
  for (const Method& recipe : {Method(Auto{.seed = 3, .stages = stages}),
                               Method(Expert{.seed = 3, .width = 8, .stages = stages})}) {
    const auto made = expand(recipe, small_rod());
    ASSERT_TRUE(made) << name_of(recipe);
    const Solution a = solve(small_rod(), recipe, {.threads = 1});
    const Solution b = solve(small_rod(), made->pinn, {.threads = 1});
    EXPECT_EQ(a.training->parameters, b.training->parameters) << name_of(recipe);
    EXPECT_EQ(a.training->choices, made->why) << name_of(recipe);
    EXPECT_TRUE(b.training->choices.empty());
  }
  EXPECT_FALSE(expand(Pinn{}, small_rod()));
}

TEST(RecipeAnswers, AreLoadedWithChoicesAndEvents) {
  const Auto recipe{.stages = parse_stages("adam 3")};
  Solution s = solve(small_rod(), recipe, {.threads = 1});
  s.training->choices = {"one", "two"};
  s.training->events = {{2, 0.5, "points added"}, {3, 0.75, ""}};
  const TemporaryFolder folder;
  save_solution(folder / "solution.bin", s);
  const Solution again = load_solution(folder / "solution.bin", small_rod(), recipe);
  EXPECT_EQ(again("u", {0.3}), s("u", {0.3}));
  EXPECT_EQ(again.training->choices, s.training->choices);
  ASSERT_EQ(again.training->events.size(), 2u);
  EXPECT_EQ(again.training->events[0].step, 2u);
  EXPECT_EQ(again.training->events[0].seconds, 0.5);
  EXPECT_EQ(again.training->events[0].text, "points added");
  EXPECT_EQ(again.training->events[1].text, "");
}

}  // namespace
}  // namespace cauchy::test_recipe_answers
