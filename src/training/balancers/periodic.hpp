#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <cauchy/training/balancer.hpp>

namespace cauchy::detail {

inline constexpr std::string_view balancer_place = "[training.balancer]";

/// How new factors of the terms follow from the loss at theta; what it remembers from one update to
/// the next it saves.
class FactorRule {
 public:
  virtual ~FactorRule() = default;
  /// Replaces factors by new ones; a term that takes no part keeps its own.
  virtual void update(TrainingLoss& loss, std::span<const double> theta,
                      std::span<double> factors) = 0;
  virtual void save(TrainingState& /*state*/) const {}
  virtual void restore(const TrainingState& /*state*/, std::size_t /*n_terms*/) {}
};

/// Asks the rule before step 0 and before every period-th step after it, and puts its factors into
/// the loss: within [1e-12, 1e12], and only those that are finite.
///   error    throws Error when the period is 0
[[nodiscard]] std::unique_ptr<Balancer> make_periodic(std::uint64_t period,
                                                      std::unique_ptr<FactorRule> rule);

/// Losses of the terms without factors; 0 where they cannot be divided by each other: an energy, a
/// term that does not count, a loss that is not finite.
[[nodiscard]] std::vector<double> comparable_losses(TrainingLoss& loss,
                                                    std::span<const double> theta);
/// The same and, in one pass, the lengths of the gradients; 0 where not finite.
struct LossesAndNorms {
  std::vector<double> losses, norms;
};
[[nodiscard]] LossesAndNorms losses_and_norms(TrainingLoss& loss, std::span<const double> theta);

/// factors <- total softmax(exponents) over the terms where `part` is true, total the sum of their
/// factors before: the sum over all terms stays what it was. No exponent overflows.
void softmax_factors(std::span<const double> exponents, const std::vector<bool>& part,
                     std::span<double> factors);
/// factors_i <- old_share factors_i + (1 - old_share) sum_j sizes_j / sizes_i over positive sizes.
void share_inversely(std::span<const double> sizes, double old_share, std::span<double> factors);
/// One update of GradNorm. Terms without a positive loss, first loss and norm take no part.
void gradnorm_step(const GradNormBalancer& options, std::span<const double> first,
                   std::span<const double> losses, std::span<const double> norms,
                   std::span<double> factors);

/// An array of a saved state with one number per term, or none.
///   error    throws Error for other lengths
[[nodiscard]] std::vector<double> saved_terms(const TrainingState& state, const char* name,
                                              std::size_t n_terms);

}  // namespace cauchy::detail
