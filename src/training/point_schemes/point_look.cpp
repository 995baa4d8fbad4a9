#include "training/point_schemes/point_look.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {

std::vector<double> PointLook::look(std::size_t term, const Points& at,
                                    std::span<const std::size_t> rows, bool gradient) const {
  Executor& executor = loss_.executor();
  const PointSource& source = points_.source(term);
  const std::span<const double> in_use = executor.weights(term);
  const std::vector<double> kept(in_use.begin(), in_use.end());
  source.use(at, rows);
  const std::size_t k = executor.term(term).residuals.size(), n = executor.n_points(term);
  std::vector<double> r(n * k), norms(gradient ? n * k : 0);
  executor.residuals(term, theta_, r);
  if (gradient) executor.gradient_norms(term, theta_, norms);
  source.use(points_[term], points_.rows(term));
  source.weigh(kept);
  const std::vector<double> weights = source.weights ? source.weights(at) : std::vector<double>{};
  std::vector<double> values(n, 0.0);
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t i = p * k; i < (p + 1) * k; ++i) {
      values[p] += gradient ? 2 * std::abs(r[i]) * std::sqrt(norms[i]) : r[i] * r[i];
    }
    if (!weights.empty()) values[p] *= weights[rows.empty() ? p : rows[p]];
  }
  return values;
}

std::vector<double> PointLook::losses(std::size_t term, const Points& at,
                                      std::span<const std::size_t> rows) const {
  return look(term, at, rows, false);
}

std::vector<double> PointLook::gradients(std::size_t term, const Points& at,
                                         std::span<const std::size_t> rows) const {
  return look(term, at, rows, true);
}

std::vector<double> PointLook::measures(std::size_t term, const Points& at,
                                        std::span<const std::size_t> rows) const {
  constexpr const char* place = "[training.point_scheme]";
  const PointSource& source = points_.source(term);
  if (!source.measure) throw Error("these points have no measure", place, "choose another `by`");
  std::vector<double> values = source.measure(at, rows, theta_);
  for (const double v : values) {
    if (!(v < 0)) continue;
    throw Error(
        fmt::format("the measure of importance is {:.3g} at a point of '{}'", v, source.name),
        place, "give one that is not negative: abs(...)");
  }
  return values;
}

std::vector<double> PointLook::sizes(std::size_t term, const Points& at) const {
  std::vector<double> values = losses(term, at);
  for (double& v : values) {
    v = std::sqrt(v);
    if (!std::isfinite(v)) return {};
  }
  return values;
}

std::size_t PointLook::most(std::size_t term, std::size_t most) const {
  const Executor& executor = loss_.executor();
  const std::size_t numbers = executor.term(term).residuals.size() * executor.n_parameters() +
                              16 * points_[term].columns.size();
  constexpr double most_bytes = 2e9;  // not of this machine: every one takes the same points
  const double fit = most_bytes / (8 * static_cast<double>(numbers));
  return fit < static_cast<double>(most) ? static_cast<std::size_t>(fit) : most;
}

double root_mean_square(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

namespace {

template <class T>
std::vector<T> some_rows(const std::vector<T>& all, std::size_t n,
                         std::span<const std::size_t> rows) {
  std::vector<T> some;
  const std::size_t width = all.size() / n;
  some.reserve(width * rows.size());
  for (const std::size_t r : rows) {
    for (std::size_t k = 0; k < width; ++k) some.push_back(all[r * width + k]);
  }
  return some;
}

}  // namespace

Points rows_of(const Points& points, std::span<const std::size_t> rows) {
  const std::size_t n = std::max<std::size_t>(1, points.size());
  return {points.columns,
          some_rows(points.values, n, rows),
          some_rows(points.normals, n, rows),
          some_rows(points.weights, n, rows),
          points.pieces,
          some_rows(points.piece, n, rows)};
}

void append(Points& to, const Points& from) {
  to.values.insert(to.values.end(), from.values.begin(), from.values.end());
  to.normals.insert(to.normals.end(), from.normals.begin(), from.normals.end());
  to.weights.insert(to.weights.end(), from.weights.begin(), from.weights.end());
  to.piece.insert(to.piece.end(), from.piece.begin(), from.piece.end());
}

}  // namespace cauchy::detail
