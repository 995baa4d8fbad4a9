#include <cauchy/sampling/seed_importance.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr std::string_view seed_importance_place = "[sampling.seed_importance]";

void check_rows(std::string_view what, std::span<const double> rows, std::size_t dimension) {
  if (rows.empty()) throw Error(fmt::format("there are no {}", what), seed_importance_place);
  if (rows.size() % dimension != 0) {
    throw Error(
        fmt::format("{} numbers of {} are not rows of dimension {}", rows.size(), what, dimension),
        seed_importance_place);
  }
  for (const double x : rows) {
    if (!std::isfinite(x))
      throw Error(fmt::format("a coordinate of the {} is {}", what, x), seed_importance_place);
  }
}

}  // namespace

std::vector<std::size_t> nearest_seeds(std::span<const double> points,
                                       std::span<const double> seeds, std::size_t dimension) {
  if (dimension == 0) throw Error("the dimension must be positive, got 0", seed_importance_place);
  check_rows("points", points, dimension);
  check_rows("seeds", seeds, dimension);
  std::vector<std::size_t> nearest(points.size() / dimension);
  for (std::size_t p = 0; p < nearest.size(); ++p) {
    double least = INFINITY;
    for (std::size_t s = 0; s < seeds.size() / dimension; ++s) {
      double distance = 0;
      for (std::size_t k = 0; k < dimension; ++k) {
        const double difference = points[p * dimension + k] - seeds[s * dimension + k];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        nearest[p] = s;
      }
    }
  }
  return nearest;
}

std::vector<double> seed_probabilities(std::span<const double> points,
                                       std::span<const double> seeds, std::size_t dimension,
                                       std::span<const double> seed_losses, double uniform_share) {
  if (!(uniform_share >= 0 && uniform_share <= 1)) {
    throw Error(fmt::format("the uniform share is {}", uniform_share), seed_importance_place,
                "it must lie in [0, 1]");
  }
  const std::vector<std::size_t> nearest = nearest_seeds(points, seeds, dimension);
  if (seed_losses.size() * dimension != seeds.size()) {
    throw Error(fmt::format("{} losses for {} seeds", seed_losses.size(), seeds.size() / dimension),
                seed_importance_place);
  }
  double largest = 0;
  for (const double loss : seed_losses) {
    if (!(loss >= 0) || !std::isfinite(loss)) {
      throw Error(fmt::format("a seed has the loss {}", loss), seed_importance_place,
                  "losses must be finite and not negative");
    }
    largest = std::max(largest, loss);
  }
  const auto n = static_cast<double>(nearest.size());
  std::vector<double> q(nearest.size());
  double sum = 0;
  if (largest > 0) {  // divided by the largest loss, the sum cannot overflow
    for (std::size_t p = 0; p < q.size(); ++p) sum += q[p] = seed_losses[nearest[p]] / largest;
  }
  if (sum == 0 && uniform_share == 0) {
    throw Error("the losses of all nearest seeds are zero", seed_importance_place,
                "set a positive uniform share");
  }
  const double share = sum > 0 ? uniform_share : 1;
  for (double& value : q) {
    value = (sum > 0 ? (1 - share) * (value / sum) : 0) + share / n;
  }
  return q;
}

}  // namespace cauchy
