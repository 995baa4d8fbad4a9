// Where a mesh should be finer.
#include "solvers/fem/fem_adapt.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/geometry/refine_mesh.hpp>

#include "solvers/fem/fem_batch.hpp"
#include "solvers/fem/fem_solver.hpp"

namespace cauchy::detail {
namespace {

/// Fields and derivatives at any place of a cell.
class CellValues {
 public:
  CellValues(const FemSystem& system, std::span<const double> y) : system_(system), y_(y) {}

  [[nodiscard]] double operator()(const FemAtom& atom, std::size_t cell, const CellShape& shape,
                                  const double* lambda) const {
    const FemSpace& space = system_.space(atom.field);
    const LagrangeBasis& basis = space.basis();
    const std::size_t corners = basis.corners(), n = basis.size();
    std::array<std::uint32_t, LagrangeBasis::most> places{};
    std::array<double, LagrangeBasis::most * 16> numbers{};
    space.places(cell, places.data());
    const auto value = [&](std::size_t a) {
      return y_[system_.offset(atom.field) + space.dof(places[a])];
    };
    double sum = 0;
    if (atom.slope < 0) {
      basis.values(lambda, numbers.data());
      for (std::size_t a = 0; a < n; ++a) sum += numbers[a] * value(a);
      return sum;
    }
    const auto i = static_cast<std::size_t>(atom.slope);
    if (atom.second < 0) {
      basis.slopes(lambda, numbers.data());
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t k = 0; k < corners; ++k) {
          sum += numbers[a * corners + k] * shape.grad[k][i] * value(a);
        }
      }
      return sum;
    }
    const auto j = static_cast<std::size_t>(atom.second);
    basis.curvatures(numbers.data());
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t k = 0; k < corners; ++k) {
        for (std::size_t l = 0; l < corners; ++l) {
          sum += numbers[(a * corners + k) * corners + l] * shape.grad[k][i] * shape.grad[l][j] *
                 value(a);
        }
      }
    }
    return sum;
  }

 private:
  const FemSystem& system_;
  std::span<const double> y_;
};

/// Rows of a batch from places in cells.
class BatchFiller {
 public:
  BatchFiller(const FemSystem& system, const FemProgram& program, std::span<const double> y)
      : mesh_(system.mesh()->mesh), values_(system, y) {
    for (const Expr& atom : program.atoms()) kinds_.push_back(kind_of(atom, system.form()));
    batch.coordinates.resize(static_cast<std::size_t>(mesh_.dimension));
    batch.atoms.resize(kinds_.size());
  }
  void clear() {
    batch.n = 0;
    for (auto& row : batch.coordinates) row.clear();
    for (auto& row : batch.atoms) row.clear();
  }
  void add(std::size_t cell, const CellShape& shape, const double* lambda) {
    const auto corner = mesh_.cell(cell);
    for (std::size_t k = 0; k < batch.coordinates.size(); ++k) {
      double x = 0;
      for (std::size_t a = 0; a < corner.size(); ++a) x += lambda[a] * mesh_.node(corner[a])[k];
      batch.coordinates[k].push_back(x);
    }
    for (std::size_t m = 0; m < kinds_.size(); ++m) {
      batch.atoms[m].push_back(values_(kinds_[m], cell, shape, lambda));
    }
    ++batch.n;
  }
  FemBatch batch;

 private:
  const Mesh& mesh_;
  CellValues values_;
  std::vector<FemAtom> kinds_;
};

/// A side of a cell by its nodes in ascending order.
struct CellSide {
  std::array<Mesh::Index, 3> nodes{};
  std::uint32_t cell = 0, opposite = 0;
};

double side_measure(const Mesh& mesh, const CellSide& side) {
  if (mesh.dimension == 1) return 1;
  const double* const a = mesh.node(side.nodes[0]);
  const double* const b = mesh.node(side.nodes[1]);
  if (mesh.dimension == 2) return std::hypot(b[0] - a[0], b[1] - a[1]);
  const double* const c = mesh.node(side.nodes[2]);
  const double u[] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double v[] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  return std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                    u[0] * v[1] - u[1] * v[0]) /
         2;
}

std::size_t parent_of(const FemSystem& from, const FemSystem& to, std::size_t cell) {
  return from.mesh() == to.mesh() ? cell : to.mesh()->mesh.cell_parent[cell];
}

/// Barycentric coordinates of x in a cell.
std::array<double, 4> lambda_at(const Mesh& mesh, std::size_t cell, const CellShape& shape,
                                const double* x) {
  std::array<double, 4> lambda{};
  const double* const origin = mesh.node(mesh.cell(cell)[0]);
  const auto d = static_cast<std::size_t>(mesh.dimension);
  for (std::size_t k = 0; k <= d; ++k) {
    lambda[k] = k == 0 ? 1 : 0;
    for (std::size_t i = 0; i < d; ++i) lambda[k] += shape.grad[k][i] * (x[i] - origin[i]);
  }
  return lambda;
}

}  // namespace

std::vector<double> residual_indicators(const FemSystem& system, const Problem& problem,
                                        std::span<const double> y) {
  const Mesh& mesh = system.mesh()->mesh;
  const WeakForm& weak = system.form().weak.form;
  const auto d = static_cast<std::size_t>(mesh.dimension);
  const std::size_t rows = weak.rows.size(), n_cells = mesh.n_cells();
  std::vector<Expr> strong, fluxes;
  for (const WeakRow& row : weak.rows) {
    Expr r = row.source;
    for (std::size_t i = 0; i < d; ++i) {
      r = r - plain(cauchy::d(row.flux[i], weak.space[i]));
      fluxes.push_back(row.flux[i]);
    }
    strong.push_back(plain(r));
  }
  const FemProgram residual(problem, strong), flux(problem, fluxes);
  std::vector<double> eta(n_cells, 0.0), workspace;
  const SimplexRule inside = simplex_rule(mesh.dimension, 2);
  const SimplexRule beside = simplex_rule(mesh.dimension - 1, 3);
  constexpr std::size_t per_batch = 256;

  std::vector<CellSide> sides;
  sides.reserve(n_cells * (d + 1));
  for (std::size_t c = 0; c < n_cells; ++c) {
    const auto corner = mesh.cell(c);
    for (std::size_t k = 0; k <= d; ++k) {
      CellSide side{.cell = static_cast<std::uint32_t>(c),
                    .opposite = static_cast<std::uint32_t>(k)};
      std::size_t m = 0;
      for (std::size_t a = 0; a <= d; ++a) {
        if (a != k) side.nodes[m++] = corner[a];
      }
      std::sort(side.nodes.begin(), side.nodes.begin() + static_cast<std::ptrdiff_t>(d));
      sides.push_back(side);
    }
  }
  std::vector<double> outflow(sides.size() * beside.size() * rows);  // flux . n from inside
  BatchFiller volume(system, residual, y), surface(system, flux, y);
  for (std::size_t first = 0; first < n_cells; first += per_batch) {
    const std::size_t count = std::min(per_batch, n_cells - first);
    volume.clear();
    surface.clear();
    std::vector<CellShape> shapes(count);
    for (std::size_t c = 0; c < count; ++c) {
      shapes[c] = cell_shape(mesh, first + c);
      for (std::size_t q = 0; q < inside.size(); ++q) {
        volume.add(first + c, shapes[c], inside.point(q));
      }
      for (std::size_t k = 0; k <= d; ++k) {
        const CellSide& side = sides[(first + c) * (d + 1) + k];
        for (std::size_t q = 0; q < beside.size(); ++q) {
          std::array<double, 4> lambda{};
          const auto corner = mesh.cell(first + c);
          for (std::size_t a = 0; a < d; ++a) {
            const auto at = std::find(corner.begin(), corner.end(), side.nodes[a]);
            lambda[static_cast<std::size_t>(at - corner.begin())] = beside.point(q)[a];
          }
          surface.add(first + c, shapes[c], lambda.data());
        }
      }
    }
    residual.run(volume.batch, 0, workspace);
    flux.run(surface.batch, 0, workspace);
    for (std::size_t c = 0; c < count; ++c) {
      const double h = std::pow(shapes[c].measure, 1.0 / static_cast<double>(d));
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t q = 0; q < inside.size(); ++q) {
          const double v = volume.batch.out[r][c * inside.size() + q];
          eta[first + c] += h * h * shapes[c].measure * inside.weights[q] * v * v;
        }
        for (std::size_t k = 0; k <= d; ++k) {
          double length = 0;
          for (std::size_t i = 0; i < d; ++i) {
            length += shapes[c].grad[k][i] * shapes[c].grad[k][i];
          }
          for (std::size_t q = 0; q < beside.size(); ++q) {
            const std::size_t p = (c * (d + 1) + k) * beside.size() + q;
            double out = 0;
            for (std::size_t i = 0; i < d; ++i) {
              out -= surface.batch.out[r * d + i][p] * shapes[c].grad[k][i] / std::sqrt(length);
            }
            outflow[(((first + c) * (d + 1) + k) * beside.size() + q) * rows + r] = out;
          }
        }
      }
    }
  }
  std::vector<std::size_t> order(sides.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sides[a].nodes != sides[b].nodes ? sides[a].nodes < sides[b].nodes : a < b;
  });
  for (std::size_t m = 0; m + 1 < order.size(); ++m) {
    const std::size_t a = order[m], b = order[m + 1];
    if (sides[a].nodes != sides[b].nodes) continue;
    const double measure = side_measure(mesh, sides[a]);
    for (std::size_t q = 0; q < beside.size(); ++q) {
      for (std::size_t r = 0; r < rows; ++r) {
        const double jump = outflow[(a * beside.size() + q) * rows + r] +
                            outflow[(b * beside.size() + q) * rows + r];
        for (const std::size_t side : {a, b}) {
          const std::size_t c = sides[side].cell;
          const double h = std::pow(mesh.cell_measure(c), 1.0 / static_cast<double>(d));
          eta[c] += h / 2 * measure * beside.weights[q] * jump * jump;
        }
      }
    }
  }
  for (double& e : eta) e = std::sqrt(e);
  return eta;
}

std::vector<Mesh::Index> marked_cells(std::span<const double> indicators, double share) {
  std::vector<Mesh::Index> order(indicators.size());
  std::iota(order.begin(), order.end(), Mesh::Index{0});
  std::sort(order.begin(), order.end(), [&](Mesh::Index a, Mesh::Index b) {
    return indicators[a] != indicators[b] ? indicators[a] > indicators[b] : a < b;
  });
  double total = 0, sum = 0;
  for (const double e : indicators) total += e * e;
  std::size_t n = 0;
  while (n < order.size() && sum < share * total) {
    const double e = indicators[order[n++]];
    sum += e * e;
  }
  order.resize(n);
  return order;
}

std::vector<double> carried(const FemSystem& from, std::span<const double> y, const FemSystem& to) {
  std::vector<double> out(to.size(), 0.0);
  const CellValues values(from, y);
  const Mesh& old = from.mesh()->mesh;
  std::array<std::uint32_t, LagrangeBasis::most> places{};
  std::array<double, 3> x{};
  for (std::size_t c = 0; c < to.mesh()->mesh.n_cells(); ++c) {
    const std::size_t parent = parent_of(from, to, c);
    const CellShape shape = cell_shape(old, parent);
    for (std::size_t f = 0; f < to.form().fields.size(); ++f) {
      const FemSpace& space = to.space(f);
      space.places(c, places.data());
      for (std::size_t a = 0; a < space.basis().size(); ++a) {
        space.point(places[a], x.data());
        const std::array<double, 4> lambda = lambda_at(old, parent, shape, x.data());
        out[to.offset(f) + space.dof(places[a])] =
            values({.field = f}, parent, shape, lambda.data());
      }
    }
  }
  return out;
}

GoalResult goal_error(const std::shared_ptr<const Problem>& problem, const FemSystem& system,
                      std::span<const double> y, const Expr& goal, int threads) {
  GoalResult result;
  const auto form = std::make_shared<FemForm>(system.form());
  const bool higher = system.order() == 1 && !form->is_flow();
  const std::shared_ptr<const FemMesh> mesh =
      higher ? system.mesh() : std::make_shared<FemMesh>(refine(system.mesh()->mesh));
  FemSystem rich(problem, form, mesh, {.order = 2, .threads = threads});
  const std::vector<double> u = carried(system, y, rich);
  const std::size_t n = rich.size();
  const auto d = static_cast<std::size_t>(mesh->mesh.dimension);

  // J and its derivative, by the outputs j, j_u, j_u_i of every field.
  const WeakForm& weak = form->weak.form;
  std::vector<Expr> outputs = {goal};
  for (const std::string& f : weak.fields) {
    outputs.push_back(partial(goal, Field(f)));
    for (const Expr& x : weak.space) outputs.push_back(partial(goal, cauchy::d(Field(f), x)));
  }
  const FemProgram program(*problem, outputs);
  BatchFiller filler(rich, program, u);
  const SimplexRule rule = simplex_rule(mesh->mesh.dimension, 5);
  std::vector<double> slope(n, 0.0), workspace;
  std::array<std::uint32_t, LagrangeBasis::most> places{};
  std::array<double, LagrangeBasis::most> phi{};
  std::array<double, LagrangeBasis::most * 4> slopes{};
  for (std::size_t c = 0; c < mesh->mesh.n_cells(); ++c) {
    const CellShape shape = cell_shape(mesh->mesh, c);
    filler.clear();
    for (std::size_t q = 0; q < rule.size(); ++q) filler.add(c, shape, rule.point(q));
    program.run(filler.batch, 0, workspace);
    for (std::size_t q = 0; q < rule.size(); ++q) {
      const double w = rule.weights[q] * shape.measure;
      result.value += w * filler.batch.out[0][q];
      for (std::size_t f = 0; f < weak.fields.size(); ++f) {
        const FemSpace& space = rich.space(f);
        const LagrangeBasis& basis = space.basis();
        basis.values(rule.point(q), phi.data());
        basis.slopes(rule.point(q), slopes.data());
        space.places(c, places.data());
        for (std::size_t a = 0; a < basis.size(); ++a) {
          double sum = filler.batch.out[1 + f * (1 + d)][q] * phi[a];
          for (std::size_t i = 0; i < d; ++i) {
            double by = 0;
            for (std::size_t k = 0; k <= d; ++k) by += slopes[a * (d + 1) + k] * shape.grad[k][i];
            sum += filler.batch.out[2 + f * (1 + d) + i][q] * by;
          }
          slope[rich.offset(f) + space.dof(places[a])] += w * sum;
        }
      }
    }
  }
  SparseMatrix a;
  rich.raw_jacobian(0, u, {}, 0, a);
  constrain(a, rich.fixed());
  for (std::size_t i = 0; i < n; ++i) slope[i] = rich.fixed()[i] ? 0 : slope[i];
  std::vector<double> z(n, 0.0), r(n);
  const FemLinearResult solved = solve_elements(a.transposed(), slope, z, *form);
  if (!solved.solved) {
    result.trouble = "the dual problem of the goal: " + solved.trouble;
    return result;
  }
  rich.raw_residual(0, u, {}, r);
  for (std::size_t i = 0; i < n; ++i) r[i] = rich.fixed()[i] ? 0 : r[i];
  for (std::size_t i = 0; i < n; ++i) result.error -= r[i] * z[i];

  // z less what the mesh of the answer knows of it; shares of the unknowns go to their cells.
  std::vector<double> coarse(system.size(), 0.0);
  const CellValues dual(rich, z);
  std::array<double, 3> x{};
  for (std::size_t c = 0; c < mesh->mesh.n_cells(); ++c) {
    const CellShape shape = cell_shape(mesh->mesh, c);
    const std::size_t parent = parent_of(system, rich, c);
    for (std::size_t f = 0; f < weak.fields.size(); ++f) {
      const FemSpace& space = system.space(f);
      space.places(parent, places.data());
      for (std::size_t k = 0; k < space.basis().size(); ++k) {
        space.point(places[k], x.data());
        const std::array<double, 4> lambda = lambda_at(mesh->mesh, c, shape, x.data());
        if (*std::min_element(lambda.begin(), lambda.begin() + static_cast<std::ptrdiff_t>(d) + 1) <
            -1e-9) {
          continue;
        }
        coarse[system.offset(f) + space.dof(places[k])] =
            dual({.field = f}, c, shape, lambda.data());
      }
    }
  }
  const std::vector<double> known = carried(system, coarse, rich);
  std::vector<double> share(n), times(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) share[i] = std::abs(r[i] * (z[i] - known[i]));
  const auto each = [&](const auto& visit) {
    for (std::size_t c = 0; c < mesh->mesh.n_cells(); ++c) {
      for (std::size_t f = 0; f < weak.fields.size(); ++f) {
        const FemSpace& space = rich.space(f);
        space.places(c, places.data());
        for (std::size_t k = 0; k < space.basis().size(); ++k) {
          visit(c, rich.offset(f) + space.dof(places[k]));
        }
      }
    }
  };
  each([&](std::size_t, std::size_t i) { times[i] += 1; });
  result.indicators.assign(system.mesh()->mesh.n_cells(), 0.0);
  each([&](std::size_t c, std::size_t i) {
    result.indicators[parent_of(system, rich, c)] += share[i] / times[i];
  });
  for (double& e : result.indicators) e = std::sqrt(e);
  return result;
}

}  // namespace cauchy::detail
