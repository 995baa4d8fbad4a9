#include "optimizers/inverse_hessian.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/work.hpp>

#include "optimizers/inverse_hessian_kernel.hpp"
#include "optimizers/vector_ops.hpp"

namespace cauchy::detail {
namespace {

/// Entries of a piece, at least: 256 KB. Smaller ones would not be worth the other thread.
constexpr std::size_t piece_entries = 32768, max_pieces = 32;

constexpr std::size_t padded(std::size_t n) noexcept {
  return (n + tile_columns - 1) / tile_columns * tile_columns;
}
constexpr std::size_t strips_of(std::size_t n) noexcept {
  return (n + strip_rows - 1) / strip_rows;
}

/// Bounds of pieces with about equal numbers of entries.
std::vector<std::size_t> cut_strips(std::size_t n_strips) {
  const std::size_t total = strip_offset(n_strips);
  const std::size_t pieces = std::clamp<std::size_t>(total / piece_entries, 1, max_pieces);
  std::vector<std::size_t> bounds{0};
  std::size_t t = 0;
  for (std::size_t k = 1; k < pieces; ++k) {
    while (strip_offset(t) < total / pieces * k) ++t;
    if (t > bounds.back() && t < n_strips) bounds.push_back(t);
  }
  bounds.push_back(n_strips);
  return bounds;
}

}  // namespace

double inverse_hessian_bytes(std::size_t n) noexcept {
  const double rows = static_cast<double>(n) + tile_columns;
  const double vectors = 5 + max_pieces;
  return 8 * (rows * rows / 2 + vectors * rows);
}

InverseHessian::InverseHessian(std::size_t n, int threads, std::shared_ptr<Threads> pool)
    : n_(n),
      n_strips_(strips_of(n)),
      n_threads_(pool ? pool->size() : threads),
      piece_(cut_strips(n_strips_)),
      pool_(std::move(pool)) {
  matrix_.resize(strip_offset(n_strips_));
  for (auto* v : {&s_, &w_, &p_, &q_, &x_}) v->resize(padded(n));
  products_.resize((piece_.size() - 1) * padded(n));
}

void InverseHessian::reset() noexcept {
  identity_ = stale_ = true;
  pending_ = false;
}

void InverseHessian::set_identity_strips(std::size_t first, std::size_t last) {
  std::fill(matrix_.data() + strip_offset(first), matrix_.data() + strip_offset(last), 0.0);
  for (std::size_t i = strip_rows * first; i < std::min(n_, strip_rows * last); ++i) {
    matrix_[entry_offset(i, i)] = 1;
  }
}

/// Applies the update, if there is one, and leaves the pieces of H x in products_.
void InverseHessian::run_pass(std::span<const double> x) {
  if (x.data() != x_.data()) std::copy(x.begin(), x.end(), x_.begin());
  const std::size_t pieces = piece_.size() - 1;
  // Read and written, as in a pass with an update: a matrix that was loaded has none before it.
  count_work(WorkKind::memory, 2.0 * sizeof(double) * static_cast<double>(matrix_.size()));
  const auto body = [&](std::size_t k, int) {
    if (stale_) set_identity_strips(piece_[k], piece_[k + 1]);
    run_symmetric_pass({matrix_.data(), piece_[k], piece_[k + 1], pending_, scale_, s_.data(),
                        w_.data(), p_.data(), q_.data(), x_.data(),
                        products_.data() + k * x_.size()});
  };
  if (pieces == 1 || n_threads_ == 1) {
    for (std::size_t k = 0; k < pieces; ++k) body(k, 0);
  } else {
    if (!pool_) pool_ = std::make_shared<Threads>(n_threads_);
    pool_->run(pieces, body);
  }
  pending_ = stale_ = false;
}

void InverseHessian::multiply(std::span<const double> x, std::span<double> result) {
  if (identity_) {
    std::copy(x.begin(), x.end(), result.begin());
    return;
  }
  run_pass(x);
  std::fill(result.begin(), result.end(), 0.0);
  for (std::size_t k = 0; k + 1 < piece_.size(); ++k) {
    const double* product = products_.data() + k * x_.size();
    const std::size_t rows = std::min(n_, strip_rows * piece_[k + 1]);
    for (std::size_t i = 0; i < rows; ++i) result[i] += product[i];
  }
}

void InverseHessian::update(double scale, std::span<const double> s, std::span<const double> w,
                            double ss, double sw, double ww) {
  if (pending_) run_pass(std::span<const double>(x_).first(n_));
  std::copy(s.begin(), s.end(), s_.begin());
  std::copy(w.begin(), w.end(), w_.begin());
  for (std::size_t i = 0; i < n_; ++i) {
    p_[i] = ss * s[i] + sw * w[i];
    q_[i] = sw * s[i] + ww * w[i];
  }
  scale_ = scale;
  pending_ = true;
  identity_ = false;
}

void InverseHessian::product_after_update(std::span<const double> x, std::span<const double> hx,
                                          std::span<double> result) const {
  const double px = dot({p_.data(), n_}, x), qx = dot({q_.data(), n_}, x);
  for (std::size_t i = 0; i < n_; ++i) {
    result[i] = scale_ * hx[i] + (s_[i] * px + w_[i] * qx);
  }
}

std::vector<double> InverseHessian::triangle() const {
  std::vector<double> all;
  all.reserve(n_ * (n_ + 1) / 2);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double entry = stale_ ? (i == j ? 1.0 : 0.0) : matrix_[entry_offset(i, j)];
      if (pending_) entry = updated_entry(entry, scale_, s_[i], p_[j], w_[i], q_[j]);
      all.push_back(entry);
    }
  }
  return all;
}

void InverseHessian::load(std::span<const double> triangle) {
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  std::size_t k = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) matrix_[entry_offset(i, j)] = triangle[k++];
  }
  identity_ = stale_ = pending_ = false;
}

}  // namespace cauchy::detail
