#pragma once

// Random expressions, and their values in long double with a bound on the rounding errors of any
// reasonable evaluation in a shorter type.

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <unordered_map>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/expr.hpp>

namespace cauchy::testing {

/// A value and a bound on its error; the bound is infinite where rounding may decide a comparison,
/// cross a singularity or leave the range of the type.
struct Bounded {
  long double value, error;
  [[nodiscard]] bool decided() const {
    return error < std::numeric_limits<long double>::infinity();
  }
};

/// Forward error analysis of first order. Every operation contributes its rounding errors: eps per
/// addition and multiplication, 8 eps per function (the kernels promise 4 ulp of eps/2 to eps
/// each).
template <class T>
class ErrorAnalysis {
 public:
  using Real = long double;
  static constexpr Real eps = std::numeric_limits<T>::epsilon();
  static constexpr Real undecided = std::numeric_limits<Real>::infinity();
  // Products of a few such numbers stay in the range of T.
  static constexpr Real largest = sizeof(T) == 4 ? 1e12L : 1e80L;

  Bounded operator()(const Expr& root, const Values& values) const {
    std::unordered_map<const void*, Bounded> result;
    std::vector<Bounded> x;
    for (const Expr& e : postorder(std::array{root})) {
      if (const double* given = values.find(e); given != nullptr) {
        result[e.id()] = {*given, 0};
        continue;
      }
      if (e.is_atom()) throw Error("an atom has no value", "[test]");
      x.clear();
      bool decided = true;
      for (const Expr& a : e.args()) {
        x.push_back(result.at(a.id()));
        decided = decided && x.back().decided();
      }
      // Arguments of a data function with a given value are not needed.
      if (e.kind() == Kind::call) throw Error("a data function has no value", "[test]");
      Bounded y = node(e, x);
      if (std::isnan(y.value) && std::isnan(y.error)) y.error = 0;  // surely NaN
      const Real size = std::abs(y.value);
      if (!decided || size > largest || (size > 0 && size < 1 / largest)) y.error = undecided;
      if (std::isnan(y.error)) y.error = undecided;
      result[e.id()] = y;
    }
    return result.at(root.id());
  }

 private:
  static Bounded rounded(Real value, Real propagated, Real ulps) {
    return {value, propagated + ulps * eps * std::abs(value)};
  }
  /// f at x with derivative bound `slope`; undecided when the error of x is not small against the
  /// distance to where the slope changes a lot.
  static Bounded function(Real value, const Bounded& x, Real slope, Real scale) {
    if (x.error > 0.01L * scale) return {value, undecided};
    return rounded(value, 1.1L * std::abs(slope) * x.error, 8);
  }

  static Bounded node(const Expr& e, const std::vector<Bounded>& x) {
    const Real a = x.empty() ? 0 : x[0].value;
    switch (e.kind()) {
      case Kind::constant:
      case Kind::named:
        return rounded(e.value(), 0, 1);
      case Kind::add:
        return sum(x);
      case Kind::mul:
        return product(x);
      case Kind::pow:
        return power(x[0], x[1]);
      case Kind::exp:
        return function(std::exp(a), x[0], std::exp(a), 1);
      case Kind::log:
        return function(std::log(a), x[0], 1 / a, std::abs(a));
      case Kind::sin:
        return function(std::sin(a), x[0], 1, 1);
      case Kind::cos:
        return function(std::cos(a), x[0], 1, 1);
      case Kind::tan:
        return function(std::tan(a), x[0], 1 + std::tan(a) * std::tan(a), std::abs(std::cos(a)));
      case Kind::asin:
        return function(std::asin(a), x[0], 1 / std::sqrt(1 - a * a), std::abs(1 - a * a));
      case Kind::acos:
        return function(std::acos(a), x[0], 1 / std::sqrt(1 - a * a), std::abs(1 - a * a));
      case Kind::atan:
        return function(std::atan(a), x[0], 1, 1);
      case Kind::sinh:
        return function(std::sinh(a), x[0], std::cosh(a), 1);
      case Kind::cosh:
        return function(std::cosh(a), x[0], std::cosh(a), 1);
      case Kind::tanh:
        return function(std::tanh(a), x[0], 1, 1);
      case Kind::erf:
        return function(std::erf(a), x[0], 1.13L, 1);
      case Kind::abs:
        return {std::abs(a), x[0].error};
      default:
        return selection(e.kind(), x);
    }
  }

  static Bounded selection(Kind kind, const std::vector<Bounded>& x) {
    const Real a = x[0].value, b = x.size() > 1 ? x[1].value : 0;
    const Real errors = x[0].error + (x.size() > 1 ? x[1].error : 0);
    const bool close = errors > 0 && std::abs(a - b) <= errors;
    switch (kind) {
      case Kind::sign:
        return {a > 0 ? 1 : a < 0 ? -1 : a, close ? undecided : 0};
      case Kind::floor: {
        const Real below = std::floor(a), near = std::min(a - below, below + 1 - a);
        return {below, x[0].error > 0 && near <= x[0].error ? undecided : 0};
      }
      case Kind::mod: {
        const Real quotient = std::floor(a / b), whole = std::round(a / b);
        const Real distance = std::abs(a - b * whole);
        const Real error =
            x[0].error + std::abs(quotient) * x[1].error + 2 * eps * (std::abs(a) + std::abs(b));
        return {a - b * quotient, distance <= 2 * error ? undecided : error};
      }
      case Kind::min:
        return {a < b ? a : b, errors};
      case Kind::max:
        return {a > b ? a : b, errors};
      case Kind::less:
        return {a < b ? Real(1) : Real(0), close ? undecided : 0};
      case Kind::less_equal:
        return {a <= b ? Real(1) : Real(0), close ? undecided : 0};
      default: {  // where
        const Bounded& chosen = a != 0 ? x[1] : x[2];
        const bool unclear = x[0].error > 0 && std::abs(a) <= x[0].error;
        return {chosen.value, unclear ? undecided : chosen.error};
      }
    }
  }

  static Bounded sum(const std::vector<Bounded>& x) {
    Real value = 0, error = 0, size = 0;
    for (const Bounded& t : x) {
      value += t.value;
      error += t.error;
      size += std::abs(t.value) + t.error;
    }
    return {value, error + static_cast<Real>(x.size()) * eps * size};
  }

  static Bounded product(const std::vector<Bounded>& x) {
    Real value = 1, size = 1;
    for (const Bounded& t : x) {
      value *= t.value;
      size *= std::abs(t.value) + t.error;
    }
    return {value, size - std::abs(value) + static_cast<Real>(x.size() + 2) * eps * size};
  }

  static Bounded power(const Bounded& base, const Bounded& exponent) {
    const Real value =
        exponent.value == 0.5L ? std::sqrt(base.value) : std::pow(base.value, exponent.value);
    if (base.error == 0 && base.value == 0) return {value, 0};
    if (base.error > 1e-3L * std::abs(base.value)) return {value, undecided};
    const Real k = std::abs(exponent.value);
    const Real relative = 1.1L * k * base.error / std::abs(base.value) +
                          1.1L * std::abs(std::log(std::abs(base.value))) * exponent.error;
    if (relative > 0.01L) return {value, undecided};
    return rounded(value, relative * std::abs(value), k + 8);
  }
};

/// Random expressions over a fixed set of atoms.
class RandomExpressions {
 public:
  explicit RandomExpressions(std::uint64_t seed) : random_(seed) {
    const Coordinate x("x"), t("t");
    const Field u("u");
    inputs = {x, t, u, d(u, x), d(u, x, x), Symbol("s"), DataFunction("f")(x, t)};
    parameters = {Parameter("a"), Parameter("b")};
  }

  std::vector<Expr> inputs, parameters;

  int integer(int first, int last) {
    return first + static_cast<int>(random_() % static_cast<std::uint64_t>(last - first + 1));
  }
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }

  /// A random expression; constructors that refuse (a literal division by zero) are tried again.
  Expr next(int depth) {
    for (;;) {
      try {
        return build(depth);
      } catch (const Error&) {
      }
    }
  }

 private:
  template <class List>
  auto pick(const List& list) {
    return list[static_cast<std::size_t>(integer(0, static_cast<int>(list.size()) - 1))];
  }

  Expr leaf() {
    const int kind = integer(0, 9);
    if (kind == 0) return pick(parameters);
    if (kind == 1) return Expr(pick(std::array{2.0, -1.0, 0.5, 3.0, -0.25, 0.1}));
    if (kind == 2) return Expr(pi);
    return pick(inputs);
  }

  Expr build(int depth) {
    if (depth == 0) return leaf();
    const int kind = integer(0, 19);
    if (kind < 5) return build(depth - 1) + build(depth - 1);
    if (kind < 7) return build(depth - 1) - pick(inputs) * build(depth - 1);
    if (kind < 11) return build(depth - 1) * build(depth - 1);
    if (kind == 11) return build(depth - 1) / build(depth - 1);
    if (kind == 12) {
      const double exponent = pick(
          std::array{2.0, 3.0, 5.0, 12.0, -1.0, -2.0, -3.0, 0.5, -0.5, 1.5, -1.5, 2.5, 0.3, 70.0});
      return pow(build(depth - 1), Expr(exponent));
    }
    if (kind == 13) return pow(abs(build(depth - 1)), build(depth - 1));
    if (kind == 14) return selection(depth);
    if (kind == 15) {
      const Expr argument = build(depth - 1);
      return sin(argument) * cos(argument);
    }
    const Kind f =
        static_cast<Kind>(integer(static_cast<int>(Kind::exp), static_cast<int>(Kind::floor)));
    return apply_function(f, std::array{build(depth - 1)});
  }

  Expr selection(int depth) {
    const Expr a = build(depth - 1), b = build(depth - 1);
    switch (integer(0, 5)) {
      case 0:
        return min(a, b);
      case 1:
        return max(a, b);
      case 2:
        return a < b;
      case 3:
        return a <= b;
      case 4:
        return mod(a, b);
      default:
        return where(a < b, build(depth - 1), build(depth - 1));
    }
  }

  std::mt19937_64 random_;
};

}  // namespace cauchy::testing
