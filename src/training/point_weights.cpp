#include <cauchy/training/point_weights.hpp>

#include "training/point_weights/attention.hpp"
#include "training/point_weights/causal.hpp"
#include "training/point_weights/distance.hpp"
#include "training/point_weights/linear_time.hpp"
#include "training/point_weights/noise.hpp"
#include "training/point_weights/self_adaptive.hpp"
#include "training/rule_table.hpp"

namespace cauchy {

CAUCHY_COMPILE_HERE(PointWeightsOptions)

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
  struct Make {
    const TrainingPoints& points;
    using Made = std::unique_ptr<PointWeights>;
    Made operator()(const NoPointWeights&) const { return nullptr; }
    Made operator()(const DistanceWeights& o) const { return detail::make_distance(o, points); }
    Made operator()(const AttentionWeights& o) const { return detail::make_attention(o); }
    Made operator()(const LinearTimeWeights& o) const {
      return detail::make_linear_time(o, points);
    }
    Made operator()(const CausalWeights& o) const { return detail::make_causal(o, points); }
    Made operator()(const SelfAdaptiveWeights& o) const { return detail::make_self_adaptive(o); }
    Made operator()(const NoiseWeights& o) const { return detail::make_noise_weights(o, points); }
    Made operator()(const CustomPointWeights& o) const {
      return detail::make_custom(o, "[training.point_weights]");
    }
  };
  return std::visit(Make{points}, options);
}

void visit_options(PointWeightsOptions& options, OptionVisitor& v) {
  detail::visit_rule(options, v, "point weight", all_point_weights());
}

}  // namespace cauchy
