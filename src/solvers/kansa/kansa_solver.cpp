#include "solvers/kansa/kansa_solver.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/problem/place.hpp>

namespace cauchy::detail {
namespace {

using KansaClock = std::chrono::steady_clock;

constexpr double flat_shape = 0.05;        // eps * spacing^2 of the automatic shape
constexpr std::size_t most_for_svd = 400;  // unknowns
constexpr double settled = 1e-8;           // relative change of the last Gauss-Newton step
constexpr double free_motion = 1e-9;       // singular value of a polynomial that no row sees

[[noreturn]] void refuse_kansa(const std::string& why, const std::string& hint) {
  throw Error(ErrorKind::unsupported, why, "[solvers.kansa]", hint);
}

double norm_of(std::span<const double> v, std::span<const double> scale) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += scale[i] * scale[i] * v[i] * v[i];
  return std::sqrt(sum);
}

/// Values of all fields at the points of the first equation, in the unit frame: row-major by field.
std::vector<double> values_at(const RbfBasis& basis, std::span<const double> coefficients,
                              std::span<const double> points) {
  const std::size_t n = points.size() / basis.dimension(), F = coefficients.size() / basis.size();
  std::vector<std::span<const double>> of_field;
  for (std::size_t f = 0; f < F; ++f) {
    of_field.push_back(coefficients.subspan(f * basis.size(), basis.size()));
  }
  const std::vector<std::vector<int>> orders(F, std::vector<int>(basis.dimension(), 0));
  std::vector<double> out(n * F);
  basis.derivatives_of_sums(of_field, points, orders, MatrixView<double>(out.data(), n, F));
  return out;
}

double euclidean(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

/// 1 / largest element of each term's rows.
std::vector<double> row_scales(const CollocationSystem& system, const Matrix& rows) {
  std::vector<double> scale(rows.rows(), 1);
  for (std::size_t t = 0; t < system.terms().size(); ++t) {
    const std::size_t first = system.first_row(t), n = system.terms()[t].n_rows();
    double largest = 0;
    for (std::size_t i = first; i < first + n; ++i) {
      for (const double v : rows.row(i).span()) largest = std::max(largest, std::abs(v));
    }
    if (largest > 0 && std::isfinite(largest)) {
      std::fill_n(scale.begin() + static_cast<std::ptrdiff_t>(first), n, 1 / largest);
    }
  }
  return scale;
}

/// Linear polynomials of the fields that no row sees, such as a constant where all conditions are
/// on derivatives: coefficients of 1, z_1, z_2, ... for every field.
std::vector<std::vector<double>> free_motions(const CollocationSystem& system, std::size_t n_fields,
                                              std::size_t dimension,
                                              std::span<const double> scale) {
  const RbfBasis linear(RbfKernel::gaussian, 1, std::vector<double>(dimension, 0), dimension, 1);
  const std::size_t q = dimension + 1;
  Matrix all(system.n_rows(), n_fields * linear.size()), seen(system.n_rows(), n_fields * q);
  system.jacobian(linear, all.view());
  for (std::size_t i = 0; i < seen.rows(); ++i) {
    for (std::size_t k = 0; k < seen.cols(); ++k) {
      seen(i, k) = scale[i] * all(i, k / q * linear.size() + 1 + k % q);
    }
  }
  const Svd<double> parts = svd(seen.view());
  std::vector<std::vector<double>> free;
  if (parts.status != Factorization::ok) return free;
  for (std::size_t k = 0; k < parts.values.size(); ++k) {
    if (parts.values[k] > free_motion * parts.values[0]) continue;
    const auto row = parts.vt.row(k).span();
    free.emplace_back(row.begin(), row.end());
  }
  return free;
}

}  // namespace

KansaSolver::KansaSolver(std::shared_ptr<const Problem> problem, const Kansa& method)
    : problem_(std::move(problem)), method_(method) {
  const Domain domain = domain_of(*problem_);
  if (domain.space() == nullptr) refuse_kansa("it needs a region of space", "use ode");
  const std::size_t D = problem_->coordinates().size();
  if (D > 3) {
    refuse_kansa(
        fmt::format("its dense systems bear at most 3 coordinates, this problem has {}", D),
        domain.time() != nullptr ? "use fdm or spectral" : "use pinn");
  }
  if (!problem_->observation.empty()) refuse_kansa("it does not fit observations", "use pinn");
  frame_ = unit_frame(domain);
  const Lowering lower(*problem_);
  const RbfKernelEntry& kernel = entry_of(method_.kernel);
  const auto look_at = [&](const Expr& residual, const std::string& name, int highest) {
    if (highest > kernel.smoothness) {
      refuse_kansa(fmt::format("'{}' has derivatives of order {}, {} has {} at its centres", name,
                               highest, kernel.name, kernel.smoothness),
                   "use the kernel gaussian or multiquadric");
    }
    if (is_linear(residual)) return;
    linear_ = false;
    if (method_.iterations > 0) return;
    refuse_kansa(
        fmt::format("'{}' is nonlinear, and iterations = 0 asks for one linear solve", name),
        "use iterations = 30, or fdm");
  };
  for (const ProblemEquation& e : problem_->equation) {
    const Expr residual = lower(e.form.residual());
    look_at(residual, name_of(e), cauchy::order(residual));
  }
  for (const Condition& c : problem_->condition) {
    const Expr residual = lower(c.form.residual());
    const bool periodic = c.kind == Condition::Kind::periodic;
    look_at(residual, name_of(c), periodic ? c.order : cauchy::order(residual));
  }
  if (method_.oversampling == 1) (void)make_collocation(*problem_, method_, 4);
}

int KansaSolver::levels() const {
  if (method_.n > 0) return 1;
  return frame_.half.size() == 1 ? 5 : frame_.half.size() == 2 ? 4 : 3;
}

int KansaSolver::centres_of(int level) const {
  if (method_.n > 0) return method_.n;
  const int first = frame_.half.size() == 1 ? 16 : frame_.half.size() == 2 ? 10 : 4;
  return first << level;
}

MethodCost KansaSolver::cost(int level) const {
  const int n = centres_of(level);
  const Domain domain = domain_of(*problem_);
  const Bounds box = domain.shape()->bounds();
  const bool square = method_.oversampling == 1;
  const double around = 1 + 2 * (square ? 0 : method_.outside);
  double centres = domain.time() != nullptr ? n + around : 1;
  for (std::size_t j = 0; j < box.lower.size(); ++j) {
    centres *= n * (box.upper[j] - box.lower[j]) / (2 * frame_.half.back()) + around;
  }
  const double unknowns = centres * static_cast<double>(problem_->fields.size());
  const double rows =
      centres * method_.oversampling * static_cast<double>(problem_->equation.size()) * 1.2;
  MethodCost cost;
  cost.method =
      fmt::format("kansa, {}, {} centres along the longest side", entry_of(method_.kernel).name, n);
  cost.unknowns = static_cast<std::size_t>(std::min(unknowns, 1e18));
  const double flops = 2 * rows * unknowns * unknowns;
  cost.seconds = (linear_ ? 1 : 10) * (flops / 1.5e10 + rows * unknowns * 4e-8);
  cost.bytes = 8 * (3 * rows * unknowns + 64 * rows);
  cost.less = "use fewer centres: a smaller n";
  return cost;
}

std::vector<double> KansaSolver::first_guess(const CollocationSystem& system,
                                             const RbfBasis& basis) const {
  const std::size_t F = problem_->fields.size();
  std::vector<double> coefficients(F * basis.size(), 0.0);
  if (!last_ || linear_) return coefficients;
  std::vector<double> points;
  for (const CollocationTerm& term : system.terms()) {
    if (!term.row.empty()) continue;
    points.insert(points.end(), term.points.values.begin(), term.points.values.end());
  }
  const std::size_t n = points.size() / basis.dimension();
  std::vector<Expr> fields;
  for (const std::string& f : problem_->fields) fields.emplace_back(Field(f));
  Matrix values(n, F), functions(n, basis.size());
  last_->derivatives(fields, points, {values.data(), values.size()});
  const MatrixView<double> view = functions.view();
  const std::vector<std::vector<int>> orders{std::vector<int>(basis.dimension(), 0)};
  basis.derivatives(frame_.scaled(points), orders, std::span(&view, 1));
  const LeastSquaresSolution<double> fit = least_squares(functions.view(), values.view(), 1e-12);
  if (fit.status != Factorization::ok) return coefficients;
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    coefficients[k] = fit.x(k % basis.size(), k / basis.size());
  }
  return coefficients;
}

KansaSolver::Step KansaSolver::linear_step(CollocationSystem& system, const RbfBasis& basis,
                                           std::span<const double> coefficients,
                                           std::span<const double> residual) const {
  const std::size_t F = problem_->fields.size(), N = basis.size(), m = system.n_rows();
  const std::size_t d = basis.dimension();
  // Side conditions of the polynomial, which make a square system square again.
  const std::size_t sides = method_.oversampling == 1 ? N - basis.n_centres() : 0;
  Step step;
  std::vector<std::vector<double>> free;
  Matrix rows(m, F * N);
  system.jacobian(basis, rows.view());
  step.scale = row_scales(system, rows);
  free = free_motions(system, F, d, step.scale);
  step.free = free.size();
  Matrix a(m + free.size() + F * sides, F * N), b(a.rows(), 1);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < F * N; ++k) a(i, k) = step.scale[i] * rows(i, k);
    b(i, 0) = -step.scale[i] * residual[i];
  }
  const MatrixView<double> values = rows.view();  // used again for the functions themselves
  const std::vector<std::vector<int>> orders{std::vector<int>(d, 0)};
  const auto functions_at = [&](std::span<const double> points) {
    const MatrixView<double> part(values.data(), points.size() / d, N);
    basis.derivatives(points, orders, std::span(&part, 1));
    return part;
  };
  // What no row sees has mean 0 over the points of the first equation.
  if (!free.empty()) {
    const std::vector<double> points = frame_.scaled(system.terms()[0].points.values);
    const std::size_t n = points.size() / d;
    const MatrixView<double> phi = functions_at(points);
    for (std::size_t q = 0; q < free.size(); ++q) {
      for (std::size_t f = 0; f < F; ++f) {
        for (std::size_t i = 0; i < n; ++i) {
          double v = free[q][f * (d + 1)];
          for (std::size_t j = 0; j < d; ++j) v += free[q][f * (d + 1) + 1 + j] * points[i * d + j];
          for (std::size_t k = 0; k < N; ++k) {
            a(m + q, f * N + k) += v * phi(i, k) / static_cast<double>(n);
          }
        }
      }
      for (std::size_t k = 0; k < F * N; ++k) b(m + q, 0) -= a(m + q, k) * coefficients[k];
    }
  }
  if (sides > 0) {
    const MatrixView<double> phi = functions_at(basis.centres());
    for (std::size_t s = 0; s < F * sides; ++s) {
      const std::size_t f = s / sides, row = m + free.size() + s;
      for (std::size_t k = 0; k < basis.n_centres(); ++k) {
        a(row, f * N + k) = phi(k, basis.n_centres() + s % sides);
        b(row, 0) -= a(row, f * N + k) * coefficients[f * N + k];
      }
    }
  }
  // Fields of different sizes: equal columns.
  std::vector<double> unit(F, 0);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < F * N; ++k) unit[k / N] = std::max(unit[k / N], std::abs(a(i, k)));
  }
  for (double& u : unit) u = u > 0 && std::isfinite(u) ? 1 / u : 1;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < F * N; ++k) a(i, k) *= unit[k / N];
  }
  const bool by_values =
      method_.factorization == KansaFactorization::svd ||
      (method_.factorization == KansaFactorization::automatic && F * N <= most_for_svd);
  const LeastSquaresSolution<double> solved =
      by_values ? least_squares_svd(a.view(), b.view(), method_.cutoff)
                : least_squares(a.view(), b.view(), method_.cutoff);
  step.status = solved.status;
  step.rank = solved.rank;
  if (solved.status != Factorization::ok) return step;
  if (by_values && solved.singular_values.back() > 0) {
    step.condition = solved.singular_values.front() / solved.singular_values.back();
  }
  step.change.resize(F * N);
  for (std::size_t k = 0; k < F * N; ++k) step.change[k] = unit[k / N] * solved.x(k, 0);
  return step;
}

ClassicalAnswer KansaSolver::solve(int level, const RunOptions& options) {
  const KansaClock::time_point start = KansaClock::now();
  ClassicalAnswer answer;
  const int n = centres_of(level);
  Collocation collocation = make_collocation(*problem_, method_, n);
  const std::size_t F = problem_->fields.size(), D = frame_.half.size();
  const RbfKernelEntry& kernel = entry_of(method_.kernel);
  const double h = collocation.spacing;
  const double eps = method_.shape > 0 ? method_.shape : flat_shape / (h * h);
  const RbfBasis basis(method_.kernel, eps, std::move(collocation.centres), D,
                       std::max(method_.tail - 1, kernel.least_tail));
  CollocationSystem system(*problem_, std::move(collocation.terms), frame_);
  answer.remarks = std::move(collocation.remarks);
  answer.n_unknowns = F * basis.size();
  answer.method = fmt::format("kansa, {}, {} centres", kernel.name, basis.n_centres());

  const std::vector<double> inside = frame_.scaled(system.terms()[0].points.values);
  std::vector<double> coefficients = first_guess(system, basis);
  std::vector<double> residual(system.n_rows()), next(system.n_rows());
  Step step;
  double change = 0, left = 0;
  const int most = system.linear() ? 1 : std::max(1, method_.iterations);
  int taken = 0;
  for (; taken < most; ++taken) {
    const bool late =
        options.max_seconds > 0 &&
        std::chrono::duration<double>(KansaClock::now() - start).count() > options.max_seconds;
    if (late || (options.progress != nullptr && options.progress->stop_requested())) {
      answer.interrupted = true;
      return answer;
    }
    system.linearize(basis, coefficients, residual);
    step = linear_step(system, basis, coefficients, residual);
    if (step.status != Factorization::ok) {
      answer.troubles.push_back(
          fmt::format("the collocation system is {}", step.status == Factorization::not_finite
                                                          ? "not finite"
                                                          : "too hard for the factorization"));
      answer.finite = step.status != Factorization::not_finite;
      return answer;
    }
    // The longest step of 1, 1/2, ... that makes the residual smaller; a linear one always does.
    const double before = norm_of(residual, step.scale);
    double length = 1, after = 0;
    std::vector<double> trial(coefficients.size());
    for (;; length /= 2) {
      for (std::size_t k = 0; k < trial.size(); ++k) {
        trial[k] = coefficients[k] + length * step.change[k];
      }
      system.residual(basis, trial, next);
      after = norm_of(next, step.scale);
      if (system.linear() || after <= (1 - 1e-4 * length) * before || length < 1e-3) break;
    }
    const double size = euclidean(values_at(basis, trial, inside));
    change = euclidean(values_at(basis, step.change, inside)) / (size > 0 ? size : 1);
    if (!(after < before) && !system.linear()) break;  // as small as it gets
    coefficients = trial;
    left = after / (before > 0 && system.linear() ? before : 1);
    if (length == 1 && (change < settled || (after > 0.9 * before && change < 1e-3))) {
      ++taken;
      break;
    }
  }
  answer.finite = std::all_of(coefficients.begin(), coefficients.end(),
                              [](double c) { return std::isfinite(c); });
  if (!answer.finite) {
    answer.troubles.emplace_back("the coefficients are not finite");
    return answer;
  }
  if (!system.linear() && !(change < 1e-3)) {
    answer.troubles.push_back(fmt::format(
        "Gauss-Newton did not settle: the last of {} steps changed the fields by {:.1e}", taken,
        change));
  }
  std::vector<std::vector<double>> of_field;
  for (std::size_t f = 0; f < F; ++f) {
    const auto first = coefficients.begin() + static_cast<std::ptrdiff_t>(f * basis.size());
    of_field.emplace_back(first, first + static_cast<std::ptrdiff_t>(basis.size()));
  }
  last_ =
      std::make_shared<RbfField>(problem_, frame_, basis, problem_->fields, std::move(of_field));
  answer.model = last_;
  const std::string condition =
      step.condition
          ? fmt::format("condition number {:.1e}", *step.condition)
          : fmt::format("condition number {} {:.1e}",
                        step.rank < answer.n_unknowns ? "above" : "below", 1 / method_.cutoff);
  answer.remarks.push_back(fmt::format(
      "{} {} rows for {} unknowns, eps = {:.3g}: {}, effective rank {} at a cutoff of {:.0e}",
      method_.oversampling == 1 ? "square collocation," : "overdetermined collocation,",
      system.n_rows(), answer.n_unknowns, eps, condition, step.rank, method_.cutoff));
  if (system.linear()) {
    answer.remarks.push_back(fmt::format("the rows hold to {:.1e} of their right sides", left));
  } else {
    answer.remarks.push_back(
        fmt::format("{} Gauss-Newton steps, the last changed the fields by {:.1e}", taken, change));
  }
  if (step.free > 0) {
    answer.remarks.push_back(
        fmt::format("equations and conditions leave {} of the fields free ({} constant or linear "
                    "part{}): the answer whose mean is 0 there was taken",
                    step.free == 1 ? "a part" : "parts", step.free, step.free == 1 ? "" : "s"));
  }
  return answer;
}

}  // namespace cauchy::detail
