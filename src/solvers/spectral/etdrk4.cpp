#include "solvers/spectral/etdrk4.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/work.hpp>

namespace cauchy::detail {
namespace {

using Complex = std::complex<double>;

/// Three complex numbers for every mode.
void count_modes(std::size_t n) { count_work(WorkKind::memory, 48 * static_cast<double>(n)); }

// Products of complex numbers by their parts: the operator would look for NaN in each.
void multiply_modes(std::span<const Complex> m, std::span<const Complex> x,
                    std::span<Complex> out) {
  const auto *a = reinterpret_cast<const double*>(m.data()),
             *b = reinterpret_cast<const double*>(x.data());
  auto* c = reinterpret_cast<double*>(out.data());
  count_modes(out.size());
  for (std::size_t i = 0; i < 2 * out.size(); i += 2) {
    c[i] = a[i] * b[i] - a[i + 1] * b[i + 1];
    c[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
  }
}

void multiply_add_modes(std::span<const Complex> m, std::span<const Complex> x,
                        std::span<Complex> out) {
  const auto *a = reinterpret_cast<const double*>(m.data()),
             *b = reinterpret_cast<const double*>(x.data());
  auto* c = reinterpret_cast<double*>(out.data());
  count_modes(out.size());
  for (std::size_t i = 0; i < 2 * out.size(); i += 2) {
    c[i] += a[i] * b[i] - a[i + 1] * b[i + 1];
    c[i + 1] += a[i] * b[i + 1] + a[i + 1] * b[i];
  }
}

SmallMatrix combined_small(double a, const SmallMatrix& x, double b, const SmallMatrix& y) {
  SmallMatrix out(x.n);
  for (std::size_t i = 0; i < x.a.size(); ++i) out.a[i] = a * x.a[i] + b * y.a[i];
  return out;
}

SmallMatrix small_plus_identity(double a, SmallMatrix x, double b) {
  for (Complex& v : x.a) v *= a;
  for (std::size_t i = 0; i < x.n; ++i) x(i, i) += b;
  return x;
}

/// The largest sum of magnitudes in a row.
double small_row_norm(const SmallMatrix& x) {
  double norm = 0;
  for (std::size_t i = 0; i < x.n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < x.n; ++j) sum += std::abs(x(i, j));
    norm = std::max(norm, sum);
  }
  return norm;
}

/// Powers of 2 d_i so that rows and columns of d_i^-1 x_ij d_j are about equally large (Parlett and
/// Reinsch): a wave as a system has entries 1 and -k^2, the eigenvalues are of size k.
std::vector<double> small_balancing(const SmallMatrix& x) {
  std::vector<double> d(x.n, 1);
  for (int sweep = 0; sweep < 8; ++sweep) {
    bool changed = false;
    for (std::size_t i = 0; i < x.n; ++i) {
      double row = 0, col = 0;
      for (std::size_t j = 0; j < x.n; ++j) {
        if (j == i) continue;
        row += std::abs(x(i, j)) * d[j] / d[i];
        col += std::abs(x(j, i)) * d[i] / d[j];
      }
      if (!(row > 0) || !(col > 0)) continue;
      const double f = std::exp2(std::round(std::log2(row / col) / 2));
      if (f == 1 || !std::isfinite(f)) continue;
      d[i] *= f;
      changed = true;
    }
    if (!changed) break;
  }
  return d;
}

}  // namespace

SmallMatrix operator*(const SmallMatrix& a, const SmallMatrix& b) {
  SmallMatrix c(a.n);
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t k = 0; k < a.n; ++k) {
      for (std::size_t j = 0; j < a.n; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

Phi phi_functions(Complex z) {
  Phi phi{std::exp(z), 0, 0, 0};
  if (std::abs(z) < 2) {
    // phi_3 = sum_k z^k / (k + 3)! by Horner's rule; 26 terms reach eps.
    phi[3] = 1;
    for (int k = 26; k > 0; --k) phi[3] = 1.0 + z * phi[3] / (k + 3.0);
    phi[3] /= 6;
    phi[2] = 0.5 + z * phi[3];
    phi[1] = 1.0 + z * phi[2];
    return phi;
  }
  phi[1] = (phi[0] - 1.0) / z;
  phi[2] = (phi[1] - 1.0) / z;
  phi[3] = (phi[2] - 0.5) / z;
  return phi;
}

MatrixPhi phi_functions(const SmallMatrix& z) {
  const std::vector<double> d = small_balancing(z);
  SmallMatrix x = z;
  for (std::size_t i = 0; i < z.n; ++i) {
    for (std::size_t j = 0; j < z.n; ++j) x(i, j) *= d[j] / d[i];
  }
  // At least one doubling: the last but one result is that of z/2.
  const double norm = small_row_norm(x);
  int doublings = 1;
  if (std::isfinite(norm) && norm > 1) doublings += static_cast<int>(std::ceil(std::log2(norm)));
  for (Complex& v : x.a) v *= std::exp2(-doublings);
  // phi_3 = sum_k x^k / (k + 3)! by Horner's rule; |x| <= 1/2, so 13 terms reach eps.
  constexpr int terms = 13;
  std::array<SmallMatrix, 4> p;
  p[3] = small_plus_identity(0, x, 1);
  for (int k = terms; k > 0; --k) p[3] = small_plus_identity(1.0 / (k + 3), x * p[3], 1);
  p[3] = small_plus_identity(1.0 / 6, p[3], 0);
  p[2] = small_plus_identity(1, x * p[3], 0.5);
  p[1] = small_plus_identity(1, x * p[2], 1);
  p[0] = small_plus_identity(1, x * p[1], 1);
  MatrixPhi out;
  for (int k = 0; k < doublings; ++k) {
    if (k + 1 == doublings) out.half = p;
    std::array<SmallMatrix, 4> q;
    q[0] = p[0] * p[0];
    q[1] = combined_small(0.5, p[0] * p[1], 0.5, p[1]);
    q[2] = combined_small(0.25, p[1] * p[1], 0.5, p[2]);
    q[3] = combined_small(0.125, p[1] * p[2], 0.125, combined_small(1, p[2], 2, p[3]));
    p = std::move(q);
  }
  out.full = std::move(p);
  for (auto* set : {&out.half, &out.full}) {
    for (SmallMatrix& m : *set) {
      for (std::size_t i = 0; i < z.n; ++i) {
        for (std::size_t j = 0; j < z.n; ++j) m(i, j) *= d[i] / d[j];
      }
    }
  }
  return out;
}

bool ModeMatrices::is_diagonal() const {
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t j = 0; j < cols_; ++j) {
      if (i != j && !is_zero(i, j)) return false;
    }
  }
  return rows_ == cols_;
}

void ModeMatrices::set(std::size_t i, std::size_t j, std::size_t mode, Complex value) {
  Modes& e = entries_[i * cols_ + j];
  if (e.empty()) {
    if (value == Complex(0)) return;
    e.assign(n_modes_, 0);
  }
  e[mode] = value;
}

void ModeMatrices::apply(std::span<const Complex> in, std::span<Complex> out) const {
  for (std::size_t i = 0; i < rows_; ++i) {
    const auto row = out.subspan(i * n_modes_, n_modes_);
    bool first = true;
    for (std::size_t j = 0; j < cols_; ++j) {
      if (is_zero(i, j)) continue;
      (first ? multiply_modes : multiply_add_modes)(entry(i, j), in.subspan(j * n_modes_, n_modes_),
                                                    row);
      first = false;
    }
    if (first) std::fill(row.begin(), row.end(), 0);
  }
}

void ModeMatrices::add(std::span<const Complex> in, std::span<Complex> out) const {
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t j = 0; j < cols_; ++j) {
      if (is_zero(i, j)) continue;
      multiply_add_modes(entry(i, j), in.subspan(j * n_modes_, n_modes_),
                         out.subspan(i * n_modes_, n_modes_));
    }
  }
}

Etdrk4::Etdrk4(const ModeMatrices& linear, double step) : h_(step) {
  const std::size_t n = linear.rows(), modes = linear.n_modes();
  for (ModeMatrices* m : {&full_, &half_, &q_, &f1_, &f2_, &f3_}) *m = {n, n, modes};
  for (Modes* v : {&y_half_, &a_, &n1_, &n2_, &n3_, &out_}) v->resize(n * modes);
  const auto keep = [&](std::size_t i, std::size_t j, std::size_t k, const Phi& half,
                        const Phi& full) {
    full_.set(i, j, k, full[0]);
    half_.set(i, j, k, half[0]);
    q_.set(i, j, k, h_ / 2 * half[1]);
    f1_.set(i, j, k, h_ * (full[1] - 3.0 * full[2] + 4.0 * full[3]));
    f2_.set(i, j, k, h_ * (2.0 * full[2] - 4.0 * full[3]));
    f3_.set(i, j, k, h_ * (4.0 * full[3] - full[2]));
  };
  const bool diagonal = linear.is_diagonal();
  for (std::size_t k = 0; k < modes; ++k) {
    if (diagonal) {
      for (std::size_t i = 0; i < n; ++i) {
        const Complex z = h_ * linear.at(i, i, k);
        keep(i, i, k, phi_functions(0.5 * z), phi_functions(z));
      }
      continue;
    }
    SmallMatrix z(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) z(i, j) = h_ * linear.at(i, j, k);
    }
    const MatrixPhi phi = phi_functions(z);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        Phi half, full;
        for (std::size_t p = 0; p < 4; ++p) {
          half[p] = phi.half[p](i, j);
          full[p] = phi.full[p](i, j);
        }
        keep(i, j, k, half, full);
      }
    }
  }
}

void Etdrk4::advance(double t, Modes& y, Nonlinear nonlinear) {
  half_.apply(y, y_half_);
  nonlinear(t, y, n1_);
  a_ = y_half_;
  q_.add(n1_, a_);
  full_.apply(y, out_);
  f1_.add(n1_, out_);
  // The third stage starts from a: its linear part is taken before a is overwritten.
  nonlinear(t + h_ / 2, a_, n2_);
  half_.apply(a_, y);
  a_ = y_half_;
  q_.add(n2_, a_);
  nonlinear(t + h_ / 2, a_, n3_);
  for (std::size_t i = 0; i < n2_.size(); ++i) {
    n2_[i] += n3_[i];
    n3_[i] = 2.0 * n3_[i] - n1_[i];
  }
  f2_.add(n2_, out_);
  q_.add(n3_, y);
  nonlinear(t + h_, y, n1_);
  f3_.add(n1_, out_);
  std::swap(y, out_);
}

void Etdrk4::advance(Modes& y) {
  full_.apply(y, out_);
  std::swap(y, out_);
}

}  // namespace cauchy::detail
