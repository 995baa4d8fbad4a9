#include <cauchy/optimizers/soap.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/math/qr.hpp>
#include <numeric>
#include <utility>

#include "optimizers/adam_update.hpp"
#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

constexpr std::string_view soap_place = "[optimizers.soap]";
using View = MatrixView<double>;
using ConstView = MatrixView<const double>;

/// Offset behind the last entry; throws Error when the block is empty or its size overflows.
std::size_t end_of(const MatrixBlock& block) {
  if (block.rows == 0 || block.cols == 0) {
    throw Error(fmt::format("a block must have rows and columns, got {} x {} at offset {}",
                            block.rows, block.cols, block.offset),
                soap_place);
  }
  const std::size_t area = checks::checked_area(block.rows, block.cols);
  if (area > static_cast<std::size_t>(-1) - block.offset) {
    throw Error(fmt::format("the block at offset {} ends beyond all addresses", block.offset),
                soap_place);
  }
  return block.offset + area;
}

void sort_rows(View a, std::span<const std::size_t> order, std::span<double> copy) {
  for (std::size_t j = 0; j < a.cols(); ++j) {
    for (std::size_t i = 0; i < a.rows(); ++i) copy[i] = a(order[i], j);
    for (std::size_t i = 0; i < a.rows(); ++i) a(i, j) = copy[i];
  }
}

void sort_columns(View a, std::span<const std::size_t> order, std::span<double> copy) {
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) copy[j] = a(i, order[j]);
    for (std::size_t j = 0; j < a.cols(); ++j) a(i, j) = copy[j];
  }
}

}  // namespace

Soap::Soap(const SoapOptions& options, const Schedule& schedule)
    : FirstOrder({soap_place, options.learning_rate, options.clip_norm, {"m", "v"}, false},
                 schedule),
      options_(options) {
  detail::check_adam_options(options, soap_place);
  detail::require_not_negative("weight_decay", options.weight_decay, soap_place);
  if (options.precondition_frequency == 0) {
    throw Error("precondition_frequency must be positive, got 0", soap_place);
  }
  std::vector<MatrixBlock> places = options.blocks;
  std::sort(places.begin(), places.end(),
            [](const MatrixBlock& a, const MatrixBlock& b) { return a.offset < b.offset; });
  std::size_t at = 0, end = 0;
  const auto side = [&](std::size_t size) {
    const bool rotated = size <= options.max_precond_dim;
    const SideState result{size, at, rotated};
    if (rotated) at += checks::checked_area(size, size);
    return result;
  };
  for (const MatrixBlock& place : places) {
    const std::size_t next_end = end_of(place);
    if (place.offset < end) {
      throw Error(fmt::format("the blocks at offsets {} and {} overlap",
                              blocks_.back().place.offset, place.offset),
                  soap_place);
    }
    end = next_end;
    const SideState left = side(place.rows), right = side(place.cols);
    blocks_.push_back({place, left, right});
  }
}

std::size_t Soap::state_size() const noexcept {
  std::size_t size = 0;
  for (const Block& b : blocks_) {
    for (const SideState& s : {b.left, b.right}) size += s.rotated ? s.size * s.size : 0;
  }
  return size;
}

void Soap::check_blocks_fit(std::size_t n) const {
  if (blocks_.empty()) return;
  const MatrixBlock& last = blocks_.back().place;
  if (end_of(last) > n) {
    throw Error(fmt::format("the {} x {} block at offset {} reaches beyond the {} parameters",
                            last.rows, last.cols, last.offset, n),
                soap_place);
  }
}

void Soap::begin(std::size_t n) {
  check_blocks_fit(n);
  factors_.assign(state_size(), 0.0);
  bases_.assign(state_size(), 0.0);
}

void Soap::save_more(OptimizerState& state) const {
  state.arrays["factors"] = factors_;
  state.arrays["bases"] = bases_;
}

void Soap::restore_more(const OptimizerState& state, std::size_t n) {
  const auto factors = detail::array_of(state, "factors", soap_place);
  const auto bases = detail::array_of(state, "bases", soap_place);
  const std::size_t size = n == 0 ? 0 : state_size();
  detail::require_consistent(factors.size() == size && bases.size() == size, soap_place);
  if (n > 0) check_blocks_fit(n);
  std::vector<double> new_factors(factors.begin(), factors.end());
  bases_.assign(bases.begin(), bases.end());
  factors_ = std::move(new_factors);
}

/// L <- b2 L + (1 - b2) G G' and R <- b2 R + (1 - b2) G'G, lower triangles.
void Soap::accumulate(const Block& block, std::span<const double> g) {
  const ConstView gradient(g.data() + block.place.offset, block.place.rows, block.place.cols);
  const double b2 = options_.beta2;
  const auto add = [&](const SideState& side, Transpose op) {
    if (!side.rotated) return;
    syrk(Half::lower, op, 1 - b2, gradient, b2,
         View(factors_.data() + side.at, side.size, side.size));
  };
  add(block.left, Transpose::no);
  add(block.right, Transpose::yes);
}

void Soap::first_basis(const SideState& side) {
  if (!side.rotated) return;
  const std::size_t n = side.size;
  const View basis(bases_.data() + side.at, n, n);
  const auto eigen = symmetric_eigen(ConstView(factors_.data() + side.at, n, n));
  const bool ok = eigen.status == Factorization::ok;
  for (std::size_t i = 0; i < n; ++i) {  // largest eigenvalue first
    for (std::size_t j = 0; j < n; ++j) {
      basis(i, j) = ok ? eigen.vectors(i, n - 1 - j) : (i == j ? 1.0 : 0.0);
    }
  }
}

/// One step of the power iteration for all eigenvectors at once.
void Soap::next_basis(const Block& block, bool of_rows, std::span<double> v) {
  const SideState& side = of_rows ? block.left : block.right;
  if (!side.rotated) return;
  const std::size_t n = side.size;
  const View basis(bases_.data() + side.at, n, n);
  Matrix factor(n, n), s(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      factor(i, j) = factor(j, i) = factors_[side.at + i * n + j];
    }
  }
  gemm(Transpose::no, Transpose::no, 1.0, factor, basis, 0.0, s);
  std::vector<double> estimate(n, 0.0), copy(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) estimate[j] += basis(i, j) * s(i, j);
  }
  if (!detail::all_finite(estimate)) return;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return estimate[a] > estimate[b]; });
  sort_columns(s, order, copy);
  const auto factored = qr(s);
  if (factored.status != Factorization::ok) return;
  std::copy_n(factored.q.data(), n * n, basis.data());
  const View squares(v.data() + block.place.offset, block.place.rows, block.place.cols);
  if (of_rows) {
    sort_rows(squares, order, copy);
  } else {
    sort_columns(squares, order, copy);
  }
}

/// to = Q_L' from Q_R, or Q_L from Q_R' when `back`; a side without a basis counts as identity.
void Soap::rotate(const Block& block, const double* from, double* to, bool back) {
  const std::size_t rows = block.place.rows, cols = block.place.cols;
  const auto basis = [&](const SideState& side) {
    return ConstView(bases_.data() + side.at, side.size, side.size);
  };
  const double* half = from;
  if (block.left.rotated) {
    double* target = block.right.rotated ? work_[2].data() : to;
    gemm(back ? Transpose::no : Transpose::yes, Transpose::no, 1.0, basis(block.left),
         ConstView(from, rows, cols), 0.0, View(target, rows, cols));
    half = target;
  }
  if (block.right.rotated) {
    gemm(Transpose::no, back ? Transpose::yes : Transpose::no, 1.0, ConstView(half, rows, cols),
         basis(block.right), 0.0, View(to, rows, cols));
  }
}

bool Soap::update(std::span<double> x, std::span<const double> g, double rate, std::uint64_t t,
                  Moments moments) {
  const detail::AdamStep step(options_, rate, t);
  const std::span<double> m = moments[0], v = moments[1];
  if (options_.weight_decay > 0) {
    const double kept = 1 - rate * options_.weight_decay;
    for (double& e : x) e *= kept;
  }
  const auto plain = [&](std::size_t first, std::size_t count) {
    detail::adam_update(step, x.subspan(first, count), g.subspan(first, count),
                        m.subspan(first, count), v.subspan(first, count));
  };
  std::size_t done = 0;
  for (const Block& block : blocks_) {
    const std::size_t first = block.place.offset, area = block.place.rows * block.place.cols;
    plain(done, first - done);
    done = first + area;
    if (!block.left.rotated && !block.right.rotated) {
      plain(first, area);
      continue;
    }
    if (t == 1) {
      accumulate(block, g);
      first_basis(block.left);
      first_basis(block.right);
    }
    for (auto& work : work_) work.resize(std::max(work.size(), area));
    double *g_rotated = work_[0].data(), *m_rotated = work_[1].data();
    for (std::size_t i = first; i < done; ++i) m[i] = step.mean(m[i], g[i]);
    rotate(block, g.data() + first, g_rotated, false);
    rotate(block, m.data() + first, m_rotated, false);
    for (std::size_t i = 0; i < area; ++i) {
      v[first + i] = step.square(v[first + i], g_rotated[i]);
      g_rotated[i] = step.move(m_rotated[i], v[first + i]);  // the move in the rotated basis
    }
    rotate(block, g_rotated, m_rotated, true);
    for (std::size_t i = 0; i < area; ++i) x[first + i] -= m_rotated[i];
    accumulate(block, g);
    if (t % options_.precondition_frequency == 0) {
      next_basis(block, true, v);
      next_basis(block, false, v);
    }
  }
  plain(done, x.size() - done);
  return false;
}

}  // namespace cauchy
