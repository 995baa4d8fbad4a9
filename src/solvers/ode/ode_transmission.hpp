#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cauchy/expr/written.hpp>

#include "solvers/ode/ode_system.hpp"

namespace cauchy::detail {

/// What goes on through the jumps of coefficients: the fluxes as the equations were written. Of
/// d(k*u_x, x) it is k*u_x and not u_x, of d(B*u_xx, x, 2) the moment B*u_xx and d(B*u_xx, x).
class OdeTransmission final {
 public:
  ///   written   the residuals, lowered, with their written forms
  ///   returns   nothing where every component of the state is continuous
  [[nodiscard]] static std::unique_ptr<OdeTransmission> make(const OdeSystem& system,
                                                             std::span<const Expr> written,
                                                             double length);

  /// As many numbers as components, which are the same on both sides of s; `side` is -1 or 1.
  ///   by_state   their derivatives by the state
  void carried(double s, int side, std::span<const double> y, std::span<double> out,
               Matrix& by_state) const;
  /// The state on the other side of s, in place.
  ///   returns    false where there is none
  [[nodiscard]] bool cross(double s, int from_side, std::vector<double>& y) const;

 private:
  OdeTransmission(const OdeSystem& system, const std::vector<Expr>& carried, double length);

  std::size_t n_;
  double step_;  // beside a jump
  OdeProgram program_;
};

}  // namespace cauchy::detail
