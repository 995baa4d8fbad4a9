#include <cmath>

#include <cauchy/base/options.hpp>

#include "optimizers/vector_ops.hpp"
#include "training/balancers/balancers.hpp"
#include "training/balancers/periodic.hpp"

namespace cauchy {

void visit_options(NtkBalancer& o, OptionVisitor& v) {
  v.number("old_share", o.old_share, NumberRange::below_one);
  v.count("period", o.period, 1);
}

namespace detail {
namespace {

/// sum_gk w_g |dS_gk/dtheta|^2: the trace of the kernel of a term up to weight / n_groups.
double weighted_trace(Executor& executor, std::size_t term, std::span<const double> theta) {
  const std::size_t n = executor.term(term).residuals.size();
  const std::span<const double> weights = executor.weights(term);
  double trace = 0;
  const Groups* groups = executor.groups(term);
  if (groups == nullptr) {
    std::vector<double> squares(executor.n_residuals(term));
    executor.gradient_norms(term, theta, squares);
    for (std::size_t i = 0; i < squares.size(); ++i) trace += weights[i / n] * squares[i];
    return trace;
  }
  // The gradients of the points of a group add up before they are squared.
  std::vector<double> seeds(executor.n_residuals(term)), gradient(theta.size());
  for (std::size_t g = 0; g < groups->size(); ++g) {
    for (std::size_t k = 0; k < n; ++k) {
      seeds.assign(seeds.size(), 0.0);
      for (std::size_t m = groups->offsets[g]; m < groups->offsets[g + 1]; ++m) {
        seeds[groups->points[m] * n + k] += groups->weights[m];
      }
      executor.jacobian_transposed_times(term, theta, seeds, gradient);
      trace += weights[g] * dot(gradient, gradient);
    }
  }
  return trace;
}

class Ntk final : public FactorRule {
 public:
  explicit Ntk(double old_share) : old_share_(old_share) {}

  void update(TrainingLoss& loss, std::span<const double> theta,
              std::span<double> factors) override {
    Executor& executor = loss.executor();
    std::vector<double> traces(loss.n_terms(), 0.0);
    for (std::size_t t = 0; t < traces.size(); ++t) {
      if (executor.term(t).form != TermForm::square || !(executor.weight(t) > 0)) continue;
      const double scale = executor.weight(t) / loss.factor(t, WeightLayer::balancer) /
                           static_cast<double>(executor.n_groups(t));
      const double trace = scale * weighted_trace(executor, t, theta);
      traces[t] = std::isfinite(trace) ? trace : 0;
    }
    share_inversely(traces, old_share_, factors);
  }

 private:
  double old_share_;
};

}  // namespace

std::unique_ptr<Balancer> make_ntk(const NtkBalancer& options) {
  return make_periodic(options.period, std::make_unique<Ntk>(options.old_share));
}

}  // namespace detail
}  // namespace cauchy
