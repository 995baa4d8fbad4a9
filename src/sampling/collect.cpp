#include "sampling/collect.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/memory.hpp>

namespace cauchy::detail {
namespace {

constexpr std::size_t block = 4096;

void clear(Points& points) {
  points.values.clear();
  points.normals.clear();
  points.piece.clear();
}

/// The next size of a finite set of which `accepted` of `tried` points were good.
std::uint64_t larger(std::uint64_t tried, std::uint64_t accepted, std::size_t n) {
  if (accepted == 0) return std::min(8 * tried, std::max(tried + 1, most_tries));
  const double share = static_cast<double>(accepted) / static_cast<double>(tried);
  return std::max(tried + 1,
                  static_cast<std::uint64_t>(std::ceil(1.01 * static_cast<double>(n) / share)));
}

}  // namespace

void check_count(std::size_t n, std::size_t columns) {
  if (n == 0) throw Error("the number of points must be positive, got 0", "[sampling]");
  // The points, and as much again while they are collected.
  require_memory(16 * static_cast<double>(n) * static_cast<double>(columns),
                 fmt::format("a set of {} points", n), "use fewer points", "[sampling]");
}

void thin(Points& points, std::size_t n) {
  const std::size_t m = points.size(), D = points.columns.size();
  if (m <= n) return;
  const std::size_t d = points.normals.size() / m;
  for (std::size_t i = 0; i < n; ++i) {
    // The middle of the i-th of n equal parts of the order: increasing, hence safe in place.
    const std::size_t k = (2 * i + 1) * m / (2 * n);
    std::copy_n(points.values.begin() + static_cast<std::ptrdiff_t>(k * D), D,
                points.values.begin() + static_cast<std::ptrdiff_t>(i * D));
    if (d > 0) {
      std::copy_n(points.normals.begin() + static_cast<std::ptrdiff_t>(k * d), d,
                  points.normals.begin() + static_cast<std::ptrdiff_t>(i * d));
    }
    if (!points.piece.empty()) points.piece[i] = points.piece[k];
  }
  points.values.resize(n * D);
  if (d > 0) points.normals.resize(n * d);
  if (!points.piece.empty()) points.piece.resize(n);
}

Points collect(const SamplerOptions& options, std::size_t dimension, std::size_t n, double share,
               Points out, Accept accept, Hopeless hopeless) {
  check_count(n, out.columns.size());
  if (!(share > least_share && share <= 1)) share = 1;
  std::vector<double> u(block * dimension);
  std::unique_ptr<Sampler> sampler = make_sampler(options, dimension, n);

  if (sampler->size() == 0) {
    out.values.reserve(n * out.columns.size());
    for (std::uint64_t tried = 0; out.size() < n;) {
      if (is_hopeless(tried, out.size())) throw hopeless();
      const double wanted = 1.02 * static_cast<double>(n - out.size()) / share + 8;
      const std::size_t rows =
          share == 1 ? std::min(block, n - out.size())
                     : std::min(block, static_cast<std::size_t>(std::min(wanted, 1e9)));
      sampler->fill(tried, rows, u.data());
      accept(u.data(), rows, out);
      tried += rows;
    }
    // Point i of a sequence does not depend on how many are asked: cut, do not thin.
    const std::size_t surplus = out.size() - n;
    const std::size_t d = out.normals.size() / out.size();
    out.values.resize(n * out.columns.size());
    out.normals.resize(n * d);
    if (surplus > 0 && !out.piece.empty()) out.piece.resize(n);
    return out;
  }

  auto size = static_cast<std::uint64_t>(std::ceil(static_cast<double>(n) / share));
  for (;;) {
    if (sampler->size() < size || size > n) sampler = make_sampler(options, dimension, size);
    const std::uint64_t total = sampler->size();
    clear(out);
    for (std::uint64_t first = 0; first < total; first += block) {
      const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(block, total - first));
      sampler->fill(first, rows, u.data());
      accept(u.data(), rows, out);
    }
    if (out.size() >= n) break;
    if (is_hopeless(total, out.size())) throw hopeless();
    size = std::max(size + 1, larger(total, out.size(), n));
  }
  thin(out, n);
  return out;
}

}  // namespace cauchy::detail
