#include "solvers/pinn/pinn_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

/// The ends of a periodic coordinate.
///   error    throws Error when they depend on a range: the network has one period
std::pair<double, double> ends_of(const Domain& domain, const std::string& coordinate) {
  const auto& space = domain.space()->coordinates();
  const auto k =
      static_cast<std::size_t>(std::find(space.begin(), space.end(), coordinate) - space.begin());
  const auto ends = [&](double share) {
    std::vector<double> ranges;
    for (const Range& r : domain.ranges()) ranges.push_back(r.lower + share * (r.upper - r.lower));
    const ShapePtr shape = domain.shape(ranges);
    return std::pair(shape->bounds().lower[k], shape->bounds().upper[k]);
  };
  if (domain.shape_varies() && (ends(0) != ends(0.5) || ends(0.5) != ends(1))) {
    throw Error(ErrorKind::unsupported,
                fmt::format("the period of '{0}' depends on a parameter range", coordinate),
                fmt::format("condition 'periodic in {}'", coordinate),
                fmt::format("scale '{0}' so that its ends are numbers", coordinate));
  }
  return ends(0.5);
}

[[noreturn]] void refuse_input(const PeriodicInput& input, const std::string& why,
                               const std::string& fix) {
  throw Error(why, fmt::format("[[method.periodic]] '{}'", input.coordinate), fix);
}

/// The period that is given fits the condition, or is that of the condition.
PeriodicInput with_condition(PeriodicInput input, double length) {
  if (input.learn) {
    refuse_input(input, "its periodic condition has a period that is known", "leave 'learn' out");
  }
  if (input.period == 0) input.period = length;
  const double ratio = length / input.period;
  if (!(std::round(ratio) >= 1) || !(std::abs(ratio - std::round(ratio)) <= 1e-9 * ratio)) {
    refuse_input(input,
                 fmt::format("the condition of the problem has period {}, which is not a multiple "
                             "of {}",
                             length, input.period),
                 "leave 'period' out");
  }
  return input;
}

}  // namespace

PinnInputs::PinnInputs(const Problem& problem, const std::vector<PeriodicInput>& periodic,
                       const Sizes& sizes) {
  const Domain domain = domain_of(problem);
  std::vector<std::string> names;
  for (const Sizes::Axis& size : sizes.axes) {
    names.push_back(size.name);
    Axis axis{.size = size};
    for (const PeriodicInput& input : periodic) {
      if (input.coordinate != size.name) continue;
      if (axis.periodic) refuse_input(input, "it is named twice", "remove one of them");
      axis.periodic = input;
    }
    const auto condition =
        std::find_if(problem.condition.begin(), problem.condition.end(), [&](const Condition& c) {
          return c.kind == Condition::Kind::periodic && c.coordinate == size.name;
        });
    if (condition != problem.condition.end()) {
      const auto [lower, upper] = ends_of(domain, size.name);
      PeriodicInput input = axis.periodic.value_or(PeriodicInput{.coordinate = size.name});
      axis.periodic = with_condition(std::move(input), upper - lower);
      axis.origin = lower;
    } else if (axis.periodic && !(axis.periodic->period > 0)) {
      refuse_input(*axis.periodic, "it has no period, and no periodic condition gives one",
                   "give a positive period");
    }
    axes_.push_back(std::move(axis));
  }
  for (const PeriodicInput& input : periodic) {
    if (std::find(names.begin(), names.end(), input.coordinate) != names.end()) continue;
    refuse_input(input, fmt::format("there is no coordinate '{}'", input.coordinate),
                 fmt::format("coordinates are: {}", fmt::join(names, ", ")));
  }
}

std::vector<Expr> PinnInputs::rows(const std::vector<std::string>& of) const {
  std::vector<Expr> all;
  for (const Axis& axis : axes_) {
    const Sizes::Axis& size = axis.size;
    if (!of.empty() && std::find(of.begin(), of.end(), size.name) == of.end()) continue;
    if (!axis.periodic) {
      all.push_back((Coordinate(size.name) - size.center) / size.half);
      continue;
    }
    if (axis.periodic->learn) {
      refuse_input(*axis.periodic, "grids, penalties and formulas need a period that is known",
                   "leave 'learn' out");
    }
    for (Expr& row : periodic_rows(*axis.periodic, axis.origin)) all.push_back(std::move(row));
  }
  return all;
}

int PinnInputs::add(Graph& graph, const std::vector<std::string>& of) {
  std::vector<Expr> rows;
  std::vector<int> parts;
  const auto flush = [&] {
    if (!rows.empty()) parts.push_back(graph.expression(std::exchange(rows, {})));
  };
  bool plain = true;
  for (const Axis& axis : axes_) {
    const Sizes::Axis& size = axis.size;
    if (!of.empty() && std::find(of.begin(), of.end(), size.name) == of.end()) {
      plain = false;
      continue;
    }
    if (!axis.periodic) {
      rows.push_back((Coordinate(size.name) - size.center) / size.half);
      plain = plain && size.center == 0 && size.half == 1;
      continue;
    }
    plain = false;
    if (!axis.periodic->learn) {
      for (Expr& row : periodic_rows(*axis.periodic, axis.origin)) rows.push_back(std::move(row));
      continue;
    }
    flush();
    const auto [it, absent] = learned_.try_emplace(size.name, -1);
    if (absent) it->second = add_periodic(graph, *axis.periodic, axis.origin);
    parts.push_back(it->second);
  }
  if (plain) return graph.coordinates();
  flush();
  return parts.size() == 1 ? parts[0] : graph.concatenate(parts);
}

}  // namespace cauchy::detail
