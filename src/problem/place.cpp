#include <cauchy/problem/place.hpp>

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/lowering.hpp"
#include "problem/surface.hpp"

namespace cauchy {
namespace {

std::string trimmed_text(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The number of "t = number", when the text is that.
std::optional<double> time_in(const Problem& problem, const std::string& text) {
  const Time* time = problem.domain->time();
  if (time == nullptr) return std::nullopt;
  if (text == "initial") return time->lower;
  if (text == "final") return time->upper;
  const auto equal = text.find('=');
  if (equal == std::string::npos || trimmed_text(text.substr(0, equal)) != time->name) {
    return std::nullopt;
  }
  const std::string rest = text.substr(text[equal + 1] == '=' ? equal + 2 : equal + 1);
  if (rest.find(" and ") != std::string::npos || rest.find(" or ") != std::string::npos) {
    return std::nullopt;
  }
  // Most often a plain number, for which nothing of the problem need be known.
  const std::string plain = trimmed_text(rest);
  double number = 0;
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), number);
  if (read.ec == std::errc() && read.ptr == plain.data() + plain.size() && std::isfinite(number)) {
    return number;
  }
  Values values;
  for (const auto& [name, value] : problem.values()) values.set(Parameter(name), value);
  return evaluate(parse(rest, problem.context(), {"where", 1, static_cast<int>(equal) + 2}),
                  values);
}

}  // namespace

std::string name_of(const Condition& c) {
  if (!c.name.empty()) return c.name;
  switch (c.kind) {
    case Condition::Kind::periodic:
      return fmt::format("periodic in {}", c.coordinate);
    case Condition::Kind::integral:
      return fmt::format("integral of {} over {}", to_string(c.form), c.where);
    case Condition::Kind::point:
      return fmt::format("{} at a point", to_string(c.form));
    default:
      return fmt::format("{} on {}", to_string(c.form), c.where);
  }
}

std::string name_of(const ProblemEquation& e) {
  return e.name.empty() ? to_string(e.form) : e.name;
}

Domain domain_of(const Problem& problem) {
  if (!problem.domain) {
    throw Error("the problem has no domain", fmt::format("[problem '{}']", problem.name),
                "give it space, time or both");
  }
  return problem.domain->with(problem.values());
}

ConditionPlace place_of(const Problem& problem, const Condition& condition) {
  const std::string place = fmt::format("condition '{}'", name_of(condition));
  if (condition.kind == Condition::Kind::interface) {
    throw Error(ErrorKind::unsupported, "it holds inside the domain", place);
  }
  const Domain domain = domain_of(problem);
  const std::string where = trimmed_text(condition.where);
  if (where.empty()) {
    throw Error("it does not say where it holds", place,
                "where = \"boundary\", \"t = 0\", or the name of a piece");
  }
  ConditionPlace result;
  if (const auto time = time_in(problem, where)) {
    const Time& t = *domain.time();
    const double slack = 1e-12 * (t.upper - t.lower);
    if (!(*time >= t.lower - slack && *time <= t.upper + slack)) {
      throw Error(fmt::format("{} = {} is outside of [{}, {}]", t.name, *time, t.lower, t.upper),
                  place, "name a time inside of it");
    }
    result.kind = ConditionPlace::Kind::slice;
    result.time = std::min(std::max(*time, t.lower), t.upper);
    return result;
  }
  if (domain.space() == nullptr) {
    throw Error(fmt::format("'{}' is not a time", where), place,
                fmt::format("this problem lives on time alone: where = \"{} = {}\"",
                            domain.time()->name, domain.time()->lower));
  }
  result.boundary = where;
  return result;
}

Points condition_points(const Problem& problem, const Condition& condition, std::size_t n,
                        const SamplerOptions& options) {
  if (condition.kind == Condition::Kind::interface) {
    try {
      return detail::InnerSurface(problem, condition.where).points(n, options);
    } catch (const Error& e) {
      throw e.at(fmt::format("condition '{}'", name_of(condition)));
    }
  }
  const ConditionPlace place = place_of(problem, condition);
  const Domain domain = domain_of(problem);
  try {
    if (place.kind == ConditionPlace::Kind::slice) {
      const bool single = domain.space() == nullptr && domain.ranges().empty();
      return slice_points(domain, place.time, single ? 1 : n, options);
    }
    return boundary_points(domain, place.boundary, n, options);
  } catch (const Error& e) {
    const std::string place_name = fmt::format("condition '{}'", name_of(condition));
    const Time* time = domain.time();
    const bool timed = e.kind() == ErrorKind::not_found && time != nullptr &&
                       Boundary(domain, place.boundary).depends_on(time->name);
    if (!timed) throw e.at(place_name);
    throw Error(e.kind(), e.message(), place_name,
                fmt::format("{} goes from {} to {}; at one time a condition holds on all of space: "
                            "where = \"{} = {}\"",
                            time->name, time->lower, time->upper, time->name, time->lower));
  }
}

Points equation_points(const Problem& problem, const std::string& where, std::size_t n,
                       const SamplerOptions& options) {
  const Domain domain = domain_of(problem);
  if (where.empty()) return interior_points(domain, n, options);
  const Expr condition = detail::Lowering(problem)(parse_condition(where, problem.context(), 1e-9));
  for (std::size_t ask = 4 * n; ask <= 4096 * n; ask *= 4) {
    const Points all = interior_points(domain, ask, options);
    Points kept;
    kept.columns = all.columns;
    for (std::size_t i = 0; i < all.size() && kept.size() < n; ++i) {
      Values values;
      for (std::size_t k = 0; k < all.columns.size(); ++k) {
        values.set(Coordinate(all.columns[k]), all.row(i)[k]);
      }
      if (evaluate(condition, values) == 0) continue;
      kept.values.insert(kept.values.end(), all.row(i).begin(), all.row(i).end());
    }
    if (kept.size() == n) return kept;
  }
  throw Error(fmt::format("no point of the domain fulfils '{}'", where), "[problem.equation]");
}

std::optional<DirichletForm> dirichlet_form(const Equation& form) {
  const auto match = [](const Expr& u, const Expr& g) {
    return u.kind() == Kind::field && u.index().empty() && !depends_on(g, u);
  };
  if (match(form.left, form.right)) return DirichletForm{form.left.name(), form.right};
  if (match(form.right, form.left)) return DirichletForm{form.right.name(), form.left};
  return std::nullopt;
}

}  // namespace cauchy
