#include "solvers/pinn/pinn_last_layer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/networks/linear_parameters.hpp>

namespace cauchy::detail {
namespace {

constexpr int most_fit_steps = 10, most_halvings = 6;
/// Ridge, as part of the root mean square of the columns: features of random layers are nearly
/// dependent, and coefficients of many thousands that cancel each other cannot be trained.
constexpr double fit_ridge = 1e-4;

/// Gauss-Newton steps on some of the parameters.
class LastLayer final {
 public:
  LastLayer(Executor& executor, std::vector<double> theta)
      : executor_(executor),
        at_(linear_parameters(executor.graph())),
        theta_(std::move(theta)),
        rows_(executor.n_rows()) {}

  /// The loss in the end; the parameters are in theta().
  double fit() {
    const std::vector<double> random = theta_;
    for (const std::size_t i : at_) theta_[i] = 0;
    double loss = value();
    if (!std::isfinite(loss)) {  // zero may be no state at all: a density, the argument of a root
      theta_ = random;
      loss = value();
    }
    for (int step = 0; step < most_fit_steps && std::isfinite(loss); ++step) {
      const double before = loss;
      const bool whole = advance(loss);
      const bool linear = std::abs(loss - predicted_) <= 1e-3 * predicted_ + 1e-9 * before;
      if ((whole && linear) || !(loss < 0.99 * before)) break;
    }
    return loss;
  }

  [[nodiscard]] double value() {
    executor_.rows(theta_, rows_);
    double sum = 0;
    for (const double r : rows_) sum += r * r;
    return sum;
  }
  [[nodiscard]] std::size_t size() const noexcept { return at_.size(); }
  [[nodiscard]] std::vector<double>& theta() noexcept { return theta_; }

 private:
  /// One step, halved until the loss falls; whether it was taken as a whole.
  bool advance(double& loss) {
    (void)value();
    const std::vector<double> direction = gauss_newton(), old = theta_;
    if (direction.empty()) return false;
    double part = 1;
    for (int halving = 0; halving <= most_halvings; ++halving, part /= 2) {
      for (std::size_t k = 0; k < at_.size(); ++k) {
        theta_[at_[k]] = old[at_[k]] + part * direction[k];
      }
      const double now = value();
      if (now < loss) {
        loss = now;
        return halving == 0;
      }
    }
    theta_ = old;
    return false;
  }

  /// argmin |J d + r|^2 + ridge^2 |c + d|^2 for the rows r at the coefficients c; empty: none
  /// found.
  std::vector<double> gauss_newton() {
    const std::size_t m = rows_.size(), n = at_.size();
    Matrix stack(m + n, n), right(m + n, 1);
    std::vector<double> unit(theta_.size(), 0.0), column(m);
    double squares = 0;
    for (std::size_t k = 0; k < n; ++k) {
      unit[at_[k]] = 1;
      executor_.rows_jacobian_times(theta_, unit, column);
      unit[at_[k]] = 0;
      for (std::size_t i = 0; i < m; ++i) {
        stack(i, k) = column[i];
        squares += column[i] * column[i];
      }
    }
    const double ridge = fit_ridge * std::sqrt(squares / static_cast<double>(n));
    for (std::size_t i = 0; i < m; ++i) right(i, 0) = -rows_[i];
    for (std::size_t k = 0; k < n; ++k) {
      stack(m + k, k) = ridge;
      right(m + k, 0) = -ridge * theta_[at_[k]];
    }
    const auto solution = least_squares(stack.view(), right.view());
    if (solution.status != Factorization::ok) return {};
    predicted_ = 0;
    for (std::size_t i = 0; i < m; ++i) {
      double r = rows_[i];
      for (std::size_t k = 0; k < n; ++k) r += stack(i, k) * solution.x(k, 0);
      predicted_ += r * r;
    }
    return {solution.x.data(), solution.x.data() + n};
  }

  Executor& executor_;
  std::vector<std::size_t> at_;
  std::vector<double> theta_, rows_;
  double predicted_ = 0;  // loss after a whole step when the rows are linear
};

}  // namespace

void check_last_layer(const Pinn& method, const Graph& graph) {
  if (method.last_layer == LastLayerStart::random || !linear_parameters(graph).empty()) return;
  throw Error("the network has no linear last layer that could be fitted", "[method] last_layer",
              "take last_layer = \"random\", or another network");
}

LastLayerFit fit_last_layer(const PinnAssembly& pinn, Executor& executor,
                            std::vector<double> theta) {
  // Terms that do not take part have weight 0 meanwhile.
  std::vector<double> weights;
  for (std::size_t i = 0; i < executor.n_terms(); ++i) {
    weights.push_back(executor.weight(i));
    const bool equation = pinn.loss.terms[i].kind == PointSource::Kind::equation;
    if (equation && pinn.method.last_layer == LastLayerStart::conditions) {
      executor.set_weight(i, 0);
    }
  }
  LastLayer layer(executor, theta);
  const double before = layer.value(), after = layer.fit();
  for (std::size_t i = 0; i < weights.size(); ++i) executor.set_weight(i, weights[i]);
  const bool better = after < before;
  LastLayerFit fit{better ? std::move(layer.theta()) : std::move(theta), {}};
  fit.text =
      better
          ? fmt::format("the last layer, {} numbers, was fitted: loss {:.3g} before, {:.3g} after",
                        layer.size(), before, after)
          : fmt::format("the last layer stays random: a fit does not lower the loss {:.3g}",
                        before);
  return fit;
}

}  // namespace cauchy::detail
