// Fourth-order equations as pairs of second-order ones.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/simplify.hpp>

#include "expr/rewrite.hpp"
#include "expr/weak_atoms.hpp"

namespace cauchy::detail {
namespace {

bool is_along(const Space& space, const std::string& name) {
  return std::any_of(space.begin(), space.end(), [&](const Expr& x) { return x.name() == name; });
}

/// u_{ii...} -> the index without two derivatives by x; empty: it has fewer.
std::optional<MultiIndex> without_two(const Expr& atom, const std::string& x) {
  MultiIndex index = atom.index();
  for (auto& [name, n] : index) {
    if (name != x || n < 2) continue;
    n -= 2;
    std::erase_if(index, [](const auto& by) { return by.second == 0; });
    return index;
  }
  return std::nullopt;
}

Expr derived(const Expr& e, const MultiIndex& index) {
  Expr out = e;
  for (const auto& [name, n] : index) out = plain(d_n(out, Coordinate(name), n));
  return out;
}

/// Replaces derivatives u_{11...} of at least this order by those of aux = laplacian(u).
Expr in_laplacian(const Expr& e, const std::string& field, const Expr& aux, const Space& space,
                  int least_order) {
  std::vector<Replacement> list;
  for (const Expr& atom : field_atoms(std::array{e})) {
    if (atom.name() != field || space_order(atom, space) < least_order) continue;
    const auto rest = without_two(atom, space[0].name());
    if (!rest) continue;
    Expr to = derived(aux, *rest);
    for (std::size_t j = 1; j < space.size(); ++j) {
      to = to - derived(field_derivative(field, {{space[j].name(), 2}}), *rest);
    }
    list.push_back({atom, plain(to)});
  }
  return list.empty() ? e : reduced(substitute(plain(e), list));
}

/// c * d(w, x) of one derivative of fourth order of the field: its whole atom.
std::optional<Expr> fourth_order_atom(const Summand& s, const std::string& field,
                                      const Space& space) {
  if (s.flux.size() != 1 || s.flux[0].kind() != Kind::field || s.flux[0].name() != field) return {};
  const Expr atom = plain(d(s.flux[0], s.by[0]));
  if (space_order(atom, space) != 4 || space_order(s.flux[0], space) != 3) return {};
  return atom;
}

/// The auxiliary field is continuous; where B jumps it is the moment B*u_xx that is.
void require_smooth_moment(const Summand& s, const std::string& field, const Space& space) {
  for (const Expr& flux : s.flux) {
    for (const Expr& atom : field_atoms(std::array{plain(flux)})) {
      if (atom.name() != field || space_order(atom, space) < 2) continue;
      for (const Expr& e : postorder(std::array{partial(plain(flux), atom)})) {
        if (!has_jump(e.kind())) continue;
        throw Error(ErrorKind::unsupported,
                    fmt::format("there is no weak form: the coefficient of {} jumps in the flux "
                                "'{}'",
                                to_string(atom), to_string(plain(flux))),
                    "[expr.weak_form]",
                    "make the moment a field of its own, M = B*u_xx and M_xx = ..., or use ode");
      }
    }
  }
}

}  // namespace

int space_order(const Expr& e, const Space& space) {
  int highest = 0;
  for (const Expr& atom : field_atoms(std::array{e})) {
    int order = 0;
    for (const auto& [name, n] : atom.index()) order += is_along(space, name) ? n : 0;
    highest = std::max(highest, order);
  }
  return highest;
}

Expr reduced(const Expr& e) {
  const Expr p = plain(e);
  if (p.is_constant() || p.is_atom()) return p;
  constexpr std::size_t max_terms = 2000, max_work = 20'000;
  const Expr expanded = Expander(max_terms, max_work).expand(p).value_or(p);
  const Expr a = simplify(p);
  // Cancellations show in the expanded form only.
  return cost(expanded).nodes < cost(a).nodes ? expanded : a;
}

bool vanishes(const Expr& e) {
  const Expr p = plain(e);
  if (p.is_constant()) return p.value() == 0;
  if (p.is_atom()) return false;
  if (reduced(p).is_constant(0)) return true;
  constexpr std::size_t max_terms = 2000, max_work = 20'000;
  return simplify(Expander(max_terms, max_work).expand(p).value_or(p)).is_constant(0);
}

bool agree(const Expr& a, const Expr& b) {
  if (same(a, b) || vanishes(a - b)) return true;
  constexpr double rounding = 1e-13;
  const Expr roots[] = {plain(a), plain(b)};
  for (const double start : {0.6180339887498949, 1.3247179572447460}) {
    Values values;
    double generic = start;
    for (const Expr& node : postorder(roots)) {
      if (node.kind() == Kind::call) return false;
      if (!node.is_atom() || node.is_constant()) continue;
      values.set(node, generic);
      generic = generic > 1.5 ? generic / 1.7 : generic * 1.11;
    }
    const double p = evaluate(roots[0], values), q = evaluate(roots[1], values);
    if (!(std::abs(p - q) <= rounding * (std::abs(p) + std::abs(q)))) return false;
  }
  return true;
}

LoweredOrder lower_order(std::span<const Equation> equations, std::span<const std::string> fields,
                         const Space& space) {
  LoweredOrder out;
  for (const Equation& e : equations) out.summands.push_back(summands(e));
  for (const std::string& field : fields) {
    int highest = 0;
    for (const Equation& e : equations) {
      for (const Expr& atom : field_atoms(std::array{plain(e.residual())})) {
        if (atom.name() == field) highest = std::max(highest, space_order(atom, space));
      }
    }
    if (highest != 4) continue;
    std::string name = (space.size() == 1 ? "curvature_" : "lap_") + field;
    while (std::find(fields.begin(), fields.end(), name) != fields.end()) name += "_";
    const Field aux(name);
    Expr laplacian_of = 0;
    for (const Expr& x : space) laplacian_of = laplacian_of + d(Field(field), x, x);
    for (std::size_t e = 0; e < equations.size(); ++e) {
      std::vector<Summand> kept;
      Expr biharmonic = 0;  // plain terms of fourth order
      for (Summand& s : out.summands[e]) {
        require_smooth_moment(s, field, space);
        const auto atom = fourth_order_atom(s, field, space);
        if (atom) {
          biharmonic = biharmonic + plain(s.coefficient) * *atom;
        } else {
          for (Expr& f : s.flux) f = in_laplacian(f, field, aux, space, 3);
          s.coefficient = in_laplacian(s.coefficient, field, aux, space, 3);
          kept.push_back(std::move(s));
        }
      }
      if (!biharmonic.is_constant(0)) {
        const Expr leading = partial(biharmonic, field_derivative(field, {{space[0].name(), 4}}));
        Expr whole = 0;
        for (const Expr& x : space) whole = whole + plain(d(laplacian_of, x, x));
        if (!vanishes(biharmonic - leading * whole)) {
          throw Error(ErrorKind::unsupported,
                      fmt::format("there is no weak form: the fourth derivatives of '{}' are no "
                                  "multiple of laplacian(laplacian({}))",
                                  to_string(equations[e]), field),
                      "[expr.weak_form]", "use spectral, fdm or pinn");
        }
        for (const Expr& x : space) kept.push_back({leading, {d(aux, x)}, {x}});
      }
      out.summands[e] = std::move(kept);
    }
    std::vector<Summand> own = {{aux, {}, {}}};
    for (const Expr& x : space) own.push_back({Expr(-1), {d(Field(field), x)}, {x}});
    out.summands.push_back(std::move(own));
    out.auxiliary.push_back({name, field, plain(laplacian_of)});
  }
  return out;
}

void scale_auxiliary_rows(WeakForm& form) {
  for (const AuxiliaryField& a : form.auxiliary) {
    WeakRow& own = form.rows[form.row_of(a.name)];
    const WeakRow& of = form.rows[form.row_of(a.of)];
    const Expr c = reduced(gateaux(form, of, a.name).flux_du[0][0]);
    const bool constant = atoms(std::array{c}, Kind::field).empty() &&
                          atoms(std::array{c}, Kind::coordinate).empty() &&
                          atoms(std::array{c}, Kind::call).empty() && !vanishes(c);
    if (!constant) continue;
    own.source = reduced(c * own.source);
    for (Expr& f : own.flux) f = reduced(c * f);
  }
}

}  // namespace cauchy::detail

namespace cauchy {

Expr in_auxiliary(const WeakForm& form, const Expr& e) {
  Expr out = plain(e);
  for (const AuxiliaryField& a : form.auxiliary) {
    out = detail::in_laplacian(out, a.of, Field(a.name), form.space, 2);
  }
  return out;
}

}  // namespace cauchy
