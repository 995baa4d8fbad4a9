#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "solvers/fdm/flow.hpp"

// Incompressible flows with known solutions, for tests of the staggered grid.

namespace cauchy {

/// Steady flow with the stream function psi and pressure p on a rectangle, its force on the right
/// side, its velocity at the walls. Unusual names, momentum in flux form with the wrong sign.
inline Problem steady_case(const Expr& psi, const Expr& pressure, double viscosity) {
  const Coordinate a("a"), b("b");
  const Field w("w"), q("q"), h("h");
  const Expr along = d(psi, b), across = -d(psi, a);
  const auto force = [&](const Expr& u, const Coordinate& x) {
    return along * d(u, a) + across * d(u, b) + 2 * d(pressure, x) -
           viscosity * (d(u, a, a) + d(u, b, b));
  };
  Problem p;
  p.name = "flow";
  p.fields = {"h", "q", "w"};
  p.domain = Rectangle({0.1, -0.4}, {1.1, 0.4}).in({a, b});
  p.equation = {3 * d(w, a) + 3 * d(q, b) == 0,
                viscosity * (d(q, a, a) + d(q, b, b)) - d(w * q, a) - d(q * q, b) - 2 * d(h, b) ==
                    -force(across, b),
                d(w * w, a) + d(w * q, b) + 2 * d(h, a) - viscosity * (d(w, a, a) + d(w, b, b)) ==
                    force(along, a)};
  p.condition = {on_boundary(w == along), on_boundary(q == across),
                 at_point({{"a", 0.5}, {"b", 0.1}},
                          h == evaluate(pressure, Values().set(a, 0.5).set(b, 0.1)))};
  p.reference.formulas = {{"w", along}, {"q", across}, {"h", pressure}};
  return p;
}

/// The decaying vortices of Taylor and Green: in their period, or in a part of it with the velocity
/// given at the walls.
inline Problem vortices(double viscosity, bool periodic_box) {
  const Coordinate t("t"), x("x"), y("y");
  const Field u("u"), v("v"), p("p");
  const Expr decay = exp(-2 * viscosity * t);
  const Expr eu = -cos(x) * sin(y) * decay, ev = sin(x) * cos(y) * decay,
             ep = -(cos(2 * x) + cos(2 * y)) / 4 * decay * decay;
  Problem problem;
  problem.name = "vortices";
  problem.fields = {"u", "v", "p"};
  problem.domain = Rectangle({0, 0}, {2 * pi, 2 * pi}) * Time(t, 0, 0.5);
  problem.equation = {
      d(u, t) + u * d(u, x) + v * d(u, y) + d(p, x) == viscosity * (d(u, x, x) + d(u, y, y)),
      d(v, t) + u * d(v, x) + v * d(v, y) + d(p, y) == viscosity * (d(v, x, x) + d(v, y, y)),
      d(u, x) + d(v, y) == 0};
  problem.condition = {at(t == 0, u == -cos(x) * sin(y)), at(t == 0, v == sin(x) * cos(y))};
  problem.reference.formulas = {{"u", eu}, {"v", ev}, {"p", ep}};
  if (periodic_box) {
    problem.condition.push_back(periodic(x));
    problem.condition.push_back(periodic(y));
    problem.condition.push_back(integral(p == 0));
  } else {
    problem.domain = Rectangle({0.3, 0.2}, {1.8, 1.7}) * Time(t, 0, 0.5);
    problem.condition.push_back(on_boundary(u == eu));
    problem.condition.push_back(on_boundary(v == ev));
    // The pressure vanishes there at all times.
    problem.condition.push_back(at_point({{"t", 0}, {"x", pi / 4}, {"y", pi / 4}}, p == 0));
  }
  return problem;
}

struct FlowErrors {
  double velocity = 0, pressure = 0;  ///< relative L2
  detail::ClassicalAnswer answer;
};

/// Errors against the formulas of the problem, of which the last field by name need not be the
/// pressure: `pressure` names it.
inline FlowErrors flow_errors(const Problem& problem, const std::string& pressure, int n,
                              int order = 2) {
  const auto shared = std::make_shared<const Problem>(problem);
  Fdm method;
  method.n = n;
  method.order = order;
  FlowErrors errors;
  const auto solver = detail::make_flow_solver(shared, method);
  if (!solver) {
    ADD_FAILURE() << "not taken for flow";
    return errors;
  }
  errors.answer = solver->solve(0, {});
  EXPECT_TRUE(errors.answer.troubles.empty()) << errors.answer.troubles.front();
  if (!errors.answer.model) {
    ADD_FAILURE() << "no answer";
    return errors;
  }
  const Points points = interior_points(domain_of(problem), 400);
  for (const auto& [field, formula] : problem.reference.formulas) {
    const std::vector<Expr> wanted = {Field(field)};
    std::vector<double> values(points.size());
    errors.answer.model->evaluate(wanted, points.values, values);
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      Values at;
      for (std::size_t k = 0; k < points.columns.size(); ++k) {
        at.set(Coordinate(points.columns[k]), points.row(i)[k]);
      }
      const double exact = evaluate(formula, at);
      difference += (values[i] - exact) * (values[i] - exact);
      size += exact * exact;
    }
    double& error = field == pressure ? errors.pressure : errors.velocity;
    const double relative = std::sqrt(difference / size);
    if (!(relative <= error)) error = relative;
  }
  return errors;
}

}  // namespace cauchy
