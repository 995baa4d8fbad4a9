#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/problem/exact_solution.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/problem/problem.hpp>

namespace cauchy {
namespace {

/// Everything that may stand in an expression of the problem, and where names come from.
class Checker final {
 public:
  explicit Checker(const Problem& p)
      : problem_(p), place_(fmt::format("[problem '{}']", p.name)), domain_(domain_of(p)) {
    for (const std::string& name : p.all_fields()) fields_.insert(name);
    for (const std::string& name : p.coordinates()) coordinates_.insert(name);
    for (const auto& parameter : p.parameters) parameters_.insert(parameter.name);
    for (const auto& unknown : p.unknowns) parameters_.insert(unknown.name);
    for (const Range& r : domain_.ranges()) parameters_.insert(r.name);
    for (const auto& f : p.functions) functions_.insert(f.name);
    if (domain_.space() != nullptr) {
      for (const std::string& name : domain_.space()->coordinates()) {
        symbols_.insert(normal_component(name).name());
      }
    }
  }

  void run() {
    if (problem_.fields.empty())
      throw Error("the problem has no fields", place_, "fields = [\"u\"]");
    (void)problem_.context();  // names that occur twice
    (void)problem_.values();
    check_sizes();
    check_equations();
    check_unknowns();
    for (const Condition& c : problem_.condition) check_condition(c);
    check_contradictions();
    for (const Observation& o : problem_.observation) check_observation(o);
    check_reference();
  }

 private:
  void known(const std::set<std::string>& names, const std::string& what, const Expr& e,
             const std::string& where) const {
    if (names.contains(e.name())) return;
    const std::vector<std::string> list(names.begin(), names.end());
    const std::string near = nearest_name(e.name(), list);
    throw Error(fmt::format("unknown {} '{}'", what, e.name()), where,
                near.empty() ? fmt::format("{}s are: {}", what, fmt::join(list, ", "))
                             : fmt::format("did you mean '{}'?", near));
  }

  void check_names(const Expr& expr, const std::string& where, bool normals) const {
    const Expr roots[] = {expr};
    for (const Expr& e : postorder(roots)) {
      if (e.kind() == Kind::field) {
        known(fields_, "field", e, where);
        for (const auto& [name, order] : e.index()) {
          known(coordinates_, "coordinate", Coordinate(name), where);
        }
      }
      if (e.kind() == Kind::coordinate) known(coordinates_, "coordinate", e, where);
      if (e.kind() == Kind::parameter) known(parameters_, "parameter", e, where);
      if (e.kind() == Kind::call) known(functions_, "function", e, where);
      if (e.kind() == Kind::symbol) {
        known(symbols_, "name", e, where);
        if (!normals) {
          throw Error(fmt::format("'{}' is only known on the boundary", e.name()), where);
        }
      }
    }
  }

  void check_equations() const {
    if (problem_.equation.size() < problem_.fields.size()) {
      throw Error(fmt::format("{} field{} need{} as many equations, got {}", problem_.fields.size(),
                              problem_.fields.size() == 1 ? "" : "s",
                              problem_.fields.size() == 1 ? "s" : "", problem_.equation.size()),
                  place_, "a coefficient that is to be found belongs in coefficients");
    }
    for (const ProblemEquation& e : problem_.equation) {
      const std::string where = fmt::format("equation '{}'", name_of(e));
      check_names(e.form.residual(), where, false);
      const Expr roots[] = {e.form.residual()};
      if (field_atoms(roots).empty()) throw Error("it contains no field", where);
      check_weight(e.weight, where);
    }
  }

  static void check_weight(double weight, const std::string& where) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw Error(fmt::format("the weight is {}", weight), where,
                  "weights are finite and not negative");
    }
  }

  void check_sizes() const {
    for (const auto& [name, size] : problem_.sizes) {
      known(fields_, "field", Field(name), place_);
      if (!(size > 0) || !std::isfinite(size)) {
        throw Error(fmt::format("the size of field '{}' is {}", name, size), place_,
                    "sizes are positive and finite");
      }
    }
  }

  void check_unknowns() const {
    for (const Unknown& u : problem_.unknowns) {
      const std::string where = fmt::format("unknown '{}'", u.name);
      const double low = u.lower.value_or(-INFINITY), high = u.upper.value_or(INFINITY);
      if (!(low < high)) throw Error(fmt::format("bounds are [{}, {}]", low, high), where);
      if (!(u.initial > low && u.initial < high)) {
        throw Error(fmt::format("the initial value {} is not between its bounds {} and {}",
                                u.initial, low, high),
                    where, "start strictly inside");
      }
    }
  }

  void check_condition(const Condition& c) const {
    const std::string where = fmt::format("condition '{}'", name_of(c));
    check_weight(c.weight, where);
    if (c.kind == Condition::Kind::periodic) {
      const bool space = domain_.space() != nullptr && c.coordinate != time_name() &&
                         coordinates_.contains(c.coordinate);
      if (!space) {
        throw Error(fmt::format("'{}' is not a coordinate of space", c.coordinate), where);
      }
      const Bounds& box = domain_.shape(middle()).get()->bounds();
      double volume = 1;
      for (std::size_t i = 0; i < box.lower.size(); ++i) volume *= box.upper[i] - box.lower[i];
      if (!(std::abs(domain_.shape(middle())->measure() - volume) <= 1e-12 * volume)) {
        throw Error("only boxes can be periodic", where);
      }
      return;
    }
    check_names(c.form.residual(), where, true);
    if (c.kind == Condition::Kind::point) return check_point(c, where);
    if (c.kind == Condition::Kind::integral && c.where == "domain") return;
    // One point may lie on a line that is no part of a boundary; several do not.
    (void)condition_points(problem_, c, 8);
  }

  void check_point(const Condition& c, const std::string& where) const {
    std::set<std::string> given;
    for (const auto& [name, value] : c.point) {
      known(coordinates_, "coordinate", Coordinate(name), where);
      given.insert(name);
    }
    for (const std::string& name : problem_.coordinates()) {
      if (!given.contains(name)) {
        throw Error(fmt::format("the point has no value of '{}'", name), where);
      }
    }
  }

  std::string time_name() const {
    return domain_.time() == nullptr ? std::string() : domain_.time()->name;
  }
  std::vector<double> middle() const {
    std::vector<double> values;
    for (const Range& r : domain_.ranges()) values.push_back((r.lower + r.upper) / 2);
    return values;
  }

  /// Two values of one field on the same part of the boundary.
  void check_contradictions() const {
    std::map<std::string, std::vector<std::pair<const Condition*, Expr>>> earlier;  // by field
    for (const Condition& c : problem_.condition) {
      const auto form = dirichlet_form(c.form);
      if (c.kind != Condition::Kind::general || !form) continue;
      auto& others = earlier[form->field];
      for (const auto& [other, value] : others) check_pair(*other, c, value, form->value);
      others.emplace_back(&c, form->value);
    }
  }

  void check_pair(const Condition& first, const Condition& second, const Expr& g,
                  const Expr& h) const {
    if (same(g, h)) return;
    const ConditionPlace p = place_of(problem_, first), q = place_of(problem_, second);
    if (p.kind != q.kind) return;
    Condition both = first;
    if (p.kind == ConditionPlace::Kind::slice) {
      if (p.time != q.time) return;
    } else {
      both.where = fmt::format("({}) and ({})", p.boundary, q.boundary);
    }
    Points points;
    try {
      points = condition_points(problem_, both, 16);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::not_found) throw;
      return;  // they have no part in common
    }
    Values values;
    for (const auto& [name, value] : problem_.values()) values.set(Parameter(name), value);
    std::size_t differ = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t k = 0; k < points.columns.size(); ++k) {
        values.set(Coordinate(points.columns[k]), points.row(i)[k]);
        values.set(Parameter(points.columns[k]), points.row(i)[k]);
      }
      try {
        const double a = evaluate(g, values), b = evaluate(h, values);
        if (std::abs(a - b) > 1e-9 * (1 + std::abs(a))) ++differ;
      } catch (const Error& e) {
        if (e.kind() != ErrorKind::not_found) throw;
        return;  // values that are not known before the solution
      }
    }
    if (2 * differ > points.size()) {
      throw Error(fmt::format("it contradicts condition '{}'", name_of(first)),
                  fmt::format("condition '{}'", name_of(second)),
                  "one point cannot have two values; say where each holds");
    }
  }

  void check_observation(const Observation& o) const {
    const std::string where = fmt::format("observation '{}'", o.name);
    check_weight(o.weight, where);
    check_names(o.quantity, where, false);
    const Expr roots[] = {o.quantity};
    if (field_atoms(roots).empty()) throw Error("it observes no field", where);
    if (o.table.rows() == 0) throw Error("it has no rows", where);
    (void)o.table.column(o.column);
    check_rows(o.table, where);
  }

  /// Rows with coordinates inside the closed domain.
  void check_rows(const Table& table, const std::string& where) const {
    std::vector<std::vector<double>> columns;
    for (const std::string& name : problem_.coordinates()) columns.push_back(table.column(name));
    const std::size_t first = domain_.space_column();
    const std::size_t d = domain_.space() != nullptr ? domain_.space()->dimension() : 0;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      if (const Time* t = domain_.time()) {
        const double v = columns[0][r], slack = 1e-9 * (t->upper - t->lower);
        if (!(v >= t->lower - slack && v <= t->upper + slack)) {
          throw Error(fmt::format("row {}: {} = {} is outside of [{}, {}]", r + 1, t->name, v,
                                  t->lower, t->upper),
                      where);
        }
      }
      if (d == 0) continue;
      std::vector<double> x, ranges;
      for (std::size_t k = 0; k < d; ++k) x.push_back(columns[first + k][r]);
      for (std::size_t k = first + d; k < columns.size(); ++k) ranges.push_back(columns[k][r]);
      const ShapePtr shape = domain_.shape(ranges);
      double size = 0;
      for (std::size_t k = 0; k < d; ++k) {
        size = std::max(size, shape->bounds().upper[k] - shape->bounds().lower[k]);
      }
      if (!(shape->distance(x.data()) >= -1e-9 * size)) {
        throw Error(fmt::format("row {}: the point ({}) is outside of the domain", r + 1,
                                fmt::join(x, ", ")),
                    where);
      }
    }
  }

  void check_reference() const {
    const Reference& r = problem_.reference;
    const std::string where = "reference";
    if (!r.exact.empty()) {
      const ExactSolution& exact = exact_solution(r.exact);
      for (const std::string& field : exact.fields) {
        if (!fields_.contains(field)) {
          throw Error(
              fmt::format("exact solution '{}' is one of fields ({}), this problem has ({})",
                          r.exact, fmt::join(exact.fields, ", "), fmt::join(problem_.fields, ", ")),
              where);
        }
      }
      for (const std::string& name : exact.coordinates) {
        if (!coordinates_.contains(name)) {
          throw Error(fmt::format("exact solution '{}' needs coordinate '{}'", r.exact, name),
                      where);
        }
      }
    }
    if (r.code) {
      for (const std::string& field : r.code->fields) known(fields_, "field", Field(field), where);
      if (!r.code->evaluate) throw Error("another method is named but has no code", where);
    }
    for (const auto& [field, formula] : r.formulas) {
      known(fields_, "field", Field(field), where);
      check_names(formula, where, false);
    }
  }

  const Problem& problem_;
  std::string place_;
  Domain domain_;
  std::set<std::string> fields_, coordinates_, parameters_, functions_, symbols_;
};

}  // namespace

void check(const Problem& problem) { Checker(problem).run(); }

}  // namespace cauchy
