// Orders of finite differences in space, by manufactured solutions on boxes and regions.
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "solvers/fdm/fdm_steady.hpp"

namespace cauchy {
namespace {

struct FdmCase {
  std::string name;
  std::string text;   // of the problem, with equations and conditions written with the solution
  std::string exact;  // of field u
  int n = 16;         // cells of the coarser grid
  int order = 2;
  double slack = 0.1;
  double expected = 0;  // 0: the order
};

/// Root mean square of u - exact at 400 points of the domain.
double fdm_error(const FdmCase& c, int n) {
  const ProblemFile file = parse_problem_file("fields = [\"u\"]\n" + c.text, c.name);
  const auto problem = std::make_shared<const Problem>(file.problem);
  const auto solver = detail::make_fdm_steady(problem, Fdm{.n = n, .order = c.order});
  const detail::ClassicalAnswer answer = solver->solve(0, {});
  EXPECT_TRUE(answer.troubles.empty()) << c.name << ": " << answer.troubles.front();
  if (answer.model == nullptr) return NAN;
  const Points points = interior_points(domain_of(*problem), 400);
  const Expr difference[] = {Field("u") - parse(c.exact, problem->context())};
  std::vector<double> out(points.size());
  answer.model->evaluate(difference, points.values, out);
  double sum = 0;
  for (const double e : out) sum += e * e;
  return std::sqrt(sum / static_cast<double>(out.size()));
}

/// Slope of the error over many grids: on regions it depends on how nodes lie beside the boundary.
/// Errors of the boundary fall faster and are a large part on coarse grids.
void expect_slope(const FdmCase& c, std::initializer_list<int> grids) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  std::string seen;
  for (const int n : grids) {
    const double error = fdm_error(c, n), x = std::log(n), y = -std::log(error);
    seen += std::to_string(error * 1e6) + " ";
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const auto m = static_cast<double>(grids.size());
  const double slope = (m * sxy - sx * sy) / (m * sxx - sx * sx);
  EXPECT_GT(slope, c.order - 0.1) << c.name << ": " << seen;
  EXPECT_LT(slope, c.order + 0.6) << c.name << ": " << seen;
}

void expect_order(const FdmCase& c) {
  const double coarse = fdm_error(c, c.n), fine = fdm_error(c, 2 * c.n);
  const double order = std::log2(coarse / fine);
  const double expected = c.expected > 0 ? c.expected : c.order;
  EXPECT_NEAR(order, expected, c.slack) << c.name << ": " << coarse << ", " << fine;
}

const std::string line = "[domain]\nspace = { x = [0, 1] }\n";
const std::string square = "[domain]\nspace = { x = [0, 1], y = [0, 1] }\n";
const std::string disk = "[domain]\nregion = \"disk((0.1, -0.05), 1)\"\n";

std::string equation(const std::string& form) { return "[[equation]]\nform = \"" + form + "\"\n"; }
std::string on(const std::string& where, const std::string& form) {
  return "[[condition]]\nwhere = \"" + where + "\"\nform = \"" + form + "\"\n";
}

TEST(FdmConvergence, IntervalsWithEveryKindOfEnd) {
  const std::string poisson = line + equation("-u_xx + u = 17*sin(4*x)");
  for (const int order : {2, 4, 6}) {
    const int n = order == 2 ? 64 : order == 4 ? 64 : 40;
    expect_order({"dirichlet", poisson + on("left", "u = 0") + on("right", "u = sin(4)"),
                  "sin(4*x)", n, order, 0.15});
    expect_order({"neumann", poisson + on("left", "u = 0") + on("right", "u_n = 4*cos(4)"),
                  "sin(4*x)", n, order, 0.15});
    expect_order(
        {"robin",
         poisson + on("left", "u_n + 2*u = -4") + on("right", "u_n + 3*u = 4*cos(4) + 3*sin(4)"),
         "sin(4*x)", n, order, 0.15});
    expect_order({"periodic",
                  line + equation("-u_xx + u + u_x = (1 + 4*pi^2)*sin(2*pi*x) + 2*pi*cos(2*pi*x)") +
                      "[[condition]]\nperiodic = \"x\"\n",
                  "sin(2*pi*x)", n, order, 0.15});
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
                "exp(x)", 32, 2, 0.15});
  expect_order({"third order",
                line + equation("u_xxx + u = 2*exp(x)") + on("left", "u = 1") +
                    on("right", "u = exp(1)") + on("right", "u_x = exp(1)"),
                "exp(x)", 32, 2, 0.15});
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
                  exact, 12, order, order == 2 ? 0.1 : 0.4});
  }
}

TEST(FdmConvergence, PlatesAreOfSecondOrder) {
  expect_order({"plate",
                square + equation("laplacian(laplacian(u)) = 4*sin(x)*sin(y)") +
                    on("boundary", "u = sin(x)*sin(y)") +
                    on("boundary", "u_n = n_x*cos(x)*sin(y) + n_y*sin(x)*cos(y)"),
                "sin(x)*sin(y)", 12, 2, 0.25});
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
}  // namespace cauchy
