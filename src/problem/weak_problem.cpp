// The weak form of a problem: which conditions are essential, which are natural, and with what
// boundary terms.
#include <cauchy/problem/weak_problem.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "expr/weak_atoms.hpp"
#include "problem/boundary_parts.hpp"
#include "problem/lowering.hpp"
#include "problem/surface.hpp"
#include "problem/weak_coercivity.hpp"
#include "problem/weak_fluxes.hpp"

namespace cauchy {
namespace {

using detail::agree;
using detail::reduced;
using detail::space_order;
using detail::vanishes;
using Role = WeakCondition::Role;

constexpr std::string_view weak_place = "[problem.weak_form]";

class WeakAssembly {
 public:
  WeakAssembly(const Problem& problem, WeakNames names)
      : problem_(problem), domain_(domain_of(problem)), names_(names), lower_(problem) {
    if (domain_.space() == nullptr) {
      throw Error(ErrorKind::unsupported, "there is no weak form: the problem has no space",
                  weak_place, "use ode");
    }
    for (const std::string& x : domain_.space()->coordinates()) space_.push_back(Coordinate(x));
    if (domain_.time() != nullptr) time_ = Coordinate(domain_.time()->name);
    options_.at = middle();
  }

  [[nodiscard]] WeakForm form() const { return make_form(); }

  WeakProblem assemble() {
    WeakProblem weak;
    std::string failed;
    // As it is written; then with mixed derivatives shared as the conditions need it.
    for (const bool shared : {false, true}) {
      options_.shares.clear();
      if (shared) options_.shares = shares_for_conditions();
      if (shared && options_.shares.empty()) continue;
      weak.form = make_form();
      weak.conditions.clear();
      const std::string why = add_conditions(weak);
      if (why.empty()) {
        finish(weak);
        return weak;
      }
      if (failed.empty()) failed = why;
    }
    throw Error(ErrorKind::unsupported, failed, weak_place,
                "write it as the flux of the equation (a*u_n for div(a*grad(u))), or use pinn");
  }

 private:
  [[nodiscard]] Expr lowered(const Expr& e) const {
    return names_ == WeakNames::numbers ? lower_.written(e) : e;
  }
  [[nodiscard]] Equation lowered(const Equation& e) const {
    return {lowered(e.left), lowered(e.right)};
  }
  [[nodiscard]] Expr residual_of(const Condition& c) const {
    return plain(lowered(c.form).residual());
  }

  /// A point inside and the numbers of the parameters, to look at signs.
  [[nodiscard]] Values middle() const {
    Values at;
    const Points one = interior_points(domain_, 1);
    for (std::size_t k = 0; k < one.columns.size(); ++k) {
      at.set(Coordinate(one.columns[k]), one.row(0)[k]);
      at.set(Parameter(one.columns[k]), one.row(0)[k]);  // a range, where it kept its name
    }
    for (const auto& [name, value] : problem_.values()) at.set(Parameter(name), value);
    for (const Unknown& u : problem_.unknowns) at.set(Parameter(u.name), u.initial);
    for (const auto& free : lower_.unknowns()) at.set(Parameter(free.name), free.initial);
    return at;
  }

  [[nodiscard]] WeakForm form_of(const std::vector<Equation>& equations) const {
    return cauchy::weak_form(equations, problem_.fields, space_, time_, options_);
  }

  /// Equations with `where` are combined: the last part is the one where no other condition holds.
  [[nodiscard]] WeakForm make_form() const {
    std::vector<std::string> parts;
    for (const ProblemEquation& e : problem_.equation) {
      if (!e.where.empty() && std::find(parts.begin(), parts.end(), e.where) == parts.end()) {
        parts.push_back(e.where);
      }
    }
    const auto of_part = [&](const std::string& part) {
      std::vector<Equation> list;
      for (const ProblemEquation& e : problem_.equation) {
        if (e.where.empty() || e.where == part) list.push_back(lowered(e.form));
      }
      return form_of(list);
    };
    if (parts.empty()) return of_part("");
    WeakForm whole = of_part(parts.back());
    for (std::size_t k = parts.size() - 1; k-- > 0;) {
      const WeakForm form = of_part(parts[k]);
      const Expr inside = plain(lowered(parse_condition(parts[k], problem_.context(), 1e-9)));
      for (std::size_t r = 0; r < whole.rows.size(); ++r) {
        WeakRow& row = whole.rows[r];
        row.source = where(inside, form.rows[r].source, row.source);
        for (std::size_t i = 0; i < row.flux.size(); ++i) {
          row.flux[i] = where(inside, form.rows[r].flux[i], row.flux[i]);
        }
      }
    }
    return whole;
  }

  /// Empty, or why a condition does not fit.
  [[nodiscard]] std::string add_conditions(WeakProblem& weak) {
    std::vector<WeakCondition> natural;
    if (std::string why = add_fluxes(weak.form, natural); !why.empty()) return why;
    for (std::size_t k = 0; k < problem_.condition.size(); ++k) {
      const Condition& c = problem_.condition[k];
      WeakCondition w;
      w.condition = k;
      switch (c.kind) {
        case Condition::Kind::periodic:
          w.role = Role::periodic;
          break;
        case Condition::Kind::integral:
          w.role = Role::integral;
          break;
        case Condition::Kind::interface:
          if (!add_interface(weak.form, c, w)) return unfit(c);
          break;
        case Condition::Kind::point:
          w.role = Role::point;
          if (!add_value(weak.form, residual_of(c), w)) return unfit(c);
          break;
        case Condition::Kind::general:
          if (place_of(problem_, c).kind == ConditionPlace::Kind::slice) {
            if (!add_initial(weak.form, c, w)) return unfit(c);
          } else if (is_value(weak.form, c, w)) {
            w.role = Role::essential;
          } else {
            for (const WeakCondition& n : natural) {
              if (n.condition == k) weak.conditions.push_back(n);
            }
            continue;
          }
      }
      weak.conditions.push_back(std::move(w));
    }
    return {};
  }

  [[nodiscard]] std::string unfit(const Condition& c) const {
    return fmt::format(
        "condition '{}' on {} is neither the value of a field nor a multiple of the flux of an "
        "equation",
        name_of(c), c.where.empty() ? "a point" : c.where);
  }

  /// a*u = b as u = b/a.
  [[nodiscard]] static bool add_value(const WeakForm& form, const Expr& residual,
                                      WeakCondition& w) {
    const std::vector<Expr> found = field_atoms(std::array{residual});
    if (found.size() != 1 || !found[0].index().empty()) return false;
    const LinearForm line = linear_form(residual);
    if (!line.linear || line.terms.size() != 1) return false;
    w.row = form.row_of(found[0].name());
    w.value = reduced(-line.remainder / line.terms[0].coefficient);
    return true;
  }

  [[nodiscard]] bool add_initial(const WeakForm& form, const Condition& c, WeakCondition& w) const {
    w.role = Role::initial;
    const Expr residual = residual_of(c);
    if (add_value(form, residual, w)) return true;
    const std::vector<Expr> found = field_atoms(std::array{residual});
    const LinearForm line = linear_form(residual);
    if (found.size() != 1 || !line.linear || line.terms.size() != 1 || !time_) return false;
    if (found[0].index() != MultiIndex{{time_->name(), 1}}) return false;
    w.row = form.row_of(found[0].name());
    w.value = reduced(-line.remainder / line.terms[0].coefficient);
    w.rate = 1;
    return true;
  }

  [[nodiscard]] bool is_value(const WeakForm& form, const Condition& c, WeakCondition& w) const {
    return add_value(form, in_auxiliary(form, residual_of(c)), w);
  }

  [[nodiscard]] bool on_boundary(const Condition& c) const {
    return c.kind == Condition::Kind::general &&
           place_of(problem_, c).kind != ConditionPlace::Kind::slice;
  }

  /// The parts of the boundary, cut by the places of its conditions; made once.
  [[nodiscard]] const std::vector<detail::BoundaryPart>& parts() {
    if (parts_) return *parts_;
    std::vector<const Condition*> places;
    std::map<std::string, std::size_t> known;
    for (const Condition& c : problem_.condition) {
      std::size_t& at = place_of_.emplace_back(0);
      if (!on_boundary(c)) continue;
      const auto [found, is_new] = known.emplace(c.where, places.size());
      if (is_new) places.push_back(&c);
      at = found->second;
    }
    for (const Condition* p : places) places_.push_back(p->where);
    parts_ = detail::boundary_parts(problem_, places);
    return *parts_;
  }

  /// The conditions on fluxes, each with its row on every part of its place; or why there is none.
  [[nodiscard]] std::string add_fluxes(const WeakForm& form, std::vector<WeakCondition>& natural) {
    detail::FluxConditions given;
    given.rows.resize(problem_.condition.size());
    bool any = false;
    for (std::size_t k = 0; k < problem_.condition.size(); ++k) {
      const Condition& c = problem_.condition[k];
      if (!on_boundary(c)) continue;
      WeakCondition value;
      if (is_value(form, c, value)) {
        given.rows[k] = value.row;
        continue;
      }
      given.fluxes.emplace_back(k, in_auxiliary(form, residual_of(c)));
      any = true;
    }
    if (!any) return {};
    const std::vector<detail::BoundaryPart>& all = parts();
    given.place = place_of_;
    given.places = places_;
    const detail::NaturalFluxes found = detail::natural_fluxes(form, given, all);
    if (found.unfit) {
      const Condition& c = problem_.condition[*found.unfit];
      return found.too_many ? too_many(c) : unfit(c);
    }
    natural = found.conditions;
    return {};
  }

  [[nodiscard]] static std::string too_many(const Condition& c) {
    return fmt::format(
        "condition '{}' on {} is one more than the fields have there: another one gives the same "
        "value or flux",
        name_of(c), c.where);
  }

  /// jump(u) = 0 holds by itself; jump(a*u_n) = g adds int g v ds over the surface: the normal
  /// leads out of one side and into the other.
  [[nodiscard]] bool add_interface(const WeakForm& form, const Condition& c,
                                   WeakCondition& w) const {
    w.role = Role::interface;
    const Expr residual = residual_of(c);
    const Expr inner = plain(detail::with_jumps(residual, [](const Expr& e) { return e; }));
    const Expr rest = plain(detail::with_jumps(residual, [](const Expr&) { return Expr(0); }));
    const std::vector<Expr> found = field_atoms(std::array{inner});
    if (found.size() == 1 && found[0].index().empty()) {
      w.row = form.row_of(found[0].name());
      return vanishes(rest);
    }
    for (std::size_t r = 0; r < form.rows.size(); ++r) {
      const Expr flux = natural_flux(form, form.rows[r]);
      if (space_order(reduced(flux), space_) == 0 || !share_slope(flux, inner)) continue;
      if (const auto given = reduced_flux(form, flux, std::vector{inner})) {
        w.row = r;
        w.value = reduced(*given);
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool share_slope(const Expr& a, const Expr& b) const {
    const std::vector<Expr> of_a = field_atoms(std::array{a}), of_b = field_atoms(std::array{b});
    return std::any_of(of_a.begin(), of_a.end(), [&](const Expr& atom) {
      return space_order(atom, space_) > 0 &&
             std::any_of(of_b.begin(), of_b.end(),
                         [&](const Expr& other) { return same(atom, other); });
    });
  }

  /// Shares of mixed derivatives with which the conditions are fluxes (tractions of an elastic
  /// body); a share that no condition names is the one that makes the form symmetric.
  [[nodiscard]] std::vector<Expr> shares_for_conditions() {
    options_.shares.clear();
    const WeakForm plain_form = make_form();
    const std::size_t n = plain_form.mixed.size();
    if (n == 0) return {};
    std::vector<Symbol> symbols;
    for (std::size_t k = 0; k < n; ++k) {
      symbols.emplace_back(fmt::format("share of mixed term {}", k));
      options_.shares.emplace_back(symbols.back());
    }
    const WeakForm form = make_form();
    std::map<std::size_t, Expr> found;
    const std::vector<detail::BoundaryPart>& all = parts();
    for (std::size_t k = 0; k < problem_.condition.size(); ++k) {
      const Condition& c = problem_.condition[k];
      if (!on_boundary(c) || space_order(residual_of(c), space_) == 0) continue;
      std::vector<std::vector<Replacement>> tried;  // normals on the parts of its place
      for (const detail::BoundaryPart& part : all) {
        if (!part.holds[place_of_[k]]) continue;
        const detail::BoundaryPart* one[] = {&part};
        const auto normals = detail::known_normals(one, domain_.space()->coordinates(), false);
        const bool before = std::any_of(tried.begin(), tried.end(), [&](const auto& other) {
          return std::equal(other.begin(), other.end(), normals.begin(), normals.end(),
                            [](const Replacement& a, const Replacement& b) {
                              return same(a.from, b.from) && same(a.to, b.to);
                            });
        });
        if (before) continue;
        tried.push_back(normals);
        const Expr residual = substitute(residual_of(c), normals);
        for (const WeakRow& row : form.rows) {
          match_shares(substitute(natural_flux(form, row), normals), residual, symbols, found);
        }
      }
    }
    std::vector<Expr> shares;
    for (std::size_t k = 0; k < n; ++k) {
      shares.push_back(found.contains(k) ? found.at(k) : Expr(0.5));
    }
    for (std::size_t k = 0; k < n; ++k) {
      if (found.contains(k)) continue;
      for (const auto& [m, share] : found) {
        const bool pair =
            form.mixed[m].atom.index() == form.mixed[k].atom.index() &&
            row_of_equation(form, form.mixed[m].equation) ==
                form.row_of(form.mixed[k].atom.name()) &&
            row_of_equation(form, form.mixed[k].equation) == form.row_of(form.mixed[m].atom.name());
        if (pair) shares[k] = reduced(1 - share);
      }
    }
    return found.empty() ? std::vector<Expr>{} : shares;
  }

  [[nodiscard]] static std::size_t row_of_equation(const WeakForm& form, std::size_t equation) {
    for (std::size_t r = 0; r < form.rows.size(); ++r) {
      if (form.rows[r].equation == equation) return r;
    }
    return form.rows.size();
  }

  /// flux - m * residual has no slopes: m from a slope without a share, shares from the others.
  void match_shares(const Expr& flux, const Expr& residual, const std::vector<Symbol>& symbols,
                    std::map<std::size_t, Expr>& found) const {
    const auto holds_share = [&](const Expr& e) {
      return std::any_of(symbols.begin(), symbols.end(),
                         [&](const Symbol& s) { return depends_on(e, s); });
    };
    std::vector<Expr> slopes = field_atoms(std::array{flux, residual});
    std::erase_if(slopes, [&](const Expr& a) { return space_order(a, space_) == 0; });
    std::optional<Expr> multiple;
    for (const Expr& atom : slopes) {
      const Expr a = reduced(partial(flux, atom)), b = reduced(partial(residual, atom));
      if (multiple || holds_share(a) || vanishes(a) || vanishes(b)) continue;
      multiple = reduced(a / b);
    }
    if (!multiple) return;
    std::map<std::size_t, Expr> more;
    for (const Expr& atom : slopes) {
      std::vector<Replacement> known;
      for (const auto& [k, share] : more) known.push_back({symbols[k], share});
      const Expr slope_of_flux = substitute(partial(flux, atom), known);
      const Expr given = *multiple * partial(residual, atom);
      if (agree(slope_of_flux, given)) continue;
      Expr rest = reduced(slope_of_flux - given);
      for (std::size_t k = 0; k < symbols.size(); ++k) {
        const Expr slope = reduced(partial(rest, symbols[k]));
        if (vanishes(slope) || more.contains(k)) continue;
        more[k] = reduced(symbols[k] - rest / slope);
        rest = 0;
        break;
      }
      if (!vanishes(rest)) return;
    }
    for (const auto& [k, share] : more) {
      if (!holds_share(share)) found.emplace(k, share);
    }
  }

  void finish(WeakProblem& weak) const {
    weak.linear = is_linear(weak.form);
    weak.symmetric = is_symmetric(weak.form);
    for (const WeakCondition& c : weak.conditions) {
      if (c.role != Role::natural) continue;
      weak.linear = weak.linear && is_linear(c.value);
      for (std::size_t r = 0; r < weak.form.rows.size(); ++r) {
        if (r != c.row && depends_on(c.value, Field(weak.form.rows[r].field))) {
          weak.symmetric = false;
        }
      }
    }
    if (weak.symmetric) weak.energy = energy_density(weak.form);
    weak.coercivity = detail::coercivity(weak, domain_, options_.at);
  }

  const Problem& problem_;
  Domain domain_;
  WeakNames names_;
  detail::Lowering lower_;
  Space space_;
  std::optional<Expr> time_;
  WeakOptions options_;
  std::optional<std::vector<detail::BoundaryPart>> parts_;
  std::vector<std::size_t> place_of_;  // per condition, of the places
  std::vector<std::string> places_;
};

}  // namespace

Condition part_of(const Problem& problem, const WeakCondition& condition) {
  Condition part = problem.condition[condition.condition];
  if (!condition.where.empty()) part.where = condition.where;
  return part;
}

WeakProblem weak_problem(const Problem& problem, WeakNames names) {
  return WeakAssembly(problem, names).assemble();
}

WeakForm weak_form(const Problem& problem, WeakNames names) {
  return WeakAssembly(problem, names).form();
}

}  // namespace cauchy
