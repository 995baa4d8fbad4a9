// Finite elements: assembly and solution of Poisson's equation, and the lid-driven cavity against
// the table of Ghia, Ghia and Shin (1982), u along the vertical line through the middle.
//   bench_fem assembly   10^6 triangles of order 1: pattern, matrix, load
//   bench_fem solve      250,000 unknowns of order 1: assembly and solution
//   bench_fem cavity     Reynolds numbers 100 and 400 on 48 x 48 boxes of triangles
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string_view>

#include <cauchy/cauchy.hpp>

#include "solvers/fem/fem_solver.hpp"

namespace {

using namespace cauchy;
using namespace cauchy::detail;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const Coordinate x("x"), y("y");
const Field u("u"), v("v"), p("p");

std::shared_ptr<const Problem> poisson() {
  Problem problem;
  problem.domain = Rectangle({0, 0}, {1, 1});
  problem.fields = {"u"};
  problem.equation = {-laplacian(u, {x, y}) == 1};
  problem.condition = {on_boundary(u == 0)};
  return std::make_shared<const Problem>(problem);
}

void assemble(std::size_t n, bool solve_it) {
  const auto problem = poisson();
  const auto form = std::make_shared<FemForm>(fem_form(*problem));
  const std::vector<double> lower{0, 0}, upper{1, 1};
  auto mesh = std::make_shared<FemMesh>(structured_mesh(lower, upper, std::vector{n, n}));
  const Clock::time_point start = Clock::now();
  FemSystem system(problem, form, mesh, {.order = 1, .threads = 2});
  const double pattern = since(start);
  std::vector<double> state(system.size(), 0.0), load(system.size());
  SparseMatrix a;
  Clock::time_point now = Clock::now();
  system.raw_jacobian(0, state, {}, 0, a);
  const double first = since(now);
  now = Clock::now();
  system.raw_jacobian(0, state, {}, 0, a);
  const double matrix = since(now);
  now = Clock::now();
  system.raw_residual(0, state, {}, load);
  const double vector = since(now);
  std::printf(
      "%zu triangles, %zu unknowns: pattern %.2f s, matrix %.3f s (first %.3f s), load %.3f s\n",
      mesh->mesh.n_cells(), system.size(), pattern, matrix, first, vector);
  if (!solve_it) return;
  now = Clock::now();
  const FemNewton found = newton_elements(system, state, true, {});
  std::printf("assembly and solution %.2f s (with the pattern %.2f s): %s\n", since(now),
              since(now) + pattern, found.how.c_str());
}

void cavity(double reynolds, const double (&table)[15]) {
  constexpr double places[] = {0.9766, 0.9688, 0.9609, 0.9531, 0.8516, 0.7344, 0.6172, 0.5,
                               0.4531, 0.2813, 0.1719, 0.1016, 0.0703, 0.0625, 0.0547};
  Problem problem;
  problem.domain = Rectangle({0, 0}, {1, 1});
  problem.fields = {"u", "v", "p"};
  problem.equation = {u * d(u, x) + v * d(u, y) + d(p, x) == laplacian(u, {x, y}) / reynolds,
                      u * d(v, x) + v * d(v, y) + d(p, y) == laplacian(v, {x, y}) / reynolds,
                      d(u, x) + d(v, y) == 0};
  problem.condition = {on("not top", u == 0), on("top", u == 1), on_boundary(v == 0)};
  const Clock::time_point start = Clock::now();
  const auto shared = std::make_shared<const Problem>(problem);
  FemSolver solver(shared, {.n = 48}, 2);
  const ClassicalAnswer answer = solver.solve(0, {});
  double most = 0;
  for (std::size_t i = 0; i < 15; ++i) {
    const std::vector<double> at{0.5, places[i]};
    std::vector<double> value(1);
    if (answer.model) answer.model->evaluate(std::vector<Expr>{u}, at, value);
    most = std::max(most, std::abs(value[0] - table[i]));
  }
  std::printf(
      "cavity, Re = %g: %s, largest difference to the table %.4f of the speed of the lid, %.1f s\n",
      reynolds, answer.method.c_str(), most, since(start));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "all";
  if (what == "assembly" || what == "all") assemble(707, false);
  if (what == "solve" || what == "all") assemble(500, true);
  if (what == "cavity" || what == "all") {
    cavity(100, {0.84123, 0.78871, 0.73722, 0.68717, 0.23151, 0.00332, -0.13641, -0.20581, -0.21090,
                 -0.15662, -0.10150, -0.06434, -0.04775, -0.04192, -0.03717});
    cavity(400, {0.75837, 0.68439, 0.61756, 0.55892, 0.29093, 0.16256, 0.02135, -0.11477, -0.17119,
                 -0.32726, -0.24299, -0.14612, -0.10338, -0.09266, -0.08186});
  }
}
