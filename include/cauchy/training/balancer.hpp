#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/training/loss.hpp>
#include <cauchy/training/step.hpp>

namespace cauchy {

class OptionVisitor;

/// Weighs the terms of a loss against each other while it is trained. L_i below is the loss of term
/// i with the weight of the problem; a balancer sets factors lambda_i on top (TrainingLoss::weigh),
/// or replaces the sum of the gradients by another combination (TrainingLoss::combine).
class Balancer {
 public:
  virtual ~Balancer() = default;
  /// Before a step: may set factors of terms in the loss; true when one changed.
  virtual bool update(TrainingLoss& loss, const TrainingStep& step) = 0;
  /// restore() puts the factors into the loss as well; the run then goes on to the same bits.
  virtual void save(TrainingState& state) const = 0;
  virtual void restore(const TrainingState& state, TrainingLoss& loss) = 0;
};

/// The weights of the problem, for the whole run.
struct FixedBalancer {};

/// GradNorm (Chen et al. 2018): lambda follows the gradient of sum_i |G_i - mean(G) r_i^alpha|,
/// G_i = |grad(lambda_i L_i)|, r_i = (L_i / L_i(0)) / mean; then sum lambda = number of terms.
struct GradNormBalancer {
  double alpha = 1.5;            ///< 0: all gradients the same length
  double learning_rate = 0.025;  ///< of lambda, per update
  std::uint64_t period = 10;     ///< steps between updates
};

/// Homoscedastic uncertainty (Kendall et al. 2018): a trained scale per term.
///   sigma   sum L_i / (2 sigma_i^2) + log sigma_i; stationary: sigma_i^2 = L_i
///   gamma   sum exp(-gamma_i) L_i + gamma_i / 2; stationary: exp(-gamma_i) = 1 / (2 L_i)
struct UncertaintyBalancer {
  enum class Form : std::uint8_t { sigma, gamma };
  Form form = Form::gamma;
  double learning_rate = 0.05;  ///< of log sigma_i or gamma_i, per update
  std::uint64_t period = 10;
};

/// Learning-rate annealing (Wang et al. 2021): lambda_i of a condition moves towards
/// max|grad L_pde| / mean|grad L_i| (or mean over mean); equations keep 1.
struct AnnealingBalancer {
  enum class Ratio : std::uint8_t { max_over_mean, mean_over_mean };
  Ratio ratio = Ratio::max_over_mean;
  double new_share = 0.1;  ///< lambda = new_share * new + (1 - new_share) * old
  std::uint64_t period = 100;
};

/// SoftAdapt (Heydari et al. 2019): n softmax(beta L_i(k) / L_i(k-1)), or of the differences.
struct SoftAdaptBalancer {
  enum class Rate : std::uint8_t { ratio, difference };
  Rate rate = Rate::ratio;
  double beta = 1;
  std::uint64_t period = 100;
};

/// ReLoBRaLo (Bischof, Kraus 2021): with w(k, k') = n softmax(L_i(k) / (tau L_i(k'))),
///   lambda(k) = a (rho lambda(k-1) + (1 - rho) w(k, 0)) + (1 - a) w(k, k-1),
/// rho = 1 with probability `keep`, else 0.
struct RelobraloBalancer {
  double old_share = 0.95;  ///< a
  double keep = 0.99;       ///< expectation of rho
  double temperature = 1;   ///< tau
  std::uint64_t period = 10;
};

/// ConFIG (Liu et al. 2024): the direction with equal positive cosines to all gradients, in place
/// of their sum; first-order methods only, others minimise the sum.
struct ConfigBalancer {};
/// The same with momenta: one gradient per step, in turns, beside Adam with the same beta1.
struct MomentumConfigBalancer {
  double beta1 = 0.9;
};

/// Traces of the neural tangent kernel (Wang et al. 2022): lambda_i = Tr K / Tr K_ii over the
/// residuals of the terms; sum 1 / lambda_i = 1.
struct NtkBalancer {
  double old_share = 0.9;  ///< lambda = old_share * old + (1 - old_share) * new
  std::uint64_t period = 1000;
};

/// Gradient norms of the expert's guide (Wang et al. 2023): lambda_i = sum_j |g_j| / |g_i|;
/// sum 1 / lambda_i = 1 and lambda_i |g_i| are equal for old_share = 0.
struct GradientNormsBalancer {
  double old_share = 0.9;  ///< lambda = old_share * old + (1 - old_share) * new
  std::uint64_t period = 1000;
};

/// A balancer that is not of this library.
struct CustomBalancer {
  std::function<std::unique_ptr<Balancer>()> make;
  std::string name = "balancer";  ///< tells checkpoints of different ones apart
};
using BalancerOptions =
    std::variant<FixedBalancer, GradNormBalancer, UncertaintyBalancer, AnnealingBalancer,
                 SoftAdaptBalancer, RelobraloBalancer, ConfigBalancer, MomentumConfigBalancer,
                 NtkBalancer, GradientNormsBalancer, CustomBalancer>;

struct BalancerEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  BalancerOptions options;       ///< the defaults
};
/// The balancers that files can name.
[[nodiscard]] const std::vector<BalancerEntry>& all_balancers();
/// Null where nothing changes.
///   seed     of the run, for those that draw
[[nodiscard]] std::unique_ptr<Balancer> make_balancer(const BalancerOptions& options,
                                                      std::uint64_t seed = 1);
void visit_options(BalancerOptions& options, OptionVisitor& visitor);

}  // namespace cauchy
