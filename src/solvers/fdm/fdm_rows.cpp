#include "solvers/fdm/fdm_rows.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/work.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>

namespace cauchy::detail {
namespace {

std::vector<Expr> atoms_of_term(const Expr& value) {
  const Expr roots[] = {value};
  return field_atoms(roots);
}

std::vector<Expr> with_symbols(std::vector<Expr> atoms, const std::vector<Expr>& more) {
  atoms.insert(atoms.end(), more.begin(), more.end());
  return atoms;
}

std::vector<Expr> partials_of(const Expr& value, const std::vector<Expr>& atoms) {
  std::vector<Expr> out;
  for (const Expr& a : atoms) out.push_back(partial(value, a));
  return out;
}

void apply(const StencilSet& set, std::span<const double> y, std::size_t n_fields,
           std::size_t field, const std::vector<char>* side, int wanted, std::vector<double>& out) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (side != nullptr && (*side)[i] != wanted) continue;
    double sum = 0;
    for (std::size_t e = set.begin[i]; e < set.begin[i + 1]; ++e) {
      sum += set.weight[e] * y[static_cast<std::size_t>(set.node[e]) * n_fields + field];
    }
    out[i] = sum;
  }
}

}  // namespace

FdmTerm::FdmTerm(const Problem& problem, const FdmForm& form, const Expr& value, Points points,
                 std::vector<Expr> more)
    : n_(points.size()),
      n_fields_(form.fields.size()),
      atoms_(atoms_of_term(value)),
      value_(problem, {value}, with_symbols(atoms_, more), points),
      partial_(problem, partials_of(value, with_symbols(atoms_, more)), with_symbols(atoms_, more),
               std::move(points)) {
  for (const Expr& a : atoms_) {
    field_.push_back(static_cast<std::size_t>(
        std::find(form.fields.begin(), form.fields.end(), a.name()) - form.fields.begin()));
    in_time_.push_back(static_cast<char>(time_order(a, form.time)));
    orders_.push_back(space_orders(a, form.space));
    differential_ = differential_ || in_time_.back() > 0;
  }
  stencils_.resize(atoms_.size());
  rows_.assign(atoms_.size() + more.size(), std::vector<double>(n_));
  partials_ = rows_;
  values_.assign(1, std::vector<double>(n_));
}

const std::vector<char>* FdmTerm::side_of(std::size_t atom) const {
  for (const Lean& u : upwind_) {
    if (u.atom == atom) return &u.side;
  }
  return nullptr;
}

void FdmTerm::set_upwind(std::size_t atom, StencilSet backward, StencilSet forward) {
  const auto axis = static_cast<std::size_t>(
      std::find(orders_[atom].begin(), orders_[atom].end(), 1) - orders_[atom].begin());
  upwind_.push_back(
      {atom, axis, std::move(backward), std::move(forward), std::vector<char>(n_, 0)});
}

void FdmTerm::update(const FdmState& state, std::vector<std::vector<double>> more) {
  // Stencils of some points.
  count_work(WorkKind::memory, 100 * static_cast<double>(atoms_.size() * n_));
  for (std::size_t k = 0; k < atoms_.size(); ++k) {
    const std::span<const double> y = in_time_[k] != 0 ? state.dy : state.y;
    const std::vector<char>* side = side_of(k);
    apply(stencils_[k], y, n_fields_, field_[k], side, 0, rows_[k]);
    for (const Lean& u : upwind_) {
      if (u.atom != k) continue;
      apply(u.backward, y, n_fields_, field_[k], side, 1, rows_[k]);
      apply(u.forward, y, n_fields_, field_[k], side, 2, rows_[k]);
    }
  }
  std::move(more.begin(), more.end(), rows_.begin() + static_cast<long>(atoms_.size()));
}

const std::vector<double>& FdmTerm::values(const FdmState& state) {
  value_.run(rows_, values_, state.time);
  return values_[0];
}

const std::vector<std::vector<double>>& FdmTerm::partials(const FdmState& state) {
  if (!rows_.empty()) partial_.run(rows_, partials_, state.time);
  return partials_;
}

bool FdmTerm::choose_upwind(const FdmState& state, const std::vector<double>& spacings, Upwind kind,
                            double orientation, const std::vector<FdmDiffusion>& faces,
                            std::vector<std::vector<double>> more) {
  if (upwind_.empty()) return false;
  bool changed = false;
  update(state, std::move(more));
  const std::vector<std::vector<double>>& c = partials(state);
  for (Lean& u : upwind_) {
    std::size_t diffusion = atoms_.size(), rate = atoms_.size();
    for (std::size_t k = 0; k < atoms_.size(); ++k) {
      if (field_[k] != field_[u.atom]) continue;
      int total = 0;
      for (const int o : orders_[k]) total += o;
      if (in_time_[k] == 0 && total == 2 && orders_[k][u.axis] == 2) diffusion = k;
      if (in_time_[k] == 1 && total == 0) rate = k;
    }
    for (std::size_t i = 0; i < n_; ++i) {
      const double speed = c[u.atom][i];
      double a = diffusion < atoms_.size() ? c[diffusion][i] : 0;
      for (const FdmDiffusion& f : faces) {
        if (f.field != field_[u.atom] || f.axis != u.axis) continue;
        a += c[atoms_.size() + f.symbol][i] * f.slope[i];
      }
      const double flow = rate < atoms_.size() ? speed * c[rate][i]
                          : a != 0             ? -speed * a
                                               : speed * orientation;
      const bool strong = kind == Upwind::always ||
                          std::abs(speed) * spacings[u.axis] > 2 * std::abs(a) * (1 + 1e-12);
      const auto side = static_cast<char>(!strong || flow == 0 ? 0 : flow > 0 ? 1 : 2);
      changed = changed || side != u.side[i];
      u.side[i] = side;
    }
  }
  return changed;
}

double FdmTerm::upwind_share() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    count +=
        std::any_of(upwind_.begin(), upwind_.end(), [&](const Lean& u) { return u.side[i] != 0; })
            ? 1
            : 0;
  }
  return n_ == 0 ? 0 : static_cast<double>(count) / static_cast<double>(n_);
}

// --- rows ---

bool FdmRows::freeze(const FdmState& state) {
  frozen_ = true;
  return kind_ != Upwind::never && choose(state, differences(state));
}

std::vector<std::vector<double>> FdmRows::differences(const FdmState& state) {
  std::vector<std::vector<double>> all;
  const std::size_t n = term_.size();
  for (FdmFaces& f : faces_) {
    f.flux.update(state, f.more);
    const std::vector<double>& flux = f.flux.values(state);
    std::vector<double>& row = all.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) row[i] = (flux[n + i] - flux[i]) / f.h;
  }
  return all;
}

bool FdmRows::choose(const FdmState& state, const std::vector<std::vector<double>>& differences) {
  if (!term_.has_upwind()) return false;
  std::vector<FdmDiffusion> diffusion;
  const std::size_t n = term_.size();
  for (std::size_t s = 0; s < faces_.size(); ++s) {
    FdmFaces& f = faces_[s];
    for (std::size_t k = 0; k < f.flux.atoms().size(); ++k) {
      if (f.flux.orders_of(k)[f.axis] != 1) continue;
      const std::vector<double>& slope = f.flux.partials(state)[k];
      FdmDiffusion& one = diffusion.emplace_back(
          FdmDiffusion{s, f.flux.field_of(k), f.axis, std::vector<double>(n)});
      for (std::size_t i = 0; i < n; ++i) one.slope[i] = (slope[i] + slope[n + i]) / 2;
    }
  }
  return term_.choose_upwind(state, spacings_, kind_, orientation_, diffusion, differences);
}

void FdmRows::update(const FdmState& state) {
  std::vector<std::vector<double>> change = differences(state);
  if (kind_ != Upwind::never && !frozen_) choose(state, change);
  term_.update(state, std::move(change));
}

void FdmRows::residual(const FdmState& state, std::span<double> out) {
  update(state);
  const std::vector<double>& values = term_.values(state);
  count_work(WorkKind::memory, 40 * static_cast<double>(rows_.size()));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    out[rows_[i]] += weights_.empty() ? values[i] : weights_[i] * values[i];
  }
  if (!weights_.empty()) out[rows_[0]] -= value_;
}

/// f(point, column, weight, atom, in_time, face term or null, point there)
template <class F>
void FdmRows::for_entries(const F& f) const {
  for (std::size_t k = 0; k < term_.atoms().size(); ++k) {
    term_.for_weights(k, [&](std::size_t i, std::size_t column, double w, bool in_time) {
      f(i, column, w, k, in_time, faces_.size(), i);
    });
  }
  const std::size_t n = term_.size();
  for (std::size_t s = 0; s < faces_.size(); ++s) {
    for (std::size_t k = 0; k < faces_[s].flux.atoms().size(); ++k) {
      faces_[s].flux.for_weights(k, [&](std::size_t i, std::size_t column, double w, bool in_time) {
        const double sign = i < n ? -1 / faces_[s].h : 1 / faces_[s].h;
        f(i % n, column, sign * w, k, in_time, s, i);
      });
    }
  }
}

void FdmRows::pattern(std::vector<SparseMatrix::Entry>& entries) const {
  for_entries(
      [&](std::size_t i, std::size_t column, double, std::size_t, bool, std::size_t, std::size_t) {
        entries.push_back({rows_[i], column, 0});
      });
}

void FdmRows::locate(const SparseMatrix& matrix) {
  places_.clear();
  for_entries([&](std::size_t i, std::size_t column, double, std::size_t, bool, std::size_t,
                  std::size_t) { places_.push_back(matrix.position(rows_[i], column)); });
}

void FdmRows::jacobian(const FdmState& state, double a, std::span<double> values) {
  update(state);
  const std::vector<std::vector<double>>& own = term_.partials(state);
  std::vector<const std::vector<std::vector<double>>*> outer;
  for (FdmFaces& f : faces_) outer.push_back(&f.flux.partials(state));
  std::size_t at = 0;
  for_entries([&](std::size_t i, std::size_t column, double w, std::size_t atom, bool in_time,
                  std::size_t face, std::size_t there) {
    (void)column;
    double c = face == faces_.size()
                   ? own[atom][i]
                   : own[term_.atoms().size() + face][i] * (*outer[face])[atom][there];
    if (in_time) c *= a;
    if (!weights_.empty()) c *= weights_[i];
    // A weight of 0 must not make NaN of what is not used.
    if (w != 0) values[places_[at]] += c * w;
    ++at;
  });
}

}  // namespace cauchy::detail
