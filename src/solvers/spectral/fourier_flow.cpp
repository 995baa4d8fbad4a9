#include "solvers/spectral/fourier_flow.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>

namespace cauchy::detail {

FourierFlow::FourierFlow(const Problem& problem, const FourierForm& form, FourierGrid grid,
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
    if (column < form.n_evolved) continue;
    reads_tied_ = true;
    for (const std::size_t row : rows_) {
      if (system_.failure.empty() && !system_.G.is_zero(column - form.n_evolved, row)) {
        throw Error(ErrorKind::unsupported,
                    fmt::format("{} depends on products or sources of '{}', which holds {} itself",
                                form.columns[column].field, form.row_names[row],
                                form.columns[column].field),
                    "[solvers.spectral]", "use fdm");
      }
    }
  }
  if (!rows_.empty()) {
    program_ = std::make_unique<NodeProgram>(problem, outputs, fields, grid_.points(form.space));
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

void FourierFlow::sources(double t, const Modes& y) {
  if (rows_.empty()) return;
  const std::size_t n = grid_.n_modes(), d = form_.n_evolved;
  if (reads_tied_) system_.R.apply(y, tied_);
  threads_.run(atoms_.size(), [&](std::size_t i, int worker) {
    const std::size_t c = atoms_[i].column;
    const auto modes = c < d ? std::span(y).subspan(c * n, n)
                             : std::span<const std::complex<double>>(tied_).subspan((c - d) * n, n);
    grid_.to_points(modes, atoms_[i].derivative, at_[i],
                    scratch_[static_cast<std::size_t>(worker)]);
  });
  std::vector<const double*> in;
  std::vector<double*> out;
  for (const auto& row : at_) in.push_back(row.data());
  for (auto& row : out_) out.push_back(row.data());
  // A steady problem has no time to give.
  std::optional<double> time;
  if (form_.time) time = t;
  program_->run(in, out, time);
  threads_.run(rows_.size(), [&](std::size_t i, int worker) {
    const auto modes = std::span(f_).subspan(rows_[i] * n, n);
    grid_.to_modes(out_[i], modes, scratch_[static_cast<std::size_t>(worker)]);
    modes[0] -= form_.constants[rows_[i]];
  });
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
  const std::size_t n = grid_.n_modes();
  for (const FourierSystem::Open& o : system_.open) {
    if (o.mode != 0 || o.column < form_.n_evolved) continue;
    for (const FourierGauge& g : form_.gauges) {
      if (g.field != form_.columns[o.column].field) continue;
      const auto modes = std::span(a).subspan((o.column - form_.n_evolved) * n, n);
      modes[0] = g.point.empty() ? g.mean : g.value - grid_.value_at(modes, g.point);
    }
  }
  return a;
}

FourierFlow::Imbalance FourierFlow::imbalance(double t, const Modes& y) {
  Imbalance worst;
  if (system_.open.empty()) return worst;
  const Modes a = tied(t, y);
  const std::size_t n = grid_.n_modes(), d = form_.n_evolved;
  std::vector<double> left(form_.n_rows()), size(form_.n_rows());
  std::vector<std::vector<std::complex<double>>> sums(form_.n_rows());
  for (const FourierSystem::Open& o : system_.open) {
    std::vector<std::complex<double>>& sum = sums[o.row];
    if (sum.empty()) {
      // The row without rates, at all modes.
      sum.assign(n, 0);
      double square = 0;
      for (const FourierTerm& term : form_.terms) {
        if (term.row != o.row || term.rate) continue;
        for (std::size_t k = 0; k < n; ++k) {
          std::complex<double> s = term.coefficient;
          for (std::size_t i = 0; i < term.orders.size(); ++i) {
            for (int p = 0; p < term.orders[i]; ++p) {
              s *= std::complex<double>(0, grid_.wave_number(k, i));
            }
          }
          const std::size_t c = term.column;
          s *= c < d ? y[c * n + k] : a[(c - d) * n + k];
          sum[k] += s;
          square += grid_.weight(k) * std::norm(s);
        }
      }
      const auto f = std::span<const std::complex<double>>(f_).subspan(o.row * n, n);
      for (std::size_t k = 0; k < n; ++k) sum[k] -= f[k];
      size[o.row] = square + grid_.mean_square(f);
    }
    left[o.row] += grid_.weight(o.mode) * std::norm(sum[o.mode]);
  }
  for (std::size_t i = 0; i < form_.n_rows(); ++i) {
    const double relative = size[i] > 0 ? std::sqrt(left[i] / size[i]) : 0;
    if (!(relative <= worst.size)) worst = {relative, form_.row_names[i]};
  }
  return worst;
}

}  // namespace cauchy::detail
