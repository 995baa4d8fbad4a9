#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/doubts.hpp"
#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

/// Where values of a field are given in time.
struct GivenTimes {
  bool first = false, later = false;
};

GivenTimes given_times(const Problem& p, const std::string& field) {
  GivenTimes g;
  for (const Condition& c : p.condition) {
    if (c.kind == Condition::Kind::periodic) {
      if (c.coordinate == p.domain->time()->name) g.first = g.later = true;
      continue;
    }
    if (c.kind != Condition::Kind::general || !depends_on(c.form.residual(), Field(field)))
      continue;
    const ConditionPlace place = place_of(p, c);
    if (place.kind != ConditionPlace::Kind::slice) continue;
    (place.time > p.domain->time()->lower ? g.later : g.first) = true;
  }
  for (const Observation& o : p.observation) {
    if (depends_on(o.quantity, Field(field))) g.first = g.later = true;
  }
  return g;
}

/// a u_t.. + sum of c_k u_{space, even order m}: the terms that decide on the growth of short
/// waves.
struct ShortWaves {
  int in_time = 0, in_space = 0;
  Expr time_factor;
  std::vector<LinearForm::Entry> terms;  ///< of the highest order in space
};

/// None where the answer, an unknown or another field decides, or the order is odd.
std::optional<ShortWaves> short_waves(const Problem& p, const Expr& residual,
                                      const std::string& field) {
  const std::string& time = p.domain->time()->name;
  ShortWaves w;
  const Expr roots[] = {residual};
  for (const Expr& atom : field_atoms(roots)) {
    int in_time = 0, in_space = 0;
    for (const auto& [name, k] : atom.index()) (name == time ? in_time : in_space) += k;
    if (in_time > 0 && (in_space > 0 || atom.name() != field)) return std::nullopt;
    if (atom.name() == field) {
      w.in_time = std::max(w.in_time, in_time);
      if (in_time == 0) w.in_space = std::max(w.in_space, in_space);
    }
  }
  if (w.in_time < 1 || w.in_time > 2 || w.in_space < 2 || w.in_space % 2 != 0) return std::nullopt;
  for (const Expr& atom : field_atoms(roots)) {
    if (atom.name() != field && total_order(atom.index()) >= w.in_space) return std::nullopt;
  }
  const LinearForm whole = linear_form(residual);
  const PrincipalPart part = principal_part(residual, Field(field));
  if (!whole.linear && !(part.quasilinear && part.order == w.in_space)) return std::nullopt;
  for (const LinearForm::Entry& e : whole.linear ? whole.terms : part.terms) {
    if (e.atom.name() != field) continue;
    int in_time = 0;
    for (const auto& [name, k] : e.atom.index()) in_time += name == time ? k : 0;
    if (in_time == 0 && total_order(e.atom.index()) == w.in_space) w.terms.push_back(e);
    if (in_time == w.in_time) w.time_factor = e.coefficient;
  }
  if (!whole.linear) {
    // The time derivative alone, as in u_t = ...: its factor is what its partial form says.
    if (w.in_time == w.in_space) {
      for (const LinearForm::Entry& e : part.terms) {
        if (e.atom.index().size() == 1 && e.atom.index()[0].first == time) {
          w.time_factor = e.coefficient;
        }
      }
    } else {
      w.time_factor = partial(residual, field_derivative(field, {{time, w.in_time}}));
    }
  }
  std::vector<Expr> factors = {w.time_factor};
  for (const LinearForm::Entry& e : w.terms) factors.push_back(e.coefficient);
  if (!field_atoms(factors).empty() || w.terms.empty()) return std::nullopt;
  for (const Expr& name : atoms(factors, Kind::parameter)) {
    for (const Unknown& u : p.unknowns) {
      if (u.name == name.name()) return std::nullopt;
    }
  }
  return w;
}

/// Directions of waves: the axes, and some between them.
std::vector<std::vector<double>> wave_directions(std::size_t d) {
  std::vector<std::vector<double>> all;
  for (std::size_t k = 0; k < d; ++k) {
    all.emplace_back(d, 0);
    all.back()[k] = 1;
  }
  Rng rng(1);
  for (int i = 0; i < 16 && d > 1; ++i) {
    all.emplace_back(d);
    for (double& v : all.back()) v = rng.normal();
  }
  return all;
}

/// Smallest and largest of lambda (time order 1) or lambda^2 (2) of waves exp(i k x + lambda t)
/// over points and directions, up to a positive factor.
std::optional<std::pair<double, double>> growth_of_waves(const Problem& p, const ShortWaves& w) {
  const std::vector<std::string> space = p.domain->space()->coordinates();
  const PointEvaluator evaluator(p);
  std::vector<Expr> roots = {evaluator.lower()(w.time_factor)};
  for (const LinearForm::Entry& e : w.terms) roots.push_back(evaluator.lower()(e.coefficient));
  const auto values = evaluator(roots, interior_points(domain_of(p), 64));
  double least = INFINITY, most = -INFINITY;
  for (const std::vector<double>& k : wave_directions(space.size())) {
    for (std::size_t i = 0; i < values[0].size(); ++i) {
      double symbol = 0;
      for (std::size_t j = 0; j < w.terms.size(); ++j) {
        double product = values[j + 1][i];
        for (const auto& [name, order] : w.terms[j].atom.index()) {
          const auto at =
              static_cast<std::size_t>(std::find(space.begin(), space.end(), name) - space.begin());
          product *= std::pow(k[at], order);
        }
        symbol += product;
      }
      const double growth = (w.in_space % 4 == 0 ? -1 : 1) * symbol / values[0][i];
      if (!std::isfinite(growth)) return std::nullopt;
      least = std::min(least, growth);
      most = std::max(most, growth);
    }
  }
  return std::pair(least, most);
}

}  // namespace

std::vector<std::string> ill_posed_in_time(const Problem& p) {
  std::vector<std::string> found;
  const Time* time = p.domain->time();
  if (time == nullptr || p.domain->space() == nullptr) return found;
  for (const std::string& field : p.fields) {
    const GivenTimes given = given_times(p, field);
    if (given.first == given.later) continue;  // nothing, or values on both ends
    for (const ProblemEquation& e : p.equation) {
      const auto waves = short_waves(p, e.form.residual(), field);
      if (!waves) continue;
      const auto growth = growth_of_waves(p, *waves);
      if (!growth) continue;
      const double size = std::max(std::abs(growth->first), std::abs(growth->second));
      const bool grows = growth->second > 1e-9 * size, falls = growth->first < -1e-9 * size;
      if (waves->in_time == 2) {
        if (!grows) continue;
        found.push_back(fmt::format(
            "'{}' is elliptic in {}: values at one time do not determine '{}' in a stable way; "
            "reverse a sign, or give a condition at the first and one at the last time",
            name_of(e), time->name, field));
      } else if (given.first ? grows : falls) {
        found.push_back(fmt::format(
            "short waves of '{}' grow without bound as {} {}, by the highest derivatives of '{}': "
            "values at {} do not determine the answer; {}",
            field, time->name, given.first ? "grows" : "falls", name_of(e),
            given.first ? "the start" : "the end",
            given.first ? "reverse their sign" : "give those at the start"));
      }
    }
  }
  return found;
}

}  // namespace cauchy::detail
