#include <cauchy/applications/ensemble_scores.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr const char* score_place = "[applications.ensemble_scores]";

}  // namespace

double crps(std::span<const double> members, double observed, bool fair) {
  if (members.empty()) throw Error("an ensemble without members", score_place, "give at least 1");
  std::vector<double> x(members.begin(), members.end());
  std::sort(x.begin(), x.end());
  const auto M = static_cast<double>(x.size());
  double distance = 0, pairs = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    distance += std::abs(x[i] - observed) / M;
    // sum over pairs of |x_i - x_j| of sorted numbers: x_i is the larger one i times.
    pairs += (2 * static_cast<double>(i) + 1 - M) * x[i];
  }
  if (x.size() == 1) return distance;
  return distance - pairs / (fair ? M * (M - 1) : M * M);
}

EnsembleScore ensemble_score(std::span<const double> members, std::span<const double> observed,
                             std::span<const double> weights) {
  const std::size_t points = observed.size(), M = points == 0 ? 0 : members.size() / points;
  if (M == 0 || members.size() != M * points || (!weights.empty() && weights.size() != points)) {
    throw Error(fmt::format("{} numbers of members, {} observations and {} weights do not fit",
                            members.size(), points, weights.size()),
                score_place, "give whole fields");
  }
  EnsembleScore score;
  score.ranks.resize(M + 1);
  const auto n = static_cast<double>(M);
  std::vector<double> x(M);
  double square = 0, variance = 0;
  for (std::size_t p = 0; p < points; ++p) {
    const double w = weights.empty() ? 1 / static_cast<double>(points) : weights[p];
    double mean = 0, deviation = 0;
    std::size_t below = 0;
    for (std::size_t i = 0; i < M; ++i) {
      x[i] = members[i * points + p];
      mean += x[i] / n;
      below += x[i] < observed[p] ? 1 : 0;
    }
    for (const double v : x) deviation += (v - mean) * (v - mean);
    score.crps += w * crps(x, observed[p]);
    score.ranks[below] += w;
    square += w * (mean - observed[p]) * (mean - observed[p]);
    variance += w * deviation / (n - 1);
  }
  score.rmse = std::sqrt(square);
  score.spread = M > 1 ? std::sqrt(variance) : std::numeric_limits<double>::quiet_NaN();
  score.spread_skill = std::sqrt((n + 1) / n) * score.spread / score.rmse;
  return score;
}

}  // namespace cauchy
