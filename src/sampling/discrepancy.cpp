#include <cauchy/sampling/discrepancy.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

void check(std::span<const double> points, std::size_t dimension) {
  constexpr std::string_view place = "[sampling.discrepancy]";
  if (dimension == 0) throw Error("the dimension must be positive, got 0", place);
  if (points.empty()) throw Error("there are no points", place);
  if (points.size() % dimension != 0) {
    throw Error(fmt::format("{} numbers are not rows of dimension {}", points.size(), dimension),
                place);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(points[i] >= 0 && points[i] <= 1)) {
      throw Error(
          fmt::format("coordinate {} of point {} is {}", i % dimension, i / dimension, points[i]),
          place, "map the points to the unit cube first");
    }
  }
}

/// 1/n^2 times the sum over all pairs of prod_k kernel(x_ik, x_jk); the kernel is symmetric. Rows
/// are summed first: the error stays near that of n terms.
template <class Kernel>
double mean_over_pairs(std::span<const double> x, std::size_t d, const Kernel& kernel) {
  const std::size_t n = x.size() / d;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double* a = x.data() + i * d;
    double row = 0;
    for (std::size_t j = 0; j < i; ++j) {
      const double* b = x.data() + j * d;
      double product = 1;
      for (std::size_t k = 0; k < d; ++k) product *= kernel(a[k], b[k]);
      row += product;
    }
    double diagonal = 1;
    for (std::size_t k = 0; k < d; ++k) diagonal *= kernel(a[k], a[k]);
    total += 2 * row + diagonal;
  }
  return total / (static_cast<double>(n) * static_cast<double>(n));
}

template <class Factor>
double mean_over_points(std::span<const double> x, std::size_t d, const Factor& factor) {
  const std::size_t n = x.size() / d;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double product = 1;
    for (std::size_t k = 0; k < d; ++k) product *= factor(x[i * d + k]);
    total += product;
  }
  return total / static_cast<double>(n);
}

}  // namespace

double l2_star_discrepancy(std::span<const double> points, std::size_t dimension) {
  check(points, dimension);
  const auto d = static_cast<double>(dimension);
  const double single =
      mean_over_points(points, dimension, [](double x) { return (1 - x * x) / 2; });
  const double pairs =
      mean_over_pairs(points, dimension, [](double x, double y) { return 1 - std::max(x, y); });
  return std::sqrt(std::max(0.0, std::pow(3.0, -d) - 2 * single + pairs));
}

double centered_l2_discrepancy(std::span<const double> points, std::size_t dimension) {
  check(points, dimension);
  const auto d = static_cast<double>(dimension);
  const double single = mean_over_points(points, dimension, [](double x) {
    const double z = std::abs(x - 0.5);
    return 1 + z / 2 - z * z / 2;
  });
  const double pairs = mean_over_pairs(points, dimension, [](double x, double y) {
    return 1 + (std::abs(x - 0.5) + std::abs(y - 0.5) - std::abs(x - y)) / 2;
  });
  return std::sqrt(std::max(0.0, std::pow(13.0 / 12, d) - 2 * single + pairs));
}

double star_discrepancy_1d(std::span<const double> points) {
  check(points, 1);
  std::vector<double> x(points.begin(), points.end());
  std::sort(x.begin(), x.end());
  const double half = 0.5 / static_cast<double>(x.size());
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(x[i] - static_cast<double>(2 * i + 1) * half));
  }
  return half + largest;
}

}  // namespace cauchy
