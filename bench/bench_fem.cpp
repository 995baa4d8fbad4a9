// Finite elements: assembly and solution of Poisson's equation, and the lid-driven cavity against
// the table of Ghia, Ghia and Shin (1982), u along the vertical line through the middle.
//   bench_fem assembly   10^6 triangles of order 1: space and pattern, matrix, load, on one thread
//                        and beside dolfinx in one process (Debian's python3-dolfinx)
//   bench_fem solve      250,000 unknowns of order 1: assembly and solution
//   bench_fem cavity     Reynolds numbers 100 and 400 on 48 x 48 boxes of triangles
//   bench_fem [--smallest]   all of them
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include <cauchy/cauchy.hpp>

#include "bench_options.hpp"
#include "peer.hpp"
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

/// Wall clock and processor, of the best of some calls.
struct Seconds {
  double wall = 1e300, processor = 1e300;
};
template <class Work>
Seconds best_of(int repeats, const Work& work) {
  Seconds best;
  for (int k = 0; k < repeats; ++k) {
    const Clock::time_point start = Clock::now();
    const std::clock_t spent = std::clock();
    work();
    best.wall = std::min(best.wall, since(start));
    best.processor =
        std::min(best.processor, static_cast<double>(std::clock() - spent) / CLOCKS_PER_SEC);
  }
  return best;
}

void print(const char* what, const Seconds& own, const Seconds& other) {
  std::printf("  %-8s %.3f s, processor %.3f s", what, own.wall, own.processor);
  if (other.wall < 1e300) {
    std::printf("   dolfinx %.3f s, processor %.3f s: %.1f times, %.1f times", other.wall,
                other.processor, other.wall / own.wall, other.processor / own.processor);
  }
  std::printf("\n");
}

void assemble(std::size_t n, int repeats) {
  const auto problem = poisson();
  const auto form = std::make_shared<FemForm>(fem_form(*problem));
  const std::vector<double> lower{0, 0}, upper{1, 1};
  const auto mesh = std::make_shared<FemMesh>(structured_mesh(lower, upper, std::vector{n, n}));
  std::unique_ptr<FemSystem> system;
  const Seconds pattern = best_of(repeats, [&] {
    system = std::make_unique<FemSystem>(problem, form, mesh, FemSystemOptions{.order = 1});
  });
  std::vector<double> state(system->size(), 0.0), load(system->size());
  SparseMatrix a;
  system->raw_jacobian(0, state, {}, 0, a);  // the first time moves memory
  const Seconds matrix = best_of(repeats, [&] { system->raw_jacobian(0, state, {}, 0, a); });
  const Seconds vector = best_of(repeats, [&] { system->raw_residual(0, state, {}, load); });
  // Of x^2 + y^2: a number that the other side knows, too.
  std::vector<double> product(system->size());
  for (std::size_t i = 0; i < state.size(); ++i) {
    const double* const at = mesh->mesh.node(i);
    state[i] = at[0] * at[0] + at[1] * at[1];
  }
  a.multiply(state, product);
  double energy = 0;
  for (std::size_t i = 0; i < state.size(); ++i) energy += state[i] * product[i];
  Seconds other[3];
  bench::Peer peer("bench/dolfinx_poisson.py", "dolfinx");
  double cells = 0, unknowns = 0, theirs = 0;
  const auto answer = peer.ask(std::to_string(n) + " " + std::to_string(repeats));
  const bool known =
      answer && std::sscanf(answer->c_str(), "%lf %lf %lf %lf %lf %lf %lf %lf %lf", &cells,
                            &unknowns, &other[0].wall, &other[0].processor, &other[1].wall,
                            &other[1].processor, &other[2].wall, &other[2].processor, &theirs) == 9;
  if (!known)
    for (Seconds& s : other) s = Seconds();
  std::printf("%zu triangles, %zu unknowns, one thread; best of %d\n", mesh->mesh.n_cells(),
              system->size(), repeats);
  print("pattern", pattern, other[0]);
  print("matrix", matrix, other[1]);
  print("load", vector, other[2]);
  const auto sum = [](const Seconds& first, const Seconds& second, const Seconds& third) {
    return Seconds{first.wall + second.wall + third.wall,
                   first.processor + second.processor + third.processor};
  };
  print("all", sum(pattern, matrix, vector), known ? sum(other[0], other[1], other[2]) : Seconds());
  if (known) {
    std::printf("  energy of x^2 + y^2: %.12g, dolfinx %.12g; 8/3 in the limit\n", energy, theirs);
  }
}

void solve_poisson(std::size_t n) {
  const Clock::time_point start = Clock::now();
  const std::clock_t spent = std::clock();
  const auto problem = poisson();
  const std::vector<double> lower{0, 0}, upper{1, 1};
  FemSystem system(problem, std::make_shared<FemForm>(fem_form(*problem)),
                   std::make_shared<FemMesh>(structured_mesh(lower, upper, std::vector{n, n})),
                   {.order = 1, .threads = 2});
  std::vector<double> state(system.size(), 0.0);
  const FemNewton found = newton_elements(system, state, true, {});
  std::printf("%zu unknowns: mesh, pattern, assembly and solution %.2f s, processor %.2f s: %s\n",
              system.size(), since(start),
              static_cast<double>(std::clock() - spent) / CLOCKS_PER_SEC, found.how.c_str());
}

void cavity(int n, double reynolds, const double (&table)[15]) {
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
  FemSolver solver(shared, {.n = n}, 2);
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
  const bool smallest = bench::take_smallest(argc, argv);
  const std::string_view what = argc > 1 ? argv[1] : "all";
  if (what == "assembly" || what == "all") smallest ? assemble(8, 1) : assemble(707, 5);
  if (what == "solve" || what == "all") solve_poisson(smallest ? 8 : 500);
  if (what == "cavity" || what == "all") {
    const int n = smallest ? 6 : 48;
    cavity(n, 100,
           {0.84123, 0.78871, 0.73722, 0.68717, 0.23151, 0.00332, -0.13641, -0.20581, -0.21090,
            -0.15662, -0.10150, -0.06434, -0.04775, -0.04192, -0.03717});
    cavity(n, 400,
           {0.75837, 0.68439, 0.61756, 0.55892, 0.29093, 0.16256, 0.02135, -0.11477, -0.17119,
            -0.32726, -0.24299, -0.14612, -0.10338, -0.09266, -0.08186});
  }
}
