#include "solvers/pinn/pinn_intervals.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/qr.hpp>
#include <cauchy/math/special.hpp>

#include "problem/point_data.hpp"
#include "solvers/pinn/pinn_noise.hpp"
#include "solvers/student_quantile.hpp"

namespace cauchy::detail {
namespace {

constexpr double interval_level = 0.95;
constexpr double most_operations = 2e11;  // some seconds
/// Standard deviation that the parameters of a network are given: those of a trained one are of
/// this size, and beyond it the linearisation means nothing.
constexpr double parameter_freedom = 1;
/// Part of its column that is added to a constant, so that one without effect has a variance.
constexpr double constant_ridge = 1e-7;
/// A constant is not determined when others can take over all but this part of its effect
/// (squared).
constexpr double undetermined_share = 1e-10;

class GaussNewton final {
 public:
  GaussNewton(const PinnAssembly& pinn, Executor& executor, std::span<const double> theta)
      : pinn_(pinn), executor_(executor), theta_(theta), p_(theta.size()) {
    for (const Lowering::Free& f : pinn.lower.unknowns()) {
      at_.push_back(static_cast<std::size_t>(pinn.graph->find_constant(f.name)));
    }
    weigh();
  }

  /// False when the rows are not finite.
  bool factorize() {
    const std::size_t m = executor_.n_rows();
    rows_.resize(m);
    executor_.rows(theta_, rows_);
    Matrix& stack = stack_ = Matrix(m + p_, p_);
    executor_.rows_jacobian(theta_, std::span(stack.data(), m * p_));
    std::vector<double> norms(p_, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < p_; ++j) norms[j] += stack(i, j) * stack(i, j);
    }
    const double largest = *std::max_element(norms.begin(), norms.end());
    const double ridge = std::max(std::sqrt(v_) / parameter_freedom, 1e-10 * std::sqrt(largest));
    for (std::size_t j = 0; j < p_; ++j) stack(m + j, j) = ridge;
    for (const std::size_t j : at_) {
      columns_.push_back(norms[j]);
      stack(m + j, j) = constant_ridge * (norms[j] > 0 ? std::sqrt(norms[j]) : 1);
    }
    if (reduce_to_triangle(stack.view()) != Factorization::ok) return false;
    for (const std::size_t j : at_) {
      std::vector<double> x(p_, 0.0);
      x[j] = 1;
      solve(x);
      inverse_.push_back(std::move(x));
    }
    return true;
  }

  [[nodiscard]] UnknownsKnown report() {
    UnknownsKnown known;
    step_.resize(p_);
    executor_.rows_jacobian_transposed_times(theta_, rows_, step_);
    solve(step_);
    const double enlarged = given_ ? misfit_factor() : estimate_factor();
    const double quantile =
        given_ ? normal_quantile((1 + interval_level) / 2)
               : student_quantile((1 + interval_level) / 2, std::max(3.0, freedom_));
    std::vector<std::string> open;
    for (std::size_t k = 0; k < at_.size(); ++k) {
      const Unknown& u = pinn_.problem->unknowns[k];
      const double inverse = inverse_[k][at_[k]];
      if (!(inverse * columns_[k] < 1 / undetermined_share)) {
        open.push_back(fmt::format("'{}'", u.name));
        continue;
      }
      const double deviation = std::sqrt(enlarged * v_ * inverse);
      const double half = quantile * deviation + std::abs(step_[at_[k]]), s = theta_[at_[k]];
      const double a = value(k, s - half), b = value(k, s + half);
      known.intervals[u.name] = {std::min(a, b), std::max(a, b), interval_level, how(enlarged)};
      const bool bounded = u.lower || u.upper;
      const double size = bounded ? 1 : std::max(std::abs(s), std::abs(u.initial));
      if (!(deviation <= size)) {
        known.remarks.push_back(
            fmt::format("the data say little about '{}': it lies between {:.3g} and {:.3g}", u.name,
                        known.intervals[u.name].lower, known.intervals[u.name].upper));
      }
    }
    if (!open.empty()) {
      known.doubts.push_back(fmt::format("the data do not determine {}{}", fmt::join(open, " and "),
                                         open.size() > 1 ? " separately" : ""));
    }
    return known;
  }

 private:
  /// Rows of data by their noise, all others as the problem has them.
  void weigh() {
    const std::size_t n_terms = pinn_.loss.terms.size();
    std::vector<std::vector<double>> relative(n_terms);  // noise in units of the residuals
    double precision = 0;
    for (std::size_t t = 0; t < n_terms; ++t) {
      const PinnTerm& term = pinn_.loss.terms[t];
      if (term.kind != PointSource::Kind::observation) continue;
      std::vector<double> r(executor_.n_residuals(t));
      executor_.residuals(t, theta_, r);
      relative[t] = term.sigma;
      for (double& s : relative[t]) s /= term.size;
      if (relative[t].empty()) {
        given_ = false;
        double sum = 0;
        for (const double v : r) sum += v * v;
        const double mean = std::sqrt(sum / static_cast<double>(r.size()));
        relative[t].assign(r.size(), std::max(mean, 1e-14));
        estimated_ = std::max(estimated_, mean * term.size);
      }
      for (std::size_t i = 0; i < r.size(); ++i) {
        precision += 1 / (relative[t][i] * relative[t][i]);
        misfit_ += r[i] * r[i] / (relative[t][i] * relative[t][i]);
      }
      n_ += static_cast<double>(r.size());
    }
    precision /= n_;
    const double weight = noise_weight(pinn_.method);
    v_ = weight / (n_ * precision);
    for (std::size_t t = 0; t < n_terms; ++t) {
      const std::vector<double>& noise = relative[t];
      std::vector<double> weights(executor_.n_groups(t), 1.0);
      for (std::size_t i = 0; i < noise.size(); ++i) {
        weights[i] = 1 / (noise[i] * noise[i] * precision);
      }
      executor_.set_weights(t, weights);
      executor_.set_weight(t, noise.empty() ? pinn_.loss.terms[t].term.weight
                                            : weight * static_cast<double>(noise.size()) / n_);
    }
  }

  /// x <- (J'J + D)^-1 x.
  void solve(std::vector<double>& x) const {
    const MatrixView<const double> triangle(stack_.data(), p_, p_);
    solve_triangular(Half::upper, Transpose::yes, triangle, VectorView<double>(x));
    solve_triangular(Half::upper, Transpose::no, triangle, VectorView<double>(x));
  }

  /// A misfit that the noise does not explain enlarges it.
  [[nodiscard]] double misfit_factor() const {
    const double chi = std::sqrt(misfit_ / n_);
    return chi > 1 + 3 / std::sqrt(2 * n_) ? chi * chi : 1;
  }

  /// Variance of a row of data over v_: the squares that the step leaves of the misfit, over the
  /// degrees of freedom of that fit, tr (I - S)^2 with S = J_d (J'J + D)^-1 J_d' on the rows of
  /// data, from eight random vectors of signs.
  [[nodiscard]] double estimate_factor() {
    constexpr int n_probes = 8;
    double squares = 0;
    std::vector<double> moved(rows_.size());
    executor_.rows_jacobian_times(theta_, step_, moved);
    for_data([&](std::size_t i) { squares += (rows_[i] - moved[i]) * (rows_[i] - moved[i]); });
    Rng rng(1);
    double left = 0;
    for (int probe = 0; probe < n_probes; ++probe) {
      std::vector<double> z(rows_.size(), 0.0), x(p_), y(rows_.size());
      for_data([&](std::size_t i) { z[i] = rng.uniform() < 0.5 ? -1 : 1; });
      executor_.rows_jacobian_transposed_times(theta_, z, x);
      solve(x);
      executor_.rows_jacobian_times(theta_, x, y);
      for_data([&](std::size_t i) { left += (z[i] - y[i]) * (z[i] - y[i]) / n_probes; });
    }
    freedom_ = std::max(1.0, left);
    return squares / v_ / freedom_;
  }

  template <class Visit>
  void for_data(Visit visit) const {
    std::size_t first = 0;
    for (std::size_t t = 0; t < pinn_.loss.terms.size(); ++t) {
      const std::size_t n = executor_.n_rows(t);
      if (pinn_.loss.terms[t].kind == PointSource::Kind::observation) {
        for (std::size_t i = 0; i < n; ++i) visit(first + i);
      }
      first += n;
    }
  }

  /// Constant k where its free form is s.
  [[nodiscard]] double value(std::size_t k, double s) const {
    const Lowering::Free& f = pinn_.lower.unknowns()[k];
    Values known;
    known.set(Parameter(f.name), s);
    return evaluate(f.value, known);
  }

  [[nodiscard]] std::string how(double enlarged) const {
    if (!given_) {
      return fmt::format("Gauss-Newton matrix, noise of {:.2g} estimated from the misfit",
                         estimated_ * std::sqrt(enlarged));
    }
    return enlarged == 1 ? "Gauss-Newton matrix, noise as given"
                         : fmt::format("Gauss-Newton matrix, noise {:.2g} times the given one",
                                       std::sqrt(enlarged));
  }

  const PinnAssembly& pinn_;
  Executor& executor_;
  std::span<const double> theta_;
  std::size_t p_;
  std::vector<std::size_t> at_;  // of the constants among the parameters
  bool given_ = true;            // the noise of all data
  double n_ = 0;                 // values
  double misfit_ = 0;            // sum of squares in units of the noise
  double estimated_ = 0;         // the largest noise that was not given
  double v_ = 0;                 // variance of a row of data
  double freedom_ = 0;           // degrees of it that the fit leaves, where the noise is estimated
  std::vector<double> rows_, step_;           // of the loss; of Gauss-Newton, to be subtracted
  std::vector<double> columns_;               // |J_k|^2 of the constants
  Matrix stack_;                              // J over D^1/2, then their triangle
  std::vector<std::vector<double>> inverse_;  // columns of (J'J + D)^-1
};

}  // namespace

double interval_operations(const PinnAssembly& pinn, double rows) {
  if (pinn.problem->unknowns.empty() || pinn.problem->observation.empty()) return 0;
  const auto p = static_cast<double>(pinn.graph->n_parameters());
  const double operations = 2 * (rows + p) * p * p;
  return operations <= most_operations ? operations : 0;
}

UnknownsKnown what_data_say(const PinnAssembly& pinn, Executor& executor,
                            std::span<const double> theta, const RunLimit& limit) {
  if (pinn.problem->unknowns.empty() || pinn.problem->observation.empty()) return {};
  UnknownsKnown nothing;
  const double operations = interval_operations(pinn, static_cast<double>(executor.n_rows()));
  const double nominal = nominal_seconds({WorkKind::dense, operations});
  // The training has taken its part of the time; this is a part of the rest.
  constexpr double part = 0.1;
  if (limit.timed() && nominal > part * limit.max_seconds()) {
    limit.mark_seconds_decided();
    nothing.remarks.push_back(
        fmt::format("no confidence intervals: they would take about {:.2g} s, more than is left",
                    std::max(nominal, 0.1)));
    return nothing;
  }
  if (operations == 0) {
    nothing.remarks.push_back(fmt::format(
        "no confidence intervals: their matrix has {} rows and {} columns; a smaller network or "
        "fewer points would give them",
        executor.n_rows(), theta.size()));
    return nothing;
  }
  GaussNewton matrix(pinn, executor, theta);
  return matrix.factorize() ? matrix.report() : nothing;
}

}  // namespace cauchy::detail
