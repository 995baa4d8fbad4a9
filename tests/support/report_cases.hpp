#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/solution.hpp>
#include <cauchy/sampling/domain_points.hpp>

// Solutions of every kind of domain, made by hand, for reports.

namespace cauchy::report_cases {

inline const Coordinate t("t"), x("x"), y("y"), z("z");
inline const Field u("u"), v("v");

/// Fields by code: no training, and every value is known.
class FormulaModel final : public FieldModel {
 public:
  std::string_view kind() const noexcept override { return "test"; }
  void save(Checkpoint&) const override {}
  using Formula = std::function<double(std::span<const double> row)>;
  FormulaModel(std::vector<std::string> columns, std::map<std::string, Formula> formulas)
      : columns_(std::move(columns)), formulas_(std::move(formulas)) {}
  void evaluate(std::span<const Expr> expressions, std::span<const double> points,
                std::span<double> out) const override {
    const std::size_t D = columns_.size(), K = expressions.size();
    for (std::size_t k = 0; k < K; ++k) {
      const Formula& formula = formulas_.at(expressions[k].name());
      std::vector<std::size_t> by;
      for (const auto& [name, order] : expressions[k].index()) {
        const auto column = std::find(columns_.begin(), columns_.end(), name) - columns_.begin();
        by.insert(by.end(), static_cast<std::size_t>(order), static_cast<std::size_t>(column));
      }
      for (std::size_t i = 0; i < points.size() / D; ++i) {
        std::vector<double> row(points.begin() + static_cast<std::ptrdiff_t>(i * D),
                                points.begin() + static_cast<std::ptrdiff_t>((i + 1) * D));
        out[i * K + k] = derivative(formula, row, by);
      }
    }
  }

 private:
  /// By central differences, good to 1e-6; the row is left as it was.
  static double derivative(const Formula& f, std::span<double> row,
                           std::span<const std::size_t> by) {
    constexpr double h = 1e-3;
    if (by.empty()) return f(row);
    double& at = row[by.back()];
    const double middle = at;
    at = middle + h;
    const double above = derivative(f, row, by.first(by.size() - 1));
    at = middle - h;
    const double below = derivative(f, row, by.first(by.size() - 1));
    at = middle;
    return (above - below) / (2 * h);
  }

  std::vector<std::string> columns_;
  std::map<std::string, Formula> formulas_;
};

/// Values of u at n points along a diagonal from 0 to 1, as if measured.
inline Observation measured(std::vector<std::string> columns, std::size_t n,
                            const FormulaModel::Formula& formula) {
  Observation o{.name = "sensor", .quantity = u, .column = "value"};
  o.table.columns = columns;
  o.table.columns.emplace_back("value");
  for (std::size_t i = 0; i < n; ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(n);
    const std::vector<double> row(columns.size(), at);
    o.table.values.insert(o.table.values.end(), row.begin(), row.end());
    o.table.values.push_back(formula(row));
  }
  return o;
}

inline Solution solution_of(Problem problem,
                            std::map<std::string, FormulaModel::Formula> formulas) {
  Solution s;
  s.problem = std::move(problem);
  s.model = std::make_shared<FormulaModel>(s.problem.coordinates(), std::move(formulas));
  s.grade = Grade::converged;
  s.findings = {"relative L2 error 1e-03 against formula, within 1e-02"};
  s.method = "by hand";
  s.training.emplace();
  s.training->steps = 1200;
  s.training->evaluations = 1300;
  s.seconds = 83;
  s.training->term_names = {"equation 1", "boundary"};
  for (int k = 0; k <= 12; ++k) {
    const double loss = std::pow(10, -0.3 * k);
    s.training->history.push_back({static_cast<std::uint64_t>(100 * k),
                                   k < 8 ? "adam" : "lbfgs",
                                   0.1 * k,
                                   loss,
                                   {0.7 * loss, 0.3 * loss},
                                   {}});
  }
  s.checks = {
      {.name = "equation 1", .scale = 4, .fresh = 2e-3, .worst = 1e-2, .trained = 1e-3},
      {.kind = TermCheck::Kind::condition, .name = "boundary", .fresh = 5e-3, .trained = 1e-4}};
  s.training->scales = {{"x", 0.5}, {"u", 1}};
  s.training->points["equation 1"] = interior_points(*s.problem.domain, 60);
  return s;
}

inline Solution heat() {
  Problem p;
  p.title = "Heated bar";
  p.domain = Interval(x, 0, 1) * Time(t, 0, 0.5);
  p.fields = {"u"};
  p.parameters = {{"alpha", Expr(0.3)}};
  p.equation = {d(u, t) == Parameter("alpha") * d(u, x, x)};
  p.condition = {at(t == 0, u == sin(pi * x)), on_boundary(u == 0)};
  p.reference.formulas["u"] = exp(-t) * sin(pi * x);
  p.tolerance = 1e-2;
  Solution s = solution_of(
      p, {{"u", [](auto r) { return 1.001 * std::exp(-r[0]) * std::sin(M_PI * r[1]); }}});
  s.error = measure_error(s, 400);
  return s;
}

inline Solution oscillator() {
  Problem p;
  p.domain = Domain(Time(t, 0, 6));
  p.fields = {"u", "v"};
  p.equation = {d(u, t) == v, d(v, t) == -u};
  p.condition = {at(t == 0, u == 1), at(t == 0, v == 0)};
  p.reference.formulas["u"] = cos(t);
  p.unknowns = {{.name = "omega", .initial = 2, .lower = 0.0, .truth = 1.0}};
  Solution s = solution_of(p, {{"u", [](auto r) { return std::cos(r[0]) + 1e-4; }},
                               {"v", [](auto r) { return -std::sin(r[0]); }}});
  for (HistoryEntry& h : s.training->history) {
    h.unknowns = {1 + h.loss};
    h.error = std::sqrt(h.loss);
  }
  s.problem.observation = {measured({"t"}, 40, [](auto r) { return std::cos(r[0]); })};
  s.unknowns["omega"] = 1.001;
  s.intervals["omega"] = {0.997, 1.005, 0.95, "Gauss-Newton matrix at the solution, noise 0.01"};
  s.training->choices = {"32 x 3 tanh, since the problem has 2 fields and 1 coordinate",
                         "2,000 points, 10 per period of the fastest scale in the data"};
  s.training->events = {{300, 0.3, "500 points more: fresh residuals were 4.1 times trained ones"},
                        {650, 0.65,
                         "the balancer 'gradnorm' made the loss infinite at step 650 "
                         "and was switched off"}};
  s.error = measure_error(s, 50);
  return s;
}

inline Solution disk() {
  Problem p;
  p.domain = Domain(Disk({0, 0}, 1) - Disk({0.3, 0}, 0.3).named("hole"));
  p.fields = {"u"};
  p.equation = {d(u, x, x) + d(u, y, y) == -4};
  p.condition = {on("arc", u == 0), on("hole", u == 1)};
  p.reference.formulas["u"] = 1 - x * x - y * y;
  Solution s =
      solution_of(p, {{"u", [](auto r) { return 1 - r[0] * r[0] - r[1] * r[1] + 1e-3 * r[0]; }}});
  s.training->points["boundary"] = boundary_points(*s.problem.domain, "boundary", 40);
  return s;
}

inline Solution moving_plane() {
  Problem p;
  p.domain = Rectangle({0, 0}, {2, 1}) * Time(t, 0, 1);
  p.fields = {"u"};
  p.equation = {d(u, t) == d(u, x, x) + d(u, y, y)};
  p.reference.formulas["u"] = sin(x + y - t);
  return solution_of(p, {{"u", [](auto r) { return std::sin(r[1] + r[2] - r[0]) + 1e-3; }}});
}

inline Solution ball() {
  Problem p;
  p.domain = Domain(Sphere({0, 0, 0}, 1));
  p.fields = {"u"};
  p.equation = {d(u, x, x) + d(u, y, y) + d(u, z, z) == 1};
  return solution_of(p, {{"u", [](auto r) { return r[0] * r[1] + r[2]; }}});
}

inline Solution decay() {
  Problem p;
  const Parameter k("k");
  p.domain = Domain(Time(t, 0, 2)) * Range(k, 0.5, 3);
  p.fields = {"u"};
  p.equation = {d(u, t) == -k * u};
  p.reference.formulas["u"] = exp(-k * t);
  return solution_of(p, {{"u", [](auto r) { return std::exp(-r[0] * r[1]); }}});
}

}  // namespace cauchy::report_cases
