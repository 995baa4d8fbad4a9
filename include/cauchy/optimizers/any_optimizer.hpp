#pragma once

#include <cauchy/base/compiled_once.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/gauss_newton.hpp>
#include <cauchy/optimizers/gradient_descent.hpp>
#include <cauchy/optimizers/lbfgs.hpp>
#include <cauchy/optimizers/levenberg_marquardt.hpp>
#include <cauchy/optimizers/natural_gradient.hpp>
#include <cauchy/optimizers/newton.hpp>
#include <cauchy/optimizers/optimizer.hpp>
#include <cauchy/optimizers/quasi_newton.hpp>
#include <cauchy/optimizers/rmsprop.hpp>
#include <cauchy/optimizers/schedule.hpp>
#include <cauchy/optimizers/soap.hpp>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace cauchy {

class OptionVisitor;

/// Momentum with the gradient taken ahead.
struct NesterovOptions : MomentumOptions {};

/// Any optimiser, chosen by the type of its options: AdamOptions{.learning_rate = 2e-3}.
struct OptimizerOptions
    : std::variant<GradientDescentOptions, MomentumOptions, NesterovOptions, RmsPropOptions,
                   AdamOptions, AdamWOptions, SoapOptions, LbfgsOptions, QuasiNewtonOptions,
                   NewtonOptions, GaussNewtonOptions, LevenbergMarquardtOptions,
                   NaturalGradientOptions> {
  using variant::variant;
  CAUCHY_COMPILED_ONCE(OptimizerOptions)
};

/// How a method works with the objective.
enum class OptimizerKind {
  first_order,   ///< one gradient per step: has a schedule, and bears points that change
  quasi_newton,  ///< compares values: wants the same objective for many steps
  least_squares  ///< needs the residuals and their Jacobian
};

/// A name that users write, and what stands behind it.
struct OptimizerEntry {
  std::string_view name;
  OptimizerKind kind;
  std::string_view description;  ///< one phrase
  OptimizerOptions options;      ///< the defaults
};

/// All methods, simplest first.
[[nodiscard]] const std::vector<OptimizerEntry>& all_optimizers();
/// The entry of these options.
[[nodiscard]] const OptimizerEntry& entry_of(const OptimizerOptions& options);

/// Every option of the method under the name that files use.
void visit_options(OptimizerOptions& options, OptionVisitor& visitor);

/// The optimiser; first-order methods follow the schedule, others have none.
///   error    throws Error on options outside their ranges
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                                        const Schedule& schedule = {});

}  // namespace cauchy
