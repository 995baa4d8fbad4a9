#include <cauchy/sampling/weighted.hpp>

#include <algorithm>
#include <cmath>
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
  if (n > keys.size()) {
    throw Error(
        fmt::format("{} distinct indices were asked for, {} weights are positive", n, keys.size()),
        weighted_place, "draw with replacement, or draw fewer");
  }
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(n);
  std::partial_sort(keys.begin(), end, keys.end());
  std::vector<std::size_t> indices;
  for (auto k = keys.begin(); k != end; ++k) indices.push_back(k->second);
  return indices;
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
