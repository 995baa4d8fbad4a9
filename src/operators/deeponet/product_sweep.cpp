#include <cauchy/math/blas.hpp>

#include "operators/deeponet/product_term.hpp"

namespace cauchy::detail {
namespace {

/// Pairs of one tile: their rows and adjoints stay in the cache.
constexpr std::size_t tile_pairs = 4096;

/// Rows of a tile in the scratch of a thread: coordinates, data, rows, weights or seeds.
struct ProductTile {
  std::size_t n;  // pairs
  std::size_t D, K, R, N;
  [[nodiscard]] std::size_t coordinate(std::size_t i) const { return i * n; }
  [[nodiscard]] std::size_t data(std::size_t k) const { return (D + k) * n; }
  [[nodiscard]] std::size_t row(std::size_t r) const { return (D + K + r) * n; }
  [[nodiscard]] std::size_t weight() const { return (D + K + R) * n; }
};
template <class T>
ProductTile prepare_tile(const ProductTerm<T>& t, ProductWorker<T>& w, std::size_t n) {
  const ProductTile tile{n, t.points.size() / t.n_points, t.spec.data.size(), t.rows(),
                         t.residuals()};
  widen(w.inputs, (tile.D + tile.K + tile.R + std::max<std::size_t>(1, tile.N)) * n);
  widen(w.adjoints, (tile.R + tile.N) * n);
  widen(w.spill, n);
  const std::size_t n_in = tile.D + tile.K + tile.R + std::max<std::size_t>(1, tile.N);
  w.in.assign(n_in, nullptr);
  for (std::size_t i = 0; i < n_in; ++i) w.in[i] = w.inputs.data() + i * n;
  return tile;
}

/// The program of a sweep over a tile whose rows are there. Adjoints of row r go to
/// w.adjoints[r * n], residuals behind them.
template <class T>
double run_program(const ProductTerm<T>& t, ProductWorker<T>& w, const ProductTile& tile,
                   ProductSweep sweep) {
  const T scale = static_cast<T>(t.spec.weight / static_cast<double>(t.pairs()));
  double sum = 0;
  w.out.clear();
  switch (sweep) {
    case ProductSweep::loss:
      t.loss_value.run(tile.n, w.in.data(), &scale, nullptr, &sum, w.program.data());
      break;
    case ProductSweep::gradient:
      for (std::size_t r = 0; r < tile.R; ++r) w.out.push_back(&w.adjoints[r * tile.n]);
      t.loss_gradient.run(tile.n, w.in.data(), &scale, w.out.data(), &sum, w.program.data());
      break;
    case ProductSweep::residuals:
      for (std::size_t k = 0; k < tile.N; ++k) {
        w.out.push_back(&w.adjoints[(tile.R + k) * tile.n]);
      }
      t.residual.run(tile.n, w.in.data(), nullptr, w.out.data(), nullptr, w.program.data());
      break;
    case ProductSweep::transposed:
      // Adjoints of coordinates and data are not wanted; a row may be written several times.
      for (std::size_t i = 0; i < tile.D + tile.K; ++i) w.out.push_back(w.spill.data());
      for (std::size_t r = 0; r < tile.R; ++r) w.out.push_back(&w.adjoints[r * tile.n]);
      t.reverse.run(tile.n, w.in.data(), nullptr, w.out.data(), nullptr, w.program.data());
      break;
  }
  return sum;
}

/// Functions that share the points: products of matrices.
template <class T>
double run_aligned(ProductTerm<T>& t, ProductWorker<T>& w, const ProductBranch<T>& branch,
                   IndexRange points, ProductSweep sweep, T* db, std::span<const double> seeds,
                   std::span<double> out) {
  const std::size_t np = points.size(), P = t.n_points, S = t.n_samples;
  const std::size_t per_tile = std::max<std::size_t>(1, tile_pairs / np);
  double total = 0;
  for (std::size_t s0 = 0; s0 < S; s0 += per_tile) {
    const std::size_t ns = std::min(per_tile, S - s0), n = ns * np;
    const ProductTile tile = prepare_tile(t, w, n);
    for (std::size_t s = 0; s < ns; ++s) {
      for (std::size_t i = 0; i < tile.D; ++i) {
        std::copy_n(&t.points[i * P + points.begin], np, &w.inputs[tile.coordinate(i) + s * np]);
      }
      for (std::size_t k = 0; k < tile.K; ++k) {
        const auto& d = t.data[k];
        T* to = &w.inputs[tile.data(k) + s * np];
        if (d.per == AlignedData::Per::sample) {
          std::fill_n(to, np, d.values[s0 + s]);
        } else {
          const std::size_t line = d.per == AlignedData::Per::pair ? (s0 + s) * P : 0;
          std::copy_n(&d.values[line + points.begin], np, to);
        }
      }
      for (std::size_t r = 0; r < tile.R; ++r) {
        std::copy_n(&t.offset[r * P + points.begin], np, &w.inputs[tile.row(r) + s * np]);
      }
      if (sweep == ProductSweep::transposed) {
        for (std::size_t k = 0; k < tile.N; ++k) {
          T* to = &w.inputs[tile.weight() + k * n + s * np];
          for (std::size_t i = 0; i < np; ++i) {
            to[i] = static_cast<T>(seeds[((s0 + s) * P + points.begin + i) * tile.N + k]);
          }
        }
      } else {
        std::copy_n(&t.weights[points.begin], np, &w.inputs[tile.weight() + s * np]);
      }
    }
    // Functions that follow one another in the batch are multiplied together.
    const auto for_runs = [&](auto body) {
      for (std::size_t s = 0; s < ns;) {
        std::size_t end = s + 1;
        while (end < ns && t.sample[s0 + end] == t.sample[s0 + end - 1] + 1) ++end;
        body(s, end - s, static_cast<std::size_t>(t.sample[s0 + s]));
        s = end;
      }
    };
    for (std::size_t r = 0; r < tile.R; ++r) {
      const MatrixView<const T> tr(&t.t[(r * P + points.begin) * branch.p], np, branch.p);
      for_runs([&](std::size_t s, std::size_t m, std::size_t b) {
        gemm(Transpose::no, Transpose::yes, T{1},
             MatrixView<const T>(&branch.b[b * branch.products + t.field[r] * branch.p], m,
                                 branch.p, branch.products),
             tr, T{1}, MatrixView<T>(&w.inputs[tile.row(r) + s * np], m, np));
      });
    }
    total += run_program(t, w, tile, sweep);
    if (sweep == ProductSweep::residuals) {
      for (std::size_t k = 0; k < tile.N; ++k) {
        for (std::size_t s = 0; s < ns; ++s) {
          for (std::size_t i = 0; i < np; ++i) {
            out[((s0 + s) * P + points.begin + i) * tile.N + k] =
                static_cast<double>(w.adjoints[(tile.R + k) * n + s * np + i]);
          }
        }
      }
    }
    if (db == nullptr) continue;
    for (std::size_t r = 0; r < tile.R; ++r) {
      const MatrixView<const T> tr(&t.t[(r * P + points.begin) * branch.p], np, branch.p);
      const MatrixView<T> dtr(&t.dt[(r * P + points.begin) * branch.p], np, branch.p);
      for_runs([&](std::size_t s, std::size_t m, std::size_t b) {
        const MatrixView<const T> ds(&w.adjoints[r * n + s * np], m, np);
        gemm(Transpose::no, Transpose::no, T{1}, ds, tr, T{1},
             MatrixView<T>(db + b * branch.products + t.field[r] * branch.p, m, branch.p,
                           branch.products));
        gemm(Transpose::yes, Transpose::no, T{1}, ds,
             MatrixView<const T>(&branch.b[b * branch.products + t.field[r] * branch.p], m,
                                 branch.p, branch.products),
             T{1}, dtr);
      });
      T* doff = &t.doffset[r * P + points.begin];
      for (std::size_t s = 0; s < ns; ++s) {
        const T* ds = &w.adjoints[r * n + s * np];
        for (std::size_t i = 0; i < np; ++i) doff[i] += ds[i];
      }
    }
  }
  return total;
}

/// The branch that a pair is a product with.
template <class T>
const T* branch_row(const ProductBranch<T>& branch, const ProductTerm<T>& t, std::size_t pair,
                    std::size_t r) {
  return &branch.b[static_cast<std::size_t>(t.sample[pair]) * branch.products +
                   t.field[r] * branch.p];
}

/// Every point with a function of its own.
template <class T>
double run_pairs(ProductTerm<T>& t, ProductWorker<T>& w, const ProductBranch<T>& branch,
                 IndexRange points, ProductSweep sweep, T* db, std::span<const double> seeds,
                 std::span<double> out) {
  const std::size_t P = t.n_points;
  double total = 0;
  for (std::size_t i0 = points.begin; i0 < points.end; i0 += tile_pairs) {
    const std::size_t n = std::min(tile_pairs, points.end - i0);
    const ProductTile tile = prepare_tile(t, w, n);
    for (std::size_t i = 0; i < tile.D; ++i) {
      std::copy_n(&t.points[i * P + i0], n, &w.inputs[tile.coordinate(i)]);
    }
    for (std::size_t k = 0; k < tile.K; ++k) {
      std::copy_n(&t.data[k].values[i0], n, &w.inputs[tile.data(k)]);
    }
    if (sweep == ProductSweep::transposed) {
      for (std::size_t k = 0; k < tile.N; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
          w.inputs[tile.weight() + k * n + i] = static_cast<T>(seeds[(i0 + i) * tile.N + k]);
        }
      }
    } else {
      std::copy_n(&t.weights[i0], n, &w.inputs[tile.weight()]);
    }
    for (std::size_t r = 0; r < tile.R; ++r) {
      for (std::size_t i = 0; i < n; ++i) {
        const T* tr = &t.t[(r * P + i0 + i) * branch.p];
        const T* b = branch_row(branch, t, i0 + i, r);
        T sum{0};
        for (std::size_t q = 0; q < branch.p; ++q) sum += b[q] * tr[q];
        w.inputs[tile.row(r) + i] = t.offset[r * P + i0 + i] + sum;
      }
    }
    total += run_program(t, w, tile, sweep);
    if (sweep == ProductSweep::residuals) {
      for (std::size_t k = 0; k < tile.N; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
          out[(i0 + i) * tile.N + k] = static_cast<double>(w.adjoints[(tile.R + k) * n + i]);
        }
      }
    }
    if (db == nullptr) continue;
    for (std::size_t r = 0; r < tile.R; ++r) {
      for (std::size_t i = 0; i < n; ++i) {
        const T ds = w.adjoints[r * n + i];
        const std::size_t at = (r * P + i0 + i) * branch.p;
        const T* b = branch_row(branch, t, i0 + i, r);
        T* to = db + (b - branch.b);
        for (std::size_t q = 0; q < branch.p; ++q) {
          to[q] += ds * t.t[at + q];
          t.dt[at + q] = ds * b[q];
        }
        t.doffset[r * P + i0 + i] = ds;
      }
    }
  }
  return total;
}

}  // namespace

template <class T>
double sweep_products(ProductTerm<T>& t, ProductWorker<T>& worker, const ProductBranch<T>& branch,
                      IndexRange points, ProductSweep sweep, T* db, std::span<const double> seeds,
                      std::span<double> out) {
  return t.aligned ? run_aligned(t, worker, branch, points, sweep, db, seeds, out)
                   : run_pairs(t, worker, branch, points, sweep, db, seeds, out);
}

template double sweep_products(ProductTerm<float>&, ProductWorker<float>&,
                               const ProductBranch<float>&, IndexRange, ProductSweep, float*,
                               std::span<const double>, std::span<double>);
template double sweep_products(ProductTerm<double>&, ProductWorker<double>&,
                               const ProductBranch<double>&, IndexRange, ProductSweep, double*,
                               std::span<const double>, std::span<double>);

}  // namespace cauchy::detail
