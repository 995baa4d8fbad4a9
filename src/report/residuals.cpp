#include "report/residuals.hpp"

#include <cmath>
#include <limits>

#include <cauchy/problem/place.hpp>

namespace cauchy::detail {

EquationResiduals::EquationResiduals(const Solution& solution) : evaluator_(solution) {
  const Problem& problem = evaluator_.problem();
  const Lowering& lower = evaluator_.lower();
  const Sizes sizes = characteristic_sizes(problem, lower, true);
  for (const ProblemEquation& e : problem.equation) {
    names_.push_back(name_of(e));
    outputs_.push_back(lower(e.form.residual()));
    sizes_.push_back(residual_size(outputs_.back(), problem, sizes));
  }
  for (const ProblemEquation& e : problem.equation) {
    outputs_.push_back(e.where.empty() ? Expr(1)
                                       : lower(parse_condition(e.where, problem.context(), 1e-9)));
  }
}

std::vector<double> EquationResiduals::operator()(std::span<const double> rows) const {
  Points points;
  points.columns = evaluator_.problem().coordinates();
  points.values.assign(rows.begin(), rows.end());
  const auto values = evaluator_(outputs_, points);
  const std::size_t n = points.size(), E = names_.size();
  std::vector<double> result(n * E);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < E; ++k) {
      result[i * E + k] = values[E + k][i] != 0 ? std::abs(values[k][i]) / sizes_[k]
                                                : std::numeric_limits<double>::quiet_NaN();
    }
  }
  return result;
}

}  // namespace cauchy::detail
