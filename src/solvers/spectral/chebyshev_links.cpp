#include <algorithm>

#include "solvers/spectral/chebyshev_system.hpp"

// Linear rows of a collocation system: pieces and periods are joined, a slab goes on from the one
// before it, constants are fixed.

namespace cauchy::detail {

void ChebyshevSystem::add_linear(std::span<const Functional> parts, double target,
                                 std::span<const double> c) {
  // One piece, two that follow each other, or the last one and the first.
  std::size_t first = parts[0].piece, last = parts.back().piece;
  if (first > last) std::swap(first, last);
  if (last - first > 1) std::swap(first, last);
  const std::size_t pieces = grid_.pieces(), span = first == last ? 1 : 2;
  double* row = rows_.add(first, span, target);
  std::vector<double> work;
  for (const Functional& f : parts) {
    std::vector<ChebyshevTable> tables;
    std::vector<ChebyshevFactor> factors;
    tables.reserve(f.at.size());
    for (std::size_t a = 0; a < f.at.size(); ++a) {
      const auto [from, to] = interval(a, f.piece);
      tables.emplace_back(from, to, grid_.n[a], std::span(&f.at[a], 1), f.orders[a]);
      factors.push_back({&tables[a], f.orders[a]});
    }
    const std::vector<std::size_t> places(f.at.size(), 0);
    add_chebyshev_product(
        row + (f.piece + pieces - first) % pieces * rows_.width() + f.field * grid_.block(),
        f.factor, factors, places, work);
  }
  if (rows_.normalize_last() == 0) return;
  const std::size_t i = rows_.size() - 1;
  targets_.push_back(rows_.rhs(i));
  rows_.set_rhs(i, targets_.back() - rows_.product(i, c));
}

void ChebyshevSystem::add_matching(std::span<const double> c) {
  for (std::size_t e = 0; e + 1 < grid_.pieces(); ++e) {
    for (std::size_t f = 0; f < box_.fields.size(); ++f) {
      for (int q = 0; q < box_.orders[f][1]; ++q) {
        for (const double t : points(0, e)) {
          const std::vector<int> orders = {0, q};
          const std::vector<double> at = {t, grid_.breaks[e + 1]};
          add_linear(std::vector<Functional>{{e, f, orders, at, 1}, {e + 1, f, orders, at, -1}}, 0,
                     c);
        }
      }
    }
  }
}

void ChebyshevSystem::add_periods(std::span<const double> c) {
  const std::size_t d = box_.dimension();
  for (const ChebyshevPeriod& p : box_.periods) {
    std::vector<std::vector<double>> at(d + 1);
    std::vector<std::size_t> sizes;
    for (std::size_t a = 0; a <= d; ++a) {
      at[a] = a == p.axis + 1 ? std::vector<double>{0} : points(a, 0);
      sizes.push_back(at[a].size());
    }
    for (std::size_t f = 0; f < box_.fields.size(); ++f) {
      // Not more than the equation can use: a first-order one takes the value alone.
      for (int q = 0; q < std::max(1, std::min(p.order + 1, box_.orders[f][p.axis + 1])); ++q) {
        std::vector<int> orders(d + 1, 0);
        orders[p.axis + 1] = q;
        for_each_chebyshev_place(sizes, [&](std::span<const std::size_t> i) {
          std::vector<double> low(d + 1);
          for (std::size_t a = 0; a <= d; ++a) low[a] = at[a][i[a]];
          std::vector<double> high = low;
          low[p.axis + 1] = box_.lower[p.axis];
          high[p.axis + 1] = box_.upper[p.axis];
          const std::size_t end = p.axis == 0 ? grid_.pieces() - 1 : 0;
          add_linear(std::vector<Functional>{{0, f, orders, low, 1}, {end, f, orders, high, -1}}, 0,
                     c);
        });
      }
    }
  }
}

void ChebyshevSystem::add_before(std::span<const double> c) {
  if (before_ == nullptr) return;
  const std::size_t d = box_.dimension();
  for (std::size_t e = 0; e < grid_.pieces(); ++e) {
    std::vector<std::vector<double>> at = {{grid_.from}};
    std::vector<std::size_t> sizes = {1};
    for (std::size_t a = 1; a <= d; ++a) {
      at.push_back(points(a, e));
      sizes.push_back(at.back().size());
    }
    for (std::size_t f = 0; f < box_.fields.size(); ++f) {
      for (int q = 0; q < box_.orders[f][0]; ++q) {
        std::vector<int> orders(d + 1, 0);
        orders[0] = q;
        const std::vector<double> values = chebyshev_values(box_, *before_, f, orders, at);
        std::size_t next = 0;
        for_each_chebyshev_place(sizes, [&](std::span<const std::size_t> i) {
          std::vector<double> x(d + 1);
          for (std::size_t a = 0; a <= d; ++a) x[a] = at[a][i[a]];
          add_linear(std::vector<Functional>{{e, f, orders, std::move(x), 1}}, values[next++], c);
        });
      }
    }
  }
}

void ChebyshevSystem::add_pins(std::span<const double> c) {
  for (const std::size_t f : pins_) {
    for (const double t : points(0, 0)) {
      std::vector<double> at = {t};
      for (std::size_t a = 1; a <= box_.dimension(); ++a) {
        const auto [from, to] = interval(a, 0);
        at.push_back((from + to) / 2);
      }
      add_linear(std::vector<Functional>{{0, f, std::vector<int>(at.size(), 0), at, 1}}, 0, c);
    }
  }
}

}  // namespace cauchy::detail
