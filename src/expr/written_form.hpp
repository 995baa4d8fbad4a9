#pragma once

#include <span>
#include <utility>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/written.hpp>

namespace cauchy::detail {

using WrittenOp = Written::Op;

[[nodiscard]] bool any_written(std::span<const Expr> operands) noexcept;
[[nodiscard]] std::vector<Expr> all_plain(std::span<const Expr> operands);

// `value`, the canonical result of an operation, with the written form of that operation on these
// operands. At least one operand is written, except for derivatives and divergences.

[[nodiscard]] Expr written_sum(const Expr& value, std::span<const Expr> terms);
/// `divides`: one for each operand; empty: none does.
[[nodiscard]] Expr written_product(const Expr& value, std::span<const Expr> operands,
                                   const std::vector<bool>& divides = {});
[[nodiscard]] Expr written_power(const Expr& value, const Expr& base, const Expr& exponent);
[[nodiscard]] Expr written_function(const Expr& value, Kind kind, std::span<const Expr> args);
[[nodiscard]] Expr written_call(const Expr& value, std::span<const Expr> args);
/// No written form for the derivative of an atom.
[[nodiscard]] Expr written_derivative(const Expr& value, const Expr& e, const Expr& x);
[[nodiscard]] Expr written_divergence(const Expr& value, std::span<const Expr> components,
                                      std::span<const Expr> coordinates);

/// The plain operands of a written form and the coordinates of its derivatives; e, if it has none.
[[nodiscard]] std::vector<Expr> plain_operands(const Expr& e);

/// Product and quotient of plain operands from left to right: 7/5 is 1.4, and not 7 times a rounded
/// 1/5.
[[nodiscard]] Expr chain_product(std::span<const Expr> operands, const std::vector<bool>& divides);

/// `value`, the canonical form of e after the replacements, with the written form of e after them.
/// It is not kept where a replacement does not commute with the derivatives in it: of a coordinate,
/// of a derivative or an operation, of a constant by something that varies.
[[nodiscard]] Expr substitute_written(const Expr& value, const Expr& e,
                                      std::span<const Replacement> replacements);

}  // namespace cauchy::detail
