#pragma once

#include <cmath>
#include <vector>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/solvers/method.hpp>

// Problems on periodic boxes, most of them with a solution in closed form.

namespace cauchy {

/// u on one periodic interval, without equation.
inline Problem periodic_interval(const Expr& lower, const Expr& upper, double end) {
  const Coordinate t("t"), x("x");
  Problem p;
  p.name = "periodic";
  p.fields = {"u"};
  p.domain = Interval(x, lower, upper) * Time(t, 0, end);
  p.condition = {periodic(x)};
  return p;
}

/// u_t + u u_x = nu u_xx.
inline Problem periodic_burgers(double nu, double end) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem p = periodic_interval(0, 2 * pi, end);
  p.equation = {d(u, t) + u * d(u, x) == nu * d(u, x, x)};
  p.condition.push_back(at(t == 0, u == 1 + sin(x)));
  return p;
}

/// The soliton of Korteweg and de Vries on an interval that holds it.
inline Problem periodic_kdv() {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem p = periodic_interval(-20, 20, 1);
  const Expr soliton = pow(cosh((x - 4 * t) / 1.0), -2) * 2;
  p.equation = {d(u, t) + 6 * u * d(u, x) + d_n(u, x, 3) == 0};
  p.condition.push_back(at(t == 0, u == soliton));
  p.reference.formulas["u"] = soliton;
  return p;
}

/// i h_t + h_xx/2 + |h|^2 h = 0 with h = u + i v: a soliton that moves with speed c.
inline Problem periodic_schroedinger(double c, double end) {
  const Coordinate t("t"), x("x");
  const Field u("u"), v("v");
  Problem p = periodic_interval(-15, 15, end);
  p.fields = {"u", "v"};
  const Expr shape = 1.5 / cosh(1.5 * (x - c * t)), phase = c * x + (1.5 * 1.5 - c * c) / 2 * t;
  p.equation = {d(u, t) + d(v, x, x) / 2 + (u * u + v * v) * v == 0,
                d(v, t) - d(u, x, x) / 2 - (u * u + v * v) * u == 0};
  p.condition.push_back(at(t == 0, u == shape * cos(phase)));
  p.condition.push_back(at(t == 0, v == shape * sin(phase)));
  p.reference.formulas = {{"u", shape * cos(phase)}, {"v", shape * sin(phase)}};
  return p;
}

/// Vorticity w and stream function p: u = p_y, v = -p_x.
inline Problem periodic_vorticity(double nu, double end, const Expr& initial) {
  const Coordinate t("t"), x("x"), y("y");
  const Field w("w"), p("p");
  Problem out;
  out.name = "vorticity";
  out.fields = {"w", "p"};
  out.domain = Rectangle({0, 0}, {2 * pi, 2 * pi}) * Time(t, 0, end);
  out.equation = {d(w, t) + d(p, y) * d(w, x) - d(p, x) * d(w, y) == nu * (d(w, x, x) + d(w, y, y)),
                  d(p, x, x) + d(p, y, y) == -w};
  out.condition = {periodic(x), periodic(y), at(t == 0, w == initial)};
  return out;
}

/// Velocity u, v and pressure p.
inline Problem periodic_flow(double nu, double end, const Expr& u0, const Expr& v0) {
  const Coordinate t("t"), x("x"), y("y");
  const Field u("u"), v("v"), p("p");
  Problem out;
  out.name = "flow";
  out.fields = {"u", "v", "p"};
  out.domain = Rectangle({0, 0}, {2 * pi, 2 * pi}) * Time(t, 0, end);
  out.equation = {d(u, t) + u * d(u, x) + v * d(u, y) + d(p, x) == nu * (d(u, x, x) + d(u, y, y)),
                  d(v, t) + u * d(v, x) + v * d(v, y) + d(p, y) == nu * (d(v, x, x) + d(v, y, y)),
                  d(u, x) + d(v, y) == 0};
  out.condition = {periodic(x), periodic(y), at(t == 0, u == u0), at(t == 0, v == v0)};
  return out;
}

/// Relative root mean square difference.
inline double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / size);
}

/// Rows of points: a time and nodes of an equally spaced grid with m points per direction.
inline std::vector<double> rows_at(double time, int dimension, int m, double lower, double length) {
  std::vector<double> rows;
  for (int i = 0; i < static_cast<int>(std::lround(std::pow(m, dimension))); ++i) {
    rows.push_back(time);
    for (int k = 0, rest = i; k < dimension; ++k, rest /= m) {
      rows.push_back(lower + length * (rest % m) / m);
    }
  }
  return rows;
}

}  // namespace cauchy
