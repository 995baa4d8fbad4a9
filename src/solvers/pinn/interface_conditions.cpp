#include <algorithm>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/solvers/decompose.hpp>

#include "problem/surface.hpp"

namespace cauchy {
namespace {

using detail::InnerSurface;

/// A coordinate across the surface and the component of its normal.
struct AcrossSurface {
  Expr coordinate, normal;
};

std::vector<AcrossSurface> across_surface(const Problem& problem, const InnerSurface& surface) {
  std::vector<AcrossSurface> all;
  const bool plane = surface.coordinates().size() == 1;  // its normal is 1 or -1
  for (const std::string& name : surface.coordinates()) {
    all.push_back({Coordinate(name), plane ? Expr(1) : Expr(normal_component(name))});
  }
  const Time* time = problem.domain->time();
  if (surface.of_time() || time == nullptr) return all;
  // A surface that moves is crossed by time as well.
  const Expr rate = d(surface.level(), Coordinate(time->name));
  if (rate.is_constant(0)) return all;
  std::vector<Expr> squares;
  for (const std::string& name : surface.coordinates()) {
    const Expr slope = d(surface.level(), Coordinate(name));
    squares.push_back(slope * slope);
  }
  if (plane) {  // no symbol: the sign counts
    const Expr slope = d(surface.level(), Coordinate(surface.coordinates()[0]));
    all.push_back({Coordinate(time->name), rate / slope});
  } else {
    all.push_back({Coordinate(time->name), rate / sqrt(sum(std::move(squares)))});
  }
  return all;
}

/// What the derivatives of an equation across the surface act on.
Expr normal_flux(const ProblemEquation& equation, const std::vector<AcrossSurface>& across) {
  struct Part {
    Expr coefficient, flux;
  };
  std::vector<Part> parts;
  for (const Summand& s : summands(equation.form)) {
    std::vector<Expr> terms;
    for (std::size_t i = 0; i < s.flux.size(); ++i) {
      for (const AcrossSurface& a : across) {
        if (same(s.by[i], a.coordinate)) terms.push_back(a.normal * plain(s.flux[i]));
      }
    }
    if (!terms.empty()) parts.push_back({plain(s.coefficient), sum(std::move(terms))});
  }
  const bool common = std::all_of(parts.begin(), parts.end(), [&](const Part& p) {
    return same(p.coefficient, parts[0].coefficient);
  });
  std::vector<Expr> all;
  for (const Part& p : parts) all.push_back(common ? p.flux : p.coefficient * p.flux);
  return sum(std::move(all));
}

/// The highest order of a field across the surface in any equation.
int order_across(const Problem& problem, const std::string& field,
                 const std::vector<AcrossSurface>& across) {
  int highest = 0;
  for (const ProblemEquation& e : problem.equation) {
    const Expr roots[] = {e.form.residual()};
    for (const Expr& atom : field_atoms(roots)) {
      if (atom.name() != field) continue;
      int order = 0;
      for (const auto& [name, n] : atom.index()) {
        const bool crosses = std::any_of(across.begin(), across.end(),
                                         [&, coordinate = name](const AcrossSurface& a) {
                                           return a.coordinate.name() == coordinate;
                                         });
        if (crosses) order += n;
      }
      highest = std::max(highest, order);
    }
  }
  return highest;
}

}  // namespace

std::vector<Condition> interface_conditions(const Problem& problem, const std::string& cut) {
  const InnerSurface surface(problem, cut);
  const std::vector<AcrossSurface> across = across_surface(problem, surface);
  std::vector<Expr> continuous;
  const auto add = [&](const Expr& e) {
    const Expr roots[] = {e};
    if (field_atoms(roots).empty()) return;
    const bool known = std::any_of(continuous.begin(), continuous.end(), [&](const Expr& other) {
      return same(e, other) || same(e, -other);
    });
    if (!known) continuous.push_back(e);
  };
  for (const std::string& field : problem.fields) {
    const int order = order_across(problem, field, across);
    Expr derivative = Field(field);
    for (int k = 0; k + 2 <= order; ++k) {
      add(derivative);
      std::vector<Expr> next;
      for (const AcrossSurface& a : across) next.push_back(a.normal * d(derivative, a.coordinate));
      derivative = sum(std::move(next));
    }
  }
  for (const ProblemEquation& e : problem.equation) {
    if (e.where.empty()) add(normal_flux(e, across));  // one that ends here says nothing across
  }
  if (continuous.empty()) {
    throw Error("the equations do not say what is continuous across '" + cut + "'",
                "[method] decompose", "give conditions: where = \"" + cut + "\", jump(u) = 0");
  }
  std::vector<Condition> all;
  for (const Expr& e : continuous) all.push_back(on(cut, jump(e) == Expr(0)));
  return all;
}

}  // namespace cauchy
