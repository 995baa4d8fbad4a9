#include "problem/start_layers.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <cauchy/problem/place.hpp>

#include "problem/initial_layers.hpp"

namespace cauchy::detail {
namespace {

constexpr double most_of_all = 0.05, most_of_times = 0.1, most_at_first = 0.1;
/// A layer of sqrt(D t) is erfc(2) = 0.5 % of its jump at this many of them.
constexpr double widths = 4;
/// Jumps below this part of what the field varies by are no corner.
constexpr double smallest_jump = 1e-3;
/// Fewer points say nothing.
constexpr double least_left = 0.25;

}  // namespace

StartLayers::StartLayers(const Problem& problem, const Lowering& lower) {
  const std::vector<InitialLayer> layers = initial_layers(problem, lower);
  if (layers.empty()) return;
  const Domain domain = domain_of(problem);
  const Bounds box = domain.shape({})->bounds();
  coordinate_ = domain.space()->coordinates()[0];
  begin_ = domain.time()->lower;
  duration_ = domain.time()->upper - begin_;
  length_ = box.upper[0] - box.lower[0];
  // In units of the values of a field: jumps, and slopes over the whole length.
  const auto size = [&](const InitialLayer& l) {
    return std::abs(l.amount) * (l.kind == InitialLayer::Kind::kink ? length_ : 1);
  };
  std::map<std::string, double> varies;
  for (const InitialLayer& l : layers) {
    if (l.kind == InitialLayer::Kind::bend) continue;
    double& unit = varies[l.field];
    unit = std::max({unit, l.range, size(l)});
  }
  for (const InitialLayer& l : layers) {
    if (l.kind == InitialLayer::Kind::bend || size(l) < smallest_jump * varies[l.field]) continue;
    const bool at_end = l.where == InitialLayer::Where::end;
    const auto known = std::find_if(places_.begin(), places_.end(),
                                    [&](const Place& p) { return p.at == l.place; });
    if (known != places_.end()) {
      known->diffusion = std::max(known->diffusion, l.diffusion);
    } else {
      places_.push_back({l.place, l.diffusion, at_end ? 0 : l.speed, at_end ? 1.0 : 2.0});
    }
    if (l.where == InitialLayer::Where::seam) {  // its other side
      places_.back().sides = 1;
      places_.push_back({box.upper[0], l.diffusion, l.speed, 1});
    }
  }
  if (places_.empty()) return;
  double low = 0, high = most_of_times * duration_;
  if (share(high) <= most_of_all) low = high;
  for (int k = 0; k < 60 && low < high; ++k) {
    const double middle = (low + high) / 2;
    (share(middle) <= most_of_all ? low : high) = middle;
  }
  lasts_ = low;
  double sides = 0;
  for (const Place& p : places_) sides += p.sides;
  first_width_ = most_at_first * length_ / sides;
}

double StartLayers::Place::width(double after) const {
  return widths * std::sqrt(diffusion * after);
}

double StartLayers::share(double after) const {
  double sum = 0;
  for (const Place& p : places_) {
    sum += p.sides * std::min(p.width(after), length_) / length_ * after / duration_;
  }
  return sum;
}

bool StartLayers::hold(std::span<const double> row) const {
  const double after = row[0] - begin_;
  if (!(after < lasts_)) return false;
  return std::any_of(places_.begin(), places_.end(), [&](const Place& p) {
    const double width = p.width(lasts_);
    const double apart = std::abs(row[1] - p.at - p.speed * after);
    return apart < (after > 0 ? width : std::min(width, first_width_));
  });
}

Points StartLayers::without(const Points& points) const {
  if (empty()) return points;
  Points left = points;
  left.values.clear();
  left.normals.clear();
  left.weights.clear();
  left.piece.clear();
  const std::size_t n = points.size(), d = n == 0 ? 0 : points.normals.size() / n;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = points.row(i);
    if (hold(row)) continue;
    left.values.insert(left.values.end(), row.begin(), row.end());
    const auto normal = points.normals.begin() + static_cast<std::ptrdiff_t>(i * d);
    left.normals.insert(left.normals.end(), normal, normal + static_cast<std::ptrdiff_t>(d));
    if (!points.weights.empty()) left.weights.push_back(points.weights[i]);
    if (!points.piece.empty()) left.piece.push_back(points.piece[i]);
  }
  const bool few = static_cast<double>(left.size()) < least_left * static_cast<double>(n);
  return few ? points : left;
}

std::string StartLayers::text() const {
  if (empty()) return {};
  std::string where;
  for (std::size_t k = 0; k < places_.size() && k < 4; ++k) {
    where += fmt::format("{}{} = {:.4g}", k == 0 ? "" : ", ", coordinate_, places_[k].at);
  }
  return fmt::format(
      "the data disagree at the start ({}{}): the layer of sqrt(D t) there is left out of the look "
      "at the equations for the first {:.2g} %, which is {:.2g} % of space and time",
      where, places_.size() > 4 ? ", ..." : "", 100 * lasts_ / duration_, 100 * share(lasts_));
}

}  // namespace cauchy::detail
