// The loss as a sum of squares: rows of every term and their derivatives, from the products of the
// residuals. One definition for all devices.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/engine/executor.hpp>

#include "engine/group_sums.hpp"
#include "engine/term_form.hpp"

namespace cauchy {
namespace {

void require_row_length(const char* what, std::size_t got, std::size_t expected) {
  if (got != expected) {
    throw Error(fmt::format("{} needs {} numbers, got {}", what, expected, got),
                "[engine.executor]");
  }
}

}  // namespace

std::size_t Executor::n_groups(std::size_t term) const {
  const Groups* g = groups(term);
  return g == nullptr ? n_points(term) : g->size();
}

std::size_t Executor::n_rows(std::size_t term) const {
  return n_groups(term) * this->term(term).residuals.size();
}

std::size_t Executor::n_rows() const {
  require_squares();
  std::size_t total = 0;
  for (std::size_t t = 0; t < n_terms(); ++t) total += n_rows(t);
  return total;
}

double Executor::row_factor(std::size_t term, std::size_t group) const {
  return std::sqrt(weight(term) * weights(term)[group] / static_cast<double>(n_groups(term)));
}

void Executor::require_squares() const {
  for (std::size_t t = 0; t < n_terms(); ++t) {
    if (term(t).form != TermForm::identity) continue;
    throw Error("an energy is no sum of squares", fmt::format("term '{}'", term(t).name),
                "use an optimiser that needs gradients only");
  }
}

/// d(row / factor) / dS of a term of powers, for every row; empty for squares: 1.
std::vector<double> Executor::row_slopes(std::size_t term, std::span<const double> theta) {
  const Groups* g = groups(term);
  if (this->term(term).form != TermForm::power || g == nullptr) return {};
  std::vector<double> slopes(n_rows(term));
  seeds_.resize(n_residuals(term));
  residuals(term, theta, seeds_);
  detail::group_sums(*g, {0, g->size()}, this->term(term).residuals.size(), true, seeds_, slopes);
  for (double& s : slopes) s = detail::row_slope(this->term(term), s);
  return slopes;
}

void Executor::rows(std::span<const double> theta, std::span<double> out) {
  require_row_length("rows()", out.size(), n_rows());
  for (std::size_t t = 0; t < n_terms(); ++t) {
    const std::size_t K = term(t).residuals.size();
    const auto part = out.first(n_rows(t));
    out = out.subspan(part.size());
    if (const Groups* g = groups(t)) {
      seeds_.resize(n_residuals(t));
      residuals(t, theta, seeds_);
      detail::group_sums(*g, {0, g->size()}, K, true, seeds_, part);
      for (double& s : part) s = detail::row_value(term(t), s);
    } else {
      residuals(t, theta, part);
    }
    for (std::size_t i = 0; i < part.size(); ++i) part[i] *= row_factor(t, i / K);
  }
}

void Executor::rows_jacobian(std::span<const double> theta, std::span<double> out) {
  const std::size_t P = n_parameters();
  require_row_length("rows_jacobian()", out.size(), n_rows() * P);
  for (std::size_t t = 0; t < n_terms(); ++t) {
    const std::size_t K = term(t).residuals.size(), n = n_rows(t);
    const auto part = out.first(n * P);
    out = out.subspan(part.size());
    const Groups* g = groups(t);
    if (g == nullptr) jacobian(t, theta, part);
    const std::vector<double> slopes = row_slopes(t, theta);
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = row_factor(t, i / K) * (slopes.empty() ? 1 : slopes[i]);
      const auto row = part.subspan(i * P, P);
      if (g == nullptr) {
        for (double& v : row) v *= factor;
        continue;
      }
      seeds_.assign(n_residuals(t), 0.0);
      for (std::size_t m = g->offsets[i / K]; m < g->offsets[i / K + 1]; ++m) {
        seeds_[g->points[m] * K + i % K] += factor * g->weights[m];
      }
      jacobian_transposed_times(t, theta, seeds_, row);
    }
  }
}

void Executor::rows_jacobian_times(std::span<const double> theta, std::span<const double> v,
                                   std::span<double> out) {
  require_row_length("rows_jacobian_times()", out.size(), n_rows());
  for (std::size_t t = 0; t < n_terms(); ++t) {
    const std::size_t K = term(t).residuals.size();
    const auto part = out.first(n_rows(t));
    out = out.subspan(part.size());
    if (const Groups* g = groups(t)) {
      seeds_.resize(n_residuals(t));
      jacobian_times(t, theta, v, seeds_);
      detail::group_sums(*g, {0, g->size()}, K, false, seeds_, part);
      const std::vector<double> slopes = row_slopes(t, theta);
      for (std::size_t i = 0; i < slopes.size(); ++i) part[i] *= slopes[i];
    } else {
      jacobian_times(t, theta, v, part);
    }
    for (std::size_t i = 0; i < part.size(); ++i) part[i] *= row_factor(t, i / K);
  }
}

void Executor::rows_jacobian_transposed_times(std::span<const double> theta,
                                              std::span<const double> w, std::span<double> out) {
  require_row_length("the row weights", w.size(), n_rows());
  require_row_length("rows_jacobian_transposed_times()", out.size(), n_parameters());
  std::fill(out.begin(), out.end(), 0.0);
  part_.resize(out.size());
  for (std::size_t t = 0; t < n_terms(); ++t) {
    const std::size_t K = term(t).residuals.size(), n = n_rows(t);
    const std::vector<double> slopes = row_slopes(t, theta);
    seeds_.assign(n_residuals(t), 0.0);
    const Groups* g = groups(t);
    for (std::size_t i = 0; i < n; ++i) {
      const double s = row_factor(t, i / K) * w[i] * (slopes.empty() ? 1 : slopes[i]);
      if (g == nullptr) {
        seeds_[i] = s;
        continue;
      }
      for (std::size_t m = g->offsets[i / K]; m < g->offsets[i / K + 1]; ++m) {
        seeds_[g->points[m] * K + i % K] += s * g->weights[m];
      }
    }
    w = w.subspan(n);
    jacobian_transposed_times(t, theta, seeds_, part_);
    for (std::size_t p = 0; p < out.size(); ++p) out[p] += part_[p];
  }
}

}  // namespace cauchy
