#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include <cauchy/base/clock.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/machine_rates.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/program.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/sparse.hpp>
#include <cauchy/networks/field_network.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/solvers/machine_speed.hpp>
#include <cauchy/solvers/method.hpp>
#include <cauchy/tensor/executor.hpp>

namespace cauchy {
namespace {

/// What is done to measure one kind; whatever it needs is made before.
using Workload = std::function<void()>;

/// Of the small problems below.
struct Names {
  Coordinate x{"x"}, y{"y"}, t{"t"};
  Field u{"u"};
};

/// Five points on a grid of n x n.
SparseMatrix grid_matrix(std::size_t n) {
  std::vector<SparseMatrix::Entry> entries;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t k = i * n + j;
      entries.push_back({k, k, 4.1});
      if (i > 0) entries.push_back({k, k - n, -1});
      if (i + 1 < n) entries.push_back({k, k + n, -1});
      if (j > 0) entries.push_back({k, k - 1, -1});
      if (j + 1 < n) entries.push_back({k, k + 1, -1});
    }
  }
  return {n * n, n * n, entries};
}

Workload formulas() {
  const Names names;
  const auto& [x, y, t, u] = names;
  constexpr std::size_t n = 1024;
  ProgramSpec spec;
  spec.outputs = {x * y - 0.1 * t + x * x / (2 + y), sin(x) * exp(-t)};
  spec.inputs = {x, y, t};
  auto program = std::make_shared<Program<double>>(std::move(spec));
  std::vector<double> numbers(5 * n + program->workspace_size(), 0.5);
  return [program, numbers]() mutable {
    const double* in[] = {&numbers[0], &numbers[n], &numbers[2 * n]};
    double* out[] = {&numbers[3 * n], &numbers[4 * n]};
    for (int k = 0; k < 200; ++k) program->run(n, in, nullptr, out, nullptr, &numbers[5 * n]);
  };
}

Workload dense() {
  constexpr std::size_t n = 384;
  auto all = std::make_shared<std::array<Matrix, 3>>(
      std::array<Matrix, 3>{Matrix(n, n), Matrix(n, n), Matrix(n, n)});
  return [all] {
    for (int k = 0; k < 4; ++k) {
      gemm(Transpose::no, Transpose::no, 1.0, (*all)[0].view(), (*all)[1].view(), 0.0,
           (*all)[2].view());
    }
  };
}

Workload memory() {
  auto a = std::make_shared<SparseMatrix>(grid_matrix(400));
  std::vector<double> in(a->cols(), 1.0), out(a->rows());
  return [a, in, out]() mutable {
    for (int k = 0; k < 10; ++k) a->multiply(in, out);
  };
}

Workload factors() {
  auto a = std::make_shared<SparseMatrix>(grid_matrix(160));
  return [a] {
    SparseLu lu;
    (void)lu.factor(*a);
  };
}

/// Assembly of elements and fluxes of volumes.
Workload pieces() {
  const Names names;
  const auto& [x, y, t, u] = names;
  Problem plate;
  plate.domain = Rectangle({0, 0}, {1, 1});
  plate.fields = {"u"};
  plate.equation = {-d(u, x, x) - d(u, y, y) == 1 + x};
  plate.condition = {on_boundary(u == 0)};
  Problem wave;
  wave.domain = Interval(x, 0, 1) * Time(t, 0, 0.2);
  wave.fields = {"u"};
  wave.equation = {d(u, t) + d(u * u / 2, x) == 0};
  wave.condition = {at(t == 0, u == 1 + sin(2 * pi * x)), on("left", u == 1)};
  std::shared_ptr<PreparedMethod> elements = prepare(plate, Fem{.n = 96}, 1),
                                  volumes = prepare(wave, Fvm{.n = 1000}, 1);
  return [elements, volumes] {
    (void)elements->run({.threads = 1});
    (void)volumes->run({.threads = 1});
  };
}

Workload network() {
  const Names names;
  const auto& [x, y, t, u] = names;
  auto graph = std::make_shared<Graph>(std::vector<std::string>{"x", "y"});
  graph->output("u", add_network(*graph, Mlp{.width = 32, .depth = 3}, graph->coordinates(), 1));
  std::shared_ptr<Executor> executor =
      make_executor(graph, {{"equation", {d(u, x, x) + d(u, y, y) + u * d(u, x)}}}, {.threads = 1});
  std::vector<double> points(2000);
  Rng(1).fill_uniform(points);
  executor->set_points(0, points);
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(2)), g(theta.size());
  return [executor, theta, g]() mutable {
    for (int k = 0; k < 10; ++k) (void)executor->gradient(theta, g);
  };
}

Workload grids() {
  FieldGrid grid;
  for (const char* name : {"x", "y"}) grid.axes.push_back({.name = name, .n = 32});
  auto graph = std::make_shared<TensorGraph>();
  const int a = graph->input("a", {1, {32, 32}});
  const int out = add_field_network(*graph, Fno{.width = 24, .modes = {8}}, a, grid, 1);
  const int loss = graph->reduce(graph->function(out, ElementFunction::square));
  std::shared_ptr<TensorExecutor> executor =
      make_tensor_executor(graph, {{.name = "loss", .value = loss}}, {.threads = 1});
  std::vector<double> samples(8 * 1024);
  Rng(1).fill_uniform(samples);
  const std::span<const double> batch[] = {samples};
  executor->set_batch(8, batch);
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(2)), g(theta.size());
  return [executor, theta, g]() mutable { (void)executor->gradient(theta, g); };
}

}  // namespace

WorkRates measure_rates(const RunLimit& limit) {
  // Those that count others too come later.
  const std::pair<WorkKind, Workload (*)()> all[] = {
      {WorkKind::formulas, formulas}, {WorkKind::dense, dense},   {WorkKind::memory, memory},
      {WorkKind::factors, factors},   {WorkKind::pieces, pieces}, {WorkKind::network, network},
      {WorkKind::grids, grids},
  };
  constexpr int repeats = 9;
  WorkRates rates = nominal_rates();
  for (const auto& [kind, make] : all) {
    const Workload work = make();
    work();  // what is made by the first call
    double best = INFINITY;
    Work counted;
    for (int k = 0; k < repeats; ++k) {
      if (limit.reached()) {
        throw Error(ErrorKind::interrupted, "the speed of this machine was not measured to the end",
                    "[solvers.machine_speed]");
      }
      const Work before = work_of_thread();
      const double begin = clock_seconds();
      work();
      best = std::min(best, clock_seconds() - begin);
      counted = work_of_thread().since(before);
    }
    const double amount = static_cast<double>(counted.of(kind));
    Work others = counted;
    others.counts[static_cast<std::size_t>(kind)] = 0;
    // At least a third is its own: a rate stays positive where others are told too slow.
    const double own = std::max(best - seconds_of(others, rates), best / 3);
    rates[static_cast<std::size_t>(kind)] = amount / own;
  }
  return rates;
}

void keep_machine_rates(const WorkRates& rates) {
  const std::filesystem::path file = machine_rates_file();
  if (file.empty()) {
    throw Error(ErrorKind::file, "there is no folder for what this user's programs keep",
                "CAUCHY_CACHE", "set it to a folder");
  }
  std::filesystem::create_directories(file.parent_path());
  write_file_atomically(file, rates_text(rates));
}

}  // namespace cauchy
