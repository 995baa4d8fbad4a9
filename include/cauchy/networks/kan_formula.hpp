#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/expr/expr.hpp>
#include <cauchy/networks/kan_model.hpp>

namespace cauchy {

/// A function that the edge of a network may be: y = c f(a x + b) + d.
///   shape    a and b are searched where they are no factors or constants of c and d; with x in
///            [-1, 1], a in [a_lower, a_upper] and b in [b_lower, b_upper]. Equal ends: fixed there
///   mirrored   a of the other sign as well (exp, sqrt, log)
struct SymbolicFunction {
  std::string_view name;
  int complexity;
  double (*value)(double);
  double (*slope)(double);
  Expr (*form)(const Expr&);
  double a_lower, a_upper, b_lower, b_upper;
  bool mirrored = false;
  [[nodiscard]] bool searches_a() const noexcept { return a_lower < a_upper; }
  [[nodiscard]] bool searches_b() const noexcept { return b_lower < b_upper; }
};
/// x, x^2, x^3, sqrt, exp, log, sin, 1/x, tanh, abs, gaussian.
[[nodiscard]] const std::vector<SymbolicFunction>& all_symbolic_functions();

/// c f(a x + b) + d; without function: d.
struct EdgeFormula {
  const SymbolicFunction* function = nullptr;
  double a = 1, b = 0, c = 0, d = 0;
  double r2 = 0;  ///< 1 - |y - formula|^2 / |y - mean y|^2
  [[nodiscard]] double operator()(double x) const;
};

/// The best a, b, c, d of one function: grid search on (a, b), which narrows around its best place,
/// and linear regression for (c, d). r2 = 0 where f is not finite at some x for all (a, b).
[[nodiscard]] EdgeFormula fit_function(const SymbolicFunction& f, std::span<const double> x,
                                       std::span<const double> y);

struct FormulaOptions {
  std::vector<std::string> functions = {};  ///< names; empty: all
  double misfit_per_level = 0.1;  ///< part of 1 - r2 that one level of complexity must leave
  double drop = 1e-2;  ///< edges that vary by less than this part of their layer's largest
  bool refine = true;  ///< all numbers together, against the targets
  int digits = 0;      ///< significant ones of the numbers in the formula; 0: all
};

/// The best function of a library.
///   error    throws Error for names that are not in the table
[[nodiscard]] EdgeFormula best_function(std::span<const double> x, std::span<const double> y,
                                        const FormulaOptions& options = {});

/// A network as a formula.
struct KanFormula {
  std::vector<std::vector<EdgeFormula>> edges;  ///< as KanModel numbers them; all d in constants
  std::vector<std::vector<double>> constants;   ///< per layer and output: y = constant + sum
  std::vector<Expr> outputs;
  std::vector<double> r2;  ///< per output, against the targets
};

/// Replaces every edge by the best function of the library, then fits all numbers together.
///   points   row-major n x inputs, where edges are sampled
///   inputs   what the inputs are called: expressions of coordinates
///   targets  row-major n x outputs; empty: the network itself
[[nodiscard]] KanFormula formula_of(const KanModel& model, std::span<const double> points,
                                    std::span<const Expr> inputs,
                                    const FormulaOptions& options = {},
                                    std::span<const double> targets = {});

}  // namespace cauchy
