#pragma once

#include <cauchy/optimizers/line_search.hpp>
#include <cauchy/optimizers/optimizer.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cauchy {

struct NewtonOptions {
  double damping = 0;                       ///< eps of (H + eps I)^-1, not negative
  double difference = 6.0554544523933e-06;  ///< h / max(1, |x_j|) of the central differences
  LineSearchOptions line_search = {};
  std::uint64_t max_bytes = 0;  ///< most memory for H; 0: half of what the process may have
};

/// Newton's method with damping, for small problems: d = -(H + eps I)^-1 grad f and a strong-Wolfe
/// search from a = 1. H comes from central differences of the gradient, made symmetric:
///   H_j = (grad f(x + h e_j) - grad f(x - h e_j)) / 2h
/// eps starts at `damping` and is raised tenfold from 1e-8 max |H_ij| until Cholesky succeeds.
///   cost     2 n gradients and n^3 / 3 operations per step; memory 3 n^2 doubles
///   status   as Lbfgs; where no lower point lies along d, minus the gradient is tried
///   error    throws Error on options outside their ranges, and when H does not fit into max_bytes
class Newton final : public Optimizer {
 public:
  explicit Newton(const NewtonOptions& options = {});

  [[nodiscard]] std::string_view name() const noexcept override { return "newton"; }
  StepReport step(Objective& objective, std::span<double> x) override;
  void check_fits(const Objective& objective) const override;
  void objective_changed() override { known_ = false; }
  void save(OptimizerState& state) const override;
  void restore(const OptimizerState& state) override;

 private:
  bool direction(Objective& objective, StepReport& report);

  NewtonOptions options_;
  LineSearch line_search_;
  std::size_t n_ = 0;
  bool known_ = false;  ///< value_ and g_ belong to x_
  double value_ = 0;
  std::vector<double> x_, g_, d_;
};

}  // namespace cauchy
