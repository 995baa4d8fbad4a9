#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/base/compiled_once.hpp>
#include <cauchy/training/loss.hpp>
#include <cauchy/training/points.hpp>
#include <cauchy/training/step.hpp>

namespace cauchy {

class OptionVisitor;

/// Weighs the terms of a loss against each other while it is trained. L_i below is the loss of term
/// i with the weight of the problem and g_i its gradient by all parameters; a balancer sets factors
/// lambda_i on top (TrainingLoss::weigh), or replaces the sum of the gradients by another
/// combination (TrainingLoss::combine).
class Balancer {
 public:
  virtual ~Balancer() = default;
  /// Before a step: may set factors of terms in the loss; true when one changed.
  virtual bool update(TrainingLoss& loss, const TrainingStep& step) = 0;
  /// restore() puts the factors into the loss as well; the run then goes on to the same bits.
  virtual void save(TrainingState& state) const = 0;
  virtual void restore(const TrainingState& state, TrainingLoss& loss) = 0;
};

// Balancers with a `period` look at the terms before step 0 and then before every period-th step of
// the whole training, with every optimiser. All factors begin with 1 and stay in [1e-12, 1e12]; a
// new one that is not finite is not taken. A term that does not count now (weight 0) or has no
// gradient keeps its factor, and so does an energy where losses are divided by each other.

/// The weights of the problem, for the whole run.
struct FixedBalancer {};

/// GradNorm (Chen et al. 2018): lambda descends sum_i |G_i - target_i|, targets held fixed,
///   G_i = lambda_i |g_i|,  target_i = mean(G) r_i^alpha,  r_i = (L_i / L_i(0)) / mean over i,
/// by signs in log lambda (d/dlambda_i is sign(G_i - target_i) |g_i|), never beyond a target. Then
/// sum lambda_i = number of terms.
struct GradNormBalancer {
  double alpha = 1.5;          ///< 0: all gradients the same length
  double learning_rate = 0.5;  ///< of log lambda, per update: its longest step
  std::uint64_t period = 20;   ///< steps between updates
};

/// Homoscedastic uncertainty (Kendall et al. 2018): a trained scale per term; its slope is kept in
/// [-1, 1].
///   sigma   sum L_i / (2 sigma_i^2) + log sigma_i; stationary: sigma_i^2 = L_i
///   gamma   sum exp(-gamma_i) L_i + gamma_i / 2; stationary: exp(-gamma_i) = 1 / (2 L_i)
struct UncertaintyBalancer {
  enum class Form : std::uint8_t { sigma, gamma };
  Form form = Form::gamma;
  double learning_rate = 0.05;  ///< of log sigma_i or gamma_i, per update
  std::uint64_t period = 10;
};

/// Learning-rate annealing (Wang et al. 2021): lambda_i of a condition (or of data) moves towards
/// max|g_pde| / mean|g_i| over the parameters, or mean over mean; equations keep 1. g_pde is the
/// gradient of all equations.
struct AnnealingBalancer {
  enum class Ratio : std::uint8_t { max_over_mean, mean_over_mean };
  Ratio ratio = Ratio::max_over_mean;
  double new_share = 0.1;  ///< lambda = new_share * new + (1 - new_share) * old
  std::uint64_t period = 100;
};

/// SoftAdapt (Heydari et al. 2019): n softmax(beta L_i(k) / L_i(k-1)), or of the differences
/// L_i(k) - L_i(k-1), which suit losses of about 1; k counts the updates, the first one only looks.
struct SoftAdaptBalancer {
  enum class Rate : std::uint8_t { ratio, difference };
  Rate rate = Rate::ratio;
  double beta = 1;
  std::uint64_t period = 100;
};

/// ReLoBRaLo (Bischof, Kraus 2021): with w(k, k') = n softmax(L_i(k) / (tau L_i(k'))),
///   lambda(k) = a (rho lambda(k-1) + (1 - rho) w(k, 0)) + (1 - a) w(k, k-1),
/// rho = 1 with probability `keep`, else 0, drawn with the seed of the run; k counts the updates,
/// the first one only looks.
struct RelobraloBalancer {
  double old_share = 0.95;   ///< a
  double keep = 0.9;         ///< expectation of rho: a look back every 100 steps or so
  double temperature = 0.1;  ///< tau
  std::uint64_t period = 10;
};

/// ConFIG (Liu et al. 2024): in place of the sum of the gradients (sum_i g_i . d) d, d the unit
/// vector with equal positive cosines to all g_i; at every step of a first-order method. Other
/// methods minimise the sum of the losses.
struct ConfigBalancer {};
/// The same with momenta in place of the gradients: one term per step, in turns, renews its own.
/// What the optimiser gets makes Adam with the same beta1 do the steps of M-ConFIG. The losses of
/// the other terms are those of their last turns.
struct MomentumConfigBalancer {
  double beta1 = 0.9;
};

/// Traces of the neural tangent kernel (Wang et al. 2022): lambda_i = Tr K / Tr K_ii, K = J J' of
/// the rows of the loss (Executor::rows) without factors; then all lambda_i Tr K_ii are equal, and
/// sum 1 / lambda_i = 1, for old_share = 0.
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
struct BalancerOptions
    : std::variant<FixedBalancer, GradNormBalancer, UncertaintyBalancer, AnnealingBalancer,
                   SoftAdaptBalancer, RelobraloBalancer, ConfigBalancer, MomentumConfigBalancer,
                   NtkBalancer, GradientNormsBalancer, CustomBalancer> {
  using variant::variant;
  CAUCHY_COMPILED_ONCE(BalancerOptions)
};

struct BalancerEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  BalancerOptions options;       ///< the defaults
};
/// The balancers that files can name.
[[nodiscard]] const std::vector<BalancerEntry>& all_balancers();
/// Throws Error for terms that the balancer has nothing to weigh against each other: a single one,
/// or, where conditions follow the equations, no equation or no condition.
void check_balancer(const BalancerOptions& options, std::span<const PointSource::Kind> terms);
/// Null where nothing changes. Kinds of terms and the seed of the run come with the points.
///   error    as check_balancer
[[nodiscard]] std::unique_ptr<Balancer> make_balancer(const BalancerOptions& options,
                                                      const TrainingPoints& points);
void visit_options(BalancerOptions& options, OptionVisitor& visitor);

}  // namespace cauchy
