#include <cauchy/base/options.hpp>

#include "training/balancers/balancers.hpp"
#include "training/balancers/periodic.hpp"

namespace cauchy {

void visit_options(GradientNormsBalancer& o, OptionVisitor& v) {
  v.number("old_share", o.old_share, NumberRange::below_one);
  v.count("period", o.period, 1);
}

namespace detail {
namespace {

class GradientNorms final : public FactorRule {
 public:
  explicit GradientNorms(double old_share) : old_share_(old_share) {}
  void update(TrainingLoss& loss, std::span<const double> theta,
              std::span<double> factors) override {
    share_inversely(losses_and_norms(loss, theta).norms, old_share_, factors);
  }

 private:
  double old_share_;
};

}  // namespace

std::unique_ptr<Balancer> make_gradient_norms(const GradientNormsBalancer& options) {
  return make_periodic(options.period, std::make_unique<GradientNorms>(options.old_share));
}

}  // namespace detail
}  // namespace cauchy
