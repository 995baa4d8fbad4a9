#include <cauchy/math/multigrid.hpp>

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>

namespace cauchy::test_multigrid {
namespace {

using End = BoxAxis::End;

std::vector<double> wavy(std::size_t n) {
  std::vector<double> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = std::sin(1.7 * static_cast<double>(i)) + 0.3 * std::cos(0.01 * static_cast<double>(i));
  }
  return v;
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= most)) most = std::abs(a[i] - b[i]);
  }
  return most;
}

double largest(std::span<const double> a) {
  double most = 0;
  for (const double v : a) most = std::max(most, std::abs(v));
  return most;
}

/// The same box with its unknowns at the centres of cells.
BoxOperator in_cells(BoxOperator op, bool cells = true) {
  for (BoxAxis& axis : op.axes) axis.cells = cells;
  return op;
}

/// Faces with smooth values and, where asked, a jump.
void fill_faces(BoxOperator& op, double jump) {
  op.a.clear();
  for (const BoxAxis& axis : op.axes) {
    std::vector<double> faces(op.size() / axis.n * (axis.n + 1));
    for (std::size_t i = 0; i < faces.size(); ++i) {
      faces[i] =
          (1.5 + std::sin(0.02 * static_cast<double>(i))) * (3 * i > faces.size() ? jump : 1);
    }
    op.a.push_back(std::move(faces));
  }
  // The two ends of a periodic direction are one face.
  for (std::size_t k = 0; k < op.axes.size(); ++k) {
    if (op.axes[k].at_lower != End::periodic) continue;
    std::size_t inner = 1;
    for (std::size_t m = k + 1; m < op.axes.size(); ++m) inner *= op.axes[m].n;
    const std::size_t n = op.axes[k].n;
    for (std::size_t o = 0; o < op.a[k].size() / ((n + 1) * inner); ++o) {
      for (std::size_t i = 0; i < inner; ++i) {
        op.a[k][(o * (n + 1) + n) * inner + i] = op.a[k][o * (n + 1) * inner + i];
      }
    }
  }
}

struct NamedOperator {
  std::string name;
  BoxOperator op;
};

/// Boxes in one to three dimensions with all kinds of ends, sizes that halve well and that do not.
std::vector<NamedOperator> operators() {
  std::vector<NamedOperator> all;
  const std::vector<std::pair<End, End>> ends = {{End::dirichlet, End::dirichlet},
                                                 {End::neumann, End::dirichlet},
                                                 {End::dirichlet, End::neumann},
                                                 {End::neumann, End::neumann},
                                                 {End::periodic, End::periodic}};
  for (const bool cells : {false, true}) {
    for (const auto& [lower, upper] : ends) {
      for (const std::size_t n : {13, 16}) {
        const BoxAxis axis{n, -1, 1, lower, upper};
        const std::string name = std::to_string(cells) + std::to_string(static_cast<int>(lower)) +
                                 std::to_string(static_cast<int>(upper)) + " " + std::to_string(n);
        all.push_back({"1d " + name, in_cells({{axis}}, cells)});
        all.push_back({"2d " + name, in_cells({{axis, {n + 3, 0, 2.5, upper, lower}}}, cells)});
      }
    }
    all.push_back({"3d", in_cells({{{7},
                                    {9, 0, 1.2, End::neumann, End::neumann},
                                    {8, 0, 1, End::periodic, End::periodic}},
                                   0.5},
                                  cells)});
    all.push_back(
        {"reaction", in_cells({{{10, 0, 1, End::neumann, End::neumann}, {12}}, 3}, cells)});
  }
  // A component of a staggered velocity: nodes along one direction, cells along the other.
  all.push_back({"staggered", {{{15}, {16, 0, 1, End::dirichlet, End::neumann, true}}}});
  return all;
}

bool is_singular(const BoxOperator& op) {
  for (const BoxAxis& axis : op.axes) {
    if (axis.at_lower == End::dirichlet || axis.at_upper == End::dirichlet) return false;
  }
  return op.c == 0;
}

TEST(Multigrid, AppliesTheMatrix) {
  for (NamedOperator& named : operators()) {
    for (const bool variable : {false, true}) {
      if (variable) fill_faces(named.op, 5);
      const std::vector<double> u = wavy(named.op.size());
      std::vector<double> expected(u.size()), out(u.size());
      named.op.matrix().multiply(u, expected);
      BoxMultigrid(named.op).apply(u, out);
      EXPECT_LT(largest_difference(out, expected), 1e-13 * largest(expected)) << named.name;
    }
  }
}

TEST(Multigrid, SolvesEveryBoxInFewCycles) {
  for (NamedOperator& named : operators()) {
    for (const bool variable : {false, true}) {
      if (variable) fill_faces(named.op, 3);
      const SparseMatrix a = named.op.matrix();
      std::vector<double> expected = wavy(a.rows());
      // What is compared has the mean 0 where constants do not matter.
      BoxMultigrid grid(named.op, {.nested = false});
      std::vector<double> f(a.rows()), u(a.rows(), 0);
      a.multiply(expected, f);
      const IterationResult result = grid.solve(f, u, {.tolerance = 1e-11, .max_iterations = 30});
      EXPECT_TRUE(result.converged()) << named.name << " " << variable << " " << result.residual();
      if (is_singular(named.op)) {
        const double shift = expected[0] - u[0];
        for (double& v : u) v += shift;
      }
      EXPECT_LT(largest_difference(u, expected), 1e-8) << named.name;
    }
  }
}

TEST(Multigrid, RateDoesNotDependOnTheNumberOfNodes) {
  for (const bool cells : {false, true}) {
    for (const std::size_t n : {31, 63, 64, 100, 127}) {
      const BoxOperator op = in_cells({{{n}, {n}}}, cells);
      std::vector<double> u(op.size(), 0);
      const std::vector<double> f = wavy(op.size());
      const IterationResult result =
          BoxMultigrid(op).solve(f, u, {.tolerance = 1e-10, .max_iterations = 40});
      EXPECT_TRUE(result.converged());
      EXPECT_LE(result.iterations, 12U) << n;
    }
  }
}

TEST(Multigrid, NestedStartAndStrongerCyclesSaveCycles) {
  const BoxOperator op{{{63}, {63}}};
  const std::vector<double> f(op.size(), 1.0);
  const auto cycles = [&](const MultigridOptions& options) {
    std::vector<double> u(op.size(), 0);
    return BoxMultigrid(op, options).solve(f, u).iterations;
  };
  const std::size_t plain = cycles({.nested = false});
  EXPECT_LT(cycles({}), plain);
  EXPECT_LE(cycles({.cycle = MultigridCycle::w, .nested = false}), plain);
  EXPECT_LE(cycles({.cycle = MultigridCycle::f, .nested = false}), plain);
  EXPECT_LT(cycles({.nested = false, .krylov = MultigridKrylov::conjugate_gradients}), plain);
}

TEST(Multigrid, KrylovMethodsAroundTheCyclesFindTheSameAnswer) {
  const BoxOperator op{{{21, 0, 1, End::neumann, End::neumann}, {18}}, 1};
  const SparseMatrix a = op.matrix();
  const std::vector<double> expected = wavy(op.size());
  std::vector<double> f(op.size());
  a.multiply(expected, f);
  for (const MultigridKrylov krylov :
       {MultigridKrylov::conjugate_gradients, MultigridKrylov::bicgstab}) {
    std::vector<double> u(op.size(), 0);
    const IterationResult result =
        BoxMultigrid(op, {.krylov = krylov}).solve(f, u, {.tolerance = 1e-11});
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, 8U);
    EXPECT_LT(largest_difference(u, expected), 1e-8);
  }
}

TEST(Multigrid, StretchedBoxesAreCoarsenedWhereNeighboursAreNear) {
  const BoxOperator op = in_cells({{{64, 0, 1}, {64, 0, 20}}});
  const std::vector<double> f = wavy(op.size());
  std::vector<double> u(op.size(), 0);
  EXPECT_LE(BoxMultigrid(op).solve(f, u, {.max_iterations = 50}).iterations, 15U);
}

TEST(Multigrid, JumpsOfTheCoefficientAreBridgedByConjugateGradients) {
  for (const bool cells : {false, true}) {
    BoxOperator op = in_cells({{{40}, {40, 0, 1, End::neumann, End::neumann}}}, cells);
    fill_faces(op, 1e3);
    const SparseMatrix a = op.matrix();
    const std::vector<double> expected = wavy(op.size());
    std::vector<double> f(op.size()), u(op.size(), 0);
    a.multiply(expected, f);
    const IterationResult result =
        BoxMultigrid(op, {.krylov = MultigridKrylov::conjugate_gradients})
            .solve(f, u, {.tolerance = 1e-12, .max_iterations = 40});
    EXPECT_TRUE(result.converged());
    EXPECT_LT(largest_difference(u, expected), 1e-6);
    // Coarse matrices that come from the fine one do it in fewer steps.
    u.assign(u.size(), 0);
    const IterationResult galerkin =
        GridMultigrid(a, {40, 40}).solve(f, u, {.tolerance = 1e-12, .max_iterations = 25});
    EXPECT_TRUE(galerkin.converged()) << galerkin.residual();
    EXPECT_LT(largest_difference(u, expected), 1e-6);
  }
}

TEST(Multigrid, ThreadsDoNotChangeABit) {
  BoxOperator op = in_cells({{{200}, {150, 0, 1, End::periodic, End::periodic}}});
  const std::vector<double> f = wavy(op.size());
  for (const bool variable : {false, true}) {
    if (variable) fill_faces(op, 2);
    std::vector<double> one(op.size(), 0), three(op.size(), 0);
    BoxMultigrid(op).solve(f, one, {.tolerance = 1e-6});
    Threads threads(3);
    BoxMultigrid(op, {}, &threads).solve(f, three, {.tolerance = 1e-6});
    EXPECT_EQ(one, three);
  }
}

TEST(Multigrid, KernelOfConstantsIsTakenOut) {
  const BoxOperator op{
      {{24, 0, 1, End::neumann, End::neumann}, {17, 0, 1, End::neumann, End::neumann}}};
  std::vector<double> f(op.size(), 7.0), u(op.size(), 1.0);
  f[5] += 1;
  EXPECT_TRUE(BoxMultigrid(op).solve(f, u).converged());
  double mean = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    for (std::size_t j = 0; j < 17; ++j) {
      mean += u[i * 17 + j] * (i % 23 == 0 ? 0.5 : 1) * (j % 16 == 0 ? 0.5 : 1);
    }
  }
  EXPECT_LT(std::abs(mean), 1e-10);
}

TEST(Multigrid, RefusesWhatMakesNoSense) {
  EXPECT_THROW(BoxMultigrid(BoxOperator{}), Error);
  EXPECT_THROW(BoxMultigrid(BoxOperator{{{4}, {4}, {4}, {4}}}), Error);
  EXPECT_THROW(BoxMultigrid(BoxOperator{{{4, 1, 0}}}), Error);
  EXPECT_THROW(BoxMultigrid(BoxOperator{{{4, 0, 1, End::periodic, End::neumann}}}), Error);
  EXPECT_THROW(BoxMultigrid(BoxOperator{.axes = {{4}}, .c = -1}), Error);
  EXPECT_THROW(BoxMultigrid(BoxOperator{.axes = {{4}}, .a = {{1, 1, 0, 1, 1}}}), Error);
  EXPECT_THROW(BoxMultigrid(BoxOperator{{{4}}}, {.sweeps_before = 0, .sweeps_after = 0}), Error);
  EXPECT_THROW(BoxMultigrid(BoxOperator{{{4}}}, {.sweeps_before = 2,
                                                 .sweeps_after = 1,
                                                 .krylov = MultigridKrylov::conjugate_gradients}),
               Error);
  EXPECT_THROW(GridMultigrid(SparseMatrix::identity(5), {2, 2}), Error);
}

/// -laplacian + wind on a unit square or cube, all nodes with rows: a Neumann side of first order,
/// the others Dirichlet.
SparseMatrix with_conditions(std::size_t n, std::size_t dimensions, double speed) {
  std::size_t size = 1;
  for (std::size_t k = 0; k < dimensions; ++k) size *= n;
  const double h = 1 / static_cast<double>(n - 1);
  std::vector<SparseMatrix::Entry> entries;
  for (std::size_t node = 0; node < size; ++node) {
    bool end = false;
    for (std::size_t k = 0, s = 1; k < dimensions; ++k, s *= n) {
      end = end || node / s % n == 0 || node / s % n == n - 1;
    }
    if (end) {
      entries.push_back({node, node, node % n == 0 ? 1 / h : 1});
      if (node % n == 0) entries.push_back({node, node + 1, -1 / h});
      continue;
    }
    for (std::size_t k = 0, s = 1; k < dimensions; ++k, s *= n) {
      entries.push_back({node, node, 2 / (h * h)});
      entries.push_back({node, node - s, -1 / (h * h) - speed / (2 * h)});
      entries.push_back({node, node + s, -1 / (h * h) + speed / (2 * h)});
    }
  }
  return {size, size, entries};
}

TEST(Multigrid, SolvesMatricesOfGridsWithRowsForConditions) {
  for (const auto& [n, dimensions, speed] : {std::tuple<std::size_t, std::size_t, double>{33, 2, 0},
                                             {48, 2, 0},
                                             {33, 2, 20},
                                             {12, 3, 5}}) {
    const SparseMatrix a = with_conditions(n, dimensions, speed);
    const GridMultigrid grid(a, std::vector<std::size_t>(dimensions, n));
    EXPECT_GT(grid.levels(), 1U);
    const std::vector<double> expected = wavy(a.rows());
    std::vector<double> b(a.rows()), x(a.rows(), 0);
    a.multiply(expected, b);
    const IterationResult result = grid.solve(b, x, {.tolerance = 1e-12, .max_iterations = 30});
    EXPECT_TRUE(result.converged()) << n << " " << dimensions << " " << result.residual();
    EXPECT_LE(result.iterations, 12U) << n;
    EXPECT_LT(largest_difference(x, expected), 1e-7);
  }
}

TEST(Multigrid, CyclesAloneSolveSymmetricMatricesOfGrids) {
  for (const MultigridKrylov krylov :
       {MultigridKrylov::none, MultigridKrylov::conjugate_gradients}) {
    const BoxOperator op = in_cells({{{40, 0, 1, End::periodic, End::periodic}, {33}, {4, 0, 9}}});
    const SparseMatrix a = op.matrix();
    const GridMultigrid grid(a, {40, 33, 4}, {true, false, false},
                             {.sweeps_before = 1, .sweeps_after = 1, .krylov = krylov});
    const std::vector<double> expected = wavy(a.rows());
    std::vector<double> b(a.rows()), x(a.rows(), 0);
    a.multiply(expected, b);
    EXPECT_TRUE(grid.solve(b, x, {.tolerance = 1e-12, .max_iterations = 30}).converged());
    EXPECT_LT(largest_difference(x, expected), 1e-8);
  }
}

TEST(Multigrid, SingularMatricesOfGridsAreAStatus) {
  std::vector<SparseMatrix::Entry> entries;
  for (std::size_t i = 0; i < 25; ++i) entries.push_back({i, (i + 1) % 25, 1});
  const GridMultigrid grid(SparseMatrix(25, 25, entries), {5, 5});
  std::vector<double> b(25, 1.0), x(25, 0);
  EXPECT_EQ(grid.solve(b, x).status, IterationStatus::breakdown);
}

}  // namespace
}  // namespace cauchy::test_multigrid
