// Orders of finite differences in space, by manufactured solutions on boxes and regions.
#include <gtest/gtest.h>

#include "support/fdm_cases.hpp"

namespace cauchy::test_fdm {
namespace {

TEST(FdmConvergence, IntervalsWithEveryKindOfEnd) {
  const std::string poisson = line + equation("-u_xx + u = 17*sin(4*x)");
  for (const int order : {2, 4, 6}) {
    const int n = order == 6 ? 48 : 128;
    expect_order({"dirichlet", poisson + on("left", "u = 0") + on("right", "u = sin(4)"),
                  "sin(4*x)", n, order, 0.1});
    expect_order({"neumann", poisson + on("left", "u = 0") + on("right", "u_n = 4*cos(4)"),
                  "sin(4*x)", n, order, 0.1});
    expect_order(
        {"robin",
         poisson + on("left", "u_n + 2*u = -4") + on("right", "u_n + 3*u = 4*cos(4) + 3*sin(4)"),
         "sin(4*x)", n, order, 0.1});
    expect_order({"periodic",
                  line + equation("-u_xx + u + u_x = (1 + 4*pi^2)*sin(2*pi*x) + 2*pi*cos(2*pi*x)") +
                      "[[condition]]\nperiodic = \"x\"\n",
                  "sin(2*pi*x)", n, order, 0.1});
  }
}

TEST(FdmConvergence, NonlinearFourthAndThirdOrder) {
  expect_order({"nonlinear",
                line + equation("u_xx = exp(u)*u_x^2 - sin(x) - exp(sin(x))*cos(x)^2") +
                    on("left", "u = 0") + on("right", "u + u_x^2 = sin(1) + cos(1)^2"),
                "sin(x)", 32});
  expect_order({"clamped beam",
                line + equation("u_xxxx = 24*exp(x)") + on("left", "u = 24") +
                    on("left", "u_x = 24") + on("right", "u = 24*exp(1)") +
                    on("right", "u_x = 24*exp(1)"),
                "24*exp(x)", 16});
  expect_order({"free beam",
                line + equation("u_xxxx + u = 2*exp(x)") + on("left", "u = 1") +
                    on("left", "u_xx = 1") + on("right", "u_xx = exp(1)") +
                    on("right", "u_xxx = exp(1)"),
                "exp(x)", 64, 2, 0.1});
  expect_order({"third order",
                line + equation("u_xxx + u = 2*exp(x)") + on("left", "u = 1") +
                    on("right", "u = exp(1)") + on("right", "u_x = exp(1)"),
                "exp(x)", 64, 2, 0.1});
}

TEST(FdmConvergence, SquaresOfAnyOrder) {
  const std::string exact = "sin(2*x + 0.3)*exp(y)";
  const std::string poisson =
      square + equation(
                   "-laplacian(u) + 0.5*u_xy + u_x = 3*sin(2*x + 0.3)*exp(y) + "
                   "3*cos(2*x + 0.3)*exp(y)");
  for (const int order : {2, 4, 6}) {
    expect_order({"square",
                  poisson + on("left or bottom", "u = " + exact) +
                      on("right", "u_n = 2*cos(2*x + 0.3)*exp(y)") +
                      on("top", "u_n + u = 2*sin(2*x + 0.3)*exp(y)"),
                  exact, order == 2 ? 12 : 28, order, 0.1});
  }
}

TEST(FdmConvergence, PlatesAreOfSecondOrder) {
  expect_order({"plate",
                square + equation("laplacian(laplacian(u)) = 4*sin(x)*sin(y)") +
                    on("boundary", "u = sin(x)*sin(y)") +
                    on("boundary", "u_n = n_x*cos(x)*sin(y) + n_y*sin(x)*cos(y)"),
                "sin(x)*sin(y)", 32, 2, 0.1});
}

TEST(FdmConvergence, RegionsWithEveryCondition) {
  const std::string exact = "sin(x)*exp(0.5*y)";
  const std::string poisson = disk + equation("-laplacian(u) + u = 1.75*sin(x)*exp(0.5*y)");
  const std::string slope = "n_x*cos(x)*exp(0.5*y) + n_y*0.5*sin(x)*exp(0.5*y)";
  const auto grids = {20, 26, 32, 40, 52, 64, 80, 104};
  expect_slope({"dirichlet", poisson + on("boundary", "u = " + exact), exact}, grids);
  expect_slope({"neumann", poisson + on("boundary", "u_n = " + slope), exact}, grids);
  expect_slope({"robin", poisson + on("boundary", "u_n + 2*u = " + slope + " + 2*" + exact), exact},
               grids);
}

TEST(FdmConvergence, SolidsInThreeDimensions) {
  const std::string box = "[domain]\nspace = { x = [0, 1], y = [0, 0.8], z = [0, 0.6] }\n";
  expect_order({"box",
                box + equation("-laplacian(u) = 3*sin(x)*sin(y)*sin(z)") +
                    on("left or right or front or back", "u = sin(x)*sin(y)*sin(z)") +
                    on("bottom or top", "u_n = n_z*sin(x)*sin(y)*cos(z)"),
                "sin(x)*sin(y)*sin(z)", 16, 2, 0.1});
}

}  // namespace
}  // namespace cauchy::test_fdm
