#include <cauchy/networks/periodic_input.hpp>

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

namespace cauchy {
namespace {

/// 2 pi (x - origin) / period.
Expr checked_angle(const PeriodicInput& input, double origin) {
  const auto refuse = [&](const std::string& why, const char* fix) {
    throw Error(why, fmt::format("periodic input '{}'", input.coordinate), fix);
  };
  if (!(input.period > 0) || !std::isfinite(input.period)) {
    refuse(fmt::format("the period must be positive, got {}", input.period), "give a period");
  }
  if (input.harmonics < 1) {
    refuse(fmt::format("harmonics must be positive, got {}", input.harmonics), "give 1 or more");
  }
  return 2 * pi * (Coordinate(input.coordinate) - origin) / input.period;
}

}  // namespace

std::vector<Expr> periodic_rows(const PeriodicInput& input, double origin) {
  const Expr angle = checked_angle(input, origin);
  std::vector<Expr> rows;
  for (int k = 1; k <= input.harmonics; ++k) {
    rows.push_back(cos(k * angle));
    rows.push_back(sin(k * angle));
  }
  return rows;
}

int add_periodic(Graph& graph, const PeriodicInput& input, double origin) {
  if (!input.learn) return graph.expression(periodic_rows(input, origin));
  const int angle = graph.expression({checked_angle(input, origin)});
  const int once = graph.scale(angle, 1, false, "period");
  std::vector<int> parts;
  for (int k = 1; k <= input.harmonics; ++k) {
    const int times = k == 1 ? once : graph.multiply(once, graph.number(k));
    parts.push_back(graph.activation(times, Activation::cos));
    parts.push_back(graph.activation(times, Activation::sin));
  }
  return graph.concatenate(parts);
}

void visit_options(PeriodicInput& input, OptionVisitor& v) {
  v.text("coordinate", input.coordinate);
  v.number("period", input.period, NumberRange::not_negative);
  v.count("harmonics", input.harmonics, 1, 10'000);
  v.flag("learn", input.learn);
}

}  // namespace cauchy
