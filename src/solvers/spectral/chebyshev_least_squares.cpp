#include "solvers/spectral/chebyshev_least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <cauchy/math/blas.hpp>
#include <cauchy/math/qr.hpp>

namespace cauchy::detail {
namespace {

/// x of min |R x - b| for an upper triangular R, and how many directions it leaves free.
std::pair<std::vector<double>, std::size_t> solve_triangle(MatrixView<const double> r,
                                                           std::vector<double> b) {
  const std::size_t n = r.cols();
  // Columns of unit length: then a small number on the diagonal means dependence.
  std::vector<double> length(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) length[j] += r(i, j) * r(i, j);
  }
  const double small = 16 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  bool regular = true;
  for (std::size_t j = 0; j < n; ++j) {
    length[j] = length[j] > 0 ? std::sqrt(length[j]) : 1;
    regular = regular && std::abs(r(j, j)) > small * length[j];
  }
  if (regular) {
    solve_triangular(Half::upper, Transpose::no, r, VectorView<double>(b));
    return {std::move(b), 0};
  }
  Matrix scaled(n, n), right(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) scaled(i, j) = r(i, j) / length[j];
    right(i, 0) = b[i];
  }
  const LeastSquaresSolution<double> shortest = least_squares(scaled, right, small);
  for (std::size_t j = 0; j < n; ++j) b[j] = shortest.x(j, 0) / length[j];
  return {std::move(b), n - shortest.rank};
}

}  // namespace

double* ChainRows::add(std::size_t first, std::size_t span, double rhs) {
  rows_.push_back({first, span, entries_.size(), rhs});
  entries_.resize(entries_.size() + span * width_);
  return entries_.data() + rows_.back().at;
}

double ChainRows::normalize_last() {
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

double ChainRows::product(std::size_t i, std::span<const double> x) const {
  const Row& row = rows_[i];
  const std::size_t n = row.span * width_;
  return dot(VectorView<const double>(entries_.data() + row.at, n),
             VectorView<const double>(x.data() + row.first * width_, n));
}

ChainRows::Solution ChainRows::solve() const {
  // One large block when a row goes over more than two.
  const bool chain =
      std::all_of(rows_.begin(), rows_.end(), [](const Row& r) { return r.span < 3; });
  const std::size_t blocks = chain ? blocks_ : 1, n = chain ? width_ : unknowns();
  std::vector<std::vector<const Row*>> by_block(blocks);
  for (const Row& r : rows_) by_block[chain ? r.first : 0].push_back(&r);

  Solution out;
  std::vector<Matrix> triangles;  // rows of R of a block: its columns, those of the next, rhs
  Matrix carry;                   // what elimination of the blocks before says about this one
  for (std::size_t e = 0; e < blocks; ++e) {
    const std::size_t cols = (e + 1 < blocks ? 2 * n : n) + 1;
    const std::size_t m = std::max(carry.rows() + by_block[e].size(), cols);
    Matrix work(m, cols);
    for (std::size_t i = 0; i < carry.rows(); ++i) {
      std::copy_n(carry.data() + i * (n + 1), n, work.data() + i * cols);
      work(i, cols - 1) = carry(i, n);
    }
    std::size_t i = carry.rows();
    for (const Row* r : by_block[e]) {
      const std::size_t shift = chain ? 0 : r->first * width_;
      std::copy_n(entries_.data() + r->at, r->span * width_, work.data() + i * cols + shift);
      work(i++, cols - 1) = r->rhs;
    }
    out.status = reduce_to_triangle(work);
    if (out.status != Factorization::ok) return out;
    if (e + 1 < blocks) {
      carry = Matrix(cols - n, n + 1);
      for (std::size_t k = 0; k < cols - n; ++k) {
        std::copy_n(work.data() + (n + k) * cols + n, n + 1, carry.data() + k * (n + 1));
      }
    } else {
      out.residual = std::abs(work(n, n));
    }
    triangles.emplace_back(MatrixView<const double>(work.data(), n, cols));
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
        solve_triangle(MatrixView<const double>(t.data(), n, n, t.cols()), std::move(b));
    std::copy(x.begin(), x.end(), out.x.begin() + static_cast<long>(e * n));
    out.free += free;
  }
  return out;
}

}  // namespace cauchy::detail
