// Is Adam needed before L-BFGS? Measured in docs/optimizers.md, "Adam first?".

#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/restarts.hpp>

namespace cauchy::test_adam_first {
namespace {

/// Burgers' equation with a thin shock, u_t + u u_x = 0.01/pi u_xx, u(0, x) = -sin(pi x).
Problem burgers() {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem p;
  p.name = "burgers";
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.equation = {d(u, t) + u * d(u, x) == 0.01 / pi * d(u, x, x)};
  p.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};
  return p;
}

/// Three starts with L-BFGS alone, and the same three with Adam before it.
struct Schedules {
  Restarts scratch, chain;

  Schedules(const Problem& problem, Pinn m, std::uint64_t adam, std::uint64_t lbfgs) {
    const RunOptions options{.threads = 1, .history_every = 10'000};
    m.stages = {{LbfgsOptions{}, adam + lbfgs}};
    scratch = solve_restarts(problem, m, 3, options);
    m.stages = {{AdamOptions{.learning_rate = 1e-2}, adam}, {LbfgsOptions{}, lbfgs}};
    chain = solve_restarts(problem, m, 3, options);
    EXPECT_TRUE(scratch.same_points() && chain.same_points());
    for (std::size_t k = 0; k < 3; ++k) {
      // L-BFGS alone has not given up, and had an equal budget: a search takes 1.0 to 1.1
      // evaluations on average.
      EXPECT_EQ(scratch.runs[k].training->steps, adam + lbfgs);
      EXPECT_LT(static_cast<double>(chain.runs[k].training->evaluations),
                1.1 * static_cast<double>(scratch.runs[k].training->evaluations));
    }
  }
};

TEST(AdamFirst, IsNotNeededByLbfgsOnBurgers) {
  Pinn m;
  m.network = Mlp{.width = 8, .depth = 3};
  m.points = {.interior = 100, .boundary = 20, .initial = 30};
  const Schedules s(burgers(), m, 70, 130);
  // The zero function leaves the mean of sin^2 over the initial points, 1/2.
  EXPECT_LT(s.scratch.loss_spread().max, 0.1);
  EXPECT_LT(s.scratch.loss_spread().median, 2 * s.chain.loss_spread().median);
}

}  // namespace
}  // namespace cauchy::test_adam_first
