// Conditions of a problem on a mesh: given values, fluxes, free constants.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/lowering.hpp"
#include "problem/surface.hpp"
#include "solvers/fem/fem_batch.hpp"

namespace cauchy::detail {
namespace {

constexpr std::string_view fem_conditions_place = "[solvers.fem]";

/// Length or area of a side; 1 in one dimension.
double side_size(const Mesh& mesh, std::span<const Mesh::Index> nodes) {
  if (nodes.size() == 1) return 1;
  const double* const a = mesh.node(nodes[0]);
  const double* const b = mesh.node(nodes[1]);
  if (nodes.size() == 2) return std::hypot(b[0] - a[0], b[1] - a[1]);
  const double* const c = mesh.node(nodes[2]);
  const double u[] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double v[] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  return std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                    u[0] * v[1] - u[1] * v[0]) /
         2;
}

/// The inner sides that lie on the surface of a condition, each with its cell on the negative side:
/// its outward normal is that of the condition.
std::vector<FemSide> inner_sides(const Problem& problem, const Mesh& mesh,
                                 const Condition& condition) {
  const InnerSurface surface(problem, condition.where);
  const std::vector<std::string>& names = problem.domain->space()->coordinates();
  const auto d = static_cast<std::size_t>(mesh.dimension);
  const auto level = [&](const double* x) {
    Values at;
    for (std::size_t k = 0; k < d; ++k) at.set(Coordinate(names[k]), x[k]);
    return evaluate(surface.level(), at);
  };
  std::map<std::vector<Mesh::Index>, std::uint32_t> wanted;
  double largest = 0;
  for (std::size_t i = 0; i < mesh.n_nodes(); ++i) {
    largest = std::max(largest, std::abs(level(mesh.node(i))));
  }
  for (std::uint32_t f = 0; f < mesh.n_interfaces(); ++f) {
    const auto nodes = std::span(mesh.interfaces).subspan(f * d, d);
    const bool on = std::all_of(nodes.begin(), nodes.end(), [&](Mesh::Index node) {
      return std::abs(level(mesh.node(node))) <= 1e-7 * largest;
    });
    if (!on) continue;
    std::vector<Mesh::Index> key(nodes.begin(), nodes.end());
    std::sort(key.begin(), key.end());
    wanted.emplace(std::move(key), f);
  }
  std::vector<FemSide> sides;
  for (Mesh::Index c = 0; c < mesh.n_cells() && !wanted.empty(); ++c) {
    const auto corner = mesh.cell(c);
    std::array<double, 3> centre{};
    for (const Mesh::Index node : corner) {
      for (std::size_t k = 0; k < d; ++k) {
        centre[k] += mesh.node(node)[k] / static_cast<double>(d + 1);
      }
    }
    if (!(level(centre.data()) < 0)) continue;
    for (std::size_t opposite = 0; opposite <= d; ++opposite) {
      std::vector<Mesh::Index> key;
      for (std::size_t a = 0; a <= d; ++a) {
        if (a != opposite) key.push_back(corner[a]);
      }
      std::sort(key.begin(), key.end());
      const auto at = wanted.find(key);
      if (at != wanted.end()) sides.push_back({at->second, c});
    }
  }
  return sides;
}

}  // namespace

std::vector<std::uint32_t> facets_of(const Problem& problem, const Mesh& mesh,
                                     const Condition& condition) {
  const Domain domain = domain_of(problem);
  const ConditionPlace place = place_of(problem, condition);
  const Boundary part(domain, place.boundary);
  const ShapePtr shape = domain.shape();
  std::vector<Expr> holds;  // per piece of the mesh
  const auto pieces = shape->pieces();
  for (std::size_t k = 0; k < mesh.pieces.size(); ++k) {
    const std::string& name = mesh.pieces[k];
    const bool in_order = k < pieces.size() && pieces[k].name == name;
    const auto at = in_order ? pieces.begin() + static_cast<std::ptrdiff_t>(k)
                             : std::find_if(pieces.begin(), pieces.end(),
                                            [&](const Piece& p) { return p.name == name; });
    const std::string labels[] = {name};
    holds.push_back(at == pieces.end() ? part.condition(labels) : part.condition(*at));
  }
  std::vector<std::uint32_t> found;
  const auto d = static_cast<std::size_t>(mesh.dimension);
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    const Expr& where = holds[static_cast<std::size_t>(mesh.facet_piece[f])];
    if (where.is_constant(0)) continue;
    if (!where.is_constant()) {
      // In the middle (x > 0.3 may begin at a node), or at all nodes (these lie on curves).
      const auto inside = [&](const std::array<double, 3>& x) {
        Values at;
        for (std::size_t k = 0; k < d; ++k) {
          at.set(Coordinate(domain.space()->coordinates()[k]), x[k]);
        }
        for (const auto& [name, value] : domain.values()) at.set(Parameter(name), value);
        return evaluate(where, at) != 0;
      };
      std::array<double, 3> middle{};
      bool all = true;
      for (const Mesh::Index node : mesh.facet(f)) {
        std::array<double, 3> corner{};
        for (std::size_t k = 0; k < d; ++k) {
          corner[k] = mesh.node(node)[k];
          middle[k] += corner[k] / static_cast<double>(d);
        }
        all = all && inside(corner);
      }
      if (!all && !inside(middle)) continue;
    }
    found.push_back(static_cast<std::uint32_t>(f));
  }
  return found;
}

void FemSystem::make_conditions() {
  const Mesh& mesh = mesh_->mesh;
  const auto d = static_cast<std::size_t>(mesh.dimension);
  fixed_.assign(n_, 0);
  std::array<std::uint32_t, LagrangeBasis::most> places{};
  for (const WeakCondition& c : form_->weak.conditions) {
    const bool inner = c.role == WeakCondition::Role::interface;
    if (c.role != WeakCondition::Role::essential && c.role != WeakCondition::Role::natural &&
        !(inner && !c.value.is_constant(0))) {
      continue;
    }
    BoundaryTerm term;
    std::vector<std::uint32_t> facets;
    if (inner) {
      term.sides = inner_sides(*problem_, mesh, problem_->condition[c.condition]);
    } else {
      facets = facets_of(*problem_, mesh, part_of(*problem_, c));
      for (const std::uint32_t f : facets) term.sides.push_back({f, mesh_->facet_cell[f]});
    }
    if (term.sides.empty()) {
      unseen_.push_back(name_of(problem_->condition[c.condition]));
      continue;
    }
    if (c.role != WeakCondition::Role::essential) {
      if (c.value.is_constant(0)) continue;
      term.row = c.row;
      term.inner = inner;
      std::vector<Expr> outputs = {c.value};
      for (std::size_t f = 0; f < form_->fields.size(); ++f) {
        const Expr slope = partial(c.value, Field(form_->fields[f]));
        if (slope.is_constant(0)) continue;
        term.by.push_back(f);
        outputs.push_back(slope);
        coupled_[c.row][f] = 1;
      }
      term.program = std::make_unique<FemProgram>(*problem_, std::move(outputs));
      boundary_.push_back(std::move(term));
      continue;
    }
    // Values: at every place of the facets; the first condition of the problem counts.
    EssentialTerm given;
    const FemSpace& space = *spaces_[c.row];
    const LagrangeBasis& basis = space.basis();
    std::vector<std::array<std::size_t, 3>> middles;  // number in the list, cell, edge there
    for (const std::uint32_t facet : facets) {
      const bool curved =
          options_.bent && facet < mesh.facet_surface.size() && mesh.facet_surface[facet] >= 0;
      const std::size_t cell = mesh_->facet_cell[facet];
      space.places(cell, places.data());
      const auto corner = mesh.cell(cell);
      const auto on_facet = [&](Mesh::Index node) {
        const auto of = mesh.facet(facet);
        return std::find(of.begin(), of.end(), node) != of.end();
      };
      for (std::size_t a = 0; a < basis.size(); ++a) {
        const bool inside =
            a <= d
                ? on_facet(corner[a])
                : on_facet(corner[static_cast<std::size_t>(MeshEdges::edge_ends[a - d - 1][0])]) &&
                      on_facet(
                          corner[static_cast<std::size_t>(MeshEdges::edge_ends[a - d - 1][1])]);
        if (!inside) continue;
        const std::size_t unknown = offset_[c.row] + space.dof(places[a]);
        if (fixed_[unknown]) continue;
        fixed_[unknown] = 1;
        differential_[unknown] = 0;
        if (curved && a > d) middles.push_back({given.unknowns.size(), cell, a - d - 1});
        given.unknowns.push_back(static_cast<std::uint32_t>(unknown));
        std::array<double, 3> x{};
        space.point(places[a], x.data());
        given.points.insert(given.points.end(), x.begin(), x.begin() + static_cast<long>(d));
      }
    }
    add_bends(given, c.row, middles);
    given.program = std::make_unique<FemProgram>(*problem_, std::vector{c.value});
    essential_.push_back(std::move(given));
    // The rate of a field that is given is given, too.
    for (std::size_t f = 0; f < form_->fields.size(); ++f) {
      if (form_->rate_of[f] != static_cast<int>(c.row)) continue;
      EssentialTerm rate;
      for (const std::uint32_t unknown : essential_.back().unknowns) {
        const std::size_t other = unknown - offset_[c.row] + offset_[f];
        fixed_[other] = 1;
        differential_[other] = 0;
        rate.unknowns.push_back(static_cast<std::uint32_t>(other));
      }
      rate.points = essential_.back().points;
      rate.program = std::make_unique<FemProgram>(
          *problem_, std::vector{plain(cauchy::d(c.value, *form_->weak.form.time))});
      essential_.push_back(std::move(rate));
    }
  }
  find_free_constants();
}

/// A field that stands in all rows and boundary terms by its slopes alone is free up to a constant;
/// so is the pressure where the velocity is given on the whole boundary.
void FemSystem::find_free_constants() {
  const WeakForm& weak = form_->weak.form;
  for (std::size_t f = 0; f < form_->fields.size(); ++f) {
    const auto first = fixed_.begin() + static_cast<std::ptrdiff_t>(offset_[f]);
    const auto last = first + static_cast<std::ptrdiff_t>(spaces_[f]->n_dofs());
    bool bound = std::any_of(first, last, [](char c) { return c != 0; });
    for (const WeakRow& row : weak.rows) {
      const WeakDerivative g = gateaux(weak, row, form_->fields[f]);
      bound = bound || !g.source_u.is_constant(0) || !g.rate.is_constant(0);
      const bool in_flux = std::any_of(g.flux_u.begin(), g.flux_u.end(),
                                       [](const Expr& e) { return !e.is_constant(0); });
      if (!in_flux) continue;
      if (!weak.multiplier[f]) {
        bound = true;
        continue;
      }
      // int p v_x = 0 for a constant p only if v vanishes all around.
      const std::size_t r = weak.row_of(row.field);
      std::array<std::uint32_t, LagrangeBasis::most> places{};
      for (std::size_t facet = 0; facet < mesh_->mesh.n_facets() && !bound; ++facet) {
        if (!form_->periodic.empty()) break;  // opposite sides cancel
        const std::size_t cell = mesh_->facet_cell[facet];
        spaces_[r]->places(cell, places.data());
        const auto corner = mesh_->mesh.cell(cell);
        for (std::size_t a = 0; a < corner.size(); ++a) {
          const auto of = mesh_->mesh.facet(facet);
          if (std::find(of.begin(), of.end(), corner[a]) == of.end()) continue;
          bound = bound || !fixed_[offset_[r] + spaces_[r]->dof(places[a])];
        }
      }
    }
    for (const BoundaryTerm& term : boundary_) {
      bound = bound || std::find(term.by.begin(), term.by.end(), f) != term.by.end();
    }
    std::ptrdiff_t condition = -1;
    for (const WeakCondition& c : form_->weak.conditions) {
      const Condition& of = problem_->condition[c.condition];
      const bool point = c.role == WeakCondition::Role::point && c.row == f;
      const bool integral = c.role == WeakCondition::Role::integral && of.where == "domain" &&
                            same(plain(of.form.left), Field(form_->fields[f]));
      if (point || integral) condition = static_cast<std::ptrdiff_t>(c.condition);
    }
    if (bound) {
      if (condition >= 0) {
        throw Error(ErrorKind::unsupported,
                    fmt::format("condition '{}' is one more than the field '{}' needs",
                                name_of(problem_->condition[static_cast<std::size_t>(condition)]),
                                form_->fields[f]),
                    fem_conditions_place, "leave it out, or use pinn");
      }
      continue;
    }
    free_.push_back({f, condition, offset_[f]});
    fixed_[offset_[f]] = 1;
    differential_[offset_[f]] = 0;
  }
  for (const WeakCondition& c : form_->weak.conditions) {
    if (c.role != WeakCondition::Role::integral && c.role != WeakCondition::Role::point) continue;
    const bool used = std::any_of(free_.begin(), free_.end(), [&](const FreeConstant& f) {
      return f.condition == static_cast<std::ptrdiff_t>(c.condition);
    });
    if (used) continue;
    throw Error(ErrorKind::unsupported,
                fmt::format("fem takes an integral or a point only where it says which constant a "
                            "field has: condition '{}'",
                            name_of(problem_->condition[c.condition])),
                fem_conditions_place, "use pinn");
  }
}

void FemSystem::add_boundary(double t, std::span<const double> y, std::span<double> out,
                             SparseMatrix* matrix) const {
  const Mesh& mesh = mesh_->mesh;
  const auto d = static_cast<std::size_t>(mesh.dimension);
  const std::size_t nq = facet_rule_.size();
  const auto side_nodes = [](const Mesh& m, const BoundaryTerm& term, std::size_t k) {
    if (!term.inner) return m.facet(term.sides[k].facet);
    const auto n = static_cast<std::size_t>(m.dimension);
    return std::span(m.interfaces).subspan(term.sides[k].facet * n, n);
  };
  FemBatch batch;
  std::vector<double> workspace;
  for (const BoundaryTerm& term : boundary_) {
    const std::size_t n = term.sides.size() * nq;
    batch.n = n;
    batch.coordinates.assign(d, std::vector<double>(n));
    batch.normals.assign(d, std::vector<double>(n));
    batch.atoms.assign(term.program->atoms().size(), std::vector<double>(n, 0.0));
    std::vector<double> lambdas(n * (d + 1), 0.0);
    std::array<double, LagrangeBasis::most> phi{};
    for (std::size_t k = 0; k < term.sides.size(); ++k) {
      const std::size_t cell = term.sides[k].cell;
      const auto corner = mesh.cell(cell);
      const auto nodes = side_nodes(mesh, term, k);
      const CellShape shape = cell_shape(mesh, cell);
      std::size_t opposite = 0;
      for (std::size_t a = 0; a <= d; ++a) {
        if (std::find(nodes.begin(), nodes.end(), corner[a]) == nodes.end()) opposite = a;
      }
      double length = 0;
      for (std::size_t i = 0; i < d; ++i) {
        length += shape.grad[opposite][i] * shape.grad[opposite][i];
      }
      length = std::sqrt(length);
      for (std::size_t q = 0; q < nq; ++q) {
        const std::size_t p = k * nq + q;
        double* const lambda = &lambdas[p * (d + 1)];
        for (std::size_t a = 0; a < d; ++a) {
          const auto at = std::find(corner.begin(), corner.end(), nodes[a]);
          lambda[at - corner.begin()] = facet_rule_.point(q)[a];
        }
        for (std::size_t i = 0; i < d; ++i) {
          batch.normals[i][p] = -shape.grad[opposite][i] / length;
          for (std::size_t a = 0; a <= d; ++a) {
            batch.coordinates[i][p] += lambda[a] * mesh.node(corner[a])[i];
          }
        }
        for (std::size_t m = 0; m < term.program->atoms().size(); ++m) {
          const FemAtom kind = kind_of(term.program->atoms()[m], *form_);
          const LagrangeBasis& basis = spaces_[kind.field]->basis();
          basis.values(lambda, phi.data());
          const std::uint32_t* const dofs =
              &cell_dofs_[cell * n_local_ + local_offset_[kind.field]];
          for (std::size_t a = 0; a < basis.size(); ++a) {
            batch.atoms[m][p] += phi[a] * y[dofs[a]];
          }
        }
      }
    }
    term.program->run(batch, t, workspace);
    std::array<double, LagrangeBasis::most> trial{};
    for (std::size_t k = 0; k < term.sides.size(); ++k) {
      const std::size_t cell = term.sides[k].cell;
      const double measure = term.inner ? side_size(mesh, side_nodes(mesh, term, k))
                                        : mesh.facet_measure(term.sides[k].facet);
      const LagrangeBasis& basis = spaces_[term.row]->basis();
      for (std::size_t q = 0; q < nq; ++q) {
        const std::size_t p = k * nq + q;
        const double w = measure * facet_rule_.weights[q];
        basis.values(&lambdas[p * (d + 1)], phi.data());
        const std::size_t row = local_offset_[term.row];
        if (matrix == nullptr) {
          for (std::size_t a = 0; a < basis.size(); ++a) {
            out[cell_dofs_[cell * n_local_ + row + a]] += w * batch.out[0][p] * phi[a];
          }
          continue;
        }
        for (std::size_t m = 0; m < term.by.size(); ++m) {
          const LagrangeBasis& other = spaces_[term.by[m]]->basis();
          other.values(&lambdas[p * (d + 1)], trial.data());
          for (std::size_t a = 0; a < basis.size(); ++a) {
            for (std::size_t b = 0; b < other.size(); ++b) {
              const std::size_t own = cell * n_local_ + row + a;
              const auto first = static_cast<std::size_t>(matrix->begin()[cell_dofs_[own]]);
              const std::size_t at = position_[own * n_local_ + local_offset_[term.by[m]] + b];
              matrix->values()[first + at] += w * batch.out[1 + m][p] * phi[a] * trial[b];
            }
          }
        }
      }
    }
  }
}

void FemSystem::set_fixed(double t, std::span<double> y) const {
  const auto d = static_cast<std::size_t>(mesh_->mesh.dimension);
  FemBatch batch;
  std::vector<double> workspace;
  for (const EssentialTerm& term : essential_) {
    batch.n = term.unknowns.size();
    batch.coordinates.assign(d, std::vector<double>(batch.n));
    for (std::size_t i = 0; i < batch.n; ++i) {
      for (std::size_t k = 0; k < d; ++k) batch.coordinates[k][i] = term.points[i * d + k];
    }
    term.program->run(batch, t, workspace);
    for (std::size_t i = 0; i < batch.n; ++i) y[term.unknowns[i]] = batch.out[0][i];
  }
  for (const Bend& b : bends_) y[b.unknown] += b.shift;
  for (const FreeConstant& f : free_) y[f.dof] = 0;
}

std::vector<double> FemSystem::initial(double t) const {
  std::vector<double> y(n_, 0.0);
  const auto d = static_cast<std::size_t>(mesh_->mesh.dimension);
  FemBatch batch;
  std::vector<double> workspace;
  for (const WeakCondition& c : form_->weak.conditions) {
    if (c.role != WeakCondition::Role::initial) continue;
    const FemSpace& space = *spaces_[c.row];
    batch.n = space.n_places();
    batch.coordinates.assign(d, std::vector<double>(batch.n));
    std::array<double, 3> x{};
    for (std::size_t p = 0; p < batch.n; ++p) {
      space.point(p, x.data());
      for (std::size_t k = 0; k < d; ++k) batch.coordinates[k][p] = x[k];
    }
    FemProgram(*problem_, {c.value}).run(batch, t, workspace);
    for (std::size_t p = 0; p < batch.n; ++p) y[offset_[c.row] + space.dof(p)] = batch.out[0][p];
  }
  set_fixed(t, y);
  return y;
}

std::vector<std::string> FemSystem::shift(std::span<double> y) const {
  std::vector<std::string> remarks;
  const Mesh& mesh = mesh_->mesh;
  for (const FreeConstant& free : free_) {
    const FemSpace& space = *spaces_[free.field];
    const LagrangeBasis& basis = space.basis();
    std::array<double, LagrangeBasis::most> phi{};
    const auto at = [&](std::size_t cell, const double* lambda) {
      basis.values(lambda, phi.data());
      const std::uint32_t* const dofs = &cell_dofs_[cell * n_local_ + local_offset_[free.field]];
      double sum = 0;
      for (std::size_t a = 0; a < basis.size(); ++a) sum += phi[a] * y[dofs[a]];
      return sum;
    };
    double change = 0;
    const Condition* const condition =
        free.condition < 0 ? nullptr
                           : &problem_->condition[static_cast<std::size_t>(free.condition)];
    if (condition != nullptr && condition->kind == Condition::Kind::point) {
      const WeakCondition& c = *std::find_if(
          form_->weak.conditions.begin(), form_->weak.conditions.end(), [&](const auto& w) {
            return static_cast<std::ptrdiff_t>(w.condition) == free.condition;
          });
      std::array<double, 3> x{};
      Values values;
      const std::vector<std::string>& names = problem_->domain->space()->coordinates();
      for (const auto& [name, value] : condition->point) {
        values.set(Coordinate(name), value);
        const auto k = std::find(names.begin(), names.end(), name);
        if (k != names.end()) x[static_cast<std::size_t>(k - names.begin())] = value;
      }
      const MeshLocator::Place place = MeshLocator(mesh).find(x.data());
      change = evaluate(c.value, values) - at(place.cell, place.weights.data());
    } else {
      double integral = 0, measure = 0;
      for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
        const double m = mesh.cell_measure(c);
        measure += m;
        for (std::size_t q = 0; q < rule_.size(); ++q) {
          integral += m * rule_.weights[q] * at(c, rule_.point(q));
        }
      }
      double asked = 0;
      if (condition != nullptr) {
        asked = evaluate(Lowering(*problem_)(condition->form.right), {});
      } else {
        remarks.push_back(fmt::format(
            "equations and conditions leave a constant of '{}' free: the answer with mean 0 was "
            "taken",
            form_->fields[free.field]));
      }
      change = (asked - integral) / measure;
    }
    for (std::size_t i = 0; i < space.n_dofs(); ++i) y[offset_[free.field] + i] += change;
  }
  return remarks;
}

}  // namespace cauchy::detail
