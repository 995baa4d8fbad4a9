#include <cauchy/training/point_weights.hpp>

#include "training/point_weights/noise.hpp"
#include "training/rule_table.hpp"

namespace cauchy {

const std::vector<PointWeightsEntry>& all_point_weights() {
  static const std::vector<PointWeightsEntry> all = {
      {"none", "every point counts the same", NoPointWeights{}},
      {"distance", "more far from the boundary", DistanceWeights{}},
      {"attention", "more where residuals stay large", AttentionWeights{}},
      {"linear-time", "more at early times", LinearTimeWeights{}},
      {"causal", "late times only when early ones are solved", CausalWeights{}},
      {"self-adaptive", "weights that climb the loss", SelfAdaptiveWeights{}},
      {"noise", "noisy observations lead, then give way to the equations", NoiseWeights{}},
  };
  return all;
}

std::unique_ptr<PointWeights> make_point_weights(const PointWeightsOptions& options,
                                                 const TrainingPoints& points) {
  if (const auto* noise = std::get_if<NoiseWeights>(&options)) {
    return detail::make_noise_weights(*noise, points);
  }
  if (const auto* custom = std::get_if<CustomPointWeights>(&options)) {
    return detail::make_custom(*custom, "[training.point_weights]");
  }
  return nullptr;
}

void visit_options(PointWeightsOptions& options, OptionVisitor& v) {
  detail::visit_rule(options, v, "weights of points", all_point_weights());
}

}  // namespace cauchy
