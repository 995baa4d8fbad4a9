// Solution files with right checksums and absurd contents.
#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/files/run_log.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/report/html_report.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/checkpoint_mutations.hpp"
#include "support/message_of.hpp"
#include "support/small_problems.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_damaged_solutions {
namespace {

TEST(DamagedSolution, EndsInAnAnswerOrAnError) {
  const TemporaryFolder folder;
  Problem problem = rod(Expr(1));
  problem.unknowns = {{.name = "a"}};
  problem.equation = {Expr(Parameter("a")) * -d(Field("u"), Coordinate("x"), Coordinate("x")) == 1};
  Pinn method;
  method.network = Mlp{.width = 4, .depth = 1};
  method.points = {.interior = 10, .boundary = 2};
  method.stages = parse_stages("adam 3");
  const auto file = folder / "solution.bin";
  save_solution(file, solve(problem, method, {.history_every = 1}));
  const Checkpoint saved = load_checkpoint(file);
  ASSERT_EQ(saved.number("history_terms"), 2U);
  const auto look = [&](const Checkpoint& c, bool closely) {
    save_checkpoint(file, c);
    const Solution s = load_solution(file, problem, method);
    RunLog(folder.path()).update(*s.training);
    if (closely) (void)html_report(s);
  };
  std::uint64_t n = 0;
  expect_answers(30, std::vector{saved}, mutated_contents,
                 [&](const Checkpoint& c) { look(c, n++ % 20 == 0); });

  // More curves than names.
  Checkpoint c = saved;
  c.texts["terms"] = "one";
  EXPECT_NE(message_of([&] { look(c, true); }).find("the history in the checkpoint is damaged"),
            std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_damaged_solutions
