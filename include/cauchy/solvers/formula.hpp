#pragma once

#include <string>
#include <vector>

#include <cauchy/networks/kan_formula.hpp>
#include <cauchy/solvers/method.hpp>

namespace cauchy {

/// A network of the Kolmogorov-Arnold family in the answer of a PINN, taken apart.
struct KanOfAnswer {
  std::vector<std::string> fields;
  std::vector<Expr> inputs;    ///< of the network: expressions of the coordinates
  KanModel model;              ///< fields in units of their sizes, hard conditions not built in
  std::vector<double> points;  ///< inputs at points of the domain, row-major n x inputs
};
/// One per network of the method, in the order of the fields.
///   error    throws Error for other methods and networks, and for windows of time
[[nodiscard]] std::vector<KanOfAnswer> kans_of(const Problem& problem, const Method& method,
                                               const Solution& solution,
                                               std::size_t n_points = 1000);

/// A field of an answer as a formula of the coordinates.
struct FieldFormula {
  std::string field;
  Expr formula;
  double r2 = 0;                   ///< against the field at points of the domain
  std::vector<std::string> edges;  ///< for people: "layer 1, 2 -> 1: sin, R2 = 0.999980"
};

struct RunFormulaOptions {
  FormulaOptions formula = {};
  double prune = 1e-2;        ///< threshold of KanModel::pruned; 0: all nodes stay
  std::size_t points = 1000;  ///< of the domain, where edges are sampled
};

/// The fields of a PINN whose network is of the Kolmogorov-Arnold family: pruned, every edge
/// replaced by a function of the library, all numbers fitted to the field.
///   error    as kans_of()
[[nodiscard]] std::vector<FieldFormula> formulas_of(const Problem& problem, const Method& method,
                                                    const Solution& solution,
                                                    const RunFormulaOptions& options = {});

}  // namespace cauchy
