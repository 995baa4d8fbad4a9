#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/engine/graph.hpp>
#include <cauchy/engine/jet_spec.hpp>
#include <cauchy/expr/derivative.hpp>

namespace cauchy::detail {

/// Derivatives of one expression by all coordinates, in their order; each is taken once. The names
/// must outlive it.
class DerivativeTable final {
 public:
  DerivativeTable(Expr e, std::span<const std::string> coordinates)
      : coordinates_(coordinates),
        known_{{std::vector<int>(coordinates.size(), 0), std::move(e)}} {}

  const Expr& operator()(std::vector<int> orders) {
    if (const auto it = known_.find(orders); it != known_.end()) return it->second;
    std::size_t last = orders.size() - 1;
    while (orders[last] == 0) --last;
    std::vector<int> before = orders;
    --before[last];
    Expr derivative = d((*this)(std::move(before)), Coordinate(coordinates_[last]));
    return known_.emplace(std::move(orders), std::move(derivative)).first->second;
  }

 private:
  std::span<const std::string> coordinates_;
  std::map<std::vector<int>, Expr> known_;
};

/// The rows of an expression operation, with replacements for its parameters.
[[nodiscard]] inline std::vector<DerivativeTable> derivative_tables(
    const Operation& op, std::span<const std::string> coordinates,
    std::span<const Replacement> numbers) {
  std::vector<DerivativeTable> rows;
  for (const Expr& row : op.expressions) rows.emplace_back(substitute(row, numbers), coordinates);
  return rows;
}

/// All components of all rows as expressions, rows x components.
[[nodiscard]] inline std::vector<Expr> expression_jets(std::span<DerivativeTable> rows,
                                                       const JetSpec& jets) {
  std::vector<Expr> result;
  for (DerivativeTable& derivative : rows) {
    for (int c = 0; c < jets.size(); ++c) {
      std::vector<Expr> parts;
      for (const auto& part : jets.component(c).parts) {
        parts.push_back(Expr(part.coefficient) * derivative(part.orders));
      }
      result.push_back(sum(std::move(parts)));
    }
  }
  return result;
}

}  // namespace cauchy::detail
