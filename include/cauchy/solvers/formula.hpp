#pragma once

#include <string>
#include <vector>

#include <cauchy/networks/kan_formula.hpp>
#include <cauchy/solvers/method.hpp>

namespace cauchy {

/// A field of an answer as a formula of the coordinates.
struct FieldFormula {
  std::string field;
  Expr formula;
  double r2 = 0;                   ///< against the field at points of the domain
  std::vector<std::string> edges;  ///< for people: "1.2.1: sin, 0.99998", layer, output, input, r2
};

struct RunFormulaOptions {
  FormulaOptions formula = {};
  double prune = 1e-2;        ///< threshold of KanModel::pruned; 0: all nodes stay
  std::size_t points = 1000;  ///< of the domain, where edges are sampled
};

/// The fields of a PINN whose network is of the Kolmogorov-Arnold family: pruned, every edge
/// replaced by a function of the library, all numbers fitted to the field.
///   error    throws Error for other methods and networks, and for windows of time
[[nodiscard]] std::vector<FieldFormula> formulas_of(const Problem& problem, const Method& method,
                                                    const Solution& solution,
                                                    const RunFormulaOptions& options = {});

}  // namespace cauchy
