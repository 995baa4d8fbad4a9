#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/problem/exact_solution.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/boundary_cover.hpp"
#include "problem/doubts.hpp"
#include "problem/grid_table.hpp"

namespace cauchy {
namespace {

using detail::conditions_at;
using detail::highest_orders;

bool mentions(const Expr& e, const std::string& field) { return depends_on(e, Field(field)); }

/// Names of the fields in an expression.
std::set<std::string> fields_in(const Expr& e) {
  std::set<std::string> names;
  const Expr roots[] = {e};
  for (const Expr& atom : field_atoms(roots)) names.insert(atom.name());
  return names;
}

/// Whether a name stands in a text as a word of its own.
bool has_word(std::string_view text, std::string_view name) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) {
      return true;
    }
  }
  return false;
}

class FactFinder final {
 public:
  explicit FactFinder(const Problem& p) : p_(p), domain_(domain_of(p)), context_(p.context()) {
    std::vector<Expr> roots;
    for (const ProblemEquation& e : p.equation) roots.push_back(e.form.residual());
    equation_atoms_ = field_atoms(roots);
    for (const Condition& c : p.condition)
      condition_fields_.push_back(fields_in(c.form.residual()));
  }

  ProblemFacts find() {
    for (std::size_t i = 0; i < p_.equation.size(); ++i) describe(p_.equation[i], i);
    list_derivatives();
    check_conditions();
    for (const auto& look : {detail::free_fields, detail::open_inflow, detail::idle_conditions,
                             detail::ill_posed_in_time, detail::free_constants,
                             detail::tied_constants, detail::free_coefficients, detail::few_data,
                             detail::unobserved_start, detail::jumping_coefficients}) {
      for (std::string& doubt : look(p_)) facts_.warnings.push_back(std::move(doubt));
    }
    for (std::string& corner : detail::corner_jumps(p_)) {
      facts_.remarks.push_back(std::move(corner));
    }
    check_names();
    check_count();
    return std::move(facts_);
  }

  /// Of the warnings those about conditions.
  std::vector<std::string> missing_conditions() {
    check_conditions();
    return std::move(facts_.warnings);
  }

 private:
  const Time* time() const { return domain_.time(); }
  std::vector<std::string> space() const {
    return domain_.space() == nullptr ? std::vector<std::string>{} : domain_.space()->coordinates();
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> text, Args&&... args) {
    facts_.warnings.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  template <class... Args>
  void remark(fmt::format_string<Args...> text, Args&&... args) {
    facts_.remarks.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  // --- what the equations are ---

  void describe(const ProblemEquation& e, std::size_t number) {
    const Expr residual = e.form.residual();
    facts_.equations.push_back(
        {to_string(e.form, &context_), order(residual), is_linear(residual), type(e, number)});
  }

  std::string type(const ProblemEquation& e, std::size_t number) const {
    std::vector<Expr> coordinates;
    if (time() != nullptr) coordinates.push_back(Coordinate(time()->name));
    for (const std::string& name : space()) coordinates.push_back(Coordinate(name));
    if (coordinates.size() < 2) return {};
    // The field of this equation: its own number first, then whichever has the highest order.
    const Expr residual = e.form.residual();
    const std::set<std::string> present = fields_in(residual);
    std::string best;
    int highest = 0;
    for (std::size_t i = 0; i < p_.fields.size(); ++i) {
      const std::string& field = p_.fields[(number + i) % p_.fields.size()];
      if (!present.contains(field)) continue;
      const int k = principal_part(residual, Field(field)).order;
      if (k > highest) {
        highest = k;
        best = field;
      }
    }
    if (best.empty()) return {};
    const PdeType t = classify(residual, Field(best), coordinates, middle(residual));
    const bool none = t == PdeType::undetermined || t == PdeType::higher_order;
    return none ? std::string() : std::string(to_string(t));
  }

  /// Numbers for everything in the middle of the domain; fields count as 1.
  Values middle(const Expr& residual) const {
    Values values;
    for (const auto& [name, value] : p_.values()) values.set(Parameter(name), value);
    for (const Unknown& u : p_.unknowns) values.set(Parameter(u.name), u.initial);
    std::vector<double> ranges;
    for (const Range& r : domain_.ranges()) {
      ranges.push_back((r.lower + r.upper) / 2);
      values.set(Parameter(r.name), ranges.back());
    }
    if (const Time* t = time()) values.set(Coordinate(t->name), (t->lower + t->upper) / 2);
    if (domain_.space() != nullptr) {
      const Bounds box = domain_.shape(ranges)->bounds();
      for (std::size_t k = 0; k < space().size(); ++k) {
        values.set(Coordinate(space()[k]), (box.lower[k] + box.upper[k]) / 2);
      }
    }
    for (const TabulatedFunction& f : p_.functions) {
      if (f.code) {
        values.set(DataFunction(f.name), [function = std::make_shared<detail::FunctionValues>(f)](
                                             std::span<const double> at, std::span<const int> k) {
          return (*function)(at, k);
        });
        continue;
      }
      double mean = 0;
      const std::vector<double> column = f.table.column(f.column);
      for (const double v : column) mean += v / static_cast<double>(column.size());
      values.set(DataFunction(f.name), [mean](std::span<const double>, std::span<const int> k) {
        return std::all_of(k.begin(), k.end(), [](int order) { return order == 0; }) ? mean : 0;
      });
    }
    const Expr roots[] = {residual};
    for (const Expr& atom : field_atoms(roots)) values.set(atom, 1);
    return values;
  }

  void list_derivatives() {
    std::vector<Expr> roots;
    for (const ProblemEquation& e : p_.equation) roots.push_back(e.form.residual());
    for (const Condition& c : p_.condition) {
      if (c.kind != Condition::Kind::periodic) roots.push_back(c.form.residual());
    }
    for (const Observation& o : p_.observation) roots.push_back(o.quantity);
    std::vector<Expr> all = field_atoms(roots);
    const std::vector<std::string> names = p_.all_fields();
    const auto position = [&](const Expr& e) {
      return std::find(names.begin(), names.end(), e.name()) - names.begin();
    };
    std::stable_sort(all.begin(), all.end(), [&](const Expr& a, const Expr& b) {
      return std::pair(position(a), total_order(a.index())) <
             std::pair(position(b), total_order(b.index()));
    });
    for (const Expr& e : all) facts_.derivatives.push_back(to_string(e, &context_));
  }

  // --- is something missing? ---

  /// For a condition of the problem.
  bool mentions(const Condition& c, const std::string& field) const {
    return condition_fields_[static_cast<std::size_t>(&c - p_.condition.data())].contains(field);
  }

  bool observed(const std::string& field) const {
    return std::any_of(p_.observation.begin(), p_.observation.end(),
                       [&](const Observation& o) { return cauchy::mentions(o.quantity, field); });
  }

  void check_conditions() {
    if (time() != nullptr) time_orders_ = highest_orders(p_, {time()->name});
    if (domain_.space() != nullptr) space_orders_ = highest_orders(p_, space());
    for (const std::string& field : p_.fields) {
      if (observed(field)) continue;  // measurements may take the place of conditions
      check_start(field);
      check_boundary(field);
    }
  }

  void check_start(const std::string& field) {
    if (time() == nullptr) return;
    const int needed = time_orders_.at(field);
    // Conditions at the last time, or between, determine the solution as well.
    int found = 0;
    bool repeats = false;
    for (const Condition& c : p_.condition) {
      if (c.kind != Condition::Kind::general && c.kind != Condition::Kind::point) continue;
      if (!mentions(c, field)) continue;
      if (c.kind == Condition::Kind::point) {
        if (domain_.space() == nullptr) ++found;
        continue;
      }
      if (place_of(p_, c).kind != ConditionPlace::Kind::slice) continue;
      // What the equation gives itself starts nothing.
      if (time_order(c, field) < needed) {
        ++found;
      } else {
        repeats = true;
      }
    }
    if (found >= needed) return;
    warn(
        "field '{}' has {} of {} initial condition{} at {} = {}: its time derivative has order "
        "{}{}",
        field, found, needed, needed == 1 ? "" : "s", time()->name, time()->lower, needed,
        repeats ? ", and a condition on that derivative is no initial one" : "");
  }

  int time_order(const Condition& c, const std::string& field) const {
    const Expr roots[] = {c.form.residual()};
    int highest = 0;
    for (const Expr& atom : field_atoms(roots)) {
      if (atom.name() != field) continue;
      for (const auto& [name, k] : atom.index()) {
        if (name == time()->name) highest = std::max(highest, k);
      }
    }
    return highest;
  }

  /// Conditions per point of the boundary, against half the order in space.
  void check_boundary(const std::string& field) {
    if (domain_.space() == nullptr) return;
    const std::vector<std::string> names = space();
    const int order = space_orders_.at(field), needed = order / 2;
    if (needed == 0) return;
    Points points;
    try {
      points = boundary_points(domain_, "boundary", 256);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::unsupported) throw;
      return;  // an unbounded region has no points to look at
    }
    const std::vector<int> found = conditions_at(p_, field, points);
    if (names.size() == 1) {
      std::vector<int> at_end(points.pieces.size(), 0);
      for (std::size_t i = 0; i < points.size(); ++i) {
        at_end[points.piece[i]] = std::max(at_end[points.piece[i]], found[i]);
      }
      int all = 0;
      for (const int n : at_end) all += n;
      // An ordinary differential equation: its conditions may all stand at one end.
      if (time() == nullptr && all >= order) return;
      const bool each =
          std::all_of(at_end.begin(), at_end.end(), [&](int n) { return n >= needed; });
      if (time() != nullptr && order % 2 == 1 && each && all < order) {
        warn(
            "field '{}' has {} of {} conditions on the boundary: order {} in {} needs one more at "
            "one of the ends",
            field, all, order, order, names[0]);
        return;
      }
    }
    std::size_t open = 0;
    int least = needed;
    std::set<std::string> pieces;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (found[i] >= needed) continue;
      ++open;
      least = std::min(least, found[i]);
      pieces.insert(points.pieces[points.piece[i]]);
    }
    if (open == 0) return;
    const double share = 100 * static_cast<double>(open) / static_cast<double>(points.size());
    const std::string how_many = needed == 1
                                     ? std::string("no condition")
                                     : fmt::format("only {} of {} conditions", least, needed);
    warn("field '{}' has {} on {:.0f} % of the boundary ({})", field, how_many, share,
         fmt::join(pieces, ", "));
  }

  // --- names that have no effect ---

  void check_names() {
    std::set<std::string> used;
    std::vector<std::string> texts;
    std::vector<Expr> forms;
    for (const ProblemEquation& e : p_.equation) {
      forms.push_back(e.form.residual());
      texts.push_back(e.where);
    }
    for (const Condition& c : p_.condition) {
      forms.push_back(c.form.left);
      forms.push_back(c.form.right);
      texts.push_back(c.where);
    }
    for (const Observation& o : p_.observation) forms.push_back(o.quantity);
    for (const Expr& e : atoms(forms, Kind::parameter)) used.insert(e.name());
    for (const auto& [field, formula] : p_.reference.formulas) forms.push_back(formula);
    for (const auto& [name, value] : p_.reference.parameters) forms.push_back(value);
    for (const Definition& d : p_.definitions) forms.push_back(d.value);
    for (const ProblemEquation& e : p_.equation) forms.push_back(e.weight);
    for (const Condition& c : p_.condition) forms.push_back(c.weight);
    for (const ProblemParameter& p : p_.parameters) forms.push_back(p.value);
    for (const Expr& e : atoms(forms, Kind::parameter)) used.insert(e.name());
    if (domain_.space() != nullptr) {
      const auto& names = p_.domain->space()->parameters();
      used.insert(names.begin(), names.end());
    }
    if (!p_.reference.exact.empty()) {
      for (const auto& q : exact_solution(p_.reference.exact).parameters) used.insert(q.name);
    }
    const auto in_text = [&](const std::string& name) {
      return std::any_of(texts.begin(), texts.end(),
                         [&](const std::string& t) { return has_word(t, name); });
    };
    for (const ProblemParameter& p : p_.parameters) {
      if (!used.contains(p.name) && !in_text(p.name)) {
        remark("parameter '{}' is not used", p.name);
      }
    }
    for (const Range& r : domain_.ranges()) {
      if (!used.contains(r.name) && !in_text(r.name)) {
        remark("parameter range '{}' is not used: nothing depends on it", r.name);
      }
    }
  }

  void check_count() {
    // Equations that hold on a part of the domain may be many.
    const auto everywhere = std::count_if(p_.equation.begin(), p_.equation.end(),
                                          [](const ProblemEquation& e) { return e.where.empty(); });
    const std::size_t fields = p_.all_fields().size();
    if (static_cast<std::size_t>(everywhere) > fields) {
      warn("{} equations for {} field{}: the problem may have no solution", everywhere, fields,
           fields == 1 ? "" : "s");
    }
  }

  const Problem& p_;
  Domain domain_;
  std::map<std::string, int> time_orders_, space_orders_;  // of the fields
  Context context_;
  std::vector<Expr> equation_atoms_;                     // fields and derivatives in equations
  std::vector<std::set<std::string>> condition_fields_;  // in each condition
  ProblemFacts facts_;
};

}  // namespace

ProblemFacts facts(const Problem& problem) { return FactFinder(problem).find(); }

std::vector<std::string> detail::missing_conditions(const Problem& problem) {
  return FactFinder(problem).missing_conditions();
}

}  // namespace cauchy
