#pragma once

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

/// Weighs the terms of a loss against each other while it is trained.
class Balancer {
 public:
  virtual ~Balancer() = default;
  /// Before a step: may set weights of terms in the loss; true when one changed.
  virtual bool update(TrainingLoss& loss, const TrainingStep& step) = 0;
  /// restore() puts the weights into the loss as well; the run then goes on to the same bits.
  virtual void save(TrainingState& state) const = 0;
  virtual void restore(const TrainingState& state, TrainingLoss& loss) = 0;
};

/// The weights of the problem, for the whole run.
struct FixedBalancer {};
/// A balancer that is not of this library.
struct CustomBalancer {
  std::function<std::unique_ptr<Balancer>()> make;
  std::string name = "balancer";  ///< tells checkpoints of different ones apart
};
using BalancerOptions = std::variant<FixedBalancer, CustomBalancer>;

struct BalancerEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  BalancerOptions options;       ///< the defaults
};
/// The balancers that files can name.
[[nodiscard]] const std::vector<BalancerEntry>& all_balancers();
/// Null where nothing changes.
[[nodiscard]] std::unique_ptr<Balancer> make_balancer(const BalancerOptions& options);
void visit_options(BalancerOptions& options, OptionVisitor& visitor);

}  // namespace cauchy
