#pragma once

#include <span>
#include <string>
#include <vector>

#include <cauchy/engine/graph.hpp>
#include <cauchy/engine/jet_spec.hpp>
#include <cauchy/expr/derivative.hpp>

namespace cauchy::detail {

/// All components of all rows of an expression operation as expressions, rows x components, with
/// replacements for its parameters.
[[nodiscard]] inline std::vector<Expr> expression_jets(const Operation& op,
                                                       std::span<const std::string> coordinates,
                                                       const JetSpec& jets,
                                                       std::span<const Replacement> numbers) {
  std::vector<Expr> result;
  for (const Expr& raw : op.expressions) {
    const Expr row = substitute(raw, numbers);
    for (int c = 0; c < jets.size(); ++c) {
      std::vector<Expr> parts;
      for (const auto& part : jets.component(c).parts) {
        Expr derivative = row;
        for (std::size_t k = 0; k < coordinates.size(); ++k) {
          derivative = d_n(derivative, Coordinate(coordinates[k]), part.orders[k]);
        }
        parts.push_back(Expr(part.coefficient) * derivative);
      }
      result.push_back(sum(std::move(parts)));
    }
  }
  return result;
}

}  // namespace cauchy::detail
