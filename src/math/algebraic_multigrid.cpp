#include <cauchy/math/algebraic_multigrid.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/base/work.hpp>

namespace cauchy {
namespace detail {

struct AmgLevel {
  SparseMatrix a, p, r;  // r = p'
  std::vector<double> diagonal;
  mutable std::vector<double> x, b, left;
};

}  // namespace detail
namespace {

using detail::AmgLevel;

using AmgIndex = SparseMatrix::Index;

std::size_t at_row(std::span<const AmgIndex> begin, std::size_t i) {
  return static_cast<std::size_t>(begin[i]);
}

using AmgEntry = SparseMatrix::Entry;

/// A B by rows; every row is gathered in a dense accumulator.
SparseMatrix multiplied(const SparseMatrix& a, const SparseMatrix& b) {
  const std::size_t n = a.rows(), m = b.cols();
  std::vector<AmgEntry> entries;
  std::vector<std::size_t> found;
  std::vector<double> sum(m, 0.0);
  std::vector<std::size_t> seen(m, SIZE_MAX);
  for (std::size_t i = 0; i < n; ++i) {
    found.clear();
    for (std::size_t k = at_row(a.begin(), i); k < at_row(a.begin(), i + 1); ++k) {
      const double w = a.values()[k];
      const auto row = static_cast<std::size_t>(a.columns()[k]);
      for (std::size_t l = at_row(b.begin(), row); l < at_row(b.begin(), row + 1); ++l) {
        const auto j = static_cast<std::size_t>(b.columns()[l]);
        if (seen[j] != i) {
          seen[j] = i;
          sum[j] = 0;
          found.push_back(j);
        }
        sum[j] += w * b.values()[l];
      }
    }
    std::sort(found.begin(), found.end());
    for (const std::size_t j : found) entries.push_back({i, j, sum[j]});
  }
  return {n, m, entries};
}

/// Groups of strongly coupled unknowns; -1: an unknown of its own that no correction touches.
std::vector<AmgIndex> aggregates(const SparseMatrix& a, std::span<const double> diagonal,
                                 double strength, std::size_t& count) {
  const std::size_t n = a.rows();
  constexpr AmgIndex none = -1, alone = -2;
  std::vector<AmgIndex> group(n, none);
  const auto strong = [&](std::size_t i, std::size_t k) {
    const auto j = static_cast<std::size_t>(a.columns()[k]);
    const double v = a.values()[k];
    return j != i && v * v > strength * strength * std::abs(diagonal[i] * diagonal[j]);
  };
  const auto each = [&](std::size_t i, const auto& visit) {
    for (std::size_t k = at_row(a.begin(), i); k < at_row(a.begin(), i + 1); ++k) {
      if (strong(i, k)) visit(static_cast<std::size_t>(a.columns()[k]));
    }
  };
  for (std::size_t i = 0; i < n; ++i) {
    bool coupled = false;
    for (std::size_t k = at_row(a.begin(), i); k < at_row(a.begin(), i + 1); ++k) {
      coupled = coupled || (static_cast<std::size_t>(a.columns()[k]) != i && a.values()[k] != 0);
    }
    if (!coupled) group[i] = alone;
  }
  count = 0;
  // Whole neighbourhoods first.
  for (std::size_t i = 0; i < n; ++i) {
    if (group[i] != none) continue;
    bool free = true;
    each(i, [&](std::size_t j) { free = free && group[j] < 0; });
    if (!free) continue;
    const auto g = static_cast<AmgIndex>(count++);
    group[i] = g;
    each(i, [&](std::size_t j) {
      if (group[j] == none) group[j] = g;
    });
  }
  // The rest joins the group of a neighbour.
  std::vector<AmgIndex> joined = group;
  for (std::size_t i = 0; i < n; ++i) {
    if (group[i] != none) continue;
    each(i, [&](std::size_t j) {
      if (joined[i] == none && group[j] >= 0) joined[i] = group[j];
    });
  }
  group = std::move(joined);
  for (std::size_t i = 0; i < n; ++i) {
    if (group[i] != none) continue;
    const auto g = static_cast<AmgIndex>(count++);
    group[i] = g;
    each(i, [&](std::size_t j) {
      if (group[j] == none) group[j] = g;
    });
  }
  for (AmgIndex& g : group) g = g == alone ? none : g;
  return group;
}

/// The largest eigenvalue of D^-1 A, estimated by some steps of the power method.
double largest_eigenvalue(const SparseMatrix& a, std::span<const double> diagonal) {
  const std::size_t n = a.rows();
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    // Some rough vector, the same at every call.
    x[i] = std::sin(1.7 * static_cast<double>(i % 9973) + 0.3);
  }
  double value = 1;
  constexpr int steps = 10;
  for (int s = 0; s < steps; ++s) {
    a.multiply(x, y);
    double norm = 0, before = 0;
    for (std::size_t i = 0; i < n; ++i) {
      y[i] /= diagonal[i];
      norm += y[i] * y[i];
      before += x[i] * x[i];
    }
    value = std::sqrt(norm / before);
    const double f = 1 / std::sqrt(norm);
    for (std::size_t i = 0; i < n; ++i) x[i] = y[i] * f;
  }
  return 1.1 * value;
}

/// (I - omega D^-1 A) P0.
SparseMatrix smoothed(const SparseMatrix& a, std::span<const double> diagonal,
                      std::span<const AmgIndex> group, std::size_t count) {
  const std::size_t n = a.rows();
  std::vector<double> size(count, 0.0);
  std::vector<AmgEntry> entries;
  for (const AmgIndex g : group) {
    if (g >= 0) size[static_cast<std::size_t>(g)] += 1;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (group[i] < 0) continue;
    const auto g = static_cast<std::size_t>(group[i]);
    entries.push_back({i, g, 1 / std::sqrt(size[g])});
  }
  const SparseMatrix tentative(n, count, entries);
  SparseMatrix scaled = a;
  const double omega = (4.0 / 3) / largest_eigenvalue(a, diagonal);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = at_row(a.begin(), i); k < at_row(a.begin(), i + 1); ++k) {
      const bool own = static_cast<std::size_t>(a.columns()[k]) == i;
      scaled.values()[k] = (own ? 1.0 : 0.0) - omega * a.values()[k] / diagonal[i];
    }
  }
  return multiplied(scaled, tentative);
}

}  // namespace

struct AlgebraicMultigrid::Impl {
  std::vector<detail::AmgLevel> levels;
  SparseCholesky direct;
  AlgebraicMultigridOptions options;
  bool sound = true;

  void sweep(const AmgLevel& l, std::span<const double> b, std::span<double> x,
             bool forwards) const {
    const std::size_t n = l.a.rows();
    const auto begin = l.a.begin(), columns = l.a.columns();
    const auto values = l.a.values();
    for (std::size_t step = 0; step < n; ++step) {
      const std::size_t i = forwards ? step : n - 1 - step;
      double sum = b[i];
      for (std::size_t k = at_row(begin, i); k < at_row(begin, i + 1); ++k) {
        sum -= values[k] * x[static_cast<std::size_t>(columns[k])];
      }
      x[i] += sum / l.diagonal[i];
    }
  }

  void cycle(std::size_t k, std::span<const double> b, std::span<double> x) const {
    if (k + 1 == levels.size()) {
      std::copy(b.begin(), b.end(), x.begin());
      direct.solve(x);
      return;
    }
    const AmgLevel& fine = levels[k];
    const AmgLevel& coarse = levels[k + 1];
    count_work(WorkKind::memory, 2 * 12 * options.sweeps * static_cast<double>(fine.a.nonzeros()));
    std::fill(x.begin(), x.end(), 0.0);
    for (int s = 0; s < options.sweeps; ++s) sweep(fine, b, x, true);
    fine.a.multiply(x, fine.left);
    for (std::size_t i = 0; i < b.size(); ++i) fine.left[i] = b[i] - fine.left[i];
    fine.r.multiply(fine.left, coarse.b);
    cycle(k + 1, coarse.b, coarse.x);
    fine.p.multiply(coarse.x, fine.left);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += fine.left[i];
    for (int s = 0; s < options.sweeps; ++s) sweep(fine, b, x, false);
  }
};

AlgebraicMultigrid::AlgebraicMultigrid(const SparseMatrix& a,
                                       const AlgebraicMultigridOptions& options)
    : impl_(std::make_unique<Impl>()) {
  if (a.rows() != a.cols()) {
    throw Error("multigrid needs a square matrix", "[math.algebraic_multigrid]");
  }
  impl_->options = options;
  SparseMatrix current = a;
  double strength = options.strength;
  constexpr std::size_t most_levels = 30;
  while (true) {
    AmgLevel level;
    level.diagonal = current.diagonal();
    level.a = std::move(current);
    const std::size_t n = level.a.rows();
    level.x.resize(n);
    level.b.resize(n);
    level.left.resize(n);
    for (const double v : level.diagonal) impl_->sound = impl_->sound && v > 0;
    impl_->levels.push_back(std::move(level));
    if (!impl_->sound || n <= options.coarsest || impl_->levels.size() == most_levels) break;
    AmgLevel& last = impl_->levels.back();
    ask_limit("the coarser systems of multigrid");
    // Aggregates, smoothed maps, and two products of sparse matrices.
    count_work(WorkKind::pieces, 6 * static_cast<double>(last.a.nonzeros()));
    std::size_t count = 0;
    const std::vector<AmgIndex> group = aggregates(last.a, last.diagonal, strength, count);
    if (count == 0 || count > n * 9 / 10) break;  // nothing is gained any more
    last.p = smoothed(last.a, last.diagonal, group, count);
    last.r = last.p.transposed();
    current = multiplied(last.r, multiplied(last.a, last.p));
    strength /= 2;
  }
  if (impl_->sound) {
    impl_->sound = impl_->direct.factor(impl_->levels.back().a) == Factorization::ok;
  }
}

AlgebraicMultigrid::~AlgebraicMultigrid() = default;
AlgebraicMultigrid::AlgebraicMultigrid(AlgebraicMultigrid&&) noexcept = default;
AlgebraicMultigrid& AlgebraicMultigrid::operator=(AlgebraicMultigrid&&) noexcept = default;

std::size_t AlgebraicMultigrid::levels() const noexcept { return impl_->levels.size(); }

double AlgebraicMultigrid::complexity() const noexcept {
  double sum = 0;
  for (const AmgLevel& l : impl_->levels) sum += static_cast<double>(l.a.nonzeros());
  return sum / static_cast<double>(std::max<std::size_t>(1, impl_->levels[0].a.nonzeros()));
}

void AlgebraicMultigrid::cycle(std::span<const double> r, std::span<double> z) const {
  impl_->cycle(0, r, z);
}

IterationResult AlgebraicMultigrid::solve(std::span<const double> b, std::span<double> x,
                                          const IterationOptions& options) const {
  if (!impl_->sound) {
    IterationResult result;
    result.status = IterationStatus::breakdown;
    return result;
  }
  const SparseMatrix& a = impl_->levels[0].a;
  return conjugate_gradients(
      [&](std::span<const double> v, std::span<double> y) { a.multiply(v, y); },
      [&](std::span<const double> v, std::span<double> y) { cycle(v, y); }, b, x, options);
}

}  // namespace cauchy
