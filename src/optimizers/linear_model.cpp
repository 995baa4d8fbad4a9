#include "optimizers/linear_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/math/blas.hpp>
#include <cmath>
#include <limits>

#include "optimizers/cgls.hpp"
#include "optimizers/option_checks.hpp"
#include "optimizers/vector_ops.hpp"

namespace cauchy {

std::string_view to_string(StepSpace space) noexcept {
  switch (space) {
    case StepSpace::automatic:
      return "automatic";
    case StepSpace::parameter:
      return "parameter";
    case StepSpace::sample:
      return "sample";
    case StepSpace::matrix_free:
      return "matrix_free";
  }
  return "unknown";
}

std::string_view to_string(StepSolver solver) noexcept {
  switch (solver) {
    case StepSolver::automatic:
      return "automatic";
    case StepSolver::cholesky:
      return "cholesky";
    case StepSolver::qr:
      return "qr";
  }
  return "unknown";
}

namespace detail {

void check_options(const StepEquations& equations, std::string_view place) {
  if (equations.max_cg == 0) throw Error("max_cg must be at least 1, got 0", place);
}

LeastSquares& require_residuals(Objective& objective, std::string_view method,
                                std::string_view place) {
  auto* f = dynamic_cast<LeastSquares*>(&objective);
  if (f == nullptr) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{} needs residuals: the objective is not a sum of squares", method),
                place, "derive the objective from LeastSquares, or use lbfgs");
  }
  return *f;
}

double decrease(std::span<const double> r, std::span<const double> t) {
  std::vector<double> minus(r.size()), plus(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) {
    minus[i] = r[i] - t[i];
    plus[i] = r[i] + t[i];
  }
  return dot(minus, plus);
}

double forcing_term(double gradient_norm, double last_norm) {
  constexpr double largest = 0.1, smallest = 1e-8;
  if (!(last_norm > 0)) return largest;
  const double ratio = gradient_norm / last_norm;
  return std::clamp(0.9 * ratio * ratio, smallest, largest);
}

LinearModel::LinearModel(const StepEquations& equations, std::string_view place)
    : equations_(equations), place_(place) {
  check_options(equations, place);
}

bool LinearModel::in_sample_space(std::size_t m, std::size_t n) const noexcept {
  return equations_.space == StepSpace::sample ||
         (equations_.space == StepSpace::automatic && m < n);
}

void LinearModel::check_fits(const Objective& objective) const {
  if (const auto* f = dynamic_cast<const LeastSquares*>(&objective)) {
    check_memory(f->n_residuals(), f->size());
  }
}

void LinearModel::check_memory(std::size_t m, std::size_t n) const {
  if (matrix_free()) return;
  const bool sample = in_sample_space(m, n);
  const double rows = static_cast<double>(m), columns = static_cast<double>(n);
  const bool qr = equations_.solver == StepSolver::qr;
  const double bytes =
      8 * (rows * columns + DampedSolver::extra_doubles(rows, columns, sample, qr));
  require_memory(bytes, equations_.max_bytes,
                 fmt::format("the step equations of {} residuals and {} parameters", m, n),
                 "use space = matrix_free, the method lbfgs, fewer points, or a larger max_bytes",
                 place_);
}

void LinearModel::reserve(std::size_t m, std::size_t n) {
  if (m == 0) throw Error("the sum of squares has no residuals", place_);
  check_memory(m, n);
  r_.resize(m);
  g_.resize(n);
  if (matrix_free()) return;
  sample_ = in_sample_space(m, n);
  j_.resize(m * n);
}

bool LinearModel::evaluate(LeastSquares& f, std::span<const double> x) {
  known_ = false;
  scale_.clear();
  reserve(f.n_residuals(), x.size());
  x_.assign(x.begin(), x.end());
  if (matrix_free()) {
    f.residuals(x, r_);
    f.jacobian_transposed_times(x, r_, g_);
  } else {
    f.jacobian(x, r_, j_);
    const MatrixView<double> j(j_.data(), r_.size(), x.size());
    gemv(Transpose::yes, 1.0, j, r_, 0.0, g_);
    diagonal_.assign(x.size(), 0.0);
    for (std::size_t i = 0; i < j.rows(); ++i) {
      const double* row = j_.data() + i * j.cols();
      for (std::size_t k = 0; k < j.cols(); ++k) diagonal_[k] += row[k] * row[k];
    }
    solver_.set(j, sample_, qr_below(*std::max_element(diagonal_.begin(), diagonal_.end())));
  }
  value_ = dot(r_, r_);
  // A NaN or an infinity in J shows in the squares of its columns.
  known_ = std::isfinite(value_) && all_finite(g_) && all_finite(x_) && all_finite(diagonal_);
  return known_;
}

/// Below a relative damping of 1e-13 the rounding errors of J'J, eps |J|^2 sqrt(n), come within a
/// few digits of mu, and Cholesky's refinement has nothing left to converge to.
double LinearModel::qr_below(double diagonal) const {
  switch (equations_.solver) {
    case StepSolver::cholesky:
      return 0;
    case StepSolver::qr:
      return std::numeric_limits<double>::infinity();
    default:
      return 1e-13 * diagonal;
  }
}

bool LinearModel::at(const LeastSquares& f, std::span<const double> x) const {
  return known_ && r_.size() == f.n_residuals() && std::equal(x.begin(), x.end(), x_.begin());
}

double LinearModel::curvature(LeastSquares& f) const {
  if (!matrix_free()) return *std::max_element(diagonal_.begin(), diagonal_.end());
  std::vector<double> jg(r_.size());
  f.jacobian_times(x_, g_, jg);
  const double length = norm(g_), image = norm(jg);
  const double ratio = length > 0 ? image / length : 0;
  return std::isfinite(ratio) ? ratio * ratio : 0;
}

void LinearModel::scale(std::span<const double> scale) {
  scale_.assign(scale.begin(), scale.end());
  const std::size_t n = scale_.size();
  for (std::size_t i = 0; i < r_.size(); ++i) {
    for (std::size_t k = 0; k < n; ++k) j_[i * n + k] *= scale_[k];
  }
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k) {
    largest = std::max(largest, diagonal_[k] * scale_[k] * scale_[k]);
  }
  solver_.set({j_.data(), r_.size(), n}, sample_, qr_below(largest));
}

void LinearModel::times(LeastSquares& f, std::span<const double> v, std::span<double> out) const {
  if (matrix_free()) return f.jacobian_times(x_, v, out);
  if (scale_.empty()) return solver_.times(v, out);
  std::vector<double> scaled(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) scaled[i] = v[i] / scale_[i];
  solver_.times(scaled, out);
}

bool LinearModel::solve(LeastSquares& f, double mu, std::span<const double> r, double forcing,
                        std::span<double> d) {
  if (matrix_free()) {
    const auto result = cgls([&](auto v, auto out) { f.jacobian_times(x_, v, out); },
                             [&](auto w, auto out) { f.jacobian_transposed_times(x_, w, out); }, mu,
                             r, forcing, equations_.max_cg, d);
    cg_decrease_ = result.decrease;
    return result.iterations > 0 && all_finite(d);
  }
  const bool finite = solver_.solve(mu, r, d);
  for (std::size_t i = 0; i < scale_.size(); ++i) d[i] *= scale_[i];
  return finite;
}

double LinearModel::scaled_norm(std::span<const double> d) const {
  if (scale_.empty()) return norm(d);
  std::vector<double> scaled(d.size());
  for (std::size_t i = 0; i < d.size(); ++i) scaled[i] = d[i] / scale_[i];
  return norm(scaled);
}

double LinearModel::predicted(std::span<const double> d, double mu) const {
  const double length = scaled_norm(d), damped = mu * length * length;
  if (matrix_free()) return cg_decrease_ + damped;
  // J'J d = -g - mu d (scaled) turns -2 g'd - d'J'J d into this; both parts are positive.
  return damped - dot(g_, d);
}

}  // namespace detail
}  // namespace cauchy
