#include "solvers/fdm/fdm_system.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/lowering.hpp"
#include "solvers/fdm/fdm_assembly.hpp"
#include "solvers/fdm/fdm_model.hpp"

namespace cauchy::detail {

namespace {

/// Rates stand in the equations with factors that depend on neither time nor fields.
bool constant_rates(const FdmForm& form) {
  for (const FdmEquation& e : form.equations) {
    const Expr roots[] = {e.residual};
    for (const Expr& atom : field_atoms(roots)) {
      if (time_order(atom, form.time) == 0) continue;
      const Expr factor[] = {partial(e.residual, atom)};
      if (!field_atoms(factor).empty() || depends_on(factor[0], Coordinate(form.time)) ||
          !atoms(factor, Kind::call).empty()) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

struct FdmSystem::Impl {
  FdmAssembly a;
  Fdm method;
  bool constant_mass = false;
  SparseMatrix pattern;  // with values 0; empty before the first Jacobian
  std::vector<std::vector<std::size_t>> border_places;

  [[nodiscard]] FdmState state(double t, std::span<const double> y,
                               std::span<const double> dy) const {
    FdmState s{std::nullopt, y, dy};
    if (!a.form.time.empty()) s.time = t;
    return s;
  }

  void make_pattern() {
    std::vector<SparseMatrix::Entry> entries;
    for (const FdmRows& r : a.rows) r.pattern(entries);
    for (std::size_t i = 0; i < a.size; ++i) entries.push_back({i, i, 0});
    for (const FdmAssembly::Border& b : a.borders) {
      for (const std::size_t row : b.rows) entries.push_back({row, b.column, 0});
    }
    pattern = SparseMatrix(a.size, a.size, entries);
    for (FdmRows& r : a.rows) r.locate(pattern);
    for (const FdmAssembly::Border& b : a.borders) {
      std::vector<std::size_t>& places = border_places.emplace_back();
      for (const std::size_t row : b.rows) places.push_back(pattern.position(row, b.column));
    }
  }
};

FdmSystem::FdmSystem(std::shared_ptr<const Problem> problem, const Fdm& method, int n)
    : impl_(std::make_unique<Impl>()) {
  impl_->a = assemble_fdm(std::move(problem), method, n);
  impl_->method = method;
  impl_->constant_mass = constant_rates(impl_->a.form);
}

FdmSystem::~FdmSystem() = default;

std::size_t FdmSystem::size() const { return impl_->a.size; }
const std::vector<char>& FdmSystem::differential() const { return impl_->a.differential; }
bool FdmSystem::linear() const noexcept { return impl_->a.form.linear; }
bool FdmSystem::constant_mass() const { return impl_->constant_mass; }

std::vector<int> FdmSystem::fields() const {
  const std::size_t F = impl_->a.form.fields.size(), n = impl_->a.grid->nodes().size() * F;
  std::vector<int> out(impl_->a.size, static_cast<int>(F));
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<int>(i % F);
  return out;
}

double FdmSystem::spacing() const noexcept { return impl_->a.grid->spacing(); }

std::string FdmSystem::shape() const {
  std::vector<int> cells;
  for (const FdmAxis& a : impl_->a.grid->axes()) cells.push_back(a.cells);
  return fmt::format("{}", fmt::join(cells, " x "));
}

FdmSystem::Tensor FdmSystem::tensor() const {
  const FdmGrid& grid = *impl_->a.grid;
  Tensor out;
  std::size_t all = 1;
  for (const FdmAxis& a : grid.axes()) {
    out.shape.push_back(static_cast<std::size_t>(a.periodic ? a.cells : a.cells + 1));
    out.periodic.push_back(a.periodic);
    all *= out.shape.back();
  }
  return grid.is_box() && all == size() ? out : Tensor{};
}

std::vector<std::string> FdmSystem::remarks() const {
  std::vector<std::string> out = impl_->a.remarks;
  double share = 0;
  for (const FdmRows& r : impl_->a.rows) share = std::max(share, r.term().upwind_share());
  if (share > 0) {
    out.push_back(fmt::format("differences against the flow at {:.0f} % of the nodes{}",
                              100 * share,
                              impl_->method.upwind == Upwind::automatic
                                  ? ", since the cell Peclet number is above 2 there"
                                  : ""));
  }
  return out;
}

bool FdmSystem::begin_step(double t, std::span<const double> y, std::span<const double> dy) {
  bool changed = false;
  for (FdmRows& r : impl_->a.rows) changed = r.freeze(impl_->state(t, y, dy)) || changed;
  return changed;
}

void FdmSystem::residual(double t, std::span<const double> y, std::span<const double> dy,
                         std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  const FdmState state = impl_->state(t, y, dy);
  for (FdmRows& r : impl_->a.rows) r.residual(state, out);
  for (const FdmAssembly::Border& b : impl_->a.borders) {
    for (const std::size_t row : b.rows) out[row] += y[b.column];
  }
}

void FdmSystem::jacobian(double t, std::span<const double> y, std::span<const double> dy, double a,
                         SparseMatrix& out) {
  Impl& m = *impl_;
  if (m.pattern.rows() == 0) {
    m.make_pattern();
    count_work(WorkKind::pieces, 4 * static_cast<double>(m.pattern.nonzeros()));
  }
  ask_limit("the equations of the grid");
  count_work(WorkKind::memory, 30 * static_cast<double>(m.pattern.nonzeros()));
  if (out.nonzeros() != m.pattern.nonzeros()) out = m.pattern;
  const std::span<double> values = out.values();
  std::fill(values.begin(), values.end(), 0.0);
  const FdmState state = m.state(t, y, dy);
  for (FdmRows& r : m.a.rows) r.jacobian(state, a, values);
  for (const std::vector<std::size_t>& places : m.border_places) {
    for (const std::size_t place : places) values[place] += 1;
  }
}

std::vector<double> FdmSystem::initial() const {
  const FdmAssembly& a = impl_->a;
  const Problem& p = *a.problem;
  const std::size_t F = a.form.fields.size(), n = a.grid->nodes().size();
  std::vector<double> y(a.size, 0);
  std::vector<char> known(F, 0);
  const Lowering lower(p);
  Points points;
  points.columns = a.form.space;
  for (const FdmNode& node : a.grid->nodes()) {
    const GridPoint x = a.grid->point(node.at);
    points.values.insert(points.values.end(), x.begin(),
                         x.begin() + static_cast<long>(a.form.space.size()));
  }
  for (const Condition& c : p.condition) {
    if (c.kind != Condition::Kind::general) continue;
    const ConditionPlace place = place_of(p, c);
    if (place.kind != ConditionPlace::Kind::slice) continue;
    const LinearForm form = linear_form(lower(c.form.residual()));
    if (!form.linear || form.terms.size() != 1 ||
        total_order(form.terms[0].atom.index()) != time_order(form.terms[0].atom, a.form.time)) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("condition '{}' does not give a field or its rate at the first time",
                              name_of(c)),
                  "[solvers.fdm]", "write it as u = ... or u_t = ...");
    }
    const int rate = time_order(form.terms[0].atom, a.form.time);
    for (std::size_t f = 0; f < F; ++f) {
      if (a.form.fields[a.form.origin[f]] != form.terms[0].atom.name() || a.form.rate[f] != rate) {
        continue;
      }
      const NodeProgram program(p, {-form.remainder / form.terms[0].coefficient}, {}, points);
      std::vector<std::vector<double>> out(1, std::vector<double>(n));
      program.run(std::vector<std::vector<double>>{}, out, place.time);
      for (std::size_t i = 0; i < n; ++i) y[i * F + f] = out[0][i];
      known[f] = 1;
    }
  }
  for (const FdmEquation& e : a.form.equations) {
    const Expr roots[] = {e.residual};
    for (const Expr& atom : field_atoms(roots)) {
      const auto f = static_cast<std::size_t>(
          std::find(a.form.fields.begin(), a.form.fields.end(), atom.name()) -
          a.form.fields.begin());
      if (time_order(atom, a.form.time) == 0 || known[f] != 0) continue;
      throw Error(
          ErrorKind::unsupported,
          fmt::format("field '{}' has no initial condition{}", a.form.fields[a.form.origin[f]],
                      a.form.rate[f] > 0 ? " for its rate in time" : ""),
          "[solvers.fdm]", "give one at the first time");
    }
  }
  return y;
}

std::shared_ptr<const FieldModel> FdmSystem::model(
    const std::vector<double>& times, const std::vector<std::vector<double>>& states) const {
  return fdm_model(impl_->a, impl_->method.order, times, states);
}

std::vector<double> FdmSystem::slacks(std::span<const double> y) const {
  std::vector<double> out;
  for (const FdmAssembly::Border& b : impl_->a.borders) out.push_back(y[b.column]);
  return out;
}

}  // namespace cauchy::detail
