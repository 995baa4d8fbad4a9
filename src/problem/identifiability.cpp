#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/boundary_cover.hpp"
#include "problem/doubts.hpp"
#include "problem/lowering.hpp"

namespace cauchy::detail {
namespace {

/// A part of an axis as long as this part of it is a gap in the data.
constexpr double wide_gap = 0.1;

bool names_field(const Expr& e, const std::string& field) { return depends_on(e, Field(field)); }

/// Where the values of some observations lie along a coordinate.
struct Reach {
  double low = INFINITY, high = -INFINITY;
  void add(const Observation& o, const std::string& coordinate) {
    for (const double v : o.table.column(coordinate)) {
      low = std::min(low, v);
      high = std::max(high, v);
    }
  }
};

Sizes::Axis axis_of(const Problem& p, const std::string& name) {
  const Sizes sizes = characteristic_sizes(p, Lowering(p), true);
  return *std::find_if(sizes.axes.begin(), sizes.axes.end(),
                       [&](const Sizes::Axis& a) { return a.name == name; });
}

/// "x > 0.7", "x < -0.2 and x > 0.7": what the reach leaves of an axis; empty: nothing wide.
std::string left_open(const Sizes::Axis& axis, const Reach& reach) {
  const double low = axis.center - axis.half, high = axis.center + axis.half;
  const double wide = wide_gap * 2 * axis.half;
  std::string text;
  if (reach.low - low > wide) text = fmt::format("{} < {:.3g}", axis.name, reach.low);
  if (high - reach.high > wide) {
    text += fmt::format("{}{} > {:.3g}", text.empty() ? "" : " and ", axis.name, reach.high);
  }
  return text;
}

/// Fields that stand in an equation together with a coefficient, the coefficient among them.
std::set<std::string> neighbours(const Problem& p, const std::string& coefficient) {
  std::set<std::string> names{coefficient};
  for (const ProblemEquation& e : p.equation) {
    const Expr roots[] = {e.form.residual()};
    if (!names_field(roots[0], coefficient)) continue;
    for (const Expr& a : field_atoms(roots)) names.insert(a.name());
  }
  return names;
}

}  // namespace

std::vector<std::string> free_coefficients(const Problem& p) {
  std::vector<std::string> found;
  for (const Coefficient& c : p.coefficients) {
    const std::set<std::string> near = neighbours(p, c.name);
    std::vector<const Observation*> data;
    for (const Observation& o : p.observation) {
      const bool tells = std::any_of(near.begin(), near.end(), [&](const std::string& name) {
        return names_field(o.quantity, name);
      });
      if (tells) data.push_back(&o);
    }
    if (data.empty()) {
      found.push_back(
          fmt::format("coefficient '{}' is determined by no data: observe it, or a field that "
                      "stands beside it in an equation",
                      c.name));
      continue;
    }
    for (const std::string& name : c.coordinates.empty() ? p.coordinates() : c.coordinates) {
      Reach reach;
      for (const Observation* o : data) reach.add(*o, name);
      const std::string open = left_open(axis_of(p, name), reach);
      if (open.empty()) continue;
      found.push_back(fmt::format(
          "coefficient '{}' is not determined where {}: no observation lies there", c.name, open));
    }
  }
  return found;
}

std::vector<std::string> few_data(const Problem& p) {
  std::size_t values = 0;
  for (const Observation& o : p.observation) values += o.table.rows();
  if (values == 0 || values >= p.unknowns.size()) return {};
  return {fmt::format("{} observed value{} for {} unknown constants: they are not all determined",
                      values, values == 1 ? "" : "s", p.unknowns.size())};
}

std::vector<std::string> unobserved_start(const Problem& p) {
  std::vector<std::string> found;
  const Time* time = p.domain->time();
  if (time == nullptr) return found;
  for (const std::string& field : p.fields) {
    Reach reach;
    for (const Observation& o : p.observation) {
      if (names_field(o.quantity, field)) reach.add(o, time->name);
    }
    if (!(reach.low <= reach.high)) continue;  // not observed: the other checks ask for conditions
    const std::vector<std::string> names{time->name};
    int conditions = 0;
    for (const Condition& c : p.condition) {
      if (c.kind == Condition::Kind::point && p.domain->space() == nullptr &&
          names_field(c.form.residual(), field)) {
        ++conditions;
      }
      if (c.kind != Condition::Kind::general || !names_field(c.form.residual(), field)) continue;
      if (place_of(p, c).kind == ConditionPlace::Kind::slice) ++conditions;
    }
    if (conditions >= highest_order(p, field, names)) continue;
    if (reach.low - time->lower <= wide_gap * (time->upper - time->lower)) continue;
    found.push_back(fmt::format(
        "field '{}' has no initial condition, and no observation before {} = {:.3g}: nothing "
        "determines it there",
        field, time->name, reach.low));
  }
  return found;
}

}  // namespace cauchy::detail
