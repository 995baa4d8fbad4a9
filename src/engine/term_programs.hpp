#pragma once

#include <cauchy/engine/executor.hpp>
#include <cauchy/engine/residual_form.hpp>
#include <cauchy/expr/program.hpp>

namespace cauchy::detail {

/// The programs of a term as expressions, written down once. Inputs are, in order: all coordinates
/// of the graph, the point data, the rows of the form, and then one row of weights (losses) or one
/// row of seeds per residual (reverse). Parameters are the unknown constants of the graph, and of
/// losses the scale of the term.
struct TermPrograms {
  ProgramSpec loss_gradient;  ///< outputs: adjoints of the rows; sums: loss, adjoints of constants
  ProgramSpec loss_value;     ///< sums: loss
  ProgramSpec residual;       ///< outputs: residuals
  ProgramSpec reverse;        ///< outputs: adjoints of coordinates, data, rows; sums: of constants
  ProgramSpec slopes;         ///< outputs: d(residual k)/d(constant j), k-major

  TermPrograms(const ResidualForm& form, const Graph& graph, const Term& term);
};

}  // namespace cauchy::detail
