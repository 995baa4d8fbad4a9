#include "geometry/meshes/mesh_level.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>

#include "geometry/meshes/mesh_sides.hpp"

namespace cauchy {

MeshInterface mesh_interface(std::string name, const Expr& level,
                             const std::vector<std::string>& coordinates,
                             const ParameterValues& values) {
  Values known;
  for (const auto& [parameter, value] : values) known.set(Parameter(parameter), value);
  std::vector<Expr> axes;
  for (const std::string& c : coordinates) axes.emplace_back(Coordinate(c));
  const auto at = [level, axes, known](const double* x) {
    Values all = known;
    for (std::size_t k = 0; k < axes.size(); ++k) all.set(axes[k], x[k]);
    return evaluate(level, all);
  };
  // Names without values are found before the work.
  const std::vector<double> origin(axes.size(), 0.5);
  (void)at(origin.data());
  return {std::move(name), at};
}

namespace detail {

double LevelSurface::value(const double* x) const { return interface_.level(x); }

double LevelSurface::slope(const double* x, double* gradient) const {
  const double h = 1e-6 * scale_;
  double y[3], sum = 0;
  std::copy_n(x, d_, y);
  for (int k = 0; k < d_; ++k) {
    y[k] = x[k] + h;
    const double above = value(y);
    y[k] = x[k] - h;
    gradient[k] = (above - value(y)) / (2 * h);
    y[k] = x[k];
    sum += gradient[k] * gradient[k];
  }
  return std::sqrt(sum);
}

double LevelSurface::distance(const double* x) const {
  double gradient[3];
  const double v = value(x);
  return v == 0 ? 0 : std::abs(v) / slope(x, gradient);
}

void LevelSurface::project(const double* x, double* foot, double* normal) const {
  std::copy_n(x, d_, foot);
  std::fill_n(normal, d_, 0.0);
  double gradient[3], last = INFINITY;
  for (int round = 0; round < 40; ++round) {
    const double length = slope(foot, gradient), v = value(foot);
    if (!(length > 0) || !std::isfinite(length)) break;
    for (int k = 0; k < d_; ++k) normal[k] = gradient[k] / length;
    const double step = v / length;
    // Rounding is reached when steps shrink no more.
    if (std::abs(step) < 1e-13 * scale_ && std::abs(step) >= 0.5 * last) break;
    last = std::abs(step);
    for (int k = 0; k < d_; ++k) foot[k] -= step * normal[k];
    if (step == 0) break;
  }
  double moved = 0;
  for (int k = 0; k < d_; ++k) moved = std::max(moved, std::abs(foot[k] - x[k]));
  if (!(moved < 0.5 * scale_)) std::copy_n(x, d_, foot);
}

double LevelSurface::crossing(const double* a, const double* b) const {
  const bool positive = value(a) >= 0;
  double low = 0, high = 1, x[3];
  for (int round = 0; round < 54; ++round) {
    const double t = 0.5 * (low + high);
    for (int k = 0; k < d_; ++k) x[k] = a[k] + t * (b[k] - a[k]);
    ((value(x) >= 0) == positive ? low : high) = t;
  }
  return 0.5 * (low + high);
}

PartTable::PartTable(const MeshOptions& options) : options_(options) {
  const std::vector<char> none(options.interfaces.size(), 0);
  (void)number(0, none);
  for (std::size_t k = 0; k < options.parts.size(); ++k) {
    // Without interfaces all parts are listed; with them, those that occur.
    if (options.interfaces.empty()) (void)number(static_cast<int>(k) + 1, none);
  }
}

int PartTable::number(int base, const std::vector<char>& positive) {
  const auto [entry, is_new] =
      known_.try_emplace({base, positive}, static_cast<int>(names_.size()));
  if (!is_new) return entry->second;
  std::vector<std::string> words;
  if (base > 0) words.push_back(options_.parts[static_cast<std::size_t>(base) - 1].name);
  for (std::size_t k = 0; k < positive.size(); ++k) {
    if (positive[k] != 0) words.push_back(options_.interfaces[k].name);
  }
  names_.push_back(words.empty() ? "inside" : fmt::format("{}", fmt::join(words, "+")));
  return entry->second;
}

}  // namespace detail
}  // namespace cauchy
