#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/ode/ode_system.hpp"
#include "solvers/ode/ode_transmission.hpp"

namespace cauchy::detail {

/// Equations of a state at one point s, or of the states at both ends (periodic).
class OdeConditions final {
 public:
  struct One {
    double at = 0;
    std::string name;
    std::shared_ptr<const OdeProgram> form;  ///< value, then derivatives by the components
    std::size_t periodic = 0;  ///< without a form: this component is the same at both ends
  };

  /// Conditions of a problem on [lower, upper]; integrals have become fields, see OdeProblem.
  ///   error    throws Error (unsupported) for what stands there and cannot be treated
  OdeConditions(const OdeSystem& system, std::vector<One> all)
      : system_(&system), all_(std::move(all)) {}

  [[nodiscard]] const std::vector<One>& all() const noexcept { return all_; }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  /// Whether all hold at one point.
  [[nodiscard]] bool at_one_point() const;
  /// Value of a condition with a form and its derivatives by the components.
  double value(const One& c, std::span<const double> y, std::span<double> by_state) const;

  /// The state at the point where all hold, by Newton's method from 0, 1 or -1; from 0 components
  /// that no condition names stay 0.
  ///   trouble  empty, or why there is none
  [[nodiscard]] std::vector<double> start(std::string& trouble) const;

 private:
  const OdeSystem* system_;
  std::vector<One> all_;
};

/// A problem in one variable, taken apart.
struct OdeProblem {
  double lower = 0, upper = 1;
  std::unique_ptr<OdeSystem> system;
  std::unique_ptr<OdeConditions> conditions;
  std::vector<double> jumps;  ///< inside, ascending: where known functions of the equations jump
  /// Null: at jumps all components of the state are continuous.
  std::unique_ptr<OdeTransmission> transmission;
  std::vector<double> nodes;  ///< those, and around narrow sources: there steps end
  double size = 1;            ///< of the numbers in it, for absolute tolerances

  ///   error    throws Error (unsupported) with the reason and another method
  explicit OdeProblem(const std::shared_ptr<const Problem>& problem);

  /// Whether the state jumps at s, which is a node.
  [[nodiscard]] bool jumps_at(double s) const;
};

}  // namespace cauchy::detail
