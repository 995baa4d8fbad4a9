#include "solvers/spectral/chebyshev_least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <cauchy/math/blas.hpp>
#include <cauchy/math/qr.hpp>

#include "math/dense_work.hpp"

namespace cauchy::detail {
namespace {

/// The smallest singular value of an upper triangular matrix, nearly, by inverse iteration; 0 when
/// it is exactly singular.
double smallest_chain_value(const Matrix& r) {
  const std::size_t n = r.rows();
  std::vector<double> z(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = 1 + 0.5 * std::sin(static_cast<double>(7 * i + 1));
  double value = 0;
  for (int k = 0; k < 4; ++k) {
    const double before = nrm2(VectorView<const double>(z));
    for (double& v : z) v /= before;
    solve_triangular(Half::upper, Transpose::yes, r, VectorView<double>(z));
    solve_triangular(Half::upper, Transpose::no, r, VectorView<double>(z));
    const double growth = nrm2(VectorView<const double>(z));
    if (!std::isfinite(growth)) return 0;
    value = 1 / std::sqrt(growth);
  }
  return value;
}

/// x of min |R x - b| for an upper triangular R, and how many directions it leaves free.
std::pair<std::vector<double>, std::size_t> solve_chain_triangle(MatrixView<const double> r,
                                                                 std::vector<double> b) {
  const std::size_t n = r.cols();
  // Columns of unit length: then small singular values mean dependence.
  std::vector<double> length(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) length[j] += r(i, j) * r(i, j);
  }
  for (double& l : length) l = l > 0 ? std::sqrt(l) : 1;
  Matrix scaled(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) scaled(i, j) = r(i, j) / length[j];
  }
  const double small = 4 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  std::size_t free = 0;
  if (smallest_chain_value(scaled) > small) {
    solve_triangular(Half::upper, Transpose::no, scaled, VectorView<double>(b));
  } else {
    Matrix right(n, 1);
    std::copy(b.begin(), b.end(), right.data());
    const LeastSquaresSolution<double> shortest = least_squares(scaled, right, small);
    std::copy_n(shortest.x.data(), n, b.begin());
    free = n - shortest.rank;
  }
  for (std::size_t j = 0; j < n; ++j) b[j] /= length[j];
  return {std::move(b), free};
}

/// Orthogonal transformations of both that bring the first n columns of `below` to zero; `top` is
/// upper triangular in these and stays so. A reflection mixes one row of it with all below.
void eliminate_chain_rows(Matrix& top, Matrix& below, std::size_t n) {
  const std::size_t m = below.rows(), cols = top.cols();
  const double entries =
      static_cast<double>(m * n) * (static_cast<double>(cols) - 0.5 * static_cast<double>(n));
  count_work(dense_work(4 * entries, cols, speed_of_rotations));
  std::vector<double> w(cols);
  for (std::size_t k = 0; k < n && m > 0; ++k) {
    const double norm = std::hypot(top(k, k), nrm2(below.view().col(k)));
    if (norm == 0) continue;
    const double pivot = top(k, k) > 0 ? top(k, k) + norm : top(k, k) - norm;
    // The reflection I - tau v v' with v = (1, below(., k) / pivot).
    const double tau = pivot / (top(k, k) > 0 ? norm : -norm);
    const std::size_t rest = cols - k;
    std::copy_n(top.data() + k * cols + k, rest, w.begin());
    for (std::size_t i = 0; i < m; ++i) {
      axpy(below(i, k) / pivot, VectorView<const double>(below.data() + i * cols + k, rest),
           VectorView<double>(w.data(), rest));
    }
    for (std::size_t i = 0; i < m; ++i) {
      axpy(-tau * below(i, k) / pivot, VectorView<const double>(w.data(), rest),
           VectorView<double>(below.data() + i * cols + k, rest));
    }
    axpy(-tau, VectorView<const double>(w.data(), rest),
         VectorView<double>(top.data() + k * cols + k, rest));
  }
}

}  // namespace

double* ChebyshevRows::add(std::size_t first, std::size_t span, double rhs) {
  rows_.push_back({first, span, entries_.size(), rhs});
  entries_.resize(entries_.size() + span * width_);
  return entries_.data() + rows_.back().at;
}

double ChebyshevRows::normalize_last() {
  Row& row = rows_.back();
  const VectorView<double> entries(entries_.data() + row.at, row.span * width_);
  const double norm = nrm2(entries);
  if (norm == 0) {  // NaN stays, and is found by the factorization
    entries_.resize(row.at);
    rows_.pop_back();
    return 0;
  }
  scal(1 / norm, entries);
  row.rhs /= norm;
  return norm;
}

double ChebyshevRows::product(std::size_t i, std::span<const double> x) const {
  const Row& row = rows_[i];
  double sum = 0;
  for (std::size_t k = 0; k < row.span; ++k) {
    const std::size_t block = (row.first + k) % blocks_;
    sum += dot(VectorView<const double>(entries_.data() + row.at + k * width_, width_),
               VectorView<const double>(x.data() + block * width_, width_));
  }
  return sum;
}

Matrix ChebyshevRows::dense() const {
  Matrix all(rows_.size(), unknowns());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t k = 0; k < rows_[i].span; ++k) {
      const std::size_t block = (rows_[i].first + k) % blocks_;
      std::copy_n(entries_.data() + rows_[i].at + k * width_, width_,
                  all.data() + i * unknowns() + block * width_);
    }
  }
  return all;
}

/// A ring becomes a chain of pairs: blocks k and blocks - 1 - k stand side by side.
ChebyshevRows::Solution ChebyshevRows::solve_folded() const {
  ChebyshevRows folded((blocks_ + 1) / 2, 2 * width_);
  const auto pair = [&](std::size_t b) { return std::min(b, blocks_ - 1 - b); };
  const auto column = [&](std::size_t b) { return 2 * b > blocks_ - 1 ? width_ : 0; };
  for (const Row& r : rows_) {
    const std::size_t a = r.first, b = (r.first + r.span - 1) % blocks_;
    const std::size_t first = std::min(pair(a), pair(b)), last = std::max(pair(a), pair(b));
    double* to = folded.add(first, last - first + 1, r.rhs);
    for (std::size_t k = 0; k < r.span; ++k) {
      const std::size_t block = (r.first + k) % blocks_;
      std::copy_n(entries_.data() + r.at + k * width_, width_,
                  to + (pair(block) - first) * 2 * width_ + column(block));
    }
  }
  if (blocks_ % 2 == 1) {  // the one in the middle has no partner
    for (std::size_t k = 0; k < width_; ++k) folded.add(blocks_ / 2, 1, 0)[width_ + k] = 1;
  }
  Solution out = folded.solve();
  if (out.status != Factorization::ok) return out;
  const std::vector<double> x = std::move(out.x);
  out.x.assign(unknowns(), 0);
  for (std::size_t b = 0; b < blocks_; ++b) {
    std::copy_n(x.begin() + static_cast<long>(pair(b) * 2 * width_ + column(b)), width_,
                out.x.begin() + static_cast<long>(b * width_));
  }
  return out;
}

ChebyshevRows::Solution ChebyshevRows::solve() const {
  // One large block when a row goes over more than two.
  const bool chain =
      std::all_of(rows_.begin(), rows_.end(), [](const Row& r) { return r.span < 3; });
  const bool ring = std::any_of(rows_.begin(), rows_.end(),
                                [&](const Row& r) { return r.first + r.span > blocks_; });
  if (chain && ring) return solve_folded();
  const std::size_t blocks = chain ? blocks_ : 1, n = chain ? width_ : unknowns();
  std::vector<std::vector<const Row*>> own(blocks), coupled(blocks);
  for (const Row& r : rows_) {
    (chain && r.span == 2 ? coupled : own)[chain ? r.first : 0].push_back(&r);
  }

  Solution out;
  std::vector<Matrix> triangles;  // rows of R of a block: its columns, those of the next, rhs
  Matrix carry;                   // what elimination of the blocks before says about this one
  for (std::size_t e = 0; e < blocks; ++e) {
    // Rows of this block alone become a triangle.
    Matrix work(std::max(carry.rows() + own[e].size(), n + 1), n + 1);
    std::copy_n(carry.data(), carry.size(), work.data());
    std::size_t i = carry.rows();
    for (const Row* r : own[e]) {
      for (std::size_t k = 0; k < r->span; ++k) {
        const std::size_t shift = chain ? 0 : (r->first + k) % blocks_ * width_;
        std::copy_n(entries_.data() + r->at + k * width_, width_,
                    work.data() + i * (n + 1) + shift);
      }
      work(i++, n) = r->rhs;
    }
    out.status = reduce_to_triangle(work);
    if (out.status != Factorization::ok) return out;
    out.residual = std::hypot(out.residual, work(n, n));
    // Rows that reach into the next block are eliminated against it.
    const std::size_t next = e + 1 < blocks ? n : 0, m = coupled[e].size();
    Matrix& top = triangles.emplace_back(n, n + next + 1);
    Matrix below(m, n + next + 1);
    for (std::size_t k = 0; k < n; ++k) {
      std::copy_n(work.data() + k * (n + 1), n, top.data() + k * top.cols());
      top(k, n + next) = work(k, n);
    }
    for (std::size_t k = 0; k < m; ++k) {
      std::copy_n(entries_.data() + coupled[e][k]->at, 2 * n, below.data() + k * below.cols());
      below(k, n + next) = coupled[e][k]->rhs;
    }
    eliminate_chain_rows(top, below, n);
    carry = Matrix(m, n + 1);
    for (std::size_t k = 0; k < m; ++k) {
      std::copy_n(below.data() + k * below.cols() + n, n + 1, carry.data() + k * (n + 1));
    }
  }
  out.x.assign(unknowns(), 0);
  for (std::size_t e = blocks; e-- > 0;) {
    const Matrix& t = triangles[e];
    std::vector<double> b(n);
    for (std::size_t k = 0; k < n; ++k) {
      b[k] = t(k, t.cols() - 1);
      if (e + 1 < blocks) {
        b[k] -= dot(VectorView<const double>(t.data() + k * t.cols() + n, n),
                    VectorView<const double>(out.x.data() + (e + 1) * n, n));
      }
    }
    auto [x, free] =
        solve_chain_triangle(MatrixView<const double>(t.data(), n, n, t.cols()), std::move(b));
    std::copy(x.begin(), x.end(), out.x.begin() + static_cast<long>(e * n));
    out.free += free;
  }
  return out;
}

}  // namespace cauchy::detail
