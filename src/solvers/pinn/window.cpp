#include "solvers/pinn/window.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/boundary_cover.hpp"

namespace cauchy::detail {
namespace {

Domain with_time(const Domain& domain, double begin, double end) {
  const Time time(Coordinate(domain.time()->name), begin, end);
  Domain made = domain.space() != nullptr ? Domain(*domain.space()) * Domain(time) : Domain(time);
  for (const Range& r : domain.ranges()) made = made * r;
  return made.with(domain.values());
}

bool is_slice(const Problem& problem, const Condition& c) {
  return c.kind == Condition::Kind::general &&
         place_of(problem, c).kind == ConditionPlace::Kind::slice;
}

/// Whether a condition has points in this problem: a part of the boundary may belong to other
/// times.
bool has_points(const Problem& problem, const Condition& c) {
  if (c.kind == Condition::Kind::point) {
    const Time& time = *problem.domain->time();
    return std::all_of(c.point.begin(), c.point.end(), [&](const auto& at) {
      return at.first != time.name || (at.second >= time.lower && at.second <= time.upper);
    });
  }
  if (c.kind != Condition::Kind::general) return true;
  try {
    return condition_points(problem, c, 4).size() > 0;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Expr HandedOn::expression(const std::string& time) const {
  return order == 0 ? Expr(Field(field)) : field_derivative(field, {{time, order}});
}

std::vector<HandedOn> handed_on(const Problem& problem) {
  std::vector<HandedOn> all;
  const auto orders = highest_orders(problem, {problem.domain->time()->name});
  for (const std::string& field : problem.fields) {
    for (int k = 0; k < orders.at(field); ++k) all.push_back({field, k});
  }
  return all;
}

void expect_windows(const Problem& problem) {
  const auto refuse = [](const char* reason, const char* fix) {
    throw Error(ErrorKind::unsupported, reason, "[method.curriculum]", fix);
  };
  if (problem.domain->time() == nullptr) {
    refuse("windows of time need a problem in time", "leave the curriculum out");
  }
  if (!problem.unknowns.empty() || !problem.coefficients.empty() || !problem.observation.empty()) {
    refuse("unknowns and data belong to all of the time, windows see parts of it",
           "use point_weights of kind causal in their place");
  }
  for (const Condition& c : problem.condition) {
    if (is_slice(problem, c) && place_of(problem, c).time != problem.domain->time()->lower) {
      refuse("a condition at a later time ties all windows together", "leave the curriculum out");
    }
  }
  if (handed_on(problem).empty()) {
    refuse("no equation has a derivative by time: nothing is handed on",
           "leave the curriculum out");
  }
}

double least_window(const Time& time) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return 16 * epsilon * std::max(std::abs(time.lower), std::abs(time.upper));
}

void expect_windows(const Problem& problem, const WindowCurriculum& rule) {
  expect_windows(problem);
  constexpr const char* place = "[method.curriculum]";
  if (rule.count > 0 && rule.first > 0) {
    throw Error(fmt::format("count = {} asks for windows of the same length, first = {:.4g} for "
                            "one of its own",
                            rule.count, rule.first),
                place, "leave one of them out");
  }
  if (rule.count == 0 && rule.first > 0 && rule.first < rule.shortest) {
    throw Error(fmt::format("the first window, {:.4g} of the time, is shorter than the shortest, "
                            "{:.4g}",
                            rule.first, rule.shortest),
                place, "make first larger, or shortest smaller");
  }
  if (rule.budget > 0 && rule.count > rule.budget) {
    throw Error(fmt::format("{} windows share {} steps: each would be shorter than a step",
                            rule.count, rule.budget),
                place, "make count smaller, or budget larger");
  }
  const Time& time = *problem.domain->time();
  const double share = rule.count > 0 ? 1 / static_cast<double>(rule.count) : rule.first;
  if (share > 0 && share * (time.upper - time.lower) < least_window(time)) {
    throw Error(fmt::format("windows of {:.2g} are lost in the rounding of {} = {:.4g}",
                            share * (time.upper - time.lower), time.name,
                            std::max(std::abs(time.lower), std::abs(time.upper))),
                place, "take longer windows, or let time begin at 0");
  }
}

Problem window_problem(const Problem& problem, const Window& window) {
  Problem part = problem;
  const bool first = window.begin == problem.domain->time()->lower;
  part.domain = with_time(*problem.domain, window.begin, window.end + window.beyond);
  for (const auto& [field, size] : window.sizes) part.sizes[field] = size;
  std::erase_if(part.condition, [&](const Condition& c) {
    if (is_slice(problem, c)) return !first;
    return !has_points(part, c);
  });
  const std::vector<HandedOn> quantities = handed_on(problem);
  const Coordinate time(problem.domain->time()->name);
  for (std::size_t i = 0; i < window.start.size(); ++i) {
    part.condition.push_back(at(time == Expr(window.begin),
                                quantities[i].expression(time.name()) == Expr(window.start[i])));
  }
  part.reference = {};
  return part;
}

Problem with_hard_initial(const Problem& problem) {
  Problem made = problem;
  if (problem.domain->time() == nullptr) return made;
  const Time& time = *problem.domain->time();
  const auto is_formula = [](const Expr& e) {
    const Expr roots[] = {e};
    const std::vector<Expr> all = postorder(roots);
    return std::none_of(all.begin(), all.end(), [](const Expr& x) {
      return x.kind() == Kind::field || x.kind() == Kind::call || x.kind() == Kind::symbol;
    });
  };
  std::vector<std::string> valued;  // fields whose value is given
  for (Condition& c : made.condition) {
    if (!is_slice(problem, c) || place_of(problem, c).time != time.lower) continue;
    const auto form = dirichlet_form(c.form);
    if (!form || !is_formula(form->value)) continue;
    c.hard = true;
    valued.push_back(form->field);
  }
  for (Condition& c : made.condition) {
    if (!is_slice(problem, c) || c.hard || place_of(problem, c).time != time.lower) continue;
    const Expr& left = c.form.left;
    const bool velocity = left.kind() == Kind::field && left.index().size() == 1 &&
                          left.index()[0].first == time.name && left.index()[0].second == 1;
    if (!velocity || !is_formula(c.form.right)) continue;
    c.hard = std::find(valued.begin(), valued.end(), left.name()) != valued.end();
  }
  return made;
}

}  // namespace cauchy::detail
