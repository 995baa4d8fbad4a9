#include "solvers/spectral/fourier_system.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cauchy::detail {
namespace {

using Complex = std::complex<double>;

/// A dense matrix of complex numbers for the work at one mode.
struct ModeTable {
  std::size_t rows = 0, cols = 0;
  std::vector<Complex> a;
  ModeTable(std::size_t n, std::size_t m) : rows(n), cols(m), a(n * m) {}
  Complex& operator()(std::size_t i, std::size_t j) { return a[i * cols + j]; }
  const Complex& operator()(std::size_t i, std::size_t j) const { return a[i * cols + j]; }
};

ModeTable mode_product(const ModeTable& a, const ModeTable& b) {
  ModeTable c(a.rows, b.cols);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t k = 0; k < a.cols; ++k) {
      for (std::size_t j = 0; j < b.cols; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

/// a - b c
ModeTable minus_mode_product(ModeTable a, const ModeTable& b, const ModeTable& c) {
  const ModeTable bc = mode_product(b, c);
  for (std::size_t i = 0; i < a.a.size(); ++i) a.a[i] -= bc.a[i];
  return a;
}

/// Gauss-Jordan elimination of the first n columns with full pivoting among them; row operations
/// act on all columns. Returns the columns of the pivots, row by row; rows behind them are zero in
/// the first n columns, up to rounding in units of the largest of the first `scaled` ones.
std::vector<std::size_t> eliminate_mode(ModeTable& w, std::size_t n, std::size_t scaled) {
  std::vector<double> unit(w.rows);
  for (std::size_t i = 0; i < w.rows; ++i) {
    for (std::size_t j = 0; j < scaled; ++j) unit[i] = std::max(unit[i], std::abs(w(i, j)));
  }
  std::vector<std::size_t> pivots;
  while (pivots.size() < w.rows) {
    const std::size_t at = pivots.size();
    std::size_t row = at, col = n;
    double best = 1e-12;
    for (std::size_t i = at; i < w.rows; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const double size = std::abs(w(i, j)) / unit[i];
        if (size > best) best = size, row = i, col = j;
      }
    }
    if (col == n) break;
    for (std::size_t j = 0; j < w.cols; ++j) std::swap(w(at, j), w(row, j));
    std::swap(unit[at], unit[row]);
    const Complex pivot = w(at, col);
    for (std::size_t j = 0; j < w.cols; ++j) w(at, j) /= pivot;
    unit[at] /= std::abs(pivot);
    for (std::size_t i = 0; i < w.rows; ++i) {
      if (i == at) continue;
      const Complex f = w(i, col);
      if (f == Complex(0)) continue;
      for (std::size_t j = 0; j < w.cols; ++j) w(i, j) -= f * w(at, j);
      w(i, col) = 0;
    }
    pivots.push_back(col);
  }
  for (std::size_t i = pivots.size(); i < w.rows; ++i) {
    for (std::size_t j = 0; j < n; ++j) w(i, j) = 0;
  }
  return pivots;
}

/// x with a x = b; none when a is singular.
std::optional<ModeTable> solved_mode(const ModeTable& a, const ModeTable& b) {
  ModeTable w(a.rows, a.cols + b.cols);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.cols; ++j) w(i, j) = a(i, j);
    for (std::size_t j = 0; j < b.cols; ++j) w(i, a.cols + j) = b(i, j);
  }
  const std::vector<std::size_t> pivots = eliminate_mode(w, a.cols, a.cols);
  if (pivots.size() < a.cols) return std::nullopt;
  ModeTable x(a.cols, b.cols);
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    for (std::size_t j = 0; j < b.cols; ++j) x(pivots[i], j) = w(i, a.cols + j);
  }
  return x;
}

/// What takes part at one mode.
struct ModeShare {
  std::vector<std::size_t> y, a;                     // columns
  std::vector<std::size_t> differential, algebraic;  // rows
};

/// Solution at one mode: rows of y' and a by columns of y and by f.
struct ModeSolution {
  ModeTable L, B, R, G, projection;
  bool projected = false;
};

class ModeSolver {
 public:
  ModeSolver(const SpectralForm& form, const FourierGrid& grid) : form_(form), grid_(grid) {
    for (std::size_t i = 0; i < form.n_rows(); ++i)
      has_source_.push_back(!form.rest[i].is_constant(0));
    for (std::size_t i = 0; i < form.n_rows(); ++i) {
      const bool rate = std::any_of(form.terms.begin(), form.terms.end(),
                                    [&](const auto& t) { return t.row == i && t.rate; });
      (rate ? all_.differential : all_.algebraic).push_back(i);
    }
    for (std::size_t c = 0; c < form.columns.size(); ++c) {
      (c < form.n_evolved ? all_.y : all_.a).push_back(c);
    }
  }

  [[nodiscard]] ModeShare everything() const { return all_; }

  void read(std::size_t mode) {
    const std::size_t n = form_.n_rows();
    rate_ = ModeTable(n, n);
    value_ = ModeTable(n, n);
    for (const FourierTerm& t : form_.terms) {
      Complex s = t.coefficient;
      for (std::size_t d = 0; d < t.orders.size(); ++d) {
        for (int k = 0; k < t.orders[d]; ++k) s *= Complex(0, grid_.wave_number(mode, d));
      }
      (t.rate ? rate_ : value_)(t.row, t.column) += s;
    }
  }
  [[nodiscard]] bool is_zero_row(std::size_t i) const {
    return zero([&](std::size_t j) { return std::pair(i, j); });
  }
  [[nodiscard]] bool is_zero_column(std::size_t j) const {
    return zero([&](std::size_t i) { return std::pair(i, j); });
  }

  /// None when the columns are not determined by the rows.
  [[nodiscard]] std::optional<ModeSolution> solve(const ModeShare& s, std::string& why) const {
    const std::size_t d = s.y.size(), c = s.a.size(), rows = form_.n_rows();
    if (s.differential.size() != d || s.algebraic.size() != c) return std::nullopt;
    // M y' = f1 - Ay y - Aa a
    ModeTable m(d, d), right(d, d + c + rows);
    for (std::size_t i = 0; i < d; ++i) {
      const std::size_t row = s.differential[i];
      for (std::size_t j = 0; j < d; ++j) {
        m(i, j) = rate_(row, s.y[j]);
        right(i, j) = value_(row, s.y[j]);
      }
      for (std::size_t j = 0; j < c; ++j) right(i, d + j) = value_(row, s.a[j]);
      right(i, d + c + row) = 1;
    }
    const auto inverse = solved_mode(m, right);
    if (!inverse) return std::nullopt;
    const ModeTable ay = part(*inverse, 0, d), aa = part(*inverse, d, c),
                    af = part(*inverse, d + c, rows);
    // Constraints: the first columns are those of a, then y, then f.
    ModeTable w(c, c + d + rows);
    for (std::size_t i = 0; i < c; ++i) {
      const std::size_t row = s.algebraic[i];
      for (std::size_t j = 0; j < c; ++j) w(i, j) = value_(row, s.a[j]);
      for (std::size_t j = 0; j < d; ++j) w(i, c + j) = value_(row, s.y[j]);
      w(i, c + d + row) = 1;
    }
    const std::size_t rank = eliminate_mode(w, c, c + d).size();
    ModeTable hidden(c, d);
    for (std::size_t i = rank; i < c; ++i) {
      // No a in it: w y = w f, so that w y' = w f'.
      ModeTable by_y(1, d);
      for (std::size_t j = 0; j < d; ++j) hidden(i, j) = by_y(0, j) = w(i, c + j);
      for (std::size_t j = 0; j < rows; ++j) {
        if (std::abs(w(i, c + d + j)) > 1e-12 && has_source_[j]) {
          why = fmt::format("the source in '{}' would have to be differentiated in time",
                            form_.row_names[j]);
          return std::nullopt;
        }
        w(i, c + d + j) = 0;
      }
      const ModeTable a_part = mode_product(by_y, aa), y_part = mode_product(by_y, ay),
                      f_part = mode_product(by_y, af);
      for (std::size_t j = 0; j < c; ++j) w(i, j) = a_part(0, j);
      for (std::size_t j = 0; j < d; ++j) w(i, c + j) = y_part(0, j);
      for (std::size_t j = 0; j < rows; ++j) w(i, c + d + j) = f_part(0, j);
    }
    const ModeTable k = part(w, 0, c);
    ModeTable known(c, 2 * d + rows);
    for (std::size_t i = 0; i < c; ++i) {
      for (std::size_t j = 0; j < d; ++j) known(i, j) = -w(i, c + j);
      for (std::size_t j = 0; j < rows; ++j) known(i, d + j) = w(i, c + d + j);
      for (std::size_t j = 0; j < d; ++j) known(i, d + rows + j) = hidden(i, j);
    }
    const auto x = solved_mode(k, known);
    if (!x) return std::nullopt;
    ModeSolution out{ModeTable(0, 0),   ModeTable(0, 0), part(*x, 0, d),
                     part(*x, d, rows), ModeTable(d, d), rank < c};
    ModeTable minus_ay = ay;
    for (Complex& v : minus_ay.a) v = -v;
    out.L = minus_mode_product(std::move(minus_ay), aa, out.R);
    out.B = minus_mode_product(af, aa, out.G);
    for (std::size_t i = 0; i < d; ++i) out.projection(i, i) = 1;
    out.projection = minus_mode_product(std::move(out.projection), aa, part(*x, d + rows, d));
    return out;
  }

 private:
  template <class At>
  [[nodiscard]] bool zero(const At& at) const {
    for (std::size_t k = 0; k < rate_.rows; ++k) {
      const auto [i, j] = at(k);
      if (rate_(i, j) != Complex(0) || value_(i, j) != Complex(0)) return false;
    }
    return true;
  }
  static ModeTable part(const ModeTable& from, std::size_t first, std::size_t count) {
    ModeTable out(from.rows, count);
    for (std::size_t i = 0; i < from.rows; ++i) {
      for (std::size_t j = 0; j < count; ++j) out(i, j) = from(i, first + j);
    }
    return out;
  }

  const SpectralForm& form_;
  const FourierGrid& grid_;
  std::vector<bool> has_source_;
  ModeShare all_;
  ModeTable rate_{0, 0}, value_{0, 0};
};

void take_out_of(std::vector<std::size_t>& list, std::size_t value) {
  list.erase(std::remove(list.begin(), list.end(), value), list.end());
}

/// Columns that do not occur at mode 0 are left open, rows that say nothing about the others are
/// left out in return; where there are too few such rows, a constraint.
std::optional<ModeSolution> solve_mode(const ModeSolver& solver, std::size_t mode,
                                       const SpectralForm& form, ModeShare& share,
                                       FourierSystem& out, std::string& why) {
  share = solver.everything();
  std::vector<std::size_t> columns, rows;
  for (std::size_t j = 0; j < form.columns.size(); ++j) {
    if (solver.is_zero_column(j)) columns.push_back(j);
    if (solver.is_zero_row(j)) rows.push_back(j);
  }
  if (columns.empty()) return solver.solve(share, why);
  if (mode != 0) {
    why = fmt::format("{} does not occur in them there", form.columns[columns[0]].field);
    return std::nullopt;
  }
  for (const std::size_t c : columns) take_out_of(share.y, c), take_out_of(share.a, c);
  for (const std::size_t r : rows)
    take_out_of(share.differential, r), take_out_of(share.algebraic, r);
  if (rows.size() + 1 == columns.size()) {
    for (const std::size_t r : std::vector<std::size_t>(share.algebraic)) {
      ModeShare without = share;
      take_out_of(without.algebraic, r);
      if (auto found = solver.solve(without, why)) {
        share = without;
        rows.push_back(r);
        for (std::size_t k = 0; k < columns.size(); ++k) {
          out.open.push_back({columns[k], rows[k]});
        }
        return found;
      }
    }
    return std::nullopt;
  }
  if (rows.size() != columns.size()) return std::nullopt;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    out.open.push_back({columns[k], rows[k]});
  }
  return solver.solve(share, why);
}

}  // namespace

FourierSystem fourier_system(const SpectralForm& form, const FourierGrid& grid) {
  const std::size_t d = form.n_evolved, c = form.columns.size() - d, rows = form.n_rows();
  const std::size_t modes = grid.n_modes();
  FourierSystem out{{d, d, modes}, {d, rows, modes}, {c, d, modes}, {c, rows, modes}, {}, {}, {}};
  ModeMatrices projection(d, d, modes);
  bool projected = false;
  ModeSolver solver(form, grid);
  ModeShare share;
  for (std::size_t k = 0; k < modes; ++k) {
    solver.read(k);
    std::string why;
    const auto s = solve_mode(solver, k, form, share, out, why);
    if (!s) {
      std::vector<long> numbers;
      for (std::size_t i = 0; i < form.space.size(); ++i) numbers.push_back(grid.index(k, i));
      out.failure = fmt::format(
          "the equations do not determine the Fourier mode ({}): {}", fmt::join(numbers, ", "),
          why.empty() ? "their linear part with constant coefficients is singular there" : why);
      return out;
    }
    projected = projected || s->projected;
    for (std::size_t i = 0; i < d; ++i) projection.set(i, i, k, 1);
    const auto put = [&](ModeMatrices& to, const ModeTable& from, const auto& row_of,
                         const auto& col_of) {
      for (std::size_t i = 0; i < from.rows; ++i) {
        for (std::size_t j = 0; j < from.cols; ++j) to.set(row_of(i), col_of(j), k, from(i, j));
      }
    };
    const auto of_y = [&](std::size_t i) { return share.y[i]; };
    const auto of_a = [&](std::size_t i) { return share.a[i] - d; };
    const auto same_one = [](std::size_t i) { return i; };
    put(out.L, s->L, of_y, of_y);
    put(out.B, s->B, of_y, same_one);
    put(out.R, s->R, of_a, of_y);
    put(out.G, s->G, of_a, same_one);
    put(projection, s->projection, of_y, of_y);
  }
  if (projected) out.projection = std::move(projection);
  return out;
}

}  // namespace cauchy::detail
