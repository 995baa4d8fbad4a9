#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/classical/nodal_model.hpp"

namespace cauchy::detail {

/// Nodes of a solution along its variable s with states and slopes, a cubic polynomial between any
/// two of them. A node may stand twice where values or slopes
/// jump.
struct OdeCubics {
  std::vector<double> nodes;  ///< do not descend
  std::size_t n_components = 0;
  std::vector<double> values, slopes;  ///< row-major nodes x components

  void add(double s, std::span<const double> y, std::span<const double> dy);
  /// The derivative of any order of a component; beyond the ends the outermost cubic goes on.
  [[nodiscard]] double value(double s, std::size_t component, int order) const;
};

/// Solutions of ordinary differential equations as fields. Derivatives below the highest of the
/// equations are components of the state: u_tt of a second-order equation is the slope of u_t.
class OdeField final : public NodalModel {
 public:
  /// A field is the component `first`, its derivatives are the count - 1 next ones.
  struct Place {
    std::string field;
    std::size_t first = 0, count = 1;
  };
  ///   error    throws Error when cubics and places do not fit
  OdeField(std::shared_ptr<const Problem> problem, std::string variable, std::vector<Place> places,
           OdeCubics cubics);

  void save(Checkpoint& checkpoint) const override;
  [[nodiscard]] static std::shared_ptr<const OdeField> load(const Checkpoint& checkpoint,
                                                            std::shared_ptr<const Problem> problem);
  void derivatives(std::span<const Expr> atoms, std::span<const double> points,
                   std::span<double> out) const override;

 private:
  std::string variable_;
  std::vector<Place> places_;
  OdeCubics cubics_;
  std::size_t column_ = 0;  // of the variable among the coordinates
};

}  // namespace cauchy::detail
