#include "solvers/time/rates.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/work.hpp>

namespace cauchy::detail {
namespace {

double rates_largest(std::span<const double> v) {
  double most = 0;
  for (const double x : v) {
    if (!(std::abs(x) <= most)) most = std::abs(x);
    if (std::isnan(most)) break;
  }
  return most;
}

}  // namespace

Rates::Rates(SemiDiscrete& system)
    : system_(system),
      differential_(system.differential()),
      algebraic_place_(system.size(), 0),
      zero_(system.size(), 0.0),
      force_(system.size()),
      trial_(system.size()) {
  for (std::size_t i = 0; i < differential_.size(); ++i) {
    if (differential_[i] != 0) continue;
    algebraic_place_[i] = algebraic_.size();
    algebraic_.push_back(i);
  }
}

bool Rates::factor_algebraic(double t, std::span<const double> y) {
  SparseMatrix j;
  system_.jacobian(t, y, zero_, 0, j);
  std::vector<SparseMatrix::Entry> entries;
  for (const std::size_t i : algebraic_) {
    for (auto k = static_cast<std::size_t>(j.begin()[i]);
         k < static_cast<std::size_t>(j.begin()[i + 1]); ++k) {
      const auto column = static_cast<std::size_t>(j.columns()[k]);
      if (differential_[column] == 0) {
        entries.push_back({algebraic_place_[i], algebraic_place_[column], j.values()[k]});
      }
    }
  }
  const std::size_t n = algebraic_.size();
  constraints_known_ = constraints_.factor(SparseMatrix(n, n, entries)) == Factorization::ok;
  return constraints_known_;
}

bool Rates::project(double t, std::span<double> y) {
  if (algebraic_.empty()) return true;
  std::vector<double> b(algebraic_.size());
  bool fresh = false;
  if (!constraints_known_) {
    if (!factor_algebraic(t, y)) return false;
    fresh = true;
  }
  double before = INFINITY;
  force_y_.clear();
  const double size = std::max(rates_largest(y), 1e-300);
  for (int iteration = 0; iteration < 20; ++iteration) {
    system_.residual(t, y, zero_, force_);
    bool wrong = false;
    for (std::size_t k = 0; k < b.size(); ++k) {
      b[k] = -force_[algebraic_[k]];
      wrong = wrong || b[k] != 0;
    }
    if (!wrong) {  // the rate at this place needs the same residual
      force_t_ = t;
      force_y_.assign(y.begin(), y.end());
      return true;
    }
    constraints_.solve(b);
    const double change = rates_largest(b);
    if (!std::isfinite(change)) return false;
    for (std::size_t k = 0; k < b.size(); ++k) y[algebraic_[k]] += b[k];
    // Rounding is all that is left of a linear condition after one correction.
    if (iteration == 0 && exact_ && ++unchecked_ % 32 != 0) return true;
    if (change <= 1e-13 * std::max(size, change)) {
      if (iteration > 0 && before > 1e-6 * size) exact_ = iteration == 1;
      return true;
    }
    if (iteration > 0 && change <= 1e-10 * size && change > 0.1 * before) return true;
    if (iteration > 0 && change > 0.1 * before) {
      if (fresh && change > 0.9 * before && iteration > 5) return false;
      if (!factor_algebraic(t, y)) return false;
      fresh = true;
    }
    before = change;
  }
  return false;
}

bool Rates::look_at_mass(double t, std::span<const double> y, std::span<const double> dy) {
  SparseMatrix j0, j1;
  system_.jacobian(t, y, dy, 0, j0);
  system_.jacobian(t, y, dy, 1, j1);
  const std::size_t n = system_.size();
  std::vector<SparseMatrix::Entry> entries;
  diagonal_ = true;
  mixed_ = false;
  mass_.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto k = static_cast<std::size_t>(j1.begin()[i]);
         k < static_cast<std::size_t>(j1.begin()[i + 1]); ++k) {
      const auto column = static_cast<std::size_t>(j1.columns()[k]);
      if (differential_[i] == 0) {
        entries.push_back({i, column, j0.values()[k]});
        continue;
      }
      // The difference of equal sums may leave rounding of the larger one.
      const double m = j1.values()[k] - j0.values()[k];
      if (!(std::abs(m) > 1e-13 * std::abs(j0.values()[k]))) continue;
      entries.push_back({i, column, m});
      if (column == i) {
        mass_[i] = m;
      } else {
        diagonal_ = false;
        mixed_ = mixed_ || differential_[column] == 0;
      }
    }
  }
  known_ = true;
  if (diagonal_) {
    for (std::size_t i = 0; i < n; ++i) {
      if (differential_[i] != 0 && !(std::abs(mass_[i]) > 0)) known_ = false;
    }
    return known_;
  }
  if (!mixed_) {  // rates of algebraic unknowns play no part
    std::erase_if(entries, [&](const auto& e) { return differential_[e.row] == 0; });
    for (const std::size_t i : algebraic_) entries.push_back({i, i, 1.0});
  }
  known_ = full_.factor(SparseMatrix(n, n, entries)) == Factorization::ok;
  return known_;
}

void Rates::solve_rows(std::span<double> b) const {
  if (!diagonal_) {
    full_.solve(b);
    return;
  }
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = differential_[i] != 0 ? b[i] / mass_[i] : 0.0;
}

bool Rates::solve_mass(double t, std::span<const double> y, std::span<const double> force,
                       std::span<double> k) {
  if (!(known_ && system_.constant_mass()) && !look_at_mass(t, y, zero_)) return false;
  solve_force(t, y, force, k);
  return true;
}

void Rates::solve_force(double t, std::span<const double> y, std::span<const double> force,
                        std::span<double> k) {
  count_work(WorkKind::memory, 60 * static_cast<double>(k.size()));
  for (std::size_t i = 0; i < k.size(); ++i) k[i] = differential_[i] != 0 ? -force[i] : 0.0;
  if (mixed_) {
    // dG/dt at fixed y by central differences: their error is about 1e-10 of the scale of t.
    const double d = 6e-6 * std::max(1.0, std::abs(t));
    std::vector<double> after(k.size());
    system_.residual(t + d, y, zero_, after);
    system_.residual(t - d, y, zero_, trial_);
    for (const std::size_t i : algebraic_) k[i] = -(after[i] - trial_[i]) / (2 * d);
  }
  solve_rows(k);
}

bool Rates::rate(double t, std::span<const double> y, std::span<double> dy) {
  if (!known_ && !look_at_mass(t, y, zero_)) return false;
  if (force_t_ != t || !std::equal(y.begin(), y.end(), force_y_.begin(), force_y_.end())) {
    system_.residual(t, y, zero_, force_);
  }
  force_y_.clear();
  solve_force(t, y, force_, dy);
  if (system_.constant_mass()) return std::isfinite(rates_largest(dy));
  for (int iteration = 0; iteration < 20; ++iteration) {
    system_.residual(t, y, dy, force_);
    std::vector<double> correction(dy.size());
    for (std::size_t i = 0; i < dy.size(); ++i) {
      correction[i] = differential_[i] != 0 ? -force_[i] : 0.0;
    }
    solve_rows(correction);
    const double change = rates_largest(correction), size = rates_largest(dy);
    if (!std::isfinite(change)) return false;
    for (std::size_t i = 0; i < dy.size(); ++i) dy[i] += correction[i];
    if (change <= 1e-12 * size || size == 0) return true;
    if (!look_at_mass(t, y, dy)) return false;
  }
  return false;
}

void Rates::linear(const SparseMatrix& j, std::span<const double> v, std::span<double> out) {
  const std::size_t n = system_.size();
  std::vector<double> full(v.begin(), v.end()), w(n);
  if (!mixed_ && !algebraic_.empty()) {
    for (const std::size_t i : algebraic_) full[i] = 0;
    j.multiply(full, w);
    std::vector<double> b(algebraic_.size());
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = -w[algebraic_[k]];
    constraints_.solve(b);
    for (std::size_t k = 0; k < b.size(); ++k) full[algebraic_[k]] = b[k];
  }
  j.multiply(full, w);
  for (std::size_t i = 0; i < n; ++i) out[i] = differential_[i] != 0 ? -w[i] : 0.0;
  solve_rows(out);
  if (!mixed_) {
    for (const std::size_t i : algebraic_) out[i] = 0;
  }
}

}  // namespace cauchy::detail
