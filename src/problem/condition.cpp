#include <cauchy/problem/condition.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>

#include "problem/surface.hpp"

namespace cauchy {

Condition at(const Equation& time, const Equation& form) {
  if (time.left.kind() != Kind::coordinate || std::isnan(time.right.value())) {
    throw Error(fmt::format("'{}' does not name a time", to_string(time)), "[problem.condition]",
                "write at(t == 0, ...)");
  }
  Condition c;
  c.where = to_string(time);
  c.form = form;
  return c;
}

Condition on(std::string_view where, const Equation& form) {
  Condition c;
  c.where = where;
  c.form = form;
  if (detail::holds_jump(form.residual())) c.kind = Condition::Kind::interface;
  return c;
}

Expr jump(const Expr& e) { return DataFunction(detail::jump_name)(e); }

Condition on_boundary(const Equation& form) { return on("boundary", form); }

Condition periodic(const Coordinate& coordinate, int order) {
  Condition c;
  c.kind = Condition::Kind::periodic;
  c.coordinate = coordinate.name();
  c.order = order;
  return c;
}

Condition at_point(std::vector<std::pair<std::string, double>> point, const Equation& form) {
  Condition c;
  c.kind = Condition::Kind::point;
  c.point = std::move(point);
  c.form = form;
  return c;
}

Condition integral(const Equation& form, std::string_view where) {
  Condition c;
  c.kind = Condition::Kind::integral;
  c.where = where;
  c.form = form;
  return c;
}

Condition hard(Condition condition) {
  condition.hard = true;
  return condition;
}

Condition weighted(const Expr& weight, Condition condition) {
  condition.weight = weight;
  return condition;
}

Symbol normal_component(std::string_view coordinate) {
  return Symbol(fmt::format("n_{}", coordinate));
}

Expr normal_derivative(const Expr& field, std::initializer_list<std::string_view> space) {
  return normal_derivative(field, std::vector<std::string>(space.begin(), space.end()));
}

Expr normal_derivative(const Expr& field, std::span<const std::string> space) {
  std::vector<Expr> terms;
  for (const std::string& name : space) {
    terms.push_back(normal_component(name) * d(field, Coordinate(name)));
  }
  return sum(std::move(terms));
}

}  // namespace cauchy
