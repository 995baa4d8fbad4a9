#include <cauchy/expr/taylor.hpp>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>

namespace cauchy {
namespace {

/// f^(n)(at) / n! (x - a)^n for n = first ... last, added up.
Expr taylor_terms(const Expr& f, const Expr& x, const Expr& a, const Expr& at, int first,
                  int last) {
  if (last < first) {
    throw Error(fmt::format("an expansion has an order of at least 0, got {}", last),
                "[expr.taylor]");
  }
  Expr derivative = f, sum = 0;
  double factorial = 1;
  for (int n = 0; n <= last; ++n) {
    if (n > 0) {
      derivative = d(derivative, x);
      factorial *= n;
    }
    if (n >= first) sum += substitute(derivative, x, at) / factorial * pow(x - a, n);
  }
  return sum;
}

}  // namespace

Expr difference_quotient(const Expr& f, const Expr& x, const Expr& h) {
  return (substitute(f, x, x + h) - f) / h;
}

Expr taylor_polynomial(const Expr& f, const Expr& x, const Expr& a, int order) {
  return taylor_terms(f, x, a, a, 0, order);
}

Expr taylor_remainder(const Expr& f, const Expr& x, const Expr& a, int order, const Expr& xi) {
  return taylor_terms(f, x, a, xi, order + 1, order + 1);
}

}  // namespace cauchy
