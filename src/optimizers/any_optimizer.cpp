#include <cauchy/optimizers/any_optimizer.hpp>

namespace cauchy {
namespace {

QuasiNewtonOptions update_by(QuasiNewtonUpdate update) { return {.update = update}; }

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // for clang 14

}  // namespace

CAUCHY_COMPILE_HERE(OptimizerOptions)

const std::vector<OptimizerEntry>& all_optimizers() {
  using enum OptimizerKind;
  static const std::vector<OptimizerEntry> all = {
      {"gradient_descent", first_order, "along minus the gradient", GradientDescentOptions{}},
      {"momentum", first_order, "heavy ball", MomentumOptions{}},
      {"nesterov", first_order, "momentum with the gradient taken ahead", NesterovOptions{}},
      {"rmsprop", first_order, "each entry divided by its running root mean square",
       RmsPropOptions{}},
      {"adam", first_order, "momentum and running mean squares, bias corrected", AdamOptions{}},
      {"adamw", first_order, "Adam with decoupled weight decay", AdamWOptions{}},
      {"soap", first_order, "Adam in the eigenbasis of Shampoo's factors", SoapOptions{}},
      {"lbfgs", quasi_newton, "BFGS with limited memory, for any number of parameters",
       LbfgsOptions{}},
      {"bfgs", quasi_newton, "dense inverse Hessian, for thousands of parameters",
       update_by(QuasiNewtonUpdate::bfgs)},
      {"dfp", quasi_newton, "Davidon, Fletcher and Powell, for comparison",
       update_by(QuasiNewtonUpdate::dfp)},
      {"ssbfgs", quasi_newton, "self-scaled BFGS", update_by(QuasiNewtonUpdate::ssbfgs)},
      {"ssbroyden", quasi_newton, "self-scaled Broyden, the most accurate of the family",
       update_by(QuasiNewtonUpdate::ssbroyden)},
      {"newton", quasi_newton, "Hessian by differences, for small tests", NewtonOptions{}},
      {"gauss_newton", least_squares, "linearised residuals with a line search",
       GaussNewtonOptions{}},
      {"levenberg_marquardt", least_squares,
       "linearised residuals with a damping that follows success", LevenbergMarquardtOptions{}},
      {"natural_gradient", least_squares, "Gauss-Newton natural gradient with a line search",
       NaturalGradientOptions{}},
  };
  return all;
}

const OptimizerEntry& entry_of(const OptimizerOptions& options) {
  const auto* broyden = std::get_if<QuasiNewtonOptions>(&options);
  for (const OptimizerEntry& entry : all_optimizers()) {
    if (entry.options.index() != options.index()) continue;
    if (broyden == nullptr ||
        std::get<QuasiNewtonOptions>(entry.options).update == broyden->update) {
      return entry;
    }
  }
  return all_optimizers().back();  // an update outside its enumeration
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                          const Schedule& schedule) {
  using Made = std::unique_ptr<Optimizer>;
  return std::visit(
      Overloaded{
          [&](const GradientDescentOptions& o) -> Made {
            return std::make_unique<GradientDescent>(o, schedule);
          },
          [&](const MomentumOptions& o) -> Made { return std::make_unique<Momentum>(o, schedule); },
          [&](const NesterovOptions& o) -> Made { return std::make_unique<Nesterov>(o, schedule); },
          [&](const RmsPropOptions& o) -> Made { return std::make_unique<RmsProp>(o, schedule); },
          [&](const AdamOptions& o) -> Made { return std::make_unique<Adam>(o, schedule); },
          [&](const AdamWOptions& o) -> Made { return std::make_unique<AdamW>(o, schedule); },
          [&](const SoapOptions& o) -> Made { return std::make_unique<Soap>(o, schedule); },
          [](const LbfgsOptions& o) -> Made { return std::make_unique<Lbfgs>(o); },
          [](const QuasiNewtonOptions& o) -> Made { return std::make_unique<QuasiNewton>(o); },
          [](const NewtonOptions& o) -> Made { return std::make_unique<Newton>(o); },
          [](const GaussNewtonOptions& o) -> Made { return std::make_unique<GaussNewton>(o); },
          [](const LevenbergMarquardtOptions& o) -> Made {
            return std::make_unique<LevenbergMarquardt>(o);
          },
          [](const NaturalGradientOptions& o) -> Made {
            return std::make_unique<NaturalGradient>(o);
          },
      },
      options);
}

}  // namespace cauchy
