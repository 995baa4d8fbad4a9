#include "optimizers/damped_solver.hpp"

#include <algorithm>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/math/orthogonal.hpp>
#include <cmath>
#include <limits>

#include "optimizers/vector_ops.hpp"

namespace cauchy::detail {

void DampedSolver::set(MatrixView<double> j, bool sample, double qr_below) {
  j_ = j;
  sample_ = sample;
  qr_below_ = qr_below;
  factored_mu_ = -1;
  factored_ = has_gram_ = false;
  stack_ = {};
  cholesky_ = {};
}

double DampedSolver::extra_doubles(double m, double n, bool sample, bool qr) noexcept {
  const double k = std::min(m, n), s = sample ? m : n;
  // The products and their Cholesky factor; what takes their place where Cholesky fails is smaller.
  if (!qr) return 2 * s * s;
  // The stacked matrix, or the triangle and the copy of it that the truncated solution overwrites.
  return sample ? std::max((m + k) * k, 2 * m * k) : std::max((k + n) * n, 2 * k * n);
}

void DampedSolver::times(std::span<const double> v, std::span<double> out) const {
  if (!factored_) return gemv(Transpose::no, 1.0, j_, v, 0.0, VectorView<double>(out));
  const std::size_t m = j_.rows(), n = j_.cols(), k = std::min(m, n);
  if (sample_) {  // L (Q v)
    std::vector<double> q(v.begin(), v.end());
    lq_apply(false, j_, tau_, q);
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t length = std::min(i + 1, k);
      out[i] = dot({j_.data() + i * j_.leading(), length}, {q.data(), length});
    }
  } else {  // Q (R v)
    for (std::size_t i = 0; i < m; ++i) {
      out[i] = i < k ? dot({j_.data() + i * j_.leading() + i, n - i}, {v.data() + i, n - i}) : 0.0;
    }
    qr_apply(false, j_, tau_, out);
  }
}

bool DampedSolver::solve(double mu, std::span<const double> r, std::span<double> d) {
  if (!(mu < qr_below_) && !factored_ && solve_cholesky(mu, r, d)) return true;
  return solve_qr(mu, r, d);
}

bool DampedSolver::factor_cholesky(double mu) {
  if (factored_mu_ == mu) return true;
  const std::size_t s = sample_ ? j_.rows() : j_.cols();
  factored_mu_ = -1;
  if (!has_gram_) {
    if (gram_.rows() != s) {
      gram_ = {};
      gram_ = Matrix(s, s);
    }
    syrk(Half::lower, sample_ ? Transpose::no : Transpose::yes, 1.0, j_, 0.0, gram_);
    has_gram_ = true;
  }
  std::vector<double> diagonal(s);
  for (std::size_t i = 0; i < s; ++i) {
    diagonal[i] = gram_(i, i);
    gram_(i, i) += mu;
  }
  cholesky_ = {};  // else the old factor and the new one exist together
  cholesky_ = cholesky(gram_);
  for (std::size_t i = 0; i < s; ++i) gram_(i, i) = diagonal[i];
  if (cholesky_.status != Factorization::ok) return false;
  factored_mu_ = mu;
  return true;
}

bool DampedSolver::solve_cholesky(double mu, std::span<const double> r, std::span<double> d) {
  const std::size_t m = j_.rows(), n = j_.cols(), s = sample_ ? m : n;
  if (!factor_cholesky(mu)) return false;
  // Residual of the equations from J itself, not from J'J, whose rounding errors it would repeat:
  // one correction restores most of what squaring the condition number lost.
  std::vector<double> w(s, 0.0), e(s), jd(m);
  for (int pass = 0; pass < 2; ++pass) {
    if (sample_) {  // e = r - (J J' + mu) w
      std::copy(r.begin(), r.end(), e.begin());
      if (pass > 0) {
        gemv(Transpose::yes, 1.0, j_, w, 0.0, d);
        gemv(Transpose::no, -1.0, j_, VectorView<const double>(d.data(), n), 1.0, e);
      }
    } else {  // e = -J'(r + J w) - mu w
      std::copy(r.begin(), r.end(), jd.begin());
      if (pass > 0) gemv(Transpose::no, 1.0, j_, w, 1.0, jd);
      gemv(Transpose::yes, -1.0, j_, jd, 0.0, e);
    }
    add_scaled(-mu, w, e);
    cholesky_.solve(VectorView<double>(e));
    add_scaled(1.0, e, w);
  }
  if (sample_) {
    gemv(Transpose::yes, -1.0, j_, w, 0.0, d);
  } else {
    std::copy(w.begin(), w.end(), d.begin());
  }
  return all_finite(d);
}

void DampedSolver::factor_j() {
  if (sample_) {
    lq_factor(j_, tau_);
  } else {
    qr_factor(j_, tau_);
  }
  largest_ = 0;
  for (std::size_t i = 0; i < tau_.size(); ++i) largest_ = std::max(largest_, std::abs(j_(i, i)));
  factored_ = true;
  factored_mu_ = -1;
  gram_ = {};
  cholesky_ = {};
}

/// With J = Q R: min |R d + Q'r|^2 + mu |d|^2. With J = L Q and d = Q'z: min |L z + r|^2 + mu
/// |z|^2. Both are one more QR, of the triangle with sqrt(mu) I below it.
void DampedSolver::factor_stack(double mu) {
  if (factored_mu_ == mu) return;
  const std::size_t m = j_.rows(), n = j_.cols(), k = std::min(m, n);
  const std::size_t top = sample_ ? m : k, unknowns = sample_ ? k : n;
  stack_ = {};
  stack_ = Matrix(top + unknowns, unknowns);
  copy_triangle(stack_);
  for (std::size_t i = 0; i < unknowns; ++i) stack_(top + i, i) = std::sqrt(mu);
  qr_factor(stack_, stack_tau_);
  factored_mu_ = mu;
}

/// The least-norm step without damping: singular directions of J to rounding are left out, which
/// a damping at the level of rounding would amplify.
bool DampedSolver::solve_truncated(std::span<const double> r, std::span<double> d) {
  const std::size_t m = j_.rows(), n = j_.cols(), k = std::min(m, n);
  const std::size_t rows = sample_ ? m : k, unknowns = sample_ ? k : n;
  stack_ = {};
  factored_mu_ = -1;
  Matrix triangle(rows, unknowns), rhs(rows, 1);
  copy_triangle(triangle);
  work_.assign(r.begin(), r.end());
  if (!sample_) qr_apply(true, j_, tau_, work_);
  for (std::size_t i = 0; i < rows; ++i) rhs(i, 0) = work_[i];
  const double rcond = static_cast<double>(std::max(m, n)) * std::numeric_limits<double>::epsilon();
  const auto z = least_squares(triangle, rhs, rcond);
  if (z.status != Factorization::ok || z.rank == 0) return false;
  std::fill(d.begin(), d.end(), 0.0);
  for (std::size_t i = 0; i < unknowns; ++i) d[i] = -z.x(i, 0);
  if (sample_) lq_apply(true, j_, tau_, d);
  return all_finite(d);
}

void DampedSolver::copy_triangle(MatrixView<double> to) const {
  const std::size_t m = j_.rows(), n = j_.cols(), k = std::min(m, n);
  for (std::size_t i = 0; i < (sample_ ? m : k); ++i) {
    const std::size_t from = sample_ ? 0 : i, end = sample_ ? std::min(i + 1, k) : n;
    for (std::size_t q = from; q < end; ++q) to(i, q) = j_(i, q);
  }
}

bool DampedSolver::solve_qr(double mu, std::span<const double> r, std::span<double> d) {
  if (!factored_) factor_j();
  const double rounding = static_cast<double>(std::max(j_.rows(), j_.cols())) *
                          std::numeric_limits<double>::epsilon() * largest_;
  if (std::sqrt(mu) <= rounding) return solve_truncated(r, d);
  factor_stack(mu);
  const std::size_t unknowns = stack_.cols(), top = stack_.rows() - unknowns;
  work_.assign(r.begin(), r.end());
  if (!sample_) qr_apply(true, j_, tau_, work_);
  work_.resize(top);
  work_.resize(top + unknowns, 0.0);
  qr_apply(true, stack_, stack_tau_, work_);
  const MatrixView<const double> triangle = stack_.view().block(0, 0, unknowns, unknowns);
  VectorView<double> z(work_.data(), unknowns);
  solve_triangular(Half::upper, Transpose::no, triangle, z);
  std::fill(d.begin(), d.end(), 0.0);
  for (std::size_t i = 0; i < unknowns; ++i) d[i] = -z[i];
  if (sample_) lq_apply(true, j_, tau_, d);
  return all_finite(d);
}

}  // namespace cauchy::detail
