#include "solvers/pinn/pinn_noise.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "problem/point_data.hpp"

namespace cauchy::detail {

double observed_size(const Observation& o, bool scale) {
  double largest = 0;
  for (const double v : o.table.column(o.column)) largest = std::max(largest, std::abs(v));
  return scale && largest > 0 ? largest : 1;
}

std::optional<NoiseModel> noise_model(const Problem& problem, const Pinn& method) {
  NoiseModel model;
  double sum = 0;
  for (const Observation& o : problem.observation) {
    const double size = observed_size(o, method.scale);
    for (const double s : noise_of(o)) {
      sum += size * size / (s * s);
      model.n += 1;
    }
  }
  if (model.n == 0) return std::nullopt;
  model.precision = sum / model.n;
  return model;
}

double noise_weight(const Pinn& method) {
  for (const PointWeightsOptions& w : method.rules.point_weights) {
    if (const auto* noise = std::get_if<NoiseWeights>(&w)) return noise->weight;
  }
  return NoiseWeights{}.weight;
}

Pinn with_noise_rule(Pinn method, const Problem& problem) {
  auto& rules = method.rules.point_weights;
  const bool known = std::any_of(rules.begin(), rules.end(), [](const PointWeightsOptions& w) {
    return std::holds_alternative<NoiseWeights>(w);
  });
  if (!known && noise_model(problem, method)) rules.emplace_back(NoiseWeights{});
  return method;
}

}  // namespace cauchy::detail
