#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>

#include "solvers/pinn/pinn_assembly.hpp"
#include "support/message_of.hpp"
#include "support/small_problems.hpp"

// Small problems and settings for the tests of the PINN solver.

namespace cauchy::pinn_cases {

inline const Coordinate t("t"), x("x"), y("y");
inline const Field u("u"), v("v");

inline Problem heat() { return heated_bar(); }

inline Problem poisson(const Region& region) {
  Problem p;
  p.name = "poisson";
  p.fields = {"u"};
  p.domain = region;
  p.equation = {d(u, x, x) + d(u, y, y) == -1};
  p.condition = {on_boundary(u == 0)};
  return p;
}

inline Pinn small() {
  Pinn m;
  m.network = Mlp{.width = 8, .depth = 2};
  m.points = {.interior = 100, .boundary = 40, .initial = 30};
  m.stages = {{AdamOptions{}, 20}};
  return m;
}

/// The network of a problem with random parameters.
struct Untrained {
  std::shared_ptr<const Graph> graph;
  std::vector<double> theta;

  Untrained(const Problem& p, const Pinn& m)
      : graph(detail::PinnAssembly(std::make_shared<const Problem>(p), m).graph),
        theta(initial_parameters(graph->parameters(), Rng(3))) {
    Rng rng(5);
    for (double& w : theta) w += rng.normal();
  }
  std::vector<double> values(const std::vector<Expr>& what, std::span<const double> rows) const {
    HostExecutor<double> executor(graph, {});
    const std::size_t D = graph->coordinate_names().size();
    std::vector<double> out(rows.size() / D * what.size());
    executor.predict(what, theta, rows, out);
    return out;
  }
};

}  // namespace cauchy::pinn_cases
