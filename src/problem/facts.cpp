#include <algorithm>
#include <cmath>
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

namespace cauchy {
namespace {

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
    for (const std::string& field : p_.fields) {
      if (observed(field)) continue;  // measurements may take the place of conditions
      check_start(field);
      check_boundary(field);
      check_mentioned(field);
    }
    check_names();
    check_count();
    return std::move(facts_);
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

  /// Highest order of the derivatives of a field in the equations, by the given coordinates.
  int highest_order(const std::string& field, std::span<const std::string> coordinates) const {
    int highest = 0;
    for (const Expr& atom : equation_atoms_) {
      if (atom.name() != field) continue;
      int total = 0;
      for (const auto& [name, k] : atom.index()) {
        if (std::find(coordinates.begin(), coordinates.end(), name) != coordinates.end()) {
          total += k;
        }
      }
      highest = std::max(highest, total);
    }
    return highest;
  }

  /// For a condition of the problem.
  bool mentions(const Condition& c, const std::string& field) const {
    return condition_fields_[static_cast<std::size_t>(&c - p_.condition.data())].contains(field);
  }

  bool observed(const std::string& field) const {
    return std::any_of(p_.observation.begin(), p_.observation.end(),
                       [&](const Observation& o) { return cauchy::mentions(o.quantity, field); });
  }

  void check_start(const std::string& field) {
    if (time() == nullptr) return;
    const std::string names[] = {time()->name};
    const int needed = highest_order(field, names);
    // Without space, conditions at later times determine the solution as well.
    const bool any_time = domain_.space() == nullptr;
    int found = 0;
    for (const Condition& c : p_.condition) {
      if (c.kind == Condition::Kind::periodic || c.kind == Condition::Kind::integral) continue;
      if (!mentions(c, field)) continue;
      if (c.kind == Condition::Kind::point) {
        const bool at_start = std::any_of(c.point.begin(), c.point.end(), [&](const auto& x) {
          return x.first == time()->name && (any_time || x.second == time()->lower);
        });
        if (at_start && domain_.space() == nullptr) ++found;
        continue;
      }
      const ConditionPlace place = place_of(p_, c);
      if (place.kind == ConditionPlace::Kind::slice && (any_time || place.time == time()->lower)) {
        ++found;
      }
    }
    if (found >= needed) return;
    warn("field '{}' has {} of {} initial condition{} at {} = {}: its time derivative has order {}",
         field, found, needed, needed == 1 ? "" : "s", time()->name, time()->lower, needed);
  }

  /// Conditions per point of the boundary, against half the order in space.
  void check_boundary(const std::string& field) {
    if (domain_.space() == nullptr) return;
    const std::vector<std::string> names = space();
    const int needed = highest_order(field, names) / 2;
    if (needed == 0) return;
    Points points;
    try {
      points = boundary_points(domain_, "boundary", 256);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::unsupported) throw;
      return;  // an unbounded region has no points to look at
    }
    std::vector<int> found(points.size(), 0);
    for (const Condition& c : p_.condition) count(c, field, points, found);
    if (names.size() == 1 && time() == nullptr) {
      // An ordinary differential equation: its conditions may all stand at one end.
      std::vector<int> at_end(points.pieces.size(), 0);
      for (std::size_t i = 0; i < points.size(); ++i) {
        at_end[points.piece[i]] = std::max(at_end[points.piece[i]], found[i]);
      }
      int all = 0;
      for (const int n : at_end) all += n;
      if (all >= highest_order(field, names)) return;
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

  void count(const Condition& c, const std::string& field, const Points& points,
             std::vector<int>& found) const {
    if (c.kind == Condition::Kind::periodic) {
      const auto names = points.columns;
      const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), c.coordinate) -
                                               names.begin());
      const Bounds box = shape_of(points.row(0))->bounds();
      const std::size_t k = at - domain_.space_column();
      const double slack = 1e-9 * (box.upper[k] - box.lower[k]);
      for (std::size_t i = 0; i < points.size(); ++i) {
        const double x = points.row(i)[at];
        // Value and derivatives up to `order` agree: enough for equations of twice that order.
        if (x < box.lower[k] + slack || x > box.upper[k] - slack) found[i] += c.order + 1;
      }
      return;
    }
    if (c.kind != Condition::Kind::general || !mentions(c, field)) return;
    const ConditionPlace place = place_of(p_, c);
    if (place.kind == ConditionPlace::Kind::slice) return;
    const Boundary part(*domain_.space(), place.boundary);
    const ShapePtr shape = shape_of(points.row(0));
    std::vector<Expr> by_piece;
    for (const std::string& name : points.pieces) {
      const auto piece = std::find_if(shape->pieces().begin(), shape->pieces().end(),
                                      [&](const Piece& q) { return q.name == name; });
      by_piece.push_back(piece == shape->pieces().end() ? Expr(0) : part.condition(*piece));
    }
    Values values;
    for (const auto& [name, value] : p_.values()) values.set(Parameter(name), value);
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t k = 0; k < points.columns.size(); ++k) {
        values.set(Coordinate(points.columns[k]), points.row(i)[k]);
        values.set(Parameter(points.columns[k]), points.row(i)[k]);
      }
      if (evaluate(by_piece[points.piece[i]], values) != 0) ++found[i];
    }
  }

  ShapePtr shape_of(std::span<const double> row) const {
    const std::size_t first = domain_.space_column() + space().size();
    return domain_.shape(row.subspan(first));
  }

  void check_mentioned(const std::string& field) {
    const std::vector<std::string> names = p_.coordinates();
    if (highest_order(field, names) == 0) return;
    // Where its value stands in an equation (q = -k u_x), a constant makes a difference.
    for (const Expr& atom : equation_atoms_) {
      if (atom.name() == field && atom.index().empty()) return;
    }
    const bool found = std::any_of(p_.condition.begin(), p_.condition.end(), [&](const auto& c) {
      return c.kind != Condition::Kind::periodic && mentions(c, field);
    });
    const bool periodic = std::any_of(p_.condition.begin(), p_.condition.end(), [](const auto& c) {
      return c.kind == Condition::Kind::periodic;
    });
    if (!found && !periodic) {
      warn("no condition mentions field '{}': it is determined up to a constant at best", field);
    }
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
    for (const Unknown& u : p_.unknowns) {
      if (!used.contains(u.name)) {
        warn("unknown constant '{}' occurs in no equation, condition or observation", u.name);
      } else if (p_.observation.empty() && extra_conditions() == 0) {
        warn("unknown constant '{}' has no observation to be found from", u.name);
      }
    }
    for (const auto& [field, formula] : p_.reference.formulas) forms.push_back(formula);
    for (const auto& [name, value] : p_.reference.parameters) forms.push_back(value);
    for (const Definition& d : p_.definitions) forms.push_back(d.value);
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
        warn("parameter '{}' is not used", p.name);
      }
    }
    for (const Range& r : domain_.ranges()) {
      if (!used.contains(r.name) && !in_text(r.name)) {
        warn("parameter range '{}' is not used: nothing depends on it", r.name);
      }
    }
  }

  std::size_t extra_conditions() const {
    return static_cast<std::size_t>(
        std::count_if(p_.condition.begin(), p_.condition.end(), [](const Condition& c) {
          return c.kind == Condition::Kind::point || c.kind == Condition::Kind::integral;
        }));
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
  Context context_;
  std::vector<Expr> equation_atoms_;                     // fields and derivatives in equations
  std::vector<std::set<std::string>> condition_fields_;  // in each condition
  ProblemFacts facts_;
};

}  // namespace

ProblemFacts facts(const Problem& problem) { return FactFinder(problem).find(); }

}  // namespace cauchy
