#pragma once

#include <cauchy/cauchy.hpp>

namespace cauchy::notes {

/// u_t = D^2 u_xx on [-1, 1], u = cos(pi x / 2) at the start, 0 at the ends; D = 1/2.
inline Problem heat_lab() {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem p;
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.fields = {"u"};
  p.equation = {d(u, t) == 0.25 * d(u, x, x)};
  p.condition = {at(t == 0, u == cos(pi * x / 2)), on_boundary(u == 0)};
  p.reference.formulas["u"] = exp(-pi * pi / 16 * t) * cos(pi * x / 2);
  return p;
}

/// u_t + (u^2 / 2)_x = nu u_xx on [-1, 1], u = -sin(pi x) at the start, 0 at the ends.
inline Problem burgers_lab() {
  const Coordinate t("t"), x("x");
  const Field u("u");
  const Parameter nu("nu");
  Problem p;
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.fields = {"u"};
  p.parameters = {{"nu", 0.01 / pi}};
  p.equation = {d(u, t) + d(u * u / 2, x) == nu * d(u, x, x)};
  p.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};
  p.reference.exact = "burgers_cole_hopf";
  return p;
}

/// Errors and losses of a run against its steps.
struct LabHistory {
  std::vector<double> steps, loss, error_steps, error;
  explicit LabHistory(const Solution& s) {
    for (const HistoryEntry& h : s.training->history) {
      steps.push_back(double(h.step));
      loss.push_back(h.loss);
      if (h.error > 0) {
        error_steps.push_back(double(h.step));
        error.push_back(h.error);
      }
    }
  }
};

/// Values of a field u(t, x) on n x n points of [0, 1] x [-1, 1].
inline Matrix lab_map(const Solution& s, const Expr& what, std::size_t n) {
  std::vector<double> rows;
  for (std::size_t k = 0; k < n * n; ++k) {
    rows.insert(rows.end(),
                {double(k / n) / double(n - 1), -1 + 2 * double(k % n) / double(n - 1)});
  }
  const std::vector<double> values = s(what, rows);
  Matrix map(n, n);
  for (std::size_t k = 0; k < n * n; ++k) map.data()[k] = values[k];
  return map;
}

}  // namespace cauchy::notes
