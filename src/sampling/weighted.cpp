#include <cauchy/sampling/weighted.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr std::string_view weighted_place = "[sampling.weighted]";

/// The sum of the weights, after all checks.
double checked_sum(std::span<const double> weights) {
  if (weights.empty()) throw Error("there are no weights", weighted_place);
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0) || !std::isfinite(weights[i])) {
      throw Error(fmt::format("weight {} is {}", i, weights[i]), weighted_place,
                  "weights must be finite and not negative");
    }
    sum += weights[i];
  }
  if (sum == 0) {
    throw Error("all weights are zero", weighted_place, "add a small constant to every weight");
  }
  if (!std::isfinite(sum)) {
    throw Error("the sum of the weights overflows", weighted_place,
                "divide them by their largest value");
  }
  return sum;
}

void check_distinct(std::size_t n, std::size_t positive) {
  if (n <= positive) return;
  throw Error(
      fmt::format("{} distinct indices were asked for, {} weights are positive", n, positive),
      weighted_place, "draw with replacement, or draw fewer");
}

/// min(1, s w), s such that they sum to n.
std::vector<double> inclusion_probabilities(std::span<const double> weights, std::size_t n) {
  std::vector<double> p(weights.size(), 0.0);
  std::size_t certain = 0;
  for (bool more = true; more && certain < n;) {
    more = false;
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] < 1 ? weights[i] : 0;
    const double s = static_cast<double>(n - certain) / sum;
    for (std::size_t i = 0; i < p.size() && certain < n; ++i) {
      if (p[i] == 1) continue;
      p[i] = weights[i] * s;
      if (p[i] < 1) continue;
      p[i] = 1;
      ++certain;
      more = true;
    }
  }
  for (double& v : p) {
    if (certain == n && v < 1) v = 0;
  }
  return p;
}

/// Positions on the Morton curve: the bits of all columns, the highest first, in turns.
std::vector<std::uint64_t> morton_keys(std::span<const double> points, std::size_t dimension) {
  const std::size_t n = points.size() / dimension, columns = std::min<std::size_t>(dimension, 60);
  const std::size_t bits = std::min<std::size_t>(60 / columns, 52);
  std::vector<std::uint64_t> keys(n, 0);
  for (std::size_t k = 0; k < columns; ++k) {
    double low = points[k], high = points[k];
    for (std::size_t i = k; i < points.size(); i += dimension) {
      low = std::min(low, points[i]);
      high = std::max(high, points[i]);
    }
    if (!(high > low)) continue;
    const double cells = std::ldexp(1.0, static_cast<int>(bits));
    for (std::size_t i = 0; i < n; ++i) {
      const double share = (points[i * dimension + k] - low) / (high - low);
      const auto cell = static_cast<std::uint64_t>(std::min(share * cells, cells - 1));
      for (std::size_t b = 0; b < bits; ++b) {
        keys[i] |= (cell >> b & 1U) << (b * columns + (columns - 1 - k));
      }
    }
  }
  return keys;
}

}  // namespace

AliasTable::AliasTable(std::span<const double> weights)
    : keep_(weights.size()), alias_(weights.size()) {
  const double sum = checked_sum(weights);
  const std::size_t m = weights.size();
  std::vector<std::size_t> small, large;  // columns filled below and above the mean
  for (std::size_t i = 0; i < m; ++i) {
    keep_[i] = weights[i] / sum * static_cast<double>(m);
    alias_[i] = i;
    (keep_[i] < 1 ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const std::size_t s = small.back(), l = large.back();
    small.pop_back();
    alias_[s] = l;
    keep_[l] -= 1 - keep_[s];
    if (keep_[l] < 1) {
      large.pop_back();
      small.push_back(l);
    }
  }
  // What is left is full up to rounding. A weight of 0 must stay impossible even then.
  const auto heaviest =
      static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  for (const std::vector<std::size_t>* rest : {&small, &large}) {
    for (const std::size_t i : *rest) {
      keep_[i] = weights[i] > 0 ? 1 : 0;
      alias_[i] = weights[i] > 0 ? i : heaviest;
    }
  }
}

std::size_t AliasTable::draw(Rng& rng) const {
  const auto i = static_cast<std::size_t>(rng.integer(alias_.size()));
  return rng.uniform() < keep_[i] ? i : alias_[i];
}

double AliasTable::probability(std::size_t i) const {
  if (i >= size())
    throw Error(fmt::format("there is no index {} of {}", i, size()), weighted_place);
  double sum = keep_[i];
  for (std::size_t c = 0; c < size(); ++c) {
    if (alias_[c] == i) sum += 1 - keep_[c];
  }
  return sum / static_cast<double>(size());
}

std::vector<std::size_t> weighted_indices(std::span<const double> weights, std::size_t n,
                                          Rng& rng) {
  const AliasTable table(weights);
  std::vector<std::size_t> indices(n);
  for (std::size_t& i : indices) i = table.draw(rng);
  return indices;
}

std::vector<std::size_t> systematic_indices(std::span<const double> weights, std::size_t n,
                                            Rng& rng) {
  const double sum = checked_sum(weights);
  const double u = rng.uniform();
  const double per_draw = sum / static_cast<double>(n == 0 ? 1 : n);
  std::vector<std::size_t> indices(n);
  std::size_t index = 0;
  while (weights[index] == 0) ++index;
  double reached = weights[index];
  for (std::size_t i = 0; i < n; ++i) {
    const double target = (static_cast<double>(i) + u) * per_draw;
    for (std::size_t next = index + 1; reached <= target && next < weights.size(); ++next) {
      reached += weights[next];
      if (weights[next] > 0) index = next;  // rounding at the end must not land on a weight of 0
    }
    indices[i] = index;
  }
  return indices;
}

std::vector<std::size_t> weighted_subset(std::span<const double> weights, std::size_t n, Rng& rng) {
  (void)checked_sum(weights);
  std::vector<std::pair<double, std::size_t>> keys;  // -log(U) / w, an exponential time
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double u = rng.uniform();
    // Subnormal weights can give infinite times, which the index then orders.
    if (weights[i] > 0) keys.emplace_back(-std::log(u) / weights[i], i);
  }
  check_distinct(n, keys.size());
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(n);
  std::partial_sort(keys.begin(), end, keys.end());
  std::vector<std::size_t> indices;
  for (auto k = keys.begin(); k != end; ++k) indices.push_back(k->second);
  return indices;
}

std::vector<std::size_t> balanced_subset(std::span<const double> points, std::size_t dimension,
                                         std::span<const double> weights, std::size_t n, Rng& rng) {
  (void)checked_sum(weights);
  if (dimension == 0 || points.size() != weights.size() * dimension ||
      !std::ranges::all_of(points, [](double v) { return std::isfinite(v); })) {
    throw Error(fmt::format("{} numbers are not the coordinates of {} points of dimension {}",
                            points.size(), weights.size(), dimension),
                weighted_place, "give one finite row per weight");
  }
  const auto positive = std::ranges::count_if(weights, [](double w) { return w > 0; });
  check_distinct(n, static_cast<std::size_t>(positive));
  const std::vector<double> p = inclusion_probabilities(weights, n);
  const std::vector<std::uint64_t> keys = morton_keys(points, dimension);
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(keys[i], i); });
  std::vector<std::size_t> chosen;
  std::vector<bool> taken(weights.size(), false);
  double reached = 0, next = rng.uniform();
  for (const std::size_t i : order) {
    reached += p[i];
    if (chosen.size() == n || !(p[i] > 0 && reached > next)) continue;
    chosen.push_back(i);
    taken[i] = true;
    next += 1;
  }
  // Rounding can leave the last one out.
  for (auto i = order.rbegin(); chosen.size() < n; ++i) {
    if (!taken[*i] && weights[*i] > 0) chosen.push_back(*i);
  }
  return chosen;
}

std::vector<double> importance_weights(std::span<const double> weights,
                                       std::span<const std::size_t> indices) {
  const double mean = checked_sum(weights) / static_cast<double>(weights.size());
  std::vector<double> factors;
  factors.reserve(indices.size());
  for (const std::size_t i : indices) {
    if (i >= weights.size() || weights[i] == 0) {
      throw Error(
          fmt::format("index {} cannot have been drawn from these {} weights", i, weights.size()),
          weighted_place);
    }
    factors.push_back(mean / weights[i]);
  }
  return factors;
}

}  // namespace cauchy
