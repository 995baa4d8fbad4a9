#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/math/multigrid.hpp>

#include "math/iteration.hpp"

namespace cauchy {
namespace {

using SparseEntries = std::vector<SparseMatrix::Entry>;
using GridShape = std::vector<std::size_t>;

constexpr std::size_t coarsest_nodes = 400;  // SparseLu takes a millisecond for these

/// C = A B, entry sums in the order of A's row.
SparseMatrix product_of(const SparseMatrix& a, const SparseMatrix& b) {
  std::vector<double> sum(b.cols(), 0);
  std::vector<char> touched(b.cols(), 0);
  std::vector<std::size_t> places;
  SparseEntries entries;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    places.clear();
    for (auto k = a.begin()[i]; k < a.begin()[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(a.columns()[static_cast<std::size_t>(k)]);
      const double v = a.values()[static_cast<std::size_t>(k)];
      for (auto m = b.begin()[j]; m < b.begin()[j + 1]; ++m) {
        const auto col = static_cast<std::size_t>(b.columns()[static_cast<std::size_t>(m)]);
        if (!touched[col]) {
          touched[col] = 1;
          places.push_back(col);
        }
        sum[col] += v * b.values()[static_cast<std::size_t>(m)];
      }
    }
    for (const std::size_t col : places) {
      entries.push_back({i, col, sum[col]});
      sum[col] = 0;
      touched[col] = 0;
    }
  }
  return {a.rows(), b.cols(), entries};
}

/// Whether a row has nothing but its diagonal: a value that is given.
std::vector<char> given_rows(const SparseMatrix& a) {
  std::vector<char> given(a.rows(), 1);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (auto k = a.begin()[i]; k < a.begin()[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(a.columns()[static_cast<std::size_t>(k)]);
      if (j != i && a.values()[static_cast<std::size_t>(k)] != 0) given[i] = 0;
    }
  }
  return given;
}

/// Places of nodes in a grid whose last axis runs fastest.
struct GridIndex {
  explicit GridIndex(GridShape s) : shape(std::move(s)), stride(shape.size(), 1) {
    for (std::size_t k = shape.size(); k-- > 1;) stride[k - 1] = stride[k] * shape[k];
  }
  [[nodiscard]] std::size_t size() const { return stride[0] * shape[0]; }
  [[nodiscard]] std::size_t along(std::size_t node, std::size_t axis) const {
    return node / stride[axis] % shape[axis];
  }
  GridShape shape, stride;
};

/// Sum of the couplings to the neighbours along each axis.
std::vector<double> couplings(const SparseMatrix& a, const GridIndex& grid) {
  std::vector<double> strength(grid.shape.size(), 0);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (auto k = a.begin()[i]; k < a.begin()[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(a.columns()[static_cast<std::size_t>(k)]);
      for (std::size_t axis = 0; axis < strength.size(); ++axis) {
        if (j == i + grid.stride[axis] && grid.along(i, axis) + 1 < grid.shape[axis]) {
          strength[axis] += std::abs(a.values()[static_cast<std::size_t>(k)]);
        }
      }
    }
  }
  // Per pair of neighbours.
  for (std::size_t axis = 0; axis < strength.size(); ++axis) {
    const double n = static_cast<double>(grid.shape[axis]);
    strength[axis] *= n / std::max(n - 1, 1.0);
  }
  return strength;
}

/// Weights of two coarse nodes for every fine one along an axis.
struct AxisInterpolation {
  struct Row {
    std::size_t lower, upper;
    double at_upper;
  };
  std::vector<Row> rows;
  std::vector<std::size_t> kept;  // fine nodes that are coarse ones
};

AxisInterpolation interpolation_along(std::size_t n, bool periodic, bool coarsen) {
  AxisInterpolation p;
  for (std::size_t i = 0; i < n; i += coarsen ? 2 : 1) p.kept.push_back(i);
  if (!periodic && p.kept.back() + 1 != n) p.kept.push_back(n - 1);
  for (std::size_t i = 0, j = 0; i < n; ++i) {
    while (j + 1 < p.kept.size() && p.kept[j + 1] <= i) ++j;
    if (p.kept[j] == i) {
      p.rows.push_back({j, j, 0});
    } else {
      const bool around = j + 1 == p.kept.size();
      const std::size_t next = around ? n : p.kept[j + 1];
      p.rows.push_back(
          {j, around ? 0 : j + 1,
           static_cast<double>(i - p.kept[j]) / static_cast<double>(next - p.kept[j])});
    }
  }
  return p;
}

}  // namespace

struct GridMultigrid::Impl {
  struct Level {
    SparseMatrix a, p, r;  // p, r: to and from the next coarser one
    std::vector<double> diagonal;
    mutable std::vector<double> x, b, residual;
  };
  MultigridOptions options;
  std::vector<double> scale;  // of the rows
  std::vector<Level> levels;
  SparseLu coarsest;
  bool sound = true;

  void add_level(SparseMatrix a) {
    Level level;
    level.diagonal = a.diagonal();
    for (const double v : level.diagonal) sound = sound && v != 0 && std::isfinite(v);
    level.x.resize(a.rows());
    level.b.resize(a.rows());
    level.residual.resize(a.rows());
    level.a = std::move(a);
    levels.push_back(std::move(level));
  }

  /// The next coarser matrix, or none.
  bool coarsen(GridIndex& grid, const std::vector<bool>& periodic) {
    Level& fine = levels.back();
    if (grid.size() <= coarsest_nodes) return false;
    const std::vector<double> strength = couplings(fine.a, grid);
    double strongest = 0;
    for (std::size_t k = 0; k < strength.size(); ++k) {
      if (grid.shape[k] > 3) strongest = std::max(strongest, strength[k]);
    }
    std::vector<AxisInterpolation> along;
    GridShape shape;
    for (std::size_t k = 0; k < strength.size(); ++k) {
      const bool coarse = grid.shape[k] > 3 && strength[k] >= 0.3 * strongest;
      along.push_back(interpolation_along(grid.shape[k], periodic[k], coarse));
      shape.push_back(along.back().kept.size());
    }
    if (shape == grid.shape) return false;
    const GridIndex next(shape);
    const std::vector<char> given = given_rows(fine.a);
    std::vector<char> coarse_given(next.size());
    for (std::size_t j = 0; j < next.size(); ++j) {
      std::size_t node = 0;
      for (std::size_t k = 0; k < shape.size(); ++k) {
        node += along[k].kept[next.along(j, k)] * grid.stride[k];
      }
      coarse_given[j] = given[node];
    }
    SparseEntries entries;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      if (given[i]) continue;
      for (std::size_t corner = 0; corner < (std::size_t{1} << shape.size()); ++corner) {
        double weight = 1;
        std::size_t node = 0;
        for (std::size_t k = 0; k < shape.size(); ++k) {
          const auto& row = along[k].rows[grid.along(i, k)];
          const bool upper = (corner >> k) & 1;
          weight *= upper ? row.at_upper : 1 - row.at_upper;
          node += (upper ? row.upper : row.lower) * next.stride[k];
        }
        if (weight != 0 && !coarse_given[node]) entries.push_back({i, node, weight});
      }
    }
    fine.p = SparseMatrix(grid.size(), next.size(), entries);
    fine.r = fine.p.transposed();
    const SparseMatrix galerkin = product_of(fine.r, product_of(fine.a, fine.p));
    entries.clear();
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (coarse_given[i]) entries.push_back({i, i, 1});
      for (auto k = galerkin.begin()[i]; k < galerkin.begin()[i + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        entries.push_back(
            {i, static_cast<std::size_t>(galerkin.columns()[at]), galerkin.values()[at]});
      }
    }
    add_level({next.size(), next.size(), entries});
    grid = next;
    return true;
  }

  static void relax(const Level& level, std::span<const double> b, std::span<double> x,
                    bool ascending) {
    const auto begin = level.a.begin(), columns = level.a.columns();
    const auto values = level.a.values();
    const std::size_t n = x.size();
    for (std::size_t step = 0; step < n; ++step) {
      const std::size_t i = ascending ? step : n - 1 - step;
      double r = b[i];
      for (auto k = static_cast<std::size_t>(begin[i]); k < static_cast<std::size_t>(begin[i + 1]);
           ++k) {
        r -= values[k] * x[static_cast<std::size_t>(columns[k])];
      }
      x[i] += r / level.diagonal[i];
    }
  }

  void cycle(std::size_t l, std::span<const double> b, std::span<double> x,
             MultigridCycle kind) const {
    const Level& level = levels[l];
    if (l + 1 == levels.size()) {
      std::copy(b.begin(), b.end(), x.begin());
      coarsest.solve(x);
      return;
    }
    count_work(WorkKind::memory, 12.0 * (options.sweeps_before + options.sweeps_after) *
                                     static_cast<double>(level.a.nonzeros()));
    for (int s = 0; s < options.sweeps_before; ++s) relax(level, b, x, true);
    level.a.multiply(x, level.residual);
    for (std::size_t i = 0; i < x.size(); ++i) level.residual[i] = b[i] - level.residual[i];
    const Level& coarse = levels[l + 1];
    level.r.multiply(level.residual, coarse.b);
    std::fill(coarse.x.begin(), coarse.x.end(), 0.0);
    cycle(l + 1, coarse.b, coarse.x, kind);
    if (kind != MultigridCycle::v && l + 2 < levels.size()) {
      cycle(l + 1, coarse.b, coarse.x,
            kind == MultigridCycle::f ? MultigridCycle::v : MultigridCycle::w);
    }
    level.p.multiply(coarse.x, level.residual);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += level.residual[i];
    for (int s = 0; s < options.sweeps_after; ++s) relax(level, b, x, false);
  }
};

GridMultigrid::GridMultigrid(SparseMatrix a, std::vector<std::size_t> shape,
                             std::vector<bool> periodic, const MultigridOptions& options)
    : impl_(std::make_unique<Impl>()) {
  if (periodic.empty()) periodic.assign(shape.size(), false);
  const std::size_t n =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  if (shape.empty() || periodic.size() != shape.size() || a.rows() != n || a.cols() != n ||
      n == 0) {
    throw Error(
        fmt::format("a matrix of {} x {} is none of a grid with {} nodes", a.rows(), a.cols(), n),
        "[math.multigrid]");
  }
  if (options.sweeps_before < 0 || options.sweeps_after < 0 ||
      options.sweeps_before + options.sweeps_after == 0) {
    throw Error("a multigrid cycle needs at least one sweep", "[math.multigrid]");
  }
  impl_->options = options;
  // Rows of conditions and of equations differ in size by powers of the spacing: all get the
  // diagonal 1, unless that would cost the symmetry that conjugate gradients need.
  impl_->scale.assign(n, 1);
  if (options.krylov != MultigridKrylov::conjugate_gradients) {
    const std::vector<double> diagonal = a.diagonal();
    for (std::size_t i = 0; i < n; ++i) {
      if (diagonal[i] != 0) impl_->scale[i] = 1 / diagonal[i];
      for (auto k = a.begin()[i]; k < a.begin()[i + 1]; ++k) {
        a.values()[static_cast<std::size_t>(k)] *= impl_->scale[i];
      }
    }
  }
  impl_->add_level(std::move(a));
  GridIndex grid(std::move(shape));
  while (impl_->sound && impl_->coarsen(grid, periodic)) {
    ask_limit("the coarser grids of multigrid");
    count_work(WorkKind::pieces, 3 * static_cast<double>(impl_->levels.back().a.nonzeros()));
  }
  if (impl_->sound) {
    impl_->sound = impl_->coarsest.factor(impl_->levels.back().a) == Factorization::ok;
  }
}

GridMultigrid::~GridMultigrid() = default;
GridMultigrid::GridMultigrid(GridMultigrid&&) noexcept = default;
GridMultigrid& GridMultigrid::operator=(GridMultigrid&&) noexcept = default;

std::size_t GridMultigrid::levels() const noexcept { return impl_->levels.size(); }

IterationResult GridMultigrid::solve(std::span<const double> b, std::span<double> x,
                                     const IterationOptions& options) const {
  const Impl& m = *impl_;
  if (b.size() != m.scale.size() || x.size() != m.scale.size()) {
    throw Error("right side or unknowns do not fit the matrix", "[math.multigrid]");
  }
  if (!m.sound) {
    IterationResult result;
    result.status = IterationStatus::breakdown;
    return result;
  }
  const Impl::Level& fine = m.levels.front();
  std::vector<double> scaled(b.begin(), b.end());
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= m.scale[i];
  const auto multiply = [&](std::span<const double> in, std::span<double> out) {
    fine.a.multiply(in, out);
  };
  const auto inverse = [&](std::span<const double> in, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    m.cycle(0, in, out, m.options.cycle);
  };
  switch (m.options.krylov) {
    case MultigridKrylov::conjugate_gradients:
      return conjugate_gradients(multiply, inverse, scaled, x, options);
    case MultigridKrylov::bicgstab:
      return bicgstab(multiply, inverse, scaled, x, options);
    case MultigridKrylov::none:
      break;
  }
  detail::Iteration iteration(options, scaled, x);
  const auto residual = [&] {
    fine.a.multiply(x, fine.residual);
    for (std::size_t i = 0; i < x.size(); ++i) fine.residual[i] = scaled[i] - fine.residual[i];
    return std::sqrt(detail::dot_product(fine.residual, fine.residual));
  };
  while (iteration.go_on(residual())) m.cycle(0, scaled, x, m.options.cycle);
  return iteration.result();
}

}  // namespace cauchy
