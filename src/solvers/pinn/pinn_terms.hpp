#pragma once

#include <functional>
#include <string>
#include <vector>

#include <cauchy/engine/executor.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/solvers/pinn.hpp>

#include "solvers/pinn/pinn_graph.hpp"

namespace cauchy::detail {

/// One part of the loss: what the engine evaluates, and where its points come from.
struct PinnTerm {
  Term term;            ///< residuals in units of their size
  std::size_t n = 0;    ///< points asked for
  bool redrawn = true;  ///< points come from a sampler; false: given by observations or points
  double size = 1;      ///< of the first residual
  std::function<Points(std::size_t n, const SamplerOptions&)> draw;
  std::vector<double> observed = {};  ///< per point, for the symbol `observed`
};

/// The integral of an expression at one or several times equals a number.
struct PinnIntegral {
  std::string name;
  Expr integrand;
  Points points;  ///< with weights; rows of one time stand together
  std::size_t n_times = 1;
  std::vector<double> targets;  ///< per time
  double weight = 1;
};

struct PinnLoss {
  std::vector<PinnTerm> terms;
  std::vector<PinnIntegral> integrals;
};

/// The symbol that stands for the observed value in an observation's residual.
[[nodiscard]] Symbol observed_symbol();

/// All terms of the loss of a problem: equations, conditions that are not built in, observations.
[[nodiscard]] PinnLoss make_loss(const Problem& problem, const Pinn& method, const Lowering& lower,
                                 const Sizes& sizes);

/// Numbers for the data of a term at its points, row-major n x Term::data.
[[nodiscard]] std::vector<double> point_data(const Problem& problem, const PinnTerm& term,
                                             const Points& points);

}  // namespace cauchy::detail
