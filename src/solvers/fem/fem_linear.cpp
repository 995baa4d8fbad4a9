// Linear and nonlinear equations of elements.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/math/algebraic_multigrid.hpp>

#include "solvers/fem/fem_solver.hpp"

namespace cauchy::detail {
namespace {

// Beyond these, multigrid is faster than factors.
constexpr double most_for_factors[] = {0, 4e6, 3e4, 6e3};
constexpr int most_newton = 40;

double euclidean_size(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

double most_direct(std::size_t dimension) { return most_for_factors[dimension]; }

void constrain(SparseMatrix& a, const std::vector<char>& fixed) {
  const auto begin = a.begin(), columns = a.columns();
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (auto k = static_cast<std::size_t>(begin[i]); k < static_cast<std::size_t>(begin[i + 1]);
         ++k) {
      const auto j = static_cast<std::size_t>(columns[k]);
      if (fixed[i] || fixed[j]) a.values()[k] = i == j ? 1 : 0;
    }
  }
}

FemLinearResult solve_elements(const SparseMatrix& a, std::span<const double> b,
                               std::span<double> x, const FemForm& form) {
  FemLinearResult result;
  const bool spd = form.spd;
  // Aggregates know constants, not the rotations of an elastic body: systems get factors.
  if (spd && form.fields.size() == 1 &&
      static_cast<double>(a.rows()) > most_direct(form.weak.form.space.size())) {
    const AlgebraicMultigrid multigrid(a);
    std::fill(x.begin(), x.end(), 0.0);
    const IterationResult r = multigrid.solve(b, x, {.tolerance = 1e-11, .max_iterations = 300});
    if (r.converged()) {
      result.solved = true;
      result.how =
          fmt::format("conjugate gradients with algebraic multigrid, {} iterations", r.iterations);
      return result;
    }
  }
  std::copy(b.begin(), b.end(), x.begin());
  if (spd) {
    const SparseCholesky factors(a);
    if (factors.status() == Factorization::ok) {
      factors.solve(x);
      result.solved = true;
      result.how = "sparse Cholesky factors";
      return result;
    }
  }
  const SparseLu factors(a);
  if (factors.status() != Factorization::ok) {
    result.trouble = "the matrix is singular: equations and conditions do not determine the answer";
    return result;
  }
  factors.solve(x);
  result.solved = true;
  result.how = "sparse LU factors";
  return result;
}

FemNewton newton_elements(FemSystem& system, std::span<double> y, bool linear,
                          const std::function<bool()>& stop) {
  FemNewton result;
  const std::size_t n = system.size();
  std::vector<double> r(n), step(n), trial(n), r_trial(n);
  const std::vector<char>& fixed = system.fixed();
  const auto residual = [&](std::span<const double> at, std::span<double> out) {
    system.raw_residual(0, at, {}, out);
    for (std::size_t i = 0; i < n; ++i) out[i] = fixed[i] ? 0 : out[i];
    return euclidean_size(out);
  };
  SparseMatrix a;
  double norm = residual(y, r);
  const double first = norm;
  for (int k = 0; k < most_newton; ++k) {
    if (stop && stop()) {
      result.interrupted = true;
      return result;
    }
    if (!std::isfinite(norm)) {
      result.finite = false;
      result.trouble = "the weak form is not finite";
      return result;
    }
    system.raw_jacobian(0, y, {}, 0, a);
    constrain(a, fixed);
    for (double& v : r) v = -v;
    const FemLinearResult solved = solve_elements(a, r, step, system.form());
    result.how = solved.how;
    if (!solved.solved) {
      result.trouble = solved.trouble;
      return result;
    }
    ++result.iterations;
    double length = 1, next = 0;
    constexpr double shortest = 1.0 / 64;
    while (true) {
      for (std::size_t i = 0; i < n; ++i) trial[i] = y[i] + length * step[i];
      next = residual(trial, r_trial);
      if (linear || next <= (1 - 0.1 * length) * norm || next <= 1e-10 * first ||
          length <= shortest) {
        break;
      }
      length /= 2;
    }
    std::copy(trial.begin(), trial.end(), y.begin());
    std::swap(r, r_trial);
    norm = next;
    const double size = euclidean_size(y);
    result.change = size > 0 ? length * euclidean_size(step) / size : 0;
    if (!std::isfinite(result.change)) {
      result.finite = false;
      result.trouble = "the answer is not finite";
      return result;
    }
    if (linear || (result.change < 1e-9 && length == 1) || norm <= 1e-13 * first) {
      result.converged = true;
      return result;
    }
  }
  result.trouble = fmt::format(
      "Newton's method did not settle: the last of {} steps changed the "
      "fields by {:.1e}",
      result.iterations, result.change);
  return result;
}

}  // namespace cauchy::detail
