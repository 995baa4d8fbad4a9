#include <cauchy/sampling/risk.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {

Risk empirical_risk(std::span<const double> differences, double p, std::size_t columns) {
  const std::size_t n = columns == 0 ? 0 : differences.size() / columns;
  if (!(p >= 1) || std::isinf(p) || n < 2 || n * columns != differences.size()) {
    throw Error(fmt::format("{} numbers in rows of {}, p = {}", differences.size(), columns, p),
                "[sampling.risk]", "give two rows or more, and a finite p of at least 1");
  }
  double sum = 0, square = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double length = 0;
    for (const double v : differences.subspan(i * columns, columns)) length += v * v;
    const double loss = std::pow(length, p / 2);
    // Welford: no cancellation between large means.
    const double before = loss - sum / static_cast<double>(i > 0 ? i : 1);
    sum += loss;
    if (i > 0) square += before * (loss - sum / static_cast<double>(i + 1));
  }
  const auto N = static_cast<double>(n);
  Risk r;
  r.risk = {.value = sum / N, .error = std::sqrt(square / (N - 1) / N), .n = n};
  const double distance = std::pow(r.risk.value, 1 / p);
  r.distance = {.value = distance, .error = r.risk.error * distance / (p * r.risk.value), .n = n};
  return r;
}

}  // namespace cauchy
