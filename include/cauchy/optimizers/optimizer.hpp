#pragma once

#include <cauchy/base/status.hpp>
#include <cauchy/optimizers/objective.hpp>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cauchy {

/// How one iteration ended. Only `progress` asks for another one.
enum class StepStatus {
  progress,            ///< x moved
  converged,           ///< the gradient is zero
  stalled,             ///< x is as good as rounding lets the method see
  line_search_failed,  ///< no lower point was found along the direction nor along -gradient
  diverged,            ///< the objective falls without bound, or x grew beyond all numbers
  not_finite           ///< the objective or its gradient is NaN or infinite
};

/// The name of the enumerator, "line_search_failed"; "unknown" for a value outside the enumeration.
[[nodiscard]] std::string_view to_string(StepStatus status) noexcept;
/// The status of a computation that ends with this step; `progress` gives ok.
[[nodiscard]] Status to_status(StepStatus status) noexcept;

/// What one iteration did.
struct StepReport {
  StepStatus status = StepStatus::progress;
  double value = 0;               ///< objective at the point named by `at_x`
  double gradient_norm = 0;       ///< Euclidean norm of the gradient at the same point
  double step_norm = 0;           ///< Euclidean length of the move of x
  std::uint64_t evaluations = 0;  ///< calls of the objective, each with or without gradient
  /// True: value and gradient_norm belong to x on return. False: to x on entry (first-order
  /// methods, which so need one gradient per step even when the points are redrawn every time).
  bool at_x = true;
};

/// Everything an optimiser carries from one step to the next, as named arrays and numbers.
struct OptimizerState {
  std::map<std::string, std::vector<double>> arrays;
  std::map<std::string, std::uint64_t> numbers;
  friend bool operator==(const OptimizerState&, const OptimizerState&) = default;
};

/// A method that lowers an objective step by step.
///   size         taken from the objective of the first step; another size later throws Error
///   failure      numerical trouble is a StepStatus, never an exception, and x is then the best
///                finite point known (unchanged when there is none)
///   determinism  a step is a function of state, x and objective, to the last bit
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// "lbfgs", "adam", ...
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// One iteration; x is updated in place. Throws Error when x and the objective differ in size.
  virtual StepReport step(Objective& objective, std::span<double> x) = 0;
  /// Throws Error, before anything is allocated, when a step on this objective would not fit into
  /// the memory allowed. step() asks by itself.
  virtual void check_fits(const Objective& /*objective*/) const {}
  /// To be called when the function behind the objective changed, for example because its points
  /// were redrawn: values and gradients kept from the last step are dropped.
  virtual void objective_changed() = 0;
  /// Writes the state; restore() into an optimiser with the same options continues with the same
  /// bits as if it had never stopped. restore() throws Error, and leaves the optimiser as it was,
  /// when the state is of another method or its arrays do not fit together.
  virtual void save(OptimizerState& state) const = 0;
  virtual void restore(const OptimizerState& state) = 0;
};

}  // namespace cauchy
