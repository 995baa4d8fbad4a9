#include "solvers/fem/fem_recovery.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cauchy::detail {
namespace {

/// Exponents of the recovery_monomials of d variables up to a degree, by degree.
std::vector<std::array<int, 3>> recovery_monomials(std::size_t d, int degree) {
  std::vector<std::array<int, 3>> all;
  for (int total = 0; total <= degree; ++total) {
    for (int i = total; i >= 0; --i) {
      if (d == 1 && i != total) continue;
      for (int j = total - i; j >= 0; --j) {
        if (d == 2 && i + j != total) continue;
        const int k = total - i - j;
        if (d < 3 && k != 0) continue;
        all.push_back({i, j, k});
      }
    }
  }
  return all;
}

/// L L' = m in place, lower triangle; false when a pivot is next to nothing.
bool cholesky_small(std::vector<double>& m, std::size_t n) {
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, m[i * n + i]);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = j; i < n; ++i) m[i * n + j] -= m[i * n + k] * m[j * n + k];
    }
    if (!(m[j * n + j] > 1e-11 * largest)) return false;
    const double pivot = std::sqrt(m[j * n + j]);
    for (std::size_t i = j; i < n; ++i) m[i * n + j] /= pivot;
  }
  return true;
}

}  // namespace

NodeRecovery::NodeRecovery(const FemSpace& space, int part)
    : d_(static_cast<std::size_t>(space.mesh().dimension)),
      n_nodes_(space.mesh().n_nodes()),
      rows_(d_ + d_ * (d_ + 1) / 2),
      begin_{0} {
  const Mesh& mesh = space.mesh();
  std::vector<std::vector<std::uint32_t>> around(n_nodes_);  // cells
  for (std::uint32_t c = 0; c < mesh.n_cells(); ++c) {
    if (mesh.cell_part[c] != part) continue;
    for (const Mesh::Index node : mesh.cell(c)) around[node].push_back(c);
  }
  std::vector<std::uint32_t> cells, patch;
  std::array<std::uint32_t, LagrangeBasis::most> places{};
  for (std::size_t node = 0; node < n_nodes_; ++node) {
    int degree = space.basis().order + 1;
    cells = around[node];
    bool done = cells.empty();
    for (int ring = 1; !done; ++ring) {
      patch.clear();
      for (const std::uint32_t c : cells) {
        space.places(c, places.data());
        patch.insert(patch.end(), places.begin(),
                     places.begin() + static_cast<std::ptrdiff_t>(space.basis().size()));
      }
      std::sort(patch.begin(), patch.end());
      patch.erase(std::unique(patch.begin(), patch.end()), patch.end());
      const auto terms = recovery_monomials(d_, degree);
      const std::size_t n = terms.size();
      constexpr int most_rings = 4;
      if (patch.size() >= n + n / 4) {
        std::vector<double> x(patch.size() * d_);
        double size = 0;
        for (std::size_t p = 0; p < patch.size(); ++p) {
          space.point(patch[p], &x[p * d_]);
          for (std::size_t k = 0; k < d_; ++k) {
            x[p * d_ + k] -= mesh.node(node)[k];
            size = std::max(size, std::abs(x[p * d_ + k]));
          }
        }
        std::vector<double> a(patch.size() * n), m(n * n, 0.0);
        for (std::size_t p = 0; p < patch.size(); ++p) {
          for (std::size_t t = 0; t < n; ++t) {
            double v = 1;
            for (std::size_t k = 0; k < d_; ++k) {
              for (int e = 0; e < terms[t][k]; ++e) v *= x[p * d_ + k] / size;
            }
            a[p * n + t] = v;
          }
          for (std::size_t s = 0; s < n; ++s) {
            for (std::size_t t = 0; t <= s; ++t) m[s * n + t] += a[p * n + s] * a[p * n + t];
          }
        }
        if (cholesky_small(m, n)) {
          // Rows of (A'A)^-1 A' that belong to the derivatives.
          const std::size_t first = weights_.size();
          weights_.resize(first + patch.size() * rows_, 0.0);
          std::vector<double> b(n);
          for (std::size_t t = 1; t < n; ++t) {
            const int total = terms[t][0] + terms[t][1] + terms[t][2];
            if (total > 2) break;
            std::vector<std::size_t> by;
            double factor = 1;
            for (std::size_t k = 0; k < d_; ++k) {
              for (int e = 0; e < terms[t][k]; ++e) by.push_back(k);
              if (terms[t][k] == 2) factor = 2;
            }
            const std::size_t row = total == 1 ? by[0] : d_ + pair_number(by[0], by[1], d_);
            std::fill(b.begin(), b.end(), 0.0);
            b[t] = factor / std::pow(size, total);
            for (std::size_t i = 0; i < n; ++i) {
              for (std::size_t j = 0; j < i; ++j) b[i] -= m[i * n + j] * b[j];
              b[i] /= m[i * n + i];
            }
            for (std::size_t i = n; i-- > 0;) {
              for (std::size_t j = i + 1; j < n; ++j) b[i] -= m[j * n + i] * b[j];
              b[i] /= m[i * n + i];
            }
            for (std::size_t p = 0; p < patch.size(); ++p) {
              double w = 0;
              for (std::size_t i = 0; i < n; ++i) w += b[i] * a[p * n + i];
              weights_[first + p * rows_ + row] = w;
            }
          }
          places_.insert(places_.end(), patch.begin(), patch.end());
          break;
        }
      }
      if (ring == most_rings) {
        if (--degree == 0) break;
        ring = 0;
        cells = around[node];
        continue;
      }
      std::vector<std::uint32_t> wider;
      for (const std::uint32_t c : cells) {
        for (const Mesh::Index other : mesh.cell(c)) {
          wider.insert(wider.end(), around[other].begin(), around[other].end());
        }
      }
      std::sort(wider.begin(), wider.end());
      wider.erase(std::unique(wider.begin(), wider.end()), wider.end());
      if (wider.size() == cells.size()) {  // the whole mesh
        if (--degree == 0) break;
        ring = 0;
        cells = around[node];
        continue;
      }
      cells = std::move(wider);
    }
    begin_.push_back(places_.size());
  }
}

std::vector<double> NodeRecovery::apply(std::span<const double> values, std::size_t first,
                                        std::size_t count) const {
  std::vector<double> out(n_nodes_ * count, 0.0);
  for (std::size_t node = 0; node < n_nodes_; ++node) {
    for (std::size_t p = begin_[node]; p < begin_[node + 1]; ++p) {
      for (std::size_t k = 0; k < count; ++k) {
        out[node * count + k] += weights_[p * rows_ + first + k] * values[places_[p]];
      }
    }
  }
  return out;
}

std::vector<double> NodeRecovery::gradients(std::span<const double> values) const {
  return apply(values, 0, d_);
}

std::vector<double> NodeRecovery::second_derivatives(std::span<const double> values) const {
  return apply(values, d_, d_ * (d_ + 1) / 2);
}

}  // namespace cauchy::detail
