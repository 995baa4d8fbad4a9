#pragma once

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/problem.hpp>

// Problems that are solved in no time, for tests of whatever stands around the solving.

namespace cauchy {

/// -u'' = source on (0, 1), u = 0 at the ends.
inline Problem rod(const Expr& source) {
  const Coordinate x("x");
  const Field u("u");
  Problem p;
  p.name = "rod";
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {-d(u, x, x) == source};
  p.condition = {on_boundary(u == 0)};
  return p;
}

/// u_t = u_xx / 4 on a bar, with its solution.
inline Problem heated_bar() {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem p;
  p.name = "heat";
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.equation = {d(u, t) == 0.25 * d(u, x, x)};
  p.condition = {at(t == 0, u == cos(pi * x / 2)), on_boundary(u == 0)};
  p.reference.formulas["u"] = exp(-pi * pi / 16 * t) * cos(pi * x / 2);
  return p;
}

}  // namespace cauchy
