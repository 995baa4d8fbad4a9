#include <cauchy/problem/norms.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/math/functional.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/sampling/measure.hpp>
#include <cauchy/sampling/quadrature_points.hpp>

#include "problem/point_evaluator.hpp"

namespace cauchy {
namespace {

struct NormNodes {
  Points points;
  bool gauss = true;
};

/// A Gauss rule of the domain or of a part of its boundary, else points of equal weight.
NormNodes norm_nodes(const Problem& problem, std::string_view where, std::size_t order) {
  const Domain domain = domain_of(problem);
  const bool inside = where == "domain";
  try {
    return {inside ? gauss_points(domain, order) : boundary_gauss_points(domain, where, order)};
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
  }
  if (domain.shape_varies()) {
    throw Error(ErrorKind::unsupported, "the shape depends on a range, and has no Gauss rule",
                "[problem.integral]", "give the range a value");
  }
  double total = domain.time() != nullptr ? domain.time()->upper - domain.time()->lower : 1;
  std::vector<double> middle;
  for (const Range& r : domain.ranges()) {
    total *= r.upper - r.lower;
    middle.push_back((r.lower + r.upper) / 2);
  }
  total *= inside ? measure(*domain.shape(middle)).value : boundary_measure(domain, where).value;
  const auto n = static_cast<std::size_t>(
      std::pow(static_cast<double>(order), static_cast<double>(domain.dimension())));
  NormNodes nodes{inside ? interior_points(domain, n) : boundary_points(domain, where, n), false};
  nodes.points.weights.assign(nodes.points.size(),
                              total / static_cast<double>(nodes.points.size()));
  return nodes;
}

/// Derivatives by space of order at most k, each once.
std::vector<Expr> derivatives_up_to(const Expr& e, std::span<const std::string> space, int k) {
  std::vector<Expr> all = {e};
  std::vector<std::pair<Expr, std::size_t>> last = {{e, 0}};  // and the first coordinate to take
  for (int order = 1; order <= k; ++order) {
    std::vector<std::pair<Expr, std::size_t>> next;
    for (const auto& [of, first] : last) {
      for (std::size_t i = first; i < space.size(); ++i) {
        next.emplace_back(d(of, Coordinate(space[i])), i);
        all.push_back(next.back().first);
      }
    }
    last = std::move(next);
  }
  return all;
}

Expr parsed(const Solution& solution, std::string_view text) {
  return parse(text, solution.problem.context());
}

}  // namespace

SolutionIntegral integral(const Solution& solution, const Expr& e, std::string_view where,
                          std::size_t order) {
  const NormNodes nodes = norm_nodes(solution.problem, where, order);
  const detail::PointEvaluator evaluator(solution);
  const Expr lowered[] = {evaluator.lower()(e)};
  const std::vector<double> values = evaluator(lowered, nodes.points)[0];
  SolutionIntegral out{0, values.size(), nodes.gauss};
  for (std::size_t i = 0; i < values.size(); ++i) out.value += nodes.points.weights[i] * values[i];
  return out;
}

SolutionIntegral integral(const Solution& solution, std::string_view text, std::string_view where,
                          std::size_t order) {
  return integral(solution, parsed(solution, text), where, order);
}

double sobolev_norm(const Solution& solution, const Expr& e, int k, double p, std::size_t order) {
  if (k < 0 || k > 4) {
    throw Error(fmt::format("derivatives up to an order of 0 to 4 make a norm, got {}", k),
                "[problem.sobolev_norm]");
  }
  const Region* space = solution.problem.domain->space();
  const std::vector<std::string> none;
  const NormNodes nodes = norm_nodes(solution.problem, "domain", order);
  const detail::PointEvaluator evaluator(solution);
  const std::vector<Expr> all =
      derivatives_up_to(evaluator.lower()(e), space == nullptr ? none : space->coordinates(), k);
  std::vector<double> norms;
  for (const std::vector<double>& values : evaluator(all, nodes.points)) {
    norms.push_back(p_norm(values, nodes.points.weights, p));
  }
  return p_norm(norms, p);
}

double sobolev_norm(const Solution& solution, std::string_view text, int k, double p,
                    std::size_t order) {
  return sobolev_norm(solution, parsed(solution, text), k, p, order);
}

}  // namespace cauchy
