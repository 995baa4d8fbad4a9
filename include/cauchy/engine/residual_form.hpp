#pragma once

#include <span>
#include <string>
#include <vector>

#include <cauchy/engine/jet_spec.hpp>
#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// Residual expressions prepared for jets: which derivatives are needed, and the expressions over
/// rows that the network delivers.
struct ResidualForm {
  /// One row of the network output: component `component` of field number `field`. `atom` stands
  /// for it in the residuals (the field derivative itself, or a Symbol for a collapsed component).
  struct Row {
    Expr atom;
    int field, component;
  };
  JetSpec jets;
  std::vector<Expr> residuals;
  std::vector<Row> rows;
};

/// Derives the jets from the expressions. With `collapse`, maximal derivatives that occur only in
/// one fixed linear combination with constant coefficients, in all residuals and for all fields,
/// become one component (u_xx + u_yy needs u, u_x, u_y and the Laplacian: d + 2 components).
///   term     named in error messages
///   data     symbols and calls of data functions that are given per point
///   error    throws Error on a field or coordinate that is not listed (with the nearest name), and
///            on symbols and calls that are not data
[[nodiscard]] ResidualForm residual_form(std::span<const Expr> residuals,
                                         std::span<const std::string> coordinates,
                                         std::span<const std::string> fields, bool collapse,
                                         std::string_view term, std::span<const Expr> data = {});

}  // namespace cauchy
