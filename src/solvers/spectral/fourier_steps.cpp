#include "solvers/spectral/fourier_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace cauchy::detail {
namespace {

constexpr std::size_t first_fourier_stored = 32;
constexpr std::size_t most_fourier_steps = std::size_t{1} << 22;
constexpr double longest_fourier_march = 120;  // nominal seconds; a longer one is not begun

std::size_t fourier_rounded_up(double steps, std::size_t multiple) {
  const double count = std::ceil(steps / static_cast<double>(multiple));
  return std::max<std::size_t>(1, static_cast<std::size_t>(count)) * multiple;
}

/// Whether marches with ever smaller steps end at one time: the solution itself does.
bool ends_there(const std::vector<double>& ends) {
  const std::size_t n = ends.size();
  return n >= 3 && std::abs(ends[n - 1] - ends[n - 2]) <= 0.02 * ends[n - 1] &&
         std::abs(ends[n - 1] - ends[n - 3]) <= 0.05 * ends[n - 1];
}

}  // namespace

FourierRun fourier_run(FourierFlow& flow, const Modes& initial, const Time& time,
                       std::size_t n_columns, const FourierSteps& how, const RunOptions& options,
                       const std::string& message) {
  const FourierMeasure measure(flow.grid(), n_columns);
  const bool exact = flow.is_linear() || n_columns == 0, fixed = how.step > 0;
  const double least_steps = fixed ? (time.upper - time.lower) / how.step * (1 - 1e-12)
                                   : static_cast<double>(how.first_steps);
  std::size_t stored = std::min(first_fourier_stored, how.most_stored);
  while (fixed && stored > 1 && static_cast<double>(stored) > least_steps) stored /= 2;
  std::size_t steps = fourier_rounded_up(exact && !fixed ? 1 : least_steps, stored);
  FourierRun best;
  best.time_error = std::numeric_limits<double>::infinity();
  std::vector<double> ends;  // of marches that ceased to be finite
  int n_stalled = 0;         // marches that did not get better by more steps
  for (;;) {
    const double before = options.limit.work();
    const auto stop = [&](std::size_t step) {
      if (step % std::max<std::size_t>(1, steps / 64) == 0) {
        options.limit.show({.step = step, .total = steps, .message = message, .stage = "etdrk4"});
      }
      return options.limit.reached();
    };
    FourierHistory h = fourier_march(flow, initial, time.lower, time.upper, steps, stored, stop);
    const double work = options.limit.work() - before;
    if (h.stopped) {
      best.stopped = true;
      return best;
    }
    const auto too_long = [&](std::size_t next) {
      return next > most_fourier_steps ||
             work * static_cast<double>(next) / static_cast<double>(steps) > longest_fourier_march;
    };
    if (!h.finite) {
      ends.push_back(h.reached - time.lower);
      if (ends_there(ends) || fixed || exact || too_long(2 * steps)) {
        best.history = {};
        best.finite = false;
        best.troubles.push_back(
            fmt::format("it ceases to be finite at {} = {:.4g}, with {} steps{}", time.name,
                        h.reached, steps, fixed ? ", which were given by step" : ""));
        return best;
      }
      best.history = {};
      steps *= 2;
      continue;
    }
    const double tail = measure.tail(h), allowed = 0.1 * std::max({how.tolerance, tail, 1e-12});
    const double gap = measure.time_gap(h, fourier_time_width);
    std::size_t next_stored = stored;
    for (double g = gap; g > allowed && 2 * next_stored <= how.most_stored; g /= 100)
      next_stored *= 2;
    while (fixed && next_stored > stored && next_stored > steps) next_stored /= 2;
    if (exact) best.time_error = 0;
    bool falls = true;
    if (!exact && !fixed && !best.history.at.empty() && steps > best.history.steps) {
      // Less than the fourth order is believed: initial values may be rough.
      const double ratio = static_cast<double>(steps) / static_cast<double>(best.history.steps);
      const double error = measure.difference(best.history, h) / (std::pow(ratio, 3) - 1);
      n_stalled = error > 0.5 * best.time_error ? n_stalled + 1 : 0;
      falls = n_stalled < 2;
      best.time_error = error;
    }
    best.history = std::move(h);
    best.time_gap = gap;
    // What is far from resolved in space (a shock) need not converge in time at all.
    const bool hopeless = tail > 0.03 && std::isfinite(best.time_error);
    const bool settled = fixed || hopeless || best.time_error <= allowed;
    if (settled && next_stored == stored) {
      if (gap > allowed) {
        best.remarks.push_back(
            fmt::format("{} states in time are kept, interpolation between them adds about {:.1e}",
                        stored, gap));
      }
      return best;
    }
    double factor = settled ? 1 : 2;
    if (!settled && std::isfinite(best.time_error)) {
      factor = std::clamp(std::ceil(1.1 * std::pow(best.time_error / allowed, 0.25)), 2.0, 8.0);
    }
    const std::size_t next =
        fourier_rounded_up(exact && !fixed ? 1 : factor * static_cast<double>(steps), next_stored);
    if (too_long(next) || (!settled && !falls)) {
      if (!settled) {
        best.troubles.push_back(
            fmt::format("the error in time is about {:.1e} with {} steps, {:.1e} was aimed at",
                        best.time_error, steps, allowed));
      }
      return best;
    }
    stored = next_stored;
    steps = next;
  }
}

}  // namespace cauchy::detail
