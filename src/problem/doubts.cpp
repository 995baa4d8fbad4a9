#include "problem/doubts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/boundary_cover.hpp"
#include "problem/flux_balance.hpp"
#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

bool mentions(const Expr& e, const std::string& field) { return depends_on(e, Field(field)); }

/// All expressions of conditions and observations.
std::vector<Expr> data_forms(const Problem& p) {
  std::vector<Expr> forms;
  for (const Condition& c : p.condition) {
    if (c.kind != Condition::Kind::periodic) forms.push_back(c.form.residual());
  }
  for (const Observation& o : p.observation) forms.push_back(o.quantity);
  return forms;
}

std::vector<Expr> equation_forms(const Problem& p) {
  std::vector<Expr> forms;
  for (const ProblemEquation& e : p.equation) forms.push_back(e.form.residual());
  return forms;
}

/// Names of the fields in some forms, and of those whose value stands there, not a derivative
/// alone.
struct FieldNames {
  explicit FieldNames(std::span<const Expr> forms) {
    for (const Expr& a : field_atoms(forms)) {
      all.insert(a.name());
      (a.index().empty() ? values : derivatives).insert(a.name());
    }
  }
  std::set<std::string> all, values, derivatives;
};

std::vector<std::string> space_of(const Problem& p) {
  return p.domain->space() == nullptr ? std::vector<std::string>{}
                                      : p.domain->space()->coordinates();
}

}  // namespace

std::vector<std::string> free_fields(const Problem& p) {
  std::vector<std::string> found;
  const FieldNames equations(equation_forms(p)), data(data_forms(p));
  for (const std::string& field : p.all_fields()) {
    if (!equations.all.contains(field)) {
      found.push_back(fmt::format("field '{}' is in no equation: nothing determines it", field));
      continue;
    }
    if (!equations.values.contains(field) && !data.values.contains(field)) {
      found.push_back(
          fmt::format("field '{}' is determined up to a constant at best: no equation or condition "
                      "holds its value; fix it at a point, or its integral",
                      field));
    }
    if (const auto gap = flux_imbalance(p, field)) found.push_back(*gap);
  }
  const bool nothing = p.condition.empty() && p.observation.empty();
  if (nothing && found.empty() && !equations.derivatives.empty()) {
    found.emplace_back("the problem has no conditions: it has many solutions");
  }
  return found;
}

// --- first-order equations ---

namespace {

/// Per field the only equation with derivatives of it, when it is of first order and has
/// derivatives of no other field.
std::map<std::string, const ProblemEquation*> transport_equations(const Problem& p) {
  std::map<std::string, const ProblemEquation*> own;
  std::set<std::string> others;  // fields that are not of this kind
  for (const ProblemEquation& e : p.equation) {
    const Expr roots[] = {e.form.residual()};
    std::set<std::string> here;
    for (const Expr& a : field_atoms(roots)) {
      if (a.index().empty()) continue;
      here.insert(a.name());
      if (total_order(a.index()) > 1) others.insert(a.name());
    }
    for (const std::string& name : here) {
      if (here.size() > 1 || !own.emplace(name, &e).second) others.insert(name);
    }
  }
  for (const std::string& name : others) own.erase(name);
  return own;
}

/// Which part of the boundary the characteristics enter through, where that is known beforehand.
std::optional<std::string> open_inflow_of(const Problem& p, const std::string& field,
                                          const ProblemEquation* equation) {
  const std::vector<std::string> space = space_of(p);
  const PrincipalPart part = principal_part(equation->form.residual(), Field(field));
  if (part.order != 1 || !part.quasilinear) return std::nullopt;
  const PointEvaluator evaluator(p);
  Expr outward = 0, in_time = 0;
  for (const LinearForm::Entry& e : part.terms) {
    const Expr roots[] = {e.coefficient};
    if (!field_atoms(roots).empty()) return std::nullopt;  // the answer decides
    const std::string& by = e.atom.index()[0].first;
    if (std::find(space.begin(), space.end(), by) != space.end()) {
      outward += e.coefficient * normal_component(by);
    } else if (p.domain->time() != nullptr && by == p.domain->time()->name) {
      in_time += e.coefficient;
    }
  }
  const bool steady = in_time.is_constant(0);
  // In a steady system the conditions may stand on another field.
  const bool coupled = std::any_of(p.equation.begin(), p.equation.end(), [&](const auto& e) {
    return &e != equation && mentions(e.form.residual(), field);
  });
  if (steady && coupled) return std::nullopt;
  // Along a line there is one characteristic, and any point of it may hold the data.
  const bool fixed = std::any_of(p.condition.begin(), p.condition.end(), [&](const Condition& c) {
    return c.kind == Condition::Kind::point && mentions(c.form.residual(), field);
  });
  if (steady && fixed && space.size() == 1) return std::nullopt;
  const Points points = boundary_points(domain_of(p), "boundary", 256);
  const Expr speed[] = {evaluator.lower()(steady ? outward : outward / in_time)};
  const std::vector<double> speeds = evaluator(speed, points)[0];
  const std::vector<int> found = conditions_at(p, field, points);
  double fastest = 0;
  for (const double v : speeds) fastest = std::max(fastest, std::abs(v));
  // Values at the last time are carried backwards, and enter where others leave.
  bool backwards = false;
  for (const Condition& c : p.condition) {
    if (c.kind != Condition::Kind::general || !mentions(c.form.residual(), field)) continue;
    const ConditionPlace place = place_of(p, c);
    backwards = backwards ||
                (place.kind == ConditionPlace::Kind::slice && place.time > p.domain->time()->lower);
  }
  std::size_t open[2] = {0, 0};  // where characteristics enter, where they leave
  std::set<std::string> pieces[2];
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (found[i] > 0 || !(std::abs(speeds[i]) > 1e-9 * fastest)) continue;
    const std::size_t side = speeds[i] < 0 ? 0 : 1;
    ++open[side];
    pieces[side].insert(points.pieces[points.piece[i]]);
  }
  // In a steady state either end of a characteristic may hold the data.
  const std::size_t side = backwards ? 1 : 0;
  const std::size_t gap = steady ? std::min(open[0], open[1]) : open[side];
  if (gap == 0) return std::nullopt;
  return fmt::format(
      "field '{}' has no condition on {:.0f} % of the boundary ({}), where its "
      "first-order equation lets it flow in",
      field, 100 * static_cast<double>(gap) / static_cast<double>(points.size()),
      fmt::join(pieces[side], ", "));
}

}  // namespace

std::vector<std::string> open_inflow(const Problem& p) {
  std::vector<std::string> found;
  if (p.domain->space() == nullptr) return found;
  for (const auto& [field, equation] : transport_equations(p)) {
    const bool observed = std::any_of(
        p.observation.begin(), p.observation.end(),
        [&, &name = field](const Observation& o) { return mentions(o.quantity, name); });
    if (observed) continue;  // measurements may take the place of conditions
    if (auto gap = open_inflow_of(p, field, equation)) found.push_back(*std::move(gap));
  }
  return found;
}

// --- unknown constants ---

namespace {

/// Whether more conditions hold on a field than its equation needs.
bool has_extra_conditions(const Problem& p, const std::string& field) {
  for (const Condition& c : p.condition) {
    const bool extra = c.kind == Condition::Kind::point || c.kind == Condition::Kind::integral;
    if (extra && mentions(c.form.residual(), field)) return true;
  }
  const std::vector<std::string> space = space_of(p);
  std::set<double> times;
  for (const Condition& c : p.condition) {
    if (c.kind != Condition::Kind::general || !mentions(c.form.residual(), field)) continue;
    const ConditionPlace place = place_of(p, c);
    if (place.kind == ConditionPlace::Kind::slice) times.insert(place.time);
  }
  if (times.size() > 1) return true;
  if (space.empty()) {
    const auto n = std::count_if(p.condition.begin(), p.condition.end(), [&](const Condition& c) {
      return mentions(c.form.residual(), field);
    });
    return n > highest_order(p, field, p.coordinates());
  }
  const Points points = boundary_points(domain_of(p), "boundary", 64);
  const std::vector<int> found = conditions_at(p, field, points);
  if (p.coordinates().size() == 1) {
    // An ordinary differential equation: all conditions at both ends count.
    std::map<std::string, int> ends;
    for (std::size_t i = 0; i < points.size(); ++i) ends[points.pieces[points.piece[i]]] = found[i];
    int n = 0;
    for (const auto& [name, count] : ends) n += count;
    return n > highest_order(p, field, space);
  }
  const int needed = std::max(1, highest_order(p, field, space) / 2);
  return std::any_of(found.begin(), found.end(), [&](int n) { return n > needed; });
}

}  // namespace

std::vector<std::string> free_constants(const Problem& p) {
  std::vector<std::string> found;
  if (p.unknowns.empty()) return found;
  // Names that stand in one form belong together: a field tells of constants beside it.
  std::vector<Expr> forms = equation_forms(p);
  const std::vector<Expr> data = data_forms(p);
  forms.insert(forms.end(), data.begin(), data.end());
  std::vector<std::set<std::string>> groups;
  for (const Expr& form : forms) {
    const Expr roots[] = {form};
    std::set<std::string> names;
    for (const Expr& a : field_atoms(roots)) names.insert(a.name());
    for (const Expr& a : atoms(roots, Kind::parameter)) {
      const bool unknown = std::any_of(p.unknowns.begin(), p.unknowns.end(),
                                       [&](const Unknown& u) { return u.name == a.name(); });
      if (unknown) names.insert(a.name());
    }
    for (auto it = groups.begin(); it != groups.end();) {
      const bool meets = std::any_of(names.begin(), names.end(),
                                     [&](const std::string& n) { return it->contains(n); });
      if (meets) names.merge(*it);
      it = meets ? groups.erase(it) : it + 1;
    }
    groups.push_back(std::move(names));
  }
  for (const Unknown& u : p.unknowns) {
    const auto own = std::find_if(groups.begin(), groups.end(),
                                  [&](const auto& g) { return g.contains(u.name); });
    if (own == groups.end()) {
      found.push_back(fmt::format(
          "unknown constant '{}' occurs in no equation, condition or observation", u.name));
      continue;
    }
    const bool observed =
        std::any_of(p.observation.begin(), p.observation.end(), [&](const Observation& o) {
          return std::any_of(own->begin(), own->end(),
                             [&](const std::string& n) { return mentions(o.quantity, n); });
        });
    const auto fields = p.all_fields();
    const bool extra = std::any_of(fields.begin(), fields.end(), [&](const std::string& f) {
      return own->contains(f) && has_extra_conditions(p, f);
    });
    if (!observed && !extra) {
      found.push_back(
          fmt::format("unknown constant '{}' is determined by no data: add an "
                      "observation, or a condition that the fields alone do not need",
                      u.name));
    }
  }
  return found;
}

// --- jumps ---

namespace {

bool is_kink(Kind k) { return k == Kind::abs || k == Kind::min || k == Kind::max; }

/// Whether an expression holds such a function of a coordinate or of a field.
bool holds(const Expr& e, const std::string& coordinate, bool (*test)(Kind)) {
  const Expr roots[] = {e};
  for (const Expr& node : postorder(roots)) {
    if (!test(node.kind())) continue;
    const Expr own[] = {node};
    if (!field_atoms(own).empty()) return true;
    if (depends_on(node, Coordinate(coordinate))) return true;
  }
  return false;
}

bool jumps_or_kinks(Kind k) { return has_jump(k) || is_kink(k); }

/// What a derivative is taken of, and by which coordinate.
struct Differentiated {
  Expr flux;
  std::string by;
};

/// A derivative in the text of an expression that is taken of a jump or a kink.
std::optional<Differentiated> differentiated_jump(const Expr& e, bool (*kind)(Kind)) {
  const Written* w = e.written();
  if (w == nullptr) return std::nullopt;
  if (w->op == Written::Op::derivative || w->op == Written::Op::divergence) {
    for (std::size_t i = 0; i < w->args.size(); ++i) {
      const std::string by = w->coordinates[i].name();
      if (holds(w->args[i], by, kind)) return Differentiated{w->args[i], by};
    }
  }
  for (const Expr& part : w->args) {
    if (auto found = differentiated_jump(part, kind)) return found;
  }
  return std::nullopt;
}

std::optional<Differentiated> differentiated_jump(const Equation& form,
                                                  bool (*kind)(Kind) = jumps_or_kinks) {
  auto found = differentiated_jump(form.left, kind);
  return found ? found : differentiated_jump(form.right, kind);
}

/// A name for a flux that the problem does not use: q, q1, ...
std::string flux_name(const Problem& p) {
  const Context context = p.context();
  const auto used = [&](const std::string& name) {
    const auto in = [&](const auto& list) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    return in(p.all_fields()) || in(p.coordinates()) ||
           std::any_of(p.parameters.begin(), p.parameters.end(),
                       [&](const ProblemParameter& k) { return k.name == name; }) ||
           std::any_of(p.unknowns.begin(), p.unknowns.end(),
                       [&](const Unknown& k) { return k.name == name; }) ||
           std::any_of(p.definitions.begin(), p.definitions.end(),
                       [&](const Definition& k) { return k.name == name; });
  };
  std::string name = "q";
  for (int k = 1; used(name); ++k) name = fmt::format("q{}", k);
  return name;
}

}  // namespace

std::vector<std::string> jumping_coefficients(const Problem& p) {
  std::vector<std::string> found;
  for (const ProblemEquation& e : p.equation) {
    if (differentiated_jump(e.form)) continue;
    const Expr residual = e.form.residual(), roots[] = {residual};
    const auto nodes = postorder(roots);
    if (!std::any_of(nodes.begin(), nodes.end(),
                     [](const Expr& n) { return has_jump(n.kind()); })) {
      continue;
    }
    for (const std::string& field : FieldNames(roots).derivatives) {
      // u_tt = c^2*u_xx as it stands is a string of one tension and several weights.
      if (p.domain->time() != nullptr &&
          depends_on(residual, d_n(Field(field), Coordinate(p.domain->time()->name), 2))) {
        continue;
      }
      const PrincipalPart part = principal_part(residual, Field(field));
      if (part.order < 2) continue;
      for (const LinearForm::Entry& term : part.terms) {
        const auto& index = term.atom.index();
        const bool jumps = std::any_of(index.begin(), index.end(), [&](const auto& by) {
          return holds(term.coefficient, by.first, has_jump);
        });
        if (!jumps) continue;
        // u_xx = (u_x)_x: the flux is the coefficient times one derivative less.
        const Context context = p.context();
        MultiIndex lower = index;
        const std::string by = lower.back().first, q = flux_name(p);
        if (--lower.back().second == 0) lower.pop_back();
        const Expr flux = term.coefficient * field_derivative(field, lower);
        found.push_back(fmt::format(
            "the coefficient of {} in '{}' jumps, and the flux is not kept across the jump: make "
            "it a field of its own ({} = {}, {}_{} = ...), or write the divergence d({}, {}) = ...",
            to_string(term.atom, &context), name_of(e), q, to_string(flux, &context), q, by,
            to_string(flux, &context), by));
        break;
      }
    }
  }
  return found;
}

std::optional<std::string> flux_with_jump(const Problem& p) {
  const auto jumps = [](Kind k) { return has_jump(k); };
  for (const ProblemEquation& e : p.equation) {
    const auto found = differentiated_jump(e.form, jumps);
    if (!found || field_atoms(std::vector{plain(found->flux)}).empty()) continue;
    const Context context = p.context();
    return to_string(found->flux, &context);
  }
  return std::nullopt;
}

std::vector<std::string> lost_jumps(const Problem& p) {
  std::vector<std::string> found;
  for (const ProblemEquation& e : p.equation) {
    const auto jump = differentiated_jump(e.form);
    if (!jump) continue;
    const Context context = p.context();
    const std::string q = flux_name(p);
    found.push_back(fmt::format(
        "'{}' takes the derivative of a function that jumps or has a kink, which its values at "
        "points do not show: make it a field of its own, {} = {}, and write {}_{} for its "
        "derivative",
        name_of(e), q, to_string(jump->flux, &context), q, jump->by));
  }
  return found;
}

}  // namespace cauchy::detail
