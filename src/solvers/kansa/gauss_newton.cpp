#include "solvers/kansa/gauss_newton.hpp"

#include <cmath>

#include <cauchy/base/work.hpp>

namespace cauchy::detail {
namespace {

constexpr double last_change = 1e-8;   // of the fields, relative: it has settled
constexpr double small_change = 1e-3;  // the same where the residual cannot become smaller
constexpr double first_damping = 1e-2, least_damping = 1e-3;

double norm_of(std::span<const double> v, std::span<const double> scale) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += scale[i] * scale[i] * v[i] * v[i];
  return std::sqrt(sum);
}

/// Euclidean norm of the values of all fields at points.
double size_at(const RbfBasis& basis, std::span<const double> coefficients,
               std::span<const double> points) {
  const std::size_t n = points.size() / basis.dimension(), F = coefficients.size() / basis.size();
  std::vector<std::span<const double>> of_field;
  for (std::size_t f = 0; f < F; ++f) {
    of_field.push_back(coefficients.subspan(f * basis.size(), basis.size()));
  }
  const std::vector<std::vector<int>> orders(F, std::vector<int>(basis.dimension(), 0));
  Matrix values(n, F);
  basis.derivatives_of_sums(of_field, points, orders, values.view());
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values.data()[i] * values.data()[i];
  return std::sqrt(sum);
}

}  // namespace

GaussNewtonResult gauss_newton(CollocationSystem& system, const RbfBasis& basis,
                               std::vector<double> start, bool guess, CollocationStepOptions how,
                               int most, FunctionRef<bool()> stop) {
  const std::size_t columns = start.size(), n_fields = columns / basis.size();
  const bool linear = system.linear();
  GaussNewtonResult result;
  std::vector<double>& now = result.coefficients = std::move(start);
  std::vector<double> residual(system.n_rows()), next(system.n_rows()), trial(columns);
  if (!linear && guess) how.damping = first_damping;
  while (result.taken < (linear ? 1 : most) && !result.settled) {
    if (stop()) {
      result.interrupted = true;
      return result;
    }
    system.linearize(basis, now, residual);
    count_work(WorkKind::pieces, static_cast<double>(system.n_rows() * columns));
    const CollocationStep& step = result.step =
        collocation_step(system, basis, n_fields, now, residual, how);
    if (step.status != Factorization::ok) return result;
    const double before = norm_of(residual, step.scale);
    const bool any = linear || (guess && result.taken == 0);
    double length = 1, after = 0;
    for (;; length /= 2) {
      for (std::size_t k = 0; k < columns; ++k) trial[k] = now[k] + length * step.change[k];
      system.residual(basis, trial, next);
      after = norm_of(next, step.scale);
      if (any || after <= (1 - 1e-4 * length) * before || length < 0.05) break;
    }
    const double size = size_at(basis, trial, system.points(0));
    result.change = size_at(basis, step.change, system.points(0)) / (size > 0 ? size : 1);
    ++result.taken;
    if (!any && !(after < before)) {  // as small as it gets, or too bold
      result.settled = result.change < small_change;
      if (how.damping > 1) break;
      how.damping = how.damping > 0 ? 10 * how.damping : least_damping;
      continue;
    }
    now = trial;
    result.left = before > 0 ? after / before : 0;
    const bool stuck = result.left > 0.9 && result.change < small_change;
    result.settled =
        linear || (length == 1 && how.damping == 0 && (result.change < last_change || stuck));
    how.damping = how.damping > least_damping ? how.damping / 10 : 0;
  }
  result.settled = result.settled || result.change < small_change;
  return result;
}

}  // namespace cauchy::detail
