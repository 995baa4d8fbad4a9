#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// Total derivative of an expression by a coordinate: product and chain rules, and fields depend on
/// every coordinate (d(u, x) is u_x). At kinks: d|a| = sign(a) da, and min, max and where take the
/// derivative of the branch that is selected (the second one where min or max tie). It is carried
/// out at once; where e is no atom, the result remembers d(e, x) as its written form.
///   error    throws Error when x is not a coordinate, when the derivative is not real
///            ((-2)^x), and when it would have more than 20 million operands (a product of
///            n factors gives n^2)
[[nodiscard]] Expr d(const Expr& e, const Expr& x);
/// Repeated derivative, by one coordinate after the other: d(u, x, x, t).
template <class... Rest>
[[nodiscard]] Expr d(const Expr& e, const Expr& x, const Expr& y, const Rest&... rest) {
  return d(d(e, x), y, rest...);
}
/// n-th derivative by one coordinate; n = 0 gives e.
[[nodiscard]] Expr d_n(const Expr& e, const Expr& x, int n);

/// Partial derivative by an atom (parameter, coordinate, symbol, field or field derivative, data
/// function call): every other atom is held fixed, so partial(u*u_x, u) is u_x.
[[nodiscard]] Expr partial(const Expr& e, const Expr& atom);

/// The partial derivatives of sum_k seeds[k] * outputs[k] by every atom of `inputs`, by one reverse
/// sweep over the shared graph: the number of new nodes is proportional to the size of the graph,
/// not to the number of inputs.
[[nodiscard]] std::vector<Expr> adjoint(std::span<const Expr> outputs, std::span<const Expr> seeds,
                                        std::span<const Expr> inputs);

/// A replacement: every occurrence of `from` (any node, usually an atom) becomes `to`.
struct Replacement {
  Expr from, to;
};
/// All replacements at once, largest nodes first. Replacing a field also replaces its derivatives:
/// u -> v*w turns u_x into d(v*w, x); a replacement of u_x itself takes precedence. The written
/// form goes along when fields, or constants by what is constant for its derivatives, are replaced;
/// other replacements do not commute with derivatives and drop it.
[[nodiscard]] Expr substitute(const Expr& e, std::span<const Replacement> replacements);
[[nodiscard]] Expr substitute(const Expr& e, const Expr& from, const Expr& to);

}  // namespace cauchy
