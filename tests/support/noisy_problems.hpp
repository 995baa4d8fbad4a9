#pragma once

#include <cmath>
#include <cstdint>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/solvers/pinn.hpp>

// Inverse problems with noise that are solved in no time, and settings for them.

namespace cauchy::noisy {

/// u' = -k u, u(0) = 1 on (0, 2), k = 1.3 from n values with noise.
inline Problem decay(std::uint64_t seed, std::size_t n = 40, double sigma = 0.05) {
  const Coordinate t("t");
  const Field u("u");
  Problem p;
  p.name = "decay";
  p.fields = {"u"};
  p.domain = Time(t, 0, 2);
  p.unknowns = {{.name = "k", .initial = 0.7, .lower = 0.0, .truth = 1.3}};
  p.equation = {d(u, t) == -Parameter("k") * u};
  p.condition = {at(t == 0, u == 1)};
  Observation o{.name = "data", .quantity = u, .column = "m"};
  o.table.columns = {"t", "m"};
  Rng rng(seed);
  for (std::size_t i = 0; i < n; ++i) {
    const double at = 2 * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    o.table.values.insert(o.table.values.end(), {at, std::exp(-1.3 * at) + sigma * rng.normal()});
  }
  o.sigma = sigma;
  p.observation = {std::move(o)};
  p.tolerance = 0.2;
  return p;
}

/// u_t = D^2 u_xx on (-1, 1), u = 0 at the ends, D = 0.5 from n values; nothing is known of the
/// start.
inline Problem heat(std::uint64_t seed, std::size_t n = 80, double sigma = 0.02) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  const Expr D = Parameter("D");
  Problem p;
  p.name = "heat";
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.unknowns = {{.name = "D", .initial = 0.8, .lower = 0.0, .truth = 0.5}};
  p.equation = {d(u, t) == D * D * d(u, x, x)};
  p.condition = {on_boundary(u == 0)};
  Observation o{.name = "data", .quantity = u, .column = "m"};
  o.table.columns = {"t", "x", "m"};
  Rng rng(seed);
  for (std::size_t i = 0; i < n; ++i) {
    const double at = rng.uniform(), where = rng.uniform(-1, 1);
    const double exact = std::exp(-pi * pi / 16 * at) * std::cos(pi * where / 2);
    o.table.values.insert(o.table.values.end(), {at, where, exact + sigma * rng.normal()});
  }
  o.sigma = sigma;
  p.observation = {std::move(o)};
  p.tolerance = 0.2;
  return p;
}

inline Pinn settings(std::uint64_t seed, int width = 8) {
  Pinn m;
  m.network = Mlp{.width = width, .depth = 2};
  m.points = {.interior = 200, .boundary = 40, .initial = 40};
  m.stages = {{LevenbergMarquardtOptions{}, 100}};
  m.seed = seed;
  return m;
}

}  // namespace cauchy::noisy
