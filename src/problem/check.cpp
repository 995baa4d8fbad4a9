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

#include "problem/check_values.hpp"
#include "problem/point_data.hpp"
#include "problem/scattered_reference.hpp"
#include "problem/surface.hpp"

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
    detail::check_values(problem_);
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
      if (detail::is_jump(e)) {
        throw Error("a jump has a meaning on a surface inside the domain only", where,
                    "where = \"x = 0.5\"");
      }
      if (e.kind() == Kind::call) known(functions_, "function", e, where);
      if (e.kind() == Kind::symbol) {
        known(symbols_, "name", e, where);
        if (!normals) {
          throw Error(fmt::format("'{}' is only known on the boundary", e.name()), where,
                      "use it in conditions on the boundary");
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
      if (field_atoms(roots).empty()) {
        throw Error("it contains no field", where,
                    fmt::format("write an equation for {}", fmt::join(problem_.fields, ", ")));
      }
      check_weight(e.weight, where);
    }
  }

  /// A weight is known before the solution; its values are looked at with those of the forms.
  void check_weight(const Expr& weight, const std::string& where, bool of_integral = false) const {
    if (weight.is_constant()) return check_weight(weight.value(), where);
    const std::string place = "weight of " + where;
    check_names(weight, place, true);
    const Expr roots[] = {weight};
    for (const Expr& e : postorder(roots)) {
      const bool found =
          e.kind() == Kind::field || e.kind() == Kind::symbol ||
          std::ranges::find(problem_.unknowns, e.name(), &Unknown::name) != problem_.unknowns.end();
      const bool spatial = of_integral && e.kind() == Kind::coordinate && e.name() != time_name();
      if (!found && !spatial) continue;
      throw Error(fmt::format("it depends on '{}'", to_string(e)), place,
                  spatial ? "an integral has one value per time: write it with time and parameters"
                          : "write it with coordinates, parameters and tables");
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
      if (!(low < high)) {
        throw Error(fmt::format("bounds are [{}, {}]", low, high), where,
                    "lower must be below upper");
      }
      if (!(u.initial > low && u.initial < high)) {
        throw Error(fmt::format("the initial value {} is not between its bounds {} and {}",
                                u.initial, low, high),
                    where, "start strictly inside");
      }
    }
  }

  void check_condition(const Condition& c) const {
    const std::string where = fmt::format("condition '{}'", name_of(c));
    check_weight(c.weight, where, c.kind == Condition::Kind::integral);
    if (c.kind == Condition::Kind::periodic) {
      const bool space = domain_.space() != nullptr && c.coordinate != time_name() &&
                         coordinates_.contains(c.coordinate);
      if (!space) {
        throw Error(
            fmt::format("'{}' is not a coordinate of space", c.coordinate), where,
            domain_.space() == nullptr
                ? std::string("this problem has no space")
                : fmt::format("they are: {}", fmt::join(domain_.space()->coordinates(), ", ")));
      }
      const ShapePtr shape = domain_.shape(middle());
      const Bounds& box = shape->bounds();
      double volume = 1;
      for (std::size_t i = 0; i < box.lower.size(); ++i) volume *= box.upper[i] - box.lower[i];
      if (!(std::abs(shape->measure() - volume) <= 1e-12 * volume)) {
        throw Error("only boxes can be periodic", where,
                    "give space by intervals: space = { x = [0, 1] }");
      }
      return;
    }
    if (c.kind == Condition::Kind::interface) return check_interface(c, where);
    check_names(c.form.residual(), where, true);
    const Expr sides[] = {c.form.left, c.form.right};
    const Expr left[] = {c.form.left};
    const bool integral = c.kind == Condition::Kind::integral;
    if (field_atoms(sides).empty()) {
      throw Error("it contains no field", where,
                  fmt::format("write what it says about {}", fmt::join(problem_.fields, ", ")));
    }
    if (integral && field_atoms(left).empty()) {
      throw Error("the left side contains no field", where,
                  "the integral of the left side is the right side");
    }
    if (c.kind == Condition::Kind::point) return check_point(c, where);
    if (integral && c.where == "domain") return;
    if (integral && domain_.time() != nullptr &&
        place_of(problem_, c).kind == ConditionPlace::Kind::boundary &&
        Boundary(domain_, c.where).depends_on(domain_.time()->name)) {
      throw Error("the part of the boundary of an integral cannot change with time", where,
                  fmt::format("leave '{}' out of it", domain_.time()->name));
    }
    // One point may lie on a line that is no part of a boundary; several do not.
    (void)condition_points(problem_, c, 8);
  }

  /// Fields stand in jumps, once, and the form is linear in the jumps.
  void check_interface(const Condition& c, const std::string& where) const {
    std::vector<Replacement> fields;
    const Expr roots[] = {c.form.residual()};
    for (const Expr& e : atoms(roots, Kind::call)) {
      if (!detail::is_jump(e)) continue;
      if (detail::holds_jump(e.args()[0])) throw Error("a jump stands in a jump", where);
      check_names(e.args()[0], where, true);
      fields.push_back({e, Field(fmt::format("~jump{}", fields.size()))});
    }
    const Expr outside = substitute(c.form.residual(), fields);
    const Expr outer[] = {outside};
    for (const Expr& e : field_atoms(outer)) {
      if (e.name().starts_with("~jump")) continue;
      throw Error(fmt::format("'{}' has two values on the surface", to_string(e)), where,
                  fmt::format("write jump({})", to_string(e)));
    }
    if (fields.empty() || !is_linear(outside)) {
      throw Error(fields.empty() ? "it holds no jump" : "it is not linear in the jumps", where,
                  "write jump(u) = 0, or jump(a*u_n) = g");
    }
    if (c.hard) throw Error("it cannot be hard", where, "leave it in the loss: hard = false");
    (void)condition_points(problem_, c, 8);
  }

  void check_point(const Condition& c, const std::string& where) const {
    std::set<std::string> given;
    for (const auto& [name, value] : c.point) {
      known(coordinates_, "coordinate", Coordinate(name), where);
      given.insert(name);
    }
    std::vector<double> row;
    for (const std::string& name : problem_.coordinates()) {
      if (!given.contains(name)) {
        throw Error(fmt::format("the point has no value of '{}'", name), where,
                    "give every coordinate a number");
      }
      for (const auto& [coordinate, value] : c.point) {
        if (coordinate == name) row.push_back(value);
      }
    }
    const std::string reason = outside(row);
    if (!reason.empty()) throw Error(reason, where, "move it into the domain or onto its boundary");
  }

  /// Why a row of coordinates is not in the closed domain; empty when it is.
  std::string outside(std::span<const double> row) const {
    const auto leaves = [](const auto& axis, double v) {
      const double slack = 1e-9 * (axis.upper - axis.lower);
      const bool inside = v >= axis.lower - slack && v <= axis.upper + slack;
      return inside ? std::string()
                    : fmt::format("{} = {} is outside of [{}, {}]", axis.name, v, axis.lower,
                                  axis.upper);
    };
    std::string reason = domain_.time() != nullptr ? leaves(*domain_.time(), row[0]) : "";
    if (domain_.space() == nullptr) return reason;
    const std::size_t d = domain_.space()->dimension();
    const auto x = row.subspan(domain_.space_column(), d);
    const auto ranges = row.subspan(domain_.space_column() + d);
    for (std::size_t k = 0; k < ranges.size() && reason.empty(); ++k) {
      reason = leaves(domain_.ranges()[k], ranges[k]);
    }
    if (!reason.empty()) return reason;
    const ShapePtr shape = domain_.shape(ranges);
    double size = 0;
    for (std::size_t k = 0; k < d; ++k) {
      size = std::max(size, shape->bounds().upper[k] - shape->bounds().lower[k]);
    }
    if (shape->distance(x.data()) >= -1e-9 * size) return {};
    return fmt::format("the point ({}) is outside of the domain", fmt::join(x, ", "));
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
    if (field_atoms(roots).empty()) {
      throw Error("it observes no field", where,
                  fmt::format("fields are: {}", fmt::join(problem_.all_fields(), ", ")));
    }
    if (o.table.rows() == 0) throw Error("it has no rows", where, "give it at least one");
    const std::vector<double> values = o.table.column(o.column);
    for (std::size_t r = 0; r < values.size(); ++r) {
      if (!std::isfinite(values[r])) {
        throw Error(fmt::format("row {}: '{}' is {}", r + 1, o.column, values[r]), where,
                    "remove the row or mend it");
      }
    }
    check_noise(o, where);
    check_rows(o.table, where);
  }

  static void check_noise(const Observation& o, const std::string& where) {
    if (o.sigma && !o.sigma_column.empty()) {
      throw Error("the noise is given by a number and by a column", where, "keep one of them");
    }
    const std::vector<double> all = detail::noise_of(o);
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (all[r] > 0 && std::isfinite(all[r])) continue;
      const std::string row =
          o.sigma ? "sigma" : fmt::format("row {}: '{}'", r + 1, o.sigma_column);
      throw Error(fmt::format("{} is {}", row, all[r]), where,
                  "the noise of a value is positive; leave sigma out where it is not known");
    }
  }

  /// Rows with coordinates inside the closed domain.
  void check_rows(const Table& table, const std::string& where) const {
    std::vector<std::vector<double>> columns;
    for (const std::string& name : problem_.coordinates()) columns.push_back(table.column(name));
    std::vector<double> row(columns.size());
    for (std::size_t r = 0; r < table.rows(); ++r) {
      for (std::size_t k = 0; k < columns.size(); ++k) row[k] = columns[k][r];
      const std::string reason = outside(row);
      if (!reason.empty()) {
        throw Error(fmt::format("row {}: {}", r + 1, reason), where, "remove the row or mend it");
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
              where, "rename the fields, or take another reference");
        }
      }
      for (const std::string& name : exact.coordinates) {
        if (!coordinates_.contains(name)) {
          throw Error(fmt::format("exact solution '{}' needs coordinate '{}'", r.exact, name),
                      where, "rename the coordinates, or take another reference");
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
    if (r.exact.empty() && r.formulas.empty() && !r.table.columns.empty()) {
      if (r.table.rows() == 0) throw Error("its table has no rows", where);
      if (detail::scattered_reference(problem_)) check_rows(r.table, where);
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
