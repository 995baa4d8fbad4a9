#include "optimizers/vector_ops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cauchy/base/error.hpp>
#include <cmath>

namespace cauchy::detail {
namespace {

constexpr std::size_t lanes = 8, block = 1024;

double block_dot(const double* x, const double* y, std::size_t n) noexcept {
  double sum[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::size_t j = 0; j < lanes; ++j) sum[j] += x[i + j] * y[i + j];
  }
  for (std::size_t j = 0; i < n; ++i, ++j) sum[j] += x[i] * y[i];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

double tree_dot(const double* x, const double* y, std::size_t n) noexcept {
  if (n <= block) return block_dot(x, y, n);
  const std::size_t half = std::bit_floor(n - 1);  // at least a block, and whole blocks
  return tree_dot(x, y, half) + tree_dot(x + half, y + half, n - half);
}

}  // namespace

double dot(std::span<const double> x, std::span<const double> y) noexcept {
  return tree_dot(x.data(), y.data(), x.size());
}

double norm(std::span<const double> x) noexcept {
  const double square = dot(x, x);
  if (square > 1e-280 && square < 1e300) return std::sqrt(square);
  double largest = 0;
  for (const double v : x) {
    if (std::isnan(v)) return v;
    largest = std::max(largest, std::abs(v));
  }
  if (largest == 0 || std::isinf(largest)) return largest;
  // A power of two changes no bits of the mantissas.
  const int exponent = std::ilogb(largest);
  double sum = 0;
  for (const double v : x) {
    const double scaled = std::scalbn(v, -exponent);
    sum += scaled * scaled;
  }
  return std::scalbn(std::sqrt(sum), exponent);
}

void add_scaled(double a, std::span<const double> x, std::span<double> y) noexcept {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += a * x[i];
}

bool all_finite(std::span<const double> x) noexcept {
  return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

void check_sizes(const Objective& objective, std::size_t x_size, std::size_t n,
                 std::string_view place) {
  const std::size_t size = objective.size();
  if (size == 0) throw Error("the objective has no parameters", place);
  if (x_size != size) {
    throw Error(fmt::format("the objective has {} parameters, x has {}", size, x_size), place);
  }
  if (n != 0 && size != n) {
    throw Error(fmt::format("this optimiser works on {} parameters, the objective has {}", n, size),
                place, "use a new optimiser for another objective");
  }
}

std::span<const double> array_of(const OptimizerState& state, const std::string& key,
                                 std::string_view place) {
  const auto found = state.arrays.find(key);
  if (found == state.arrays.end()) {
    throw Error(fmt::format("the saved state has no array \"{}\"", key), place,
                "restore a state that the same method saved");
  }
  return found->second;
}

std::uint64_t number_of(const OptimizerState& state, const std::string& key,
                        std::string_view place) {
  const auto found = state.numbers.find(key);
  if (found == state.numbers.end()) {
    throw Error(fmt::format("the saved state has no number \"{}\"", key), place,
                "restore a state that the same method saved");
  }
  return found->second;
}

void require_consistent(bool fits, std::string_view place) {
  if (!fits) {
    throw Error("the arrays of the saved state do not fit together or exceed the options", place,
                "restore a state saved with the same options");
  }
}

}  // namespace cauchy::detail
