// Orders of finite elements on meshes without order: k + 1 in L2 and k in the energy.
#include <gtest/gtest.h>

#include <cmath>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/program.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "solvers/fem/fem_solver.hpp"
#include "support/fem_meshes.hpp"

namespace cauchy::test_convergence_fem {
namespace {

using namespace detail;

struct Errors {
  double l2 = 0, h1 = 0;
};

/// -div((2 + x) grad u) = f with u = sin(2 x) e^y (1 + z).
Errors errors_of(std::size_t dim, int order, std::size_t n) {
  const Coordinate x("x"), y("y"), z("z");
  const Field u("u");
  Space space{x};
  Expr exact = sin(2 * x);
  Problem p;
  p.fields = {"u"};
  if (dim == 1) p.domain = Interval(0, 1);
  if (dim == 2) p.domain = Rectangle({0, 0}, {1, 1});
  if (dim == 3) p.domain = Box({0, 0, 0}, {1, 1, 1});
  if (dim > 1) {
    space.push_back(y);
    exact = exact * exp(y);
  }
  if (dim > 2) {
    space.push_back(z);
    exact = exact * (1 + z * z);
  }
  p.equation = {-div((2 + x) * grad(u, space), space) == -div((2 + x) * grad(exact, space), space)};
  p.condition = {on_boundary(u == exact)};
  auto shared = std::make_shared<const Problem>(p);
  const auto mesh = std::make_shared<FemMesh>(testing::jittered_box(dim, n));
  FemSystem s(shared, std::make_shared<FemForm>(fem_form(p)), mesh, {.order = order});
  std::vector<double> state(s.size(), 0.0);
  s.set_fixed(0, state);
  EXPECT_TRUE(newton_elements(s, state, true, {}).converged);
  ProgramSpec spec;
  spec.outputs = {exact};
  spec.inputs.assign(space.begin(), space.end());
  for (const Expr& c : space) spec.outputs.push_back(d(exact, c));
  const Program<double> program(std::move(spec));
  std::vector<double> workspace(program.workspace_size());
  const SimplexRule rule = simplex_rule(static_cast<int>(dim), 6);
  const FemSpace& elements = s.space(0);
  const std::size_t nb = elements.basis().size();
  std::array<double, LagrangeBasis::most> phi{};
  std::array<double, LagrangeBasis::most * 4> slope{};
  std::array<std::uint32_t, LagrangeBasis::most> places{};
  Errors e;
  for (std::size_t c = 0; c < mesh->mesh.n_cells(); ++c) {
    const CellShape shape = cell_shape(mesh->mesh, c);
    elements.places(c, places.data());
    for (std::size_t q = 0; q < rule.size(); ++q) {
      std::array<double, 3> at{};
      std::array<double, 4> found{}, out{};
      for (std::size_t k = 0; k < dim; ++k) {
        for (std::size_t a = 0; a <= dim; ++a) {
          at[k] += rule.point(q)[a] * mesh->mesh.node(mesh->mesh.cell(c)[a])[k];
        }
      }
      elements.basis().values(rule.point(q), phi.data());
      elements.basis().slopes(rule.point(q), slope.data());
      for (std::size_t b = 0; b < nb; ++b) {
        const double v = state[elements.dof(places[b])];
        found[0] += v * phi[b];
        for (std::size_t k = 0; k < dim; ++k) {
          for (std::size_t a = 0; a <= dim; ++a) {
            found[1 + k] += v * slope[b * (dim + 1) + a] * shape.grad[a][k];
          }
        }
      }
      const double* inputs[] = {&at[0], &at[1], &at[2]};
      double* outputs[] = {&out[0], &out[1], &out[2], &out[3]};
      program.run(1, inputs, nullptr, outputs, nullptr, workspace.data());
      const double w = rule.weights[q] * shape.measure;
      e.l2 += w * (found[0] - out[0]) * (found[0] - out[0]);
      for (std::size_t k = 1; k <= dim; ++k) e.h1 += w * (found[k] - out[k]) * (found[k] - out[k]);
    }
  }
  return {std::sqrt(e.l2), std::sqrt(e.h1)};
}

TEST(FemOrders, AreThoseOfTheory) {
  for (std::size_t dim = 1; dim <= 3; ++dim) {
    for (const int order : {1, 2}) {
      const std::size_t n = dim == 1   ? 40
                            : dim == 2 ? (order == 1 ? 24 : 12)
                                       : (order == 1 ? 6 : 4);
      const Errors coarse = errors_of(dim, order, n), fine = errors_of(dim, order, 2 * n);
      const double l2 = std::log2(coarse.l2 / fine.l2), h1 = std::log2(coarse.h1 / fine.h1);
      RecordProperty("rates", std::to_string(l2) + " " + std::to_string(h1));
      std::printf("dimension %zu, order %d: L2 %.2e rate %.3f, H1 %.2e rate %.3f\n", dim, order,
                  fine.l2, l2, fine.h1, h1);
      EXPECT_NEAR(l2, order + 1, 0.1) << dim << " " << order;
      EXPECT_NEAR(h1, order, 0.1) << dim << " " << order;
    }
  }
}

}  // namespace
}  // namespace cauchy::test_convergence_fem
