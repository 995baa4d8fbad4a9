#include "solvers/spectral/fourier_steady.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/math/iterative.hpp>

namespace cauchy::detail {
namespace {

constexpr int most_fourier_newton_steps = 50;
constexpr double newton_accuracy = 1e-12;  // relative change, to which a step must come

double modes_norm(const Modes& v) {
  double sum = 0;
  for (const auto& c : v) sum += std::norm(c);
  return std::sqrt(sum);
}

std::span<double> as_numbers(Modes& v) {
  return {reinterpret_cast<double*>(v.data()), 2 * v.size()};
}

}  // namespace

FourierSteady fourier_steady(FourierFlow& flow, std::size_t n_columns, const RunOptions& options) {
  const auto stop = [&] { return options.limit.reached(); };
  const std::size_t n = n_columns * flow.grid().n_modes();
  FourierSteady out{Modes(n)};
  Modes& a = out.modes;
  Modes image(n), residual(n), step(n), trial(n), direction(n);
  flow.map(a, image);
  a = image;
  if (!flow.is_implicit()) return out;
  // residual = G f(a) - a
  const auto residual_at = [&](const Modes& at) {
    flow.map(at, image);
    for (std::size_t i = 0; i < n; ++i) residual[i] = image[i] - at[i];
    return modes_norm(residual);
  };
  double size = residual_at(a);
  while (out.steps < most_fourier_newton_steps) {
    ++out.steps;
    const auto derivative = [&](std::span<const double> v, std::span<double> result) {
      std::copy(v.begin(), v.end(), as_numbers(direction).begin());
      flow.slope(direction, image);
      const std::span<double> minus = as_numbers(image);
      for (std::size_t i = 0; i < v.size(); ++i) result[i] = v[i] - minus[i];
    };
    const auto same = [](std::span<const double> v, std::span<double> result) {
      std::copy(v.begin(), v.end(), result.begin());
    };
    std::fill(step.begin(), step.end(), 0);
    const IterationOptions inner{.tolerance = 1e-8, .max_iterations = 500, .stop = stop};
    const IterationResult solved =
        bicgstab(derivative, same, as_numbers(residual), as_numbers(step), inner);
    if (solved.status == IterationStatus::stopped) {
      out.stopped = true;
      return out;
    }
    double cut = 1;
    for (;; cut /= 2) {
      for (std::size_t i = 0; i < n; ++i) trial[i] = a[i] + cut * step[i];
      const double next = residual_at(trial);
      if (next < (1 - 0.25 * cut) * size ||
          cut * modes_norm(step) <= newton_accuracy * modes_norm(trial)) {
        size = next;
        break;
      }
      if (cut < 1e-3 || !std::isfinite(modes_norm(step))) {
        out.trouble = fmt::format(
            "Newton's method ended after {} steps with a residual of {:.1e} of the fields",
            out.steps, size / modes_norm(a));
        return out;
      }
    }
    std::swap(a, trial);
    if (cut * modes_norm(step) <= newton_accuracy * modes_norm(a) ||
        size <= newton_accuracy * modes_norm(a))
      return out;
  }
  out.trouble = fmt::format("Newton's method did not end in {} steps", out.steps);
  return out;
}

}  // namespace cauchy::detail
