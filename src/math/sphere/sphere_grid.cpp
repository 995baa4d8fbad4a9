#include <cauchy/math/sphere_grid.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/quadrature.hpp>

namespace cauchy {
namespace {

constexpr const char* sphere_grid_place = "[math.sphere_grid]";

/// Fejer's first rule: w_i = 2/n (1 - 2 sum_{k=1}^{n/2} cos(2 k theta_i) / (4 k^2 - 1)).
Rule fejer_rule(std::size_t n) {
  Rule rule;
  rule.nodes.resize(n);
  rule.weights.resize(n);
  const auto pi = std::numbers::pi_v<long double>;
  for (std::size_t i = 0; i < (n + 1) / 2; ++i) {
    const long double theta =
        pi * (static_cast<long double>(i) + 0.5L) / static_cast<long double>(n);
    long double sum = 1;
    for (std::size_t k = 1; k <= n / 2; ++k) {
      const auto r = static_cast<long double>(k);
      sum -= 2 * std::cos(2 * r * theta) / (4 * r * r - 1);
    }
    const bool middle = 2 * i + 1 == n;
    const double x = middle ? 0 : static_cast<double>(std::cos(theta));
    rule.nodes[i] = -x;
    rule.nodes[n - 1 - i] = x;
    rule.weights[i] = rule.weights[n - 1 - i] =
        static_cast<double>(2 * sum / static_cast<long double>(n));
  }
  return rule;
}

/// The next even number without factors other than 2, 3 and 5.
std::size_t smooth_even(std::size_t n) {
  for (n += n % 2;; n += 2) {
    std::size_t rest = n;
    for (const std::size_t p : {2u, 3u, 5u}) {
      while (rest % p == 0) rest /= p;
    }
    if (rest == 1) return n;
  }
}

}  // namespace

std::string_view to_string(Latitudes latitudes) noexcept {
  switch (latitudes) {
    case Latitudes::gauss_legendre:
      return "gauss-legendre";
    case Latitudes::equiangular:
      return "equiangular";
    case Latitudes::clenshaw_curtis:
      return "clenshaw-curtis";
  }
  return "?";
}

double SphereGrid::colatitude(std::size_t i) const {
  return std::atan2(std::sqrt((1 - x[i]) * (1 + x[i])), x[i]);
}
double SphereGrid::latitude(std::size_t i) const {
  return std::atan2(x[i], std::sqrt((1 - x[i]) * (1 + x[i])));
}
double SphereGrid::longitude(std::size_t j) const {
  return 2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n_longitudes);
}
double SphereGrid::area(std::size_t i) const {
  return weights[i] * 2 * std::numbers::pi / static_cast<double>(n_longitudes);
}

std::size_t SphereGrid::max_degree() const noexcept {
  const std::size_t n =
      latitudes == Latitudes::gauss_legendre ? n_latitudes - 1 : (n_latitudes - 1) / 2;
  return std::min(n, (n_longitudes - 1) / 2);
}

SphereGrid sphere_grid(Latitudes latitudes, std::size_t n_latitudes, std::size_t n_longitudes) {
  if (n_latitudes < 2 || n_longitudes < 4) {
    throw Error(fmt::format("a grid on the sphere of {} x {} points is too small", n_latitudes,
                            n_longitudes),
                sphere_grid_place, "give at least 2 latitudes and 4 longitudes");
  }
  SphereGrid grid{latitudes, n_latitudes, n_longitudes};
  const Rule rule = latitudes == Latitudes::gauss_legendre ? gauss_legendre(n_latitudes)
                    : latitudes == Latitudes::equiangular  ? fejer_rule(n_latitudes)
                                                           : clenshaw_curtis(n_latitudes);
  grid.x.assign(rule.nodes.rbegin(), rule.nodes.rend());
  grid.weights.assign(rule.weights.rbegin(), rule.weights.rend());
  return grid;
}

SphereGrid gauss_grid(std::size_t degree, std::size_t factors) {
  const std::size_t exact = (factors + 1) * degree + 1;
  std::size_t n = std::max<std::size_t>((exact + 1) / 2, 2);
  n += n % 2;
  return sphere_grid(Latitudes::gauss_legendre, n,
                     smooth_even(std::max<std::size_t>({exact, 2 * n, 4})));
}

double integrate(const SphereGrid& grid, std::span<const double> field) {
  if (field.size() != grid.size()) {
    throw Error(fmt::format("the field has {} values, the grid {} x {}", field.size(),
                            grid.n_latitudes, grid.n_longitudes),
                sphere_grid_place);
  }
  double sum = 0;
  for (std::size_t i = 0; i < grid.n_latitudes; ++i) {
    double circle = 0;
    for (std::size_t j = 0; j < grid.n_longitudes; ++j) circle += field[i * grid.n_longitudes + j];
    sum += grid.area(i) * circle;
  }
  return sum;
}

}  // namespace cauchy
