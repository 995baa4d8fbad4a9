#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solvers/fdm/flow_grid.hpp"

namespace cauchy::detail {

/// An expression of fields and derivatives of them at the places of one kind of a staggered grid,
/// with its partial derivatives.
class FlowExpression final {
 public:
  ///   kind     of the places
  ///   slopes   whether partial derivatives will be asked for
  FlowExpression(const Problem& problem, const FlowGrid& grid, const Expr& e, std::size_t kind,
                 bool slopes);

  /// Values at all places; those of the partial derivatives are kept.
  void evaluate(std::span<const double> x, std::span<const double> walls,
                std::optional<double> time, std::span<double> out);
  /// Adds the entries of the derivative by the unknowns at the last evaluation.
  void add_jacobian(std::size_t first_row, std::vector<SparseMatrix::Entry>& entries) const;

 private:
  std::vector<FlowOperator> atoms_;
  std::unique_ptr<NodeProgram> program_;
  std::vector<std::vector<double>> rows_, out_;
};

}  // namespace cauchy::detail
