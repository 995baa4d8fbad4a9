#include "solvers/kansa/kansa_solver.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/problem/place.hpp>

#include "math/dense_work.hpp"
#include "problem/doubts.hpp"

namespace cauchy::detail {
namespace {

// eps * spacing^2 of the automatic shape: flat functions for smooth fields, peaked ones where the
// rows are not met to `unresolved`.
constexpr double flat = 0.05, peaked = 0.2, unresolved = 1e-3;
constexpr double most_nominal = 60;        // of the first of several levels
constexpr std::size_t most_for_svd = 400;  // unknowns

[[noreturn]] void refuse_kansa(const std::string& why, const std::string& hint) {
  throw Error(ErrorKind::unsupported, why, "[solvers.kansa]", hint);
}

}  // namespace

KansaSolver::KansaSolver(std::shared_ptr<const Problem> problem, const Kansa& method)
    : problem_(std::move(problem)), method_(method), flatness_(flat) {
  const Domain domain = domain_of(*problem_);
  if (domain.space() == nullptr) refuse_kansa("kansa needs a region of space", "use ode");
  const std::size_t D = problem_->coordinates().size();
  if (D > 3) {
    refuse_kansa(
        fmt::format("the dense systems of kansa bear at most 3 coordinates, this problem has {}",
                    D),
        domain.time() != nullptr ? "use fdm or spectral" : "use pinn");
  }
  for (const double half : unit_frame(domain).half) {
    if (!(half > 0) || !std::isfinite(half))
      refuse_kansa("the region is not bounded", "cut it off");
  }
  if (!problem_->observation.empty()) refuse_kansa("kansa does not fit observations", "use pinn");
  const bool joined =
      std::any_of(problem_->condition.begin(), problem_->condition.end(),
                  [](const Condition& c) { return c.kind == Condition::Kind::interface; });
  if (const auto flux = flux_with_jump(*problem_); flux && !joined) {
    refuse_kansa(fmt::format("the functions of kansa are smooth, and '{}' jumps where slopes do "
                             "the opposite",
                             *flux),
                 "use fem or fdm");
  }
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
  const MethodCost first = cost(0);
  if (method_.n == 0 && first.nominal() > most_nominal) {
    refuse_kansa(
        fmt::format(
            "the smallest dense system of kansa has {} unknowns and would take about {:.0f} s",
            first.unknowns, first.nominal()),
        domain.time() != nullptr ? "use fdm or spectral, or give n" : "use fdm, or give n");
  }
}

int KansaSolver::levels() const {
  if (method_.n > 0) return 1;
  return frame_.half.size() == 1 ? 8 : frame_.half.size() == 2 ? 7 : 5;
}

/// Dense systems in two dimensions cost 64 times as much for twice the centres, so that a level has
/// half as many more along each side.
int KansaSolver::centres_of(int level) const {
  const double first = method_.n > 0             ? method_.n
                       : frame_.half.size() == 1 ? 16
                       : frame_.half.size() == 2 ? 8
                                                 : 4;
  return static_cast<int>(std::round(first * std::pow(1.5, level)));
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
  cost.work = least_squares_work(rows, cost.unknowns, by_svd(cost.unknowns));
  cost.work.add(WorkKind::pieces, rows * unknowns);
  cost.work = cost.work.times(steps_of(level));
  cost.bytes = 8 * (3 * rows * unknowns + 64 * rows);
  cost.less = "use fewer centres: a smaller n";
  return cost;
}

bool KansaSolver::by_svd(std::size_t columns) const {
  return method_.factorization == KansaFactorization::svd ||
         (method_.factorization == KansaFactorization::automatic && columns <= most_for_svd);
}

/// Least-squares problems of a level: of the last one those that were solved, of others a guess.
double KansaSolver::steps_of(int level) const {
  constexpr double from_zero = 16, least = 3, shapes = 1.5;
  if (level == last_level_) return last_steps_;
  if (linear_) return last_level_ >= 0 ? last_steps_ : method_.shape == 0 ? shapes : 1;
  // From an answer about half of those that the first one took.
  const double steps = last_ ? std::max(least, first_steps_ / 2) : from_zero;
  return std::min<double>(steps, method_.iterations);
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

ClassicalAnswer KansaSolver::solve(int level, const RunOptions& options) {
  Attempt best = attempt(level, options, flatness_);
  if (!last_) first_steps_ = best.steps;
  last_level_ = level;
  last_steps_ = best.steps;
  if (linear_ && method_.shape == 0 && best.field && best.left > unresolved) {
    const double other = flatness_ == flat ? peaked : flat;
    // Rows of equations weigh less beside conditions for peaked functions: by the ratio of the eps.
    const double better = std::min(1.0, flatness_ / other);
    Attempt second = attempt(level, options, other);
    last_steps_ += second.steps;
    if (second.field && second.left < better * best.left) {
      best = std::move(second);
      flatness_ = other;
    }
  }
  if (best.field && best.answer.troubles.empty()) last_ = best.field;
  return std::move(best.answer);
}

KansaSolver::Attempt KansaSolver::attempt(int level, const RunOptions& options,
                                          double flatness) const {
  const auto stop = [&] { return options.limit.reached(); };
  Collocation collocation = make_collocation(*problem_, method_, centres_of(level));
  const std::size_t F = problem_->fields.size(), D = frame_.half.size();
  const RbfKernelEntry& kernel = entry_of(method_.kernel);
  const double h = collocation.spacing;
  const double eps = method_.shape > 0 ? method_.shape : flatness / (h * h);
  const RbfBasis basis(method_.kernel, eps, std::move(collocation.centres), D,
                       std::max(method_.tail - 1, kernel.least_tail));
  CollocationSystem system(*problem_, std::move(collocation.terms), frame_);
  const std::size_t columns = F * basis.size();
  const CollocationStepOptions how{.svd = by_svd(columns),
                                   .cutoff = method_.cutoff,
                                   .sides = method_.oversampling == 1,
                                   .mean_points = collocation.mean_points,
                                   .mean_weights = collocation.mean_weights};
  const GaussNewtonResult found = gauss_newton(system, basis, first_guess(system, basis), !last_,
                                               how, method_.iterations, stop);

  Attempt result;
  result.left = found.left;
  result.steps = std::max(1, found.taken);
  ClassicalAnswer& answer = result.answer;
  answer.remarks = std::move(collocation.remarks);
  answer.n_unknowns = columns;
  answer.method = fmt::format("kansa, {}, {} centres", kernel.name, basis.n_centres());
  answer.interrupted = found.interrupted;
  if (found.interrupted) return result;
  const std::vector<double>& a = found.coefficients;
  answer.finite = found.step.status != Factorization::not_finite &&
                  std::all_of(a.begin(), a.end(), [](double c) { return std::isfinite(c); });
  if (!answer.finite || found.step.status != Factorization::ok) {
    answer.troubles.push_back(
        fmt::format("the collocation system is {}",
                    answer.finite ? "too hard for the factorization" : "not finite"));
    return result;
  }
  if (!found.settled) {
    answer.troubles.push_back(fmt::format(
        "Gauss-Newton did not settle: the last of {} steps changed the fields by {:.1e}",
        found.taken, found.change));
  }
  std::vector<std::vector<double>> of_field;
  for (std::size_t f = 0; f < F; ++f) {
    const auto first = a.begin() + static_cast<std::ptrdiff_t>(f * basis.size());
    of_field.emplace_back(first, first + static_cast<std::ptrdiff_t>(basis.size()));
  }
  result.field =
      std::make_shared<RbfField>(problem_, frame_, basis, problem_->fields, std::move(of_field));
  answer.model = result.field;
  report(found, system.n_rows(), eps, answer);
  return result;
}

/// Conditioning, how it went, and what was free.
void KansaSolver::report(const GaussNewtonResult& found, std::size_t n_rows, double eps,
                         ClassicalAnswer& answer) const {
  const CollocationStep& step = found.step;
  const std::string condition =
      step.condition
          ? fmt::format("condition number {:.1e}", *step.condition)
          : fmt::format("condition number {} {:.1e}",
                        step.rank < answer.n_unknowns ? "above" : "below", 1 / method_.cutoff);
  answer.remarks.push_back(fmt::format(
      "{} collocation, {} rows for {} unknowns, eps = {:.3g}: {}, effective rank {} at a cutoff of "
      "{:.0e}",
      method_.oversampling == 1 ? "square" : "overdetermined", n_rows, answer.n_unknowns, eps,
      condition, step.rank, method_.cutoff));
  answer.remarks.push_back(
      linear_ ? fmt::format("the rows hold to {:.1e} of their right sides", found.left)
              : fmt::format("{} Gauss-Newton steps, the last changed the fields by {:.1e}",
                            found.taken, found.change));
  if (step.free > 0) {
    answer.remarks.push_back(
        fmt::format("equations and conditions leave {} of the fields free ({} constant or linear "
                    "part{}): the answer whose mean is 0 there was taken",
                    step.free == 1 ? "a part" : "parts", step.free, step.free == 1 ? "" : "s"));
  }
}

}  // namespace cauchy::detail
