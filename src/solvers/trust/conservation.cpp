#include <cauchy/solvers/conservation.hpp>

#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/point_data.hpp"
#include "problem/point_evaluator.hpp"
#include "solvers/fvm/balance_law.hpp"

namespace cauchy {
namespace {

std::optional<detail::BalanceLaw> law_of(const Problem& problem, const detail::Lowering& lower) {
  try {
    return detail::read_balance_law(problem, lower);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return std::nullopt;
  }
}

/// Nodes of space at a time.
Points at_time(const Problem& problem, const Points& nodes, double t) {
  Points points = nodes;
  points.columns = problem.coordinates();
  points.values.clear();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    points.values.push_back(t);
    points.values.insert(points.values.end(), nodes.row(i).begin(), nodes.row(i).end());
  }
  return points;
}

double integral_of(const std::vector<double>& values, const Points& nodes) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += nodes.weights[i] * values[i];
  return sum;
}

double integral_of_modulus(const std::vector<double>& values, const Points& nodes) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += nodes.weights[i] * std::abs(values[i]);
  return sum;
}

}  // namespace

std::vector<BalanceHistory> measure_balances(const Solution& solution, std::size_t n_times) {
  const detail::PointEvaluator evaluator(solution);
  const Problem& problem = evaluator.problem();
  const Domain domain = domain_of(problem);
  if (domain.time() == nullptr || domain.space() == nullptr || !domain.ranges().empty()) return {};
  const std::optional<detail::BalanceLaw> law = law_of(problem, evaluator.lower());
  if (!law) return {};
  const Time& time = *domain.time();
  const std::size_t n = law->size();
  std::vector<Expr> inside, outside;
  for (std::size_t i = 0; i < n; ++i) {
    const Expr q = evaluator.lower()(plain(law->conserved[i]));
    inside.push_back(q);
    inside.push_back(d(q, Coordinate(time.name)));
    inside.push_back(law->source[i]);
    Expr outflow = 0;
    for (std::size_t k = 0; k < law->dimension(); ++k) {
      outflow +=
          normal_component(law->space[k]) * plain(law->convection[k][i] + law->diffusion[k][i]);
    }
    outside.push_back(outflow);
  }
  const Domain space = Domain(*domain.space()).with(problem.values());
  const Points nodes = detail::integral_rule(space, "domain", 2000).points;
  const Points edge = detail::integral_rule(space, "boundary", 1000).points;
  std::vector<BalanceHistory> all(n);
  std::vector<double> sizes(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) all[i].quantity = to_string(law->conserved[i]);
  for (std::size_t j = 0; j < n_times; ++j) {
    const double share =
        n_times > 1 ? static_cast<double>(j) / static_cast<double>(n_times - 1) : 0;
    const double t = time.lower + share * (time.upper - time.lower);
    const auto values = evaluator(inside, at_time(problem, nodes, t));
    const auto fluxes = evaluator(outside, at_time(problem, edge, t));
    for (std::size_t i = 0; i < n; ++i) {
      all[i].times.push_back(t);
      all[i].total.push_back(integral_of(values[3 * i], nodes));
      all[i].rate.push_back(integral_of(values[3 * i + 1], nodes));
      all[i].source.push_back(integral_of(values[3 * i + 2], nodes));
      all[i].outflow.push_back(integral_of(fluxes[i], edge));
      // Moduli: what comes and goes may cancel.
      const double length = time.upper - time.lower;
      for (const double size :
           {integral_of_modulus(values[3 * i], nodes) / length,
            integral_of_modulus(values[3 * i + 1], nodes),
            integral_of_modulus(values[3 * i + 2], nodes), integral_of_modulus(fluxes[i], edge)}) {
        if (!(size <= sizes[i])) sizes[i] = size;
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    BalanceHistory& b = all[i];
    double gap = 0;
    for (std::size_t j = 0; j < b.times.size(); ++j) {
      const double off = std::abs(b.rate[j] + b.outflow[j] - b.source[j]);
      if (!(off <= gap)) gap = off;
    }
    b.defect = gap == 0 ? 0 : gap / sizes[i];
  }
  return all;
}

}  // namespace cauchy
