#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/data/data_set.hpp>
#include <cauchy/data/operator_problem.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/operators/learn.hpp>

namespace cauchy {

/// n nodes on the circle [0, 1).
inline FieldGrid circle(int n) { return {.axes = {{"x", n, 0, 1, true}}}; }

/// A trigonometric polynomial with random coefficients, |k| <= modes.
struct TrigonometricSample {
  std::vector<double> cosine, sine;

  TrigonometricSample(int modes, std::uint64_t seed, std::uint64_t number)
      : cosine(static_cast<std::size_t>(modes) + 1), sine(cosine.size()) {
    Rng rng(seed, number);
    for (double& c : cosine) c = rng.normal();
    for (double& s : sine) s = rng.normal();
  }
  /// At x after heat has flowed for time t with this conductivity.
  [[nodiscard]] double at(double x, double conductivity = 0, double t = 0) const {
    double sum = 0;
    for (std::size_t k = 0; k < cosine.size(); ++k) {
      const double w = 2 * std::numbers::pi * static_cast<double>(k);
      sum += std::exp(-conductivity * w * w * t) *
             (cosine[k] * std::cos(w * x) + sine[k] * std::sin(w * x));
    }
    return sum;
  }
};

/// u_t = 0.02 u_xx on the circle from random u(0): outputs at these times, or at t = 1 alone under
/// the name "u".
inline DataSet heat_data(int n, std::size_t samples, std::vector<double> times = {},
                         int modes = 4) {
  DataSet d;
  d.name = "heat";
  d.grid = circle(n);
  d.inputs = {"f"};
  const bool end = times.empty();
  if (end) times = {1};
  for (const double t : times) {
    d.outputs.push_back(end ? "u" : "u(t=" + std::to_string(t) + ")");
  }
  for (std::size_t s = 0; s < samples; ++s) {
    const TrigonometricSample f(modes, 7, s);
    for (int i = 0; i < n; ++i) d.in.push_back(f.at(d.grid.axes[0].node(i)));
    for (const double t : times) {
      for (int i = 0; i < n; ++i) d.out.push_back(f.at(d.grid.axes[0].node(i), 0.02, t));
    }
  }
  return d;
}

/// The problem that such data belong to; it is not solved.
inline OperatorProblem heat_problem(std::size_t train, std::size_t validation, std::size_t test) {
  OperatorProblem p;
  p.problem.name = "heat";
  p.problem.fields = {"u"};
  p.outputs = {"u"};
  p.samples = train;
  p.validation = validation;
  p.test = test;
  return p;
}

/// Small enough for a test, linear: one Fourier layer without activation.
inline FieldOperator small_operator() {
  FieldOperator m;
  Fno network;
  network.width = 4;
  network.depth = 1;
  network.modes = {6};
  network.projection = 0;
  network.coordinates = false;
  network.padding = 0;
  m.network = network;
  m.batch = 4;
  m.epochs = 5;
  m.precision = Precision::f64;
  return m;
}

}  // namespace cauchy
