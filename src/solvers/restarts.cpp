#include <cauchy/solvers/restarts.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/special.hpp>

namespace cauchy {
namespace {

constexpr const char* restarts_place = "[solvers.restarts]";

const Solution& run_of(const Restarts& restarts, std::size_t k) {
  if (k >= restarts.runs.size()) {
    throw Error(
        fmt::format("there is no run {}: they are {}, counted from 0", k, restarts.runs.size()),
        restarts_place);
  }
  return restarts.runs[k];
}

}  // namespace

Spread spread(std::vector<double> numbers) {
  if (numbers.empty()) throw Error("no numbers have no spread", restarts_place);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (std::ranges::all_of(numbers, [](double v) { return std::isnan(v); })) {
    return {nan, nan, nan, nan, nan};
  }
  for (double& v : numbers) {
    if (std::isnan(v)) v = std::numeric_limits<double>::infinity();
  }
  std::ranges::sort(numbers);
  // Parts first: the sum of two large numbers may overflow. Equal infinities stay what they are.
  const auto quartile = [&](std::size_t k) {
    const std::size_t place = k * (numbers.size() - 1), i = place / 4;
    const double t = static_cast<double>(place % 4) / 4;
    return t == 0 ? numbers[i] : (1 - t) * numbers[i] + t * numbers[i + 1];
  };
  return {numbers.front(), quartile(1), quartile(2), quartile(3), numbers.back()};
}

std::uint64_t Restarts::seed(std::size_t k) const {
  (void)run_of(*this, k);
  return first_seed + k;
}

double Restarts::loss(std::size_t k) const {
  const Solution& s = run_of(*this, k);
  return s.training ? s.training->loss() : std::numeric_limits<double>::quiet_NaN();
}

std::size_t Restarts::best_index() const {
  std::size_t best = 0;
  double lowest = loss(0);
  for (std::size_t k = 1; k < runs.size(); ++k) {
    const double value = loss(k);
    if (value < lowest || (std::isnan(lowest) && !std::isnan(value))) {
      best = k;
      lowest = value;
    }
  }
  return best;
}

double Restarts::optimization_error(std::size_t k) const {
  const std::size_t best = best_index();
  // Where the best loss is infinite, infinity - infinity is the NaN that is wanted.
  return loss(k) - loss(best);
}

bool Restarts::same_points() const {
  const auto points_of = [](const Solution& s) {
    return s.training ? s.training->points : std::map<std::string, Points>{};
  };
  const auto first = points_of(run_of(*this, 0));
  return std::ranges::all_of(runs, [&](const Solution& s) {
    return std::ranges::equal(points_of(s), first, [](const auto& a, const auto& b) {
      return a.first == b.first && a.second.values == b.second.values;
    });
  });
}

Spread Restarts::loss_spread() const {
  std::vector<double> losses(runs.size());
  for (std::size_t k = 0; k < runs.size(); ++k) losses[k] = loss(k);
  return spread(std::move(losses));
}

Spread Restarts::error_spread() const {
  std::vector<double> errors;
  for (const Solution& s : runs) errors.push_back(s.error.relative_l2());
  return spread(std::move(errors));
}

std::map<std::string, ConfidenceInterval> Restarts::unknown_spread() const {
  std::map<std::string, ConfidenceInterval> all;
  if (runs.size() < 2) return all;
  const auto n = static_cast<double>(runs.size());
  for (const auto& [name, first] : run_of(*this, 0).unknowns) {
    double mean = 0, square = 0;
    for (const Solution& s : runs) mean += s.unknowns.at(name) / n;
    for (const Solution& s : runs) square += std::pow(s.unknowns.at(name) - mean, 2);
    ConfidenceInterval interval;
    const double half = normal_quantile((1 + interval.level) / 2) * std::sqrt(square / (n - 1));
    interval.lower = mean - half;
    interval.upper = mean + half;
    interval.how = fmt::format("spread of {} restarts", runs.size());
    all[name] = std::move(interval);
  }
  return all;
}

Method restart_of(Method method, std::size_t k) {
  const std::optional<TrainingSettings> settings = training_settings(method);
  if (!settings) {
    throw Error(fmt::format("{} has no seed: every run would be the same", name_of(method)),
                restarts_place, "solve it once");
  }
  settings->seed += k;
  return method;
}

Restarts solve_restarts(const Problem& problem, const Method& method, std::size_t n,
                        const RunOptions& options,
                        const std::function<void(std::size_t, const Solution&)>& on_run) {
  if (n == 0) {
    throw Error("the number of restarts must be positive, got 0", restarts_place);
  }
  if (!options.checkpoint.empty()) {
    throw Error("a checkpoint belongs to one run, but there are several", restarts_place,
                "leave it out, or solve with one seed after the other");
  }
  Method first = restart_of(method, 0);
  Restarts result{{}, training_settings(first)->seed};
  for (std::size_t k = 0; k < n; ++k) {
    result.runs.push_back(solve(problem, restart_of(method, k), options));
    if (on_run) on_run(k, result.runs.back());
    if (options.progress != nullptr && options.progress->stop_requested()) break;
  }
  return result;
}

}  // namespace cauchy
