#include "solvers/fdm/fdm_form.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* form_place = "[solvers.fdm]";

[[noreturn]] void form_refuse(const std::string& message, const std::string& hint = {}) {
  throw Error(ErrorKind::unsupported, message, form_place, hint);
}

std::vector<Expr> fields_in(const Expr& e) {
  const Expr roots[] = {e};
  return field_atoms(roots);
}

void refuse_inverse(const Problem& p) {
  if (!p.unknowns.empty() || !p.coefficients.empty()) {
    form_refuse("finite differences solve forward problems, and this one has unknowns to be found",
                "use pinn");
  }
  if (!p.observation.empty()) {
    form_refuse("finite differences have no use for observations", "use pinn, or leave them out");
  }
  if (p.domain->space() == nullptr) form_refuse("a problem in time alone has no grid", "use ode");
  if (p.domain->space()->dimension() > 3) {
    form_refuse(fmt::format("grids have at most 3 directions, space has {}",
                            p.domain->space()->dimension()),
                "use pinn");
  }
}

FdmEquation equation_of(const Equation& form) {
  return {to_string(form), summands(form), plain(form.residual())};
}

/// The equation with something done to all its expressions.
FdmEquation mapped(FdmEquation e, const std::function<Expr(const Expr&)>& f) {
  for (Summand& s : e.summands) {
    s.coefficient = f(plain(s.coefficient));
    for (Expr& flux : s.flux) flux = f(plain(flux));
  }
  e.residual = f(e.residual);
  return e;
}

/// Equations with the numbers of the parameters; those of parts of the domain are put together.
std::vector<FdmEquation> whole_equations(const Problem& p, const Lowering& lower) {
  std::vector<FdmEquation> whole;
  struct Part {
    std::string where;
    std::vector<const ProblemEquation*> equations;
  };
  std::vector<Part> parts;
  for (const ProblemEquation& e : p.equation) {
    if (e.where.empty()) {
      whole.push_back(equation_of({lower.written(e.form.left), lower.written(e.form.right)}));
      whole.back().name = name_of(e);
      continue;
    }
    auto part =
        std::find_if(parts.begin(), parts.end(), [&](const Part& q) { return q.where == e.where; });
    if (part == parts.end()) part = parts.insert(part, {e.where, {}});
    part->equations.push_back(&e);
  }
  const std::size_t open = p.fields.size() - std::min(p.fields.size(), whole.size());
  for (const Part& part : parts) {
    if (part.equations.size() != open) {
      form_refuse(fmt::format("{} equations hold where {}, {} are needed", part.equations.size(),
                              part.where, open));
    }
  }
  for (std::size_t k = 0; k < open && !parts.empty(); ++k) {
    // The last part also covers points that no other one claims, on borders between them.
    Expr residual = lower(parts.back().equations[k]->form.residual());
    for (std::size_t i = parts.size() - 1; i-- > 0;) {
      const Expr holds = lower(parse_condition(parts[i].where, p.context(), 1e-9));
      residual = where(holds, lower(parts[i].equations[k]->form.residual()), residual);
    }
    whole.push_back({name_of(*parts[0].equations[k]), {{residual, {}, {}}}, residual});
  }
  if (whole.size() != p.fields.size()) {
    form_refuse(
        fmt::format("{} fields need as many equations, got {}", p.fields.size(), whole.size()),
        "use pinn");
  }
  return whole;
}

/// Finds q = value in an equation that holds q without derivatives, is linear in it and of first
/// order in space in everything else.
std::optional<Expr> solved_for(const Expr& residual, const std::string& q,
                               const std::string& time) {
  int highest = 0;
  for (const Expr& a : fields_in(residual)) {
    if (a.name() == q && !a.index().empty()) return std::nullopt;
    if (time_order(a, time) > 0) return std::nullopt;
    highest = std::max(highest, total_order(a.index()));
  }
  const Expr slope = partial(residual, Field(q));
  if (highest != 1 || slope.is_constant(0) || !fields_in(slope).empty()) return std::nullopt;
  return -substitute(residual, Field(q), 0) / slope;
}

/// Puts fields that an equation gives into the others.
void eliminate(std::vector<FdmEquation>& equations, std::vector<std::string>& fields,
               std::vector<FdmGiven>& given, const std::string& time) {
  for (bool found = true; found && fields.size() > 1;) {
    found = false;
    for (std::size_t e = 0; e < equations.size() && !found; ++e) {
      for (std::size_t f = 0; f < fields.size() && !found; ++f) {
        const std::string name = fields[f];
        const auto value = solved_for(equations[e].residual, name, time);
        if (!value) continue;
        found = true;
        equations.erase(equations.begin() + static_cast<long>(e));
        fields.erase(fields.begin() + static_cast<long>(f));
        const auto put = [&](const Expr& x) { return plain(substitute(x, Field(name), *value)); };
        for (FdmEquation& other : equations) other = mapped(std::move(other), put);
        for (FdmGiven& g : given) g.value = substitute(g.value, Field(name), *value);
        given.push_back({name, *value});
      }
    }
  }
}

/// Derivatives in time as fields of their own, so that the first is the highest one left.
class FormRates final {
 public:
  FormRates(FdmForm& form, std::span<const FdmEquation> equations) : form_(form) {
    const std::size_t n = form.fields.size();
    for (std::size_t f = 0; f < n; ++f) {
      int highest = 0;
      for (const FdmEquation& e : equations) {
        for (const Expr& a : fields_in(e.residual)) {
          if (a.name() == form.fields[f]) highest = std::max(highest, time_order(a, form.time));
        }
      }
      highest_.push_back(highest);
      form.origin.push_back(f);
      form.rate.push_back(0);
    }
    for (std::size_t f = 0; f < n; ++f) {
      for (int k = 1; k < highest_[f]; ++k) {
        form.fields.push_back(rate_name(f, k));
        form.origin.push_back(f);
        form.rate.push_back(k);
      }
    }
  }
  [[nodiscard]] std::string rate_name(std::size_t f, int k) const {
    return k == 0 ? form_.fields[f] : fmt::format("{}~{}", form_.fields[f], k);
  }
  [[nodiscard]] int highest(std::size_t f) const { return highest_[f]; }

  [[nodiscard]] Expr operator()(const Expr& e) const {
    std::vector<Replacement> list;
    for (const Expr& a : fields_in(e)) {
      const auto f = static_cast<std::size_t>(
          std::find(form_.fields.begin(), form_.fields.end(), a.name()) - form_.fields.begin());
      const int k = time_order(a, form_.time);
      if (f >= highest_.size() || k == 0 || highest_[f] < 2) continue;
      MultiIndex index = a.index();
      std::erase_if(index, [&](const auto& i) { return i.first == form_.time; });
      const int kept = std::min(k, highest_[f] - 1);
      if (k > kept) index.emplace_back(form_.time, k - kept);
      std::sort(index.begin(), index.end());
      list.push_back({a, field_derivative(rate_name(f, kept), index)});
    }
    return list.empty() ? e : substitute(plain(e), list);
  }

 private:
  FdmForm& form_;
  std::vector<int> highest_;
};

/// What a condition becomes: its fields and order.
FdmCondition condition_of(const FdmForm& form, std::size_t source, const Expr& residual,
                          int in_time) {
  FdmCondition out{source, residual, {}, 0, in_time};
  for (const Expr& a : fields_in(residual)) {
    const auto f = static_cast<std::size_t>(
        std::find(form.fields.begin(), form.fields.end(), a.name()) - form.fields.begin());
    if (std::find(out.fields.begin(), out.fields.end(), f) == out.fields.end()) {
      out.fields.push_back(f);
    }
    out.order = std::max(out.order, total_order(a.index()) - time_order(a, form.time));
  }
  return out;
}

/// Whether a condition at a point stands at an end of an interval.
bool at_an_end(const Problem& p, const FdmExtra& extra) {
  if (extra.point.size() != 1 || p.domain->time() != nullptr) return false;
  const Bounds bounds = domain_of(p).shape()->bounds();
  const double slack = 1e-9 * (bounds.upper[0] - bounds.lower[0]);
  return extra.point[0] < bounds.lower[0] + slack || extra.point[0] > bounds.upper[0] - slack;
}

void add_condition(FdmForm& form, const Problem& p, const Lowering& lower, const FormRates& rates,
                   const std::function<Expr(const Expr&)>& reduced, std::size_t i) {
  const Condition& c = p.condition[i];
  const ConditionPlace place = place_of(p, c);
  if (place.kind == ConditionPlace::Kind::slice) {
    const Time& t = *p.domain->time();
    if (place.time > t.lower + 1e-9 * (t.upper - t.lower)) {
      form_refuse(
          fmt::format("condition '{}' holds at a later time; differences in time start from "
                      "the first one",
                      name_of(c)),
          "use pinn");
    }
    return;
  }
  if (!form.time.empty() && Boundary(domain_of(p), place.boundary).depends_on(form.time)) {
    form_refuse(
        fmt::format("the part of the boundary of condition '{}' changes in time", name_of(c)),
        "use where(...) of the time in one condition");
  }
  Expr residual = reduced(lower(c.form.residual()));
  int times = 1;
  for (const Expr& a : fields_in(residual)) {
    for (std::size_t f = 0; f < form.fields.size(); ++f) {
      if (form.rate[f] == 0 && form.fields[f] == a.name()) {
        times = std::max(times, rates.highest(f));
      }
    }
  }
  for (int k = 0; k < times; ++k) {
    form.conditions.push_back(condition_of(form, i, rates(residual), k));
    if (k + 1 < times) residual = plain(d(residual, Coordinate(form.time)));
  }
}

}  // namespace

std::vector<int> space_orders(const Expr& atom, const std::vector<std::string>& space) {
  std::vector<int> orders(space.size(), 0);
  for (const auto& [name, order] : atom.index()) {
    const auto axis = std::find(space.begin(), space.end(), name);
    if (axis != space.end()) orders[static_cast<std::size_t>(axis - space.begin())] = order;
  }
  return orders;
}

int time_order(const Expr& atom, const std::string& time) {
  for (const auto& [name, order] : atom.index()) {
    if (name == time) return order;
  }
  return 0;
}

FdmForm fdm_form(const Problem& p) {
  refuse_inverse(p);
  const Lowering lower(p);
  FdmForm form;
  form.space = p.domain->space()->coordinates();
  if (p.domain->time() != nullptr) form.time = p.domain->time()->name;
  form.fields = p.fields;
  std::vector<FdmEquation> equations = whole_equations(p, lower);
  eliminate(equations, form.fields, form.given, form.time);
  const auto reduced = [&](Expr e) {
    for (const FdmGiven& g : form.given) e = plain(substitute(e, Field(g.name), g.value));
    return e;
  };
  const std::size_t n = form.fields.size();
  const FormRates rates(form, equations);
  std::vector<FdmEquation> unordered;
  for (const FdmEquation& e : equations) {
    unordered.push_back(mapped(e, [&](const Expr& x) { return rates(x); }));
  }
  for (const std::size_t e : match_equations(form, unordered))
    form.equations.push_back(unordered[e]);
  for (std::size_t f = n; f < form.fields.size(); ++f) {  // u~1 = u_t
    const std::size_t before = form.rate[f] == 1 ? form.origin[f] : f - 1;
    const Expr residual =
        field_derivative(form.fields[before], {{form.time, 1}}) - Field(form.fields[f]);
    // The equation of the highest derivative determines the last rate, the others their successor.
    form.equations.push_back({"velocity", {{residual, {}, {}}}, residual});
  }
  for (std::size_t f = 0; f < n; ++f) {
    std::size_t at = f;
    for (int k = 1; k < rates.highest(f); ++k) {
      const auto next = static_cast<std::size_t>(
          std::find(form.fields.begin(), form.fields.end(), rates.rate_name(f, k)) -
          form.fields.begin());
      std::swap(form.equations[at], form.equations[next]);
      at = next;
    }
  }
  for (std::size_t i = 0; i < p.condition.size(); ++i) {
    const Condition& c = p.condition[i];
    if (c.kind == Condition::Kind::general) {
      add_condition(form, p, lower, rates, reduced, i);
    } else if (c.kind == Condition::Kind::periodic) {
      form.periodic.push_back(c.coordinate);
    } else {
      FdmExtra extra;
      if (c.kind == Condition::Kind::integral) {
        extra.where = c.where;
        extra.value = evaluate(lower(c.form.right));
        extra.residual = rates(reduced(lower(c.form.left)));
      } else {
        for (const std::string& x : form.space) {
          for (const auto& [name, value] : c.point) {
            if (name == x) extra.point.push_back(value);
          }
        }
        extra.residual = rates(reduced(lower(c.form.residual())));
      }
      const std::vector<Expr> held = fields_in(extra.residual);
      if (held.empty()) form_refuse(fmt::format("condition '{}' holds no field", name_of(c)));
      if (!extra.point.empty() && !form.time.empty()) {
        form_refuse(
            fmt::format("condition '{}' stands at one point of a problem in time", name_of(c)),
            "use pinn");
      }
      if (at_an_end(p, extra)) {
        form.conditions.push_back(condition_of(form, i, extra.residual, 0));
        continue;
      }
      extra.field = static_cast<std::size_t>(
          std::find(form.fields.begin(), form.fields.end(), held[0].name()) - form.fields.begin());
      form.extras.push_back(std::move(extra));
    }
  }
  for (const FdmEquation& e : form.equations) form.linear = form.linear && is_linear(e.residual);
  for (const FdmCondition& c : form.conditions) form.linear = form.linear && is_linear(c.residual);
  for (const FdmExtra& e : form.extras) form.linear = form.linear && is_linear(e.residual);
  return form;
}

}  // namespace cauchy::detail
