#include "solvers/classical/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "problem/field_units.hpp"

namespace cauchy::detail {
namespace {

constexpr double safety = 1.25;         // of three grids, as is usual for grid convergence indices
constexpr double safety_of_series = 3;  // whose terms fall, but not evenly
/// By how much of itself the difference of two grids may miss the error, when no third one shows
/// that it falls.
constexpr double of_two_grids = 4;

}  // namespace

double RefinementSeries::error() const {
  if (changes_.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double last = changes_.back();
  if (changes_.size() == 1) return last;
  const double before = changes_[changes_.size() - 2];
  if (!(before > 0)) return last;
  // Where nothing is promised, the last change counts as the error: parts of it that do not fall
  // with the grid, such as that of steps in time, would be overlooked by a smaller one.
  const double best = order_ > 0 ? std::exp2(-order_) : 0.5;
  double q = std::max(best, last / before);
  if (order_ >= of_series && changes_.size() > 2) {  // a lucky step is not believed
    q = std::max(q, std::min(0.5, before / changes_[changes_.size() - 3]));
  }
  if (!(q < 1)) return last > 1e-13 ? std::numeric_limits<double>::infinity() : last;
  const double rest = last * q / (1 - q);
  // What is less than the last change is not believed to a third.
  if (order_ >= of_series) return std::max(rest, std::min(last, safety_of_series * rest));
  return order_ > 0 ? safety * rest : rest;
}

void LevelSeries::add(std::string method, std::vector<double> values) {
  methods_.push_back(std::move(method));
  values_.push_back(std::move(values));
}

void LevelSeries::append(const LevelSeries& finer) {
  for (std::size_t i = 0; i < finer.size(); ++i) add(finer.methods_[i], finer.values_[i]);
}

bool LevelSeries::falls() const { return size() > 2 && std::isfinite(estimate(0)->judged()); }

std::optional<ErrorEstimate> LevelSeries::estimate(double own) const {
  if (size() < 2) return std::nullopt;
  RefinementSeries changes(order_), means(1);
  FieldChange last;
  for (std::size_t i = 1; i < size(); ++i) {
    last = relative_change(values_[i], values_[i - 1], n_fields_);
    changes.add(last.judged);
    means.add(last.mean);
  }
  double by_grids = changes.error();
  // A jump that is displaced: off by no more than itself on a part of the domain as small as the
  // mean says, |e|_2^2 <= |e|_1 |e|_max.
  const bool by_mean = jumps_ && means.n_changes() > 1 && std::sqrt(means.error()) < by_grids;
  if (by_mean) by_grids = std::sqrt(means.error());
  const double error = std::max(by_grids, own);
  ErrorEstimate estimate = {
      last.judged > 0 ? error * last.l2 / last.judged : error,
      fmt::format("{} and {} differ by {:.1e}", methods_[size() - 2], methods_.back(), last.l2)};
  estimate.of_variation = error;
  if (by_mean) {
    estimate.how += fmt::format(
        ", {:.1e} of the variation in the mean, which falls with order {:.2g} over three grids: "
        "jumps are off by its root at most",
        means.error(), means.order_seen());
  }
  if (changes.n_changes() == 1 && error > 0) {
    estimate.how += ", two grids alone show no order";
    estimate.unsure = of_two_grids;
  }
  return estimate;
}

double RefinementSeries::order_seen() const {
  const std::size_t n = changes_.size();
  return n < 2 ? std::numeric_limits<double>::quiet_NaN()
               : -std::log2(changes_[n - 1] / changes_[n - 2]);
}

FieldChange relative_change(std::span<const double> now, std::span<const double> before,
                            std::size_t n_fields) {
  const std::vector<double> units = field_units(now, before, n_fields);
  const double n = static_cast<double>(now.size() / n_fields);
  std::vector<double> difference(n_fields), size(n_fields), moduli(n_fields);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double d = now[i] - before[i];
    difference[i % n_fields] += d * d;
    size[i % n_fields] += now[i] * now[i];
    moduli[i % n_fields] += std::abs(d);
  }
  const double floor = 1e-12 * *std::max_element(size.begin(), size.end());
  FieldChange worst;
  for (std::size_t f = 0; f < n_fields; ++f) {
    const double unit = std::max(size[f], floor);
    const double change = std::sqrt(difference[f] / (unit > 0 ? unit : 1));
    if (std::isnan(change)) return {change, change, change};
    worst.l2 = std::max(worst.l2, change);
    worst.mean = std::max(worst.mean, moduli[f] / n / units[f]);
    worst.judged = std::max(worst.judged, std::sqrt(difference[f] / n) / units[f]);
  }
  return worst;
}

void NoField::evaluate(std::span<const Expr> /*expressions*/, std::span<const double> /*points*/,
                       std::span<double> out) const {
  std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace cauchy::detail
