#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/tensor/executor.hpp>

#include "operators/physics_residual.hpp"

namespace cauchy {

/// Functions on the frames and nodes of a grid as the answer of an operator.
struct GivenAnswer {
  FieldGrid space;
  std::vector<double> times = {};
  std::size_t given = 0;
  /// Of time and place.
  using Function = std::function<double(double t, double x, double y)>;
  std::vector<std::pair<std::string, Function>> inputs = {}, fields = {};
};

/// Mean squares of the residuals of a problem for such an answer, in the order of add_residuals.
inline std::vector<double> residuals_of(const OperatorProblem& problem, const GivenAnswer& a,
                                        const PhysicsLoss& options = {.smoothing = 0}) {
  auto graph = std::make_shared<TensorGraph>();
  detail::PhysicsPlace place{.problem = problem, .space = a.space};
  const std::vector<double> x = a.space.positions();
  const std::size_t d = a.space.axes.size(), n = a.space.n_points();
  const auto values = [&](const GivenAnswer::Function& f, std::vector<double> times) {
    std::vector<double> all;
    if (times.empty()) times = {0};
    for (const double t : times) {
      for (std::size_t i = 0; i < n; ++i) all.push_back(f(t, x[i * d], d > 1 ? x[i * d + 1] : 0));
    }
    return all;
  };
  std::vector<std::vector<double>> arrays;
  std::vector<double> in;
  for (const auto& [name, f] : a.inputs) {
    place.inputs.push_back(name);
    const std::vector<double> v = values(f, {});
    in.insert(in.end(), v.begin(), v.end());
  }
  if (!in.empty()) {
    place.in = graph->input("in", {static_cast<int>(a.inputs.size()), a.space.sizes()});
    arrays.push_back(in);
  }
  if (const Time* time = problem.problem.domain->time()) place.time = time->name;
  place.times = a.times;
  place.given = a.given;
  for (const auto& [name, f] : a.fields) {
    const std::vector<double> v = values(f, a.times);
    const std::size_t known = a.given * n;
    detail::PhysicsField field{.name = name};
    const auto frames = static_cast<int>(std::max<std::size_t>(1, a.times.size()));
    if (a.given > 0) {
      field.given = graph->input(name + "0", {static_cast<int>(a.given), a.space.sizes()});
      arrays.emplace_back(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(known));
    }
    field.answer = graph->input(name, {frames - static_cast<int>(a.given), a.space.sizes()});
    arrays.emplace_back(v.begin() + static_cast<std::ptrdiff_t>(known), v.end());
    place.fields.push_back(std::move(field));
  }
  const auto made = detail::add_residuals(*graph, place, options, detail::ResidualParts::whole);
  const auto executor =
      make_tensor_executor(graph, {}, {.threads = 1, .precision = Precision::f64});
  std::vector<std::span<const double>> spans(arrays.begin(), arrays.end());
  std::vector<double> result;
  for (const detail::PhysicsResidual& r : made) {
    std::vector<double> one(1);
    executor->predict(r.value, {}, 1, spans, one);
    result.push_back(one[0]);
  }
  return result;
}

/// -div(a grad u) = f on a square (or an interval) with u = 0 around, inputs a and f.
inline OperatorProblem darcy_operator(bool two_axes = true) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  const DataFunction a("a"), f("f");
  OperatorProblem p;
  p.problem.name = "darcy";
  p.problem.fields = {"u"};
  if (two_axes) {
    p.problem.domain = Rectangle({0, 0}, {1, 1});
    p.problem.equation = {-div(a(x, y) * grad(u, {x, y}), {x, y}) == f(x, y)};
  } else {
    p.problem.domain = Interval(x, 0, 1);
    p.problem.equation = {-div(a(x) * grad(u, {x}), {x}) == f(x)};
  }
  p.problem.condition = {on_boundary(u == 0)};
  p.inputs = {{.name = "a", .field = "grf(alpha = 2, tau = 3)"},
              {.name = "f", .field = "grf(alpha = 2, tau = 3)"}};
  p.outputs = {"u"};
  return p;
}

}  // namespace cauchy
