#pragma once

#include <cstddef>

#include "expr/node.hpp"

namespace cauchy::detail {

/// Pythagorean identities among the terms of a sum, with any common cofactor:
///   c R sin^2 + c R cos^2 = c R,   c R - c R sin^2 = c R cos^2,   and the hyperbolic ones.
Expr apply_squares(const Expr& e);

/// What a round of rewriting may still do, in visits of nodes or so; 0: nothing more.
class RewriteBudget final {
 public:
  explicit RewriteBudget(std::size_t units) : left_(units) {}
  /// Takes n units; false, and nothing is left, when there are fewer.
  bool spend(std::size_t n) noexcept {
    const bool enough = n <= left_;
    left_ = enough ? left_ - n : 0;
    return enough;
  }
  [[nodiscard]] std::size_t left() const noexcept { return left_; }

 private:
  std::size_t left_;
};

/// Common factors of the terms of a sum taken out, the most frequent first, and recursively while
/// there is work left.
Expr factor_sum(const Expr& e, RewriteBudget& work);

/// sin/cos = tan, tan*cos = sin, the hyperbolic ones, |a||b| = |ab|, sign(a)*|a| = a.
Expr apply_product_rules(const Expr& e);

/// (x^a)^b for numbers a and b, |x|^(2k), exp(c*log(x)), |x| of what is never negative.
Expr apply_function_rules(const Expr& e);

}  // namespace cauchy::detail
