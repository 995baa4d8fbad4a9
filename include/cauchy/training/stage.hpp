#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/engine/executor.hpp>  // Precision
#include <cauchy/engine/parameters.hpp>
#include <cauchy/optimizers/any_optimizer.hpp>
#include <cauchy/optimizers/loss_transform.hpp>

namespace cauchy {

/// One optimiser, and when it stops: at the first of these, or when it cannot go on.
struct Stage {
  OptimizerOptions method = AdamOptions{};
  std::uint64_t steps = 1000;
  Schedule schedule = {};  ///< of the learning rate; first-order methods only
  /// Steps between new points. 0: that of the points for first-order methods, none for the others.
  std::uint64_t redraw = 0;
  double max_seconds = 0;             ///< of this stage; 0: no limit
  std::uint64_t max_evaluations = 0;  ///< of the loss, in this stage; 0: no limit
  double target_loss = 0;             ///< loss at most this; 0: never
  double gradient_tolerance = 0;      ///< Euclidean norm of the gradient at most this
  /// Not for first-order methods: 200 steps lower the loss by less than this part; 0: never.
  double relative_decrease = 0;
  /// Quasi-Newton methods may minimise an increasing function of the loss in its place.
  LossTransform transform = LossTransform::none;
};

/// Every option of the stage and of its optimiser under the name that files use.
void visit_options(Stage& stage, OptionVisitor& visitor);

/// Throws Error for limits that are negative or not numbers, and for a transformed loss where the
/// method minimises none.
void check_options(const Stage& stage);

/// The chain of optimisers that serves most problems, for n parameters (unknown constants among
/// them). Up to 6,000 in double precision Adam 500, then SSBroyden 4,000: its matrix then costs
/// about as much as the loss. Else Adam 1,000, then L-BFGS 4,000.
[[nodiscard]] std::vector<Stage> default_stages(std::size_t n_parameters,
                                                Precision precision = Precision::f64);

/// The same for a network. Where its fields are linear in all of at most 4,000 weights
/// (linear_parameters), least squares: for a linear problem two steps of Gauss-Newton, of which the
/// first is the answer; else Levenberg-Marquardt 100, since weights that hardly matter need
/// damping.
[[nodiscard]] std::vector<Stage> default_stages(const Graph& network, bool linear_problem,
                                                Precision precision = Precision::f64);

/// The optimiser of a stage: SOAP gets the weight matrices among the parameters, dense methods the
/// pool, so that a run has one.
///   error    throws Error on options outside their ranges
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const Stage& stage,
                                                        std::span<const ParameterBlock> parameters,
                                                        std::shared_ptr<Threads> pool);

}  // namespace cauchy
