#include "solvers/spectral/fourier_flow.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>

namespace cauchy::detail {

FourierFlow::FourierFlow(const Problem& problem, const SpectralForm& form, FourierGrid grid,
                         Threads& threads)
    : problem_(problem),
      form_(form),
      grid_(std::move(grid)),
      system_(fourier_system(form, grid_)),
      threads_(threads) {
  std::vector<Expr> outputs;
  for (std::size_t i = 0; i < form.n_rows(); ++i) {
    has_constants_ = has_constants_ || form.constants[i] != 0;
    if (form.rest[i].is_constant(0)) continue;
    rows_.push_back(i);
    outputs.push_back(-form.rest[i]);
  }
  std::vector<Expr> fields = field_atoms(outputs);
  for (const Expr& e : fields) {
    const std::size_t column = form.column_of(e.name(), form.time_order(e));
    atoms_.push_back({column, grid_.derivative(form.space_orders(e))});
    if (column >= form.n_evolved) check_tied(e, column);
  }
  if (!rows_.empty()) {
    program_ = std::make_unique<NodeProgram>(problem, outputs, fields, grid_.points(form.space));
  }
  if (is_implicit()) {
    std::vector<Expr> slopes, inputs = fields;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      inputs.push_back(Symbol(fmt::format("slope {}", k)));
    }
    for (const Expr& e : outputs) {
      std::vector<Expr> terms;
      for (std::size_t k = 0; k < fields.size(); ++k) {
        terms.push_back(partial(e, fields[k]) * inputs[fields.size() + k]);
      }
      slopes.push_back(sum(terms));
    }
    slope_program_ =
        std::make_unique<NodeProgram>(problem, slopes, inputs, grid_.points(form.space));
    at_slope_.assign(atoms_.size(), AlignedVector<double>(grid_.n_points()));
  }
  at_.assign(atoms_.size(), AlignedVector<double>(grid_.n_points()));
  out_.assign(rows_.size(), AlignedVector<double>(grid_.n_points()));
  f_.assign(form.n_rows() * grid_.n_modes(), 0);
  tied_.assign((form.columns.size() - form.n_evolved) * grid_.n_modes(), 0);
  for (int w = 0; w < threads.size(); ++w) scratch_.push_back(grid_.scratch());
  for (std::size_t i = 0; i < form.n_rows(); ++i) f_[i * grid_.n_modes()] = -form.constants[i];
}

Modes FourierFlow::initial() const {
  const std::size_t d = form_.n_evolved, n = grid_.n_modes();
  Modes y(d * n);
  if (d == 0) return y;
  const NodeProgram program(problem_, form_.initial, {}, grid_.points(form_.space));
  std::vector<std::vector<double>> values(d, std::vector<double>(grid_.n_points()));
  program.run({}, values, form_.time->lower);
  FourierGrid::Scratch scratch = grid_.scratch();
  for (std::size_t i = 0; i < d; ++i) {
    grid_.to_modes(values[i], std::span(y).subspan(i * n, n), scratch);
  }
  return y;
}

void FourierFlow::check_tied(const Expr& atom, std::size_t column) {
  reads_tied_ = true;
  const std::string& field = form_.columns[column].field;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::unsupported, why, "[solvers.spectral]", "use fdm");
  };
  if (!form_.time) {
    const bool open = std::any_of(system_.open.begin(), system_.open.end(),
                                  [&](const auto& o) { return o.column == column; });
    if (open && atom.index().empty()) {
      refuse(fmt::format("the mean of {} is not determined by what is linear in the equations",
                         field));
    }
    return;
  }
  for (const std::size_t row : rows_) {
    if (system_.failure.empty() && !system_.G.is_zero(column - form_.n_evolved, row)) {
      refuse(fmt::format("{} depends on products or sources of '{}', which holds {} itself", field,
                         form_.row_names[row], field));
    }
  }
}

void FourierFlow::values_of(const Modes& y, const Modes& tied,
                            std::vector<AlignedVector<double>>& out) {
  const std::size_t n = grid_.n_modes(), d = form_.n_evolved;
  threads_.run(atoms_.size(), [&](std::size_t i, int worker) {
    const std::size_t c = atoms_[i].column;
    const auto modes =
        c < d ? std::span(y).subspan(c * n, n) : std::span(tied).subspan((c - d) * n, n);
    grid_.to_points(modes, atoms_[i].derivative, out[i],
                    scratch_[static_cast<std::size_t>(worker)]);
  });
}

void FourierFlow::modes_of(const NodeProgram& program, const std::vector<const double*>& in,
                           double t) {
  const std::size_t n = grid_.n_modes();
  std::vector<double*> out;
  for (auto& row : out_) out.push_back(row.data());
  // A steady problem has no time to give.
  std::optional<double> time;
  if (form_.time) time = t;
  program.run(in, out, time);
  threads_.run(rows_.size(), [&](std::size_t i, int worker) {
    grid_.to_modes(out_[i], std::span(f_).subspan(rows_[i] * n, n),
                   scratch_[static_cast<std::size_t>(worker)]);
  });
}

void FourierFlow::sources(double t, const Modes& y) {
  if (rows_.empty()) return;
  if (reads_tied_ && form_.time) system_.R.apply(y, tied_);
  values_of(y, tied_, at_);
  std::vector<const double*> in;
  for (const auto& row : at_) in.push_back(row.data());
  modes_of(*program_, in, t);
  for (const std::size_t row : rows_) f_[row * grid_.n_modes()] -= form_.constants[row];
}

void FourierFlow::map(const Modes& a, Modes& out) {
  tied_ = a;
  sources(0, {});
  system_.G.apply(f_, out);
  add_means(out);
}

void FourierFlow::slope(const Modes& v, Modes& out) {
  values_of({}, v, at_slope_);
  std::vector<const double*> in;
  for (const auto* rows : {&at_, &at_slope_}) {
    for (const auto& row : *rows) in.push_back(row.data());
  }
  const Modes kept = f_;
  for (std::size_t i = 0; i < f_.size(); i += grid_.n_modes()) f_[i] = 0;  // constants
  modes_of(*slope_program_, in, 0);
  system_.G.apply(f_, out);
  f_ = kept;
}

void FourierFlow::rest(double t, const Modes& y, Modes& out) {
  sources(t, y);
  system_.B.apply(f_, out);
}

Modes FourierFlow::tied(double t, const Modes& y) {
  sources(t, y);
  Modes a(tied_.size());
  system_.R.apply(y, a);
  system_.G.add(f_, a);
  add_means(a);
  return a;
}

void FourierFlow::add_means(Modes& a) const {
  const std::size_t n = grid_.n_modes();
  for (const FourierSystem::Open& o : system_.open) {
    if (o.column < form_.n_evolved) continue;
    for (const FourierGauge& g : form_.gauges) {
      if (g.field != form_.columns[o.column].field) continue;
      const auto modes = std::span(a).subspan((o.column - form_.n_evolved) * n, n);
      modes[0] = g.point.empty() ? g.mean : g.value - grid_.value_at(modes, g.point);
    }
  }
}

FourierFlow::Imbalance FourierFlow::imbalance(double t, const Modes& y) {
  Imbalance worst;
  if (system_.open.empty()) return worst;
  const Modes a = tied(t, y);
  const std::size_t n = grid_.n_modes(), d = form_.n_evolved;
  for (const FourierSystem::Open& o : system_.open) {
    // The row without rates: its terms at all modes tell its size, those at mode 0 are left.
    std::complex<double> left = -f_[o.row * n];
    double square = grid_.mean_square(std::span(f_).subspan(o.row * n, n));
    for (const FourierTerm& term : form_.terms) {
      if (term.row != o.row || term.rate) continue;
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t c = term.column;
        std::complex<double> s = term.coefficient * (c < d ? y[c * n + k] : a[(c - d) * n + k]);
        for (std::size_t i = 0; i < term.orders.size(); ++i) {
          for (int p = 0; p < term.orders[i]; ++p) {
            s *= std::complex<double>(0, grid_.wave_number(k, i));
          }
        }
        square += grid_.weight(k) * std::norm(s);
        if (k == 0) left += s;
      }
    }
    const double relative = square > 0 ? std::abs(left) / std::sqrt(square) : 0;
    if (!(relative <= worst.size)) worst = {relative, form_.row_names[o.row]};
  }
  return worst;
}

}  // namespace cauchy::detail
