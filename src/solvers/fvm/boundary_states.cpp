#include "solvers/fvm/boundary_states.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/written.hpp>

namespace cauchy::detail {
namespace {

[[noreturn]] void refuse_condition(const Condition& c, const std::string& why) {
  throw Error(ErrorKind::unsupported, fmt::format("{}: {}", name_of(c), why), "[solvers.fvm]",
              "use fdm");
}

/// The residual with u_x replaced by n_x times the normal derivative, a symbol per field.
Expr with_normal_slopes(const Condition& c, const BalanceLaw& law, const Lowering& lower,
                        const std::vector<Expr>& slopes) {
  const Expr r = plain(lower(c.form.residual()));
  const Expr roots[] = {r};
  std::vector<Replacement> change;
  for (const Expr& atom : field_atoms(roots)) {
    if (atom.index().empty()) continue;
    if (total_order(atom.index()) > 1 || atom.index()[0].first == law.time) {
      refuse_condition(c, "fvm takes first derivatives in space on the boundary");
    }
    for (std::size_t k = 0; k < law.size(); ++k) {
      if (law.fields[k].name() != atom.name()) continue;
      change.push_back({atom, normal_component(atom.index()[0].first) * slopes[k]});
    }
  }
  return change.empty() ? r : substitute(r, change);
}

/// Solves a x = b of size m in place by elimination with pivots; rows that depend on others give 0.
void eliminate(std::vector<double>& a, std::vector<double>& b, std::size_t m) {
  std::vector<std::size_t> row(m);
  for (std::size_t i = 0; i < m; ++i) row[i] = i;
  double largest = 0;
  for (const double x : a) largest = std::max(largest, std::abs(x));
  std::vector<bool> dead(m, false);
  for (std::size_t k = 0; k < m; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < m; ++i) {
      if (std::abs(a[row[i] * m + k]) > std::abs(a[row[best] * m + k])) best = i;
    }
    std::swap(row[k], row[best]);
    const double pivot = a[row[k] * m + k];
    if (!(std::abs(pivot) > 1e-12 * largest)) {
      dead[k] = true;
      continue;
    }
    for (std::size_t i = k + 1; i < m; ++i) {
      const double f = a[row[i] * m + k] / pivot;
      for (std::size_t j = k; j < m; ++j) a[row[i] * m + j] -= f * a[row[k] * m + j];
      b[row[i]] -= f * b[row[k]];
    }
  }
  std::vector<double> x(m, 0.0);
  for (std::size_t k = m; k-- > 0;) {
    if (dead[k]) continue;
    double s = b[row[k]];
    for (std::size_t j = k + 1; j < m; ++j) s -= a[row[k] * m + j] * x[j];
    x[k] = s / a[row[k] * m + k];
  }
  b = x;
}

}  // namespace

BoundaryStates::BoundaryStates(std::shared_ptr<const Problem> problem, const Lowering& lower,
                               const BalanceLaw& law, const FvmMesh& mesh)
    : problem_(std::move(problem)), mesh_(&mesh), size_(law.size()) {
  const std::size_t nb = mesh.n_boundary(), D = law.dimension(), N = size_;
  const Domain domain = domain_of(*problem_);
  const ShapePtr shape = domain.shape();
  points_.columns = law.space;
  std::vector<std::size_t> piece(nb);
  for (std::size_t b = 0; b < nb; ++b) {
    double x[2], foot[2], normal[2];
    for (std::size_t d = 0; d < D; ++d) x[d] = mesh.middle[d][mesh.n_inner + b];
    piece[b] = shape->nearest(x, foot, normal).piece;
    for (std::size_t d = 0; d < D; ++d) {
      points_.values.push_back(foot[d]);
      points_.normals.push_back(mesh.normal[d][mesh.n_inner + b]);
    }
  }
  std::vector<Expr> slopes, outputs, inputs = law.fields;
  for (const Expr& w : law.fields) slopes.push_back(Symbol("normal slope of " + w.name()));
  inputs.insert(inputs.end(), slopes.begin(), slopes.end());
  std::vector<std::string> names;
  for (const Condition& c : problem_->condition) {
    if (c.kind == Condition::Kind::periodic) continue;
    if (c.kind != Condition::Kind::general) refuse_condition(c, "fvm takes local conditions");
    const ConditionPlace place = place_of(*problem_, c);
    if (place.kind == ConditionPlace::Kind::slice) continue;
    const Expr r = with_normal_slopes(c, law, lower, slopes);
    Form form;
    const Boundary part(domain, place.boundary);
    const bool moves = part.depends_on(law.time);
    std::vector<Expr> by_piece;
    for (const Piece& p : shape->pieces()) by_piece.push_back(part.condition(p));
    for (std::size_t b = 0; b < nb; ++b) form.moving.push_back(by_piece[piece[b]]);
    form.holds.assign(nb, 0);
    // Homogeneous and without slopes: R(0) = 0 for a linear R.
    std::vector<Replacement> zero;
    for (const Expr& w : law.fields) zero.push_back({w, Expr(0)});
    bool has_slopes = false;
    for (const Expr& s : slopes) has_slopes = has_slopes || depends_on(r, s);
    const bool linear = is_linear(r);
    form.mirrored = linear && !has_slopes && substitute(r, zero).is_constant(0);
    linear_ = linear_ && linear;
    outputs.push_back(r);
    for (const Expr& w : inputs) outputs.push_back(partial(r, w));
    forms_.push_back(std::move(form));
    names.push_back(name_of(c));
    Form& last = forms_.back();
    if (!moves) {
      Values at;
      for (const auto& [name, value] : problem_->values()) at.set(Parameter(name), value);
      at.set(Coordinate(law.time), 0);
      for (std::size_t b = 0; b < nb; ++b) {
        for (std::size_t d = 0; d < D; ++d) {
          at.set(Coordinate(law.space[d]), points_.values[b * D + d]);
        }
        last.holds[b] = evaluate(last.moving[b], at) != 0;
      }
      last.moving.clear();
    }
  }
  if (forms_.empty() || nb == 0) return;
  program_ = std::make_unique<NodeProgram>(*problem_, outputs, inputs, points_);
  atoms_.assign(2 * N, std::vector<double>(nb));
  results_.assign(outputs.size(), std::vector<double>(nb));
  // A condition must say something about the state at every face where it holds.
  for (std::size_t k = 0; k < 2 * N; ++k) {
    for (std::size_t b = 0; b < nb; ++b) atoms_[k][b] = 0.7 + 0.1 * static_cast<double>(k);
  }
  program_->run(atoms_, results_, domain.time()->lower);
  for (std::size_t c = 0; c < forms_.size(); ++c) {
    for (std::size_t b = 0; b < nb && forms_[c].moving.empty(); ++b) {
      double size = 0;
      for (std::size_t k = 1; k <= 2 * N; ++k) {
        size += std::abs(results_[c * (2 * N + 1) + k][b]);
      }
      if (forms_[c].holds[b] != 0 && size == 0) {
        throw Error(ErrorKind::unsupported,
                    names[c] + ": says nothing about values and normal derivatives there",
                    "[solvers.fvm]", "use fdm");
      }
    }
  }
}

void BoundaryStates::set_time(double t) {
  const std::size_t D = points_.columns.size();
  for (Form& form : forms_) {
    if (form.moving.empty()) continue;
    Values at;
    for (const auto& [name, value] : problem_->values()) at.set(Parameter(name), value);
    // "t > 0" holds in the step that begins at 0.
    const Time& time = *problem_->domain->time();
    at.set(Coordinate(time.name), t + 1e-12 * (time.upper - time.lower));
    for (std::size_t b = 0; b < form.holds.size(); ++b) {
      for (std::size_t d = 0; d < D; ++d) {
        at.set(Coordinate(points_.columns[d]), points_.values[b * D + d]);
      }
      form.holds[b] = evaluate(form.moving[b], at) != 0;
    }
  }
}

void BoundaryStates::solve(double t, const Rows& inside, const Rows& cells, Rows& face,
                           Rows& ghost) {
  const std::size_t N = size_, nb = mesh_->n_boundary(), step = 2 * N + 1;
  face = inside;
  ghost = inside;
  if (!program_) return;
  set_time(t);
  std::vector<std::size_t> active;
  std::vector<double> j, a, r;
  const int rounds = linear_ ? 1 : 8;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < N; ++k) {
      for (std::size_t b = 0; b < nb; ++b) {
        atoms_[k][b] = face[k][b];
        atoms_[N + k][b] = (face[k][b] - cells[k][b]) / mesh_->distance[mesh_->n_inner + b];
      }
    }
    program_->run(atoms_, results_, t);
    for (std::size_t b = 0; b < nb; ++b) {
      active.clear();
      for (std::size_t c = 0; c < forms_.size(); ++c) {
        if (forms_[c].holds[b] != 0) active.push_back(c);
      }
      const std::size_t m = active.size();
      if (m == 0) continue;
      j.resize(m * N);
      a.assign(m * m, 0.0);
      r.resize(m);
      for (std::size_t i = 0; i < m; ++i) {
        const std::size_t at = active[i] * step;
        r[i] = results_[at][b];
        for (std::size_t k = 0; k < N; ++k) {
          j[i * N + k] = results_[at + 1 + k][b] +
                         results_[at + 1 + N + k][b] / mesh_->distance[mesh_->n_inner + b];
        }
      }
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t l = 0; l < m; ++l) {
          for (std::size_t k = 0; k < N; ++k) a[i * m + l] += j[i * N + k] * j[l * N + k];
        }
      }
      eliminate(a, r, m);
      for (std::size_t i = 0; i < m; ++i) {
        const double mirror = forms_[active[i]].mirrored ? 2 : 1;
        for (std::size_t k = 0; k < N; ++k) {
          face[k][b] -= j[i * N + k] * r[i];
          ghost[k][b] -= mirror * j[i * N + k] * r[i];
        }
      }
    }
  }
}

std::vector<Expr> initial_values(const Problem& problem, const Lowering& lower) {
  std::vector<Expr> values;
  std::vector<Replacement> given;
  const double start = problem.domain->time()->lower;
  for (const Condition& c : problem.condition) {
    if (c.kind != Condition::Kind::general) continue;
    const ConditionPlace place = place_of(problem, c);
    if (place.kind != ConditionPlace::Kind::slice) continue;
    if (std::abs(place.time - start) > 1e-12 * (1 + std::abs(start))) {
      refuse_condition(c, "fvm starts at the first time and cannot aim at a later one");
    }
    const auto form = dirichlet_form(c.form);
    if (!form) refuse_condition(c, "fvm needs initial conditions of the form u = ...");
    given.push_back({Field(form->field), plain(lower(form->value))});
  }
  for (const std::string& name : problem.fields) {
    const auto at = std::find_if(given.begin(), given.end(),
                                 [&](const Replacement& r) { return r.from.name() == name; });
    if (at == given.end()) {
      throw Error(ErrorKind::unsupported, fmt::format("field '{}' has no initial value", name),
                  "[solvers.fvm]", "give a condition at the first time");
    }
    Expr value = at->to;  // one field may be given by others
    for (std::size_t k = 0; k < problem.fields.size(); ++k) value = substitute(value, given);
    const Expr roots[] = {value};
    if (!field_atoms(roots).empty()) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("the initial value of '{}' hangs on itself", name), "[solvers.fvm]",
                  "give a value for every field");
    }
    values.push_back(substitute(value, Coordinate(problem.domain->time()->name), Expr(start)));
  }
  return values;
}

}  // namespace cauchy::detail
