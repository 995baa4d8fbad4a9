// Elementary functions, selections and comparisons in canonical form.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "expr/node.hpp"
#include "expr/remainder.hpp"
#include "expr/written_form.hpp"

namespace cauchy {
namespace {

using detail::Node;

struct FunctionInfo {
  Kind kind;
  std::string_view name;
  std::size_t arity;
  double (*evaluate)(double);  // of unary functions
  int parity;                  // f(-x) = parity * f(x); 0: neither
};

double sign_of(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }

constexpr std::array functions{
    FunctionInfo{Kind::exp, "exp", 1, [](double x) { return std::exp(x); }, 0},
    FunctionInfo{Kind::log, "log", 1, [](double x) { return std::log(x); }, 0},
    FunctionInfo{Kind::sin, "sin", 1, [](double x) { return std::sin(x); }, -1},
    FunctionInfo{Kind::cos, "cos", 1, [](double x) { return std::cos(x); }, 1},
    FunctionInfo{Kind::tan, "tan", 1, [](double x) { return std::tan(x); }, -1},
    FunctionInfo{Kind::asin, "asin", 1, [](double x) { return std::asin(x); }, -1},
    FunctionInfo{Kind::acos, "acos", 1, [](double x) { return std::acos(x); }, 0},
    FunctionInfo{Kind::atan, "atan", 1, [](double x) { return std::atan(x); }, -1},
    FunctionInfo{Kind::sinh, "sinh", 1, [](double x) { return std::sinh(x); }, -1},
    FunctionInfo{Kind::cosh, "cosh", 1, [](double x) { return std::cosh(x); }, 1},
    FunctionInfo{Kind::tanh, "tanh", 1, [](double x) { return std::tanh(x); }, -1},
    FunctionInfo{Kind::erf, "erf", 1, [](double x) { return std::erf(x); }, -1},
    FunctionInfo{Kind::abs, "abs", 1, [](double x) { return std::abs(x); }, 1},
    FunctionInfo{Kind::sign, "sign", 1, sign_of, -1},
    FunctionInfo{Kind::floor, "floor", 1, [](double x) { return std::floor(x); }, 0},
    FunctionInfo{Kind::min, "min", 2, nullptr, 0},
    FunctionInfo{Kind::max, "max", 2, nullptr, 0},
    FunctionInfo{Kind::mod, "mod", 2, nullptr, 0},
    FunctionInfo{Kind::less, "", 2, nullptr, 0},
    FunctionInfo{Kind::less_equal, "", 2, nullptr, 0},
    FunctionInfo{Kind::where, "where", 3, nullptr, 0},
};

const FunctionInfo* info_of(Kind kind) noexcept {
  for (const FunctionInfo& f : functions) {
    if (f.kind == kind) return &f;
  }
  return nullptr;
}

Expr intern_function(Kind kind, std::span<const Expr> args) {
  Node n;
  n.kind = kind;
  n.args.assign(args.begin(), args.end());
  return Node::intern(std::move(n));
}

Expr unary(const FunctionInfo& f, const Expr& a) {
  if (f.kind == Kind::exp) {
    if (a.is_constant(0)) return Expr(1);
    if (a.is_constant(1)) return e_constant();
    if (a.kind() == Kind::log) return a.args()[0];
  }
  if (f.kind == Kind::log) {
    if (a.kind() == Kind::exp) return a.args()[0];
    if (a.kind() == Kind::named && a.name() == "e") return Expr(1);
  }
  if ((f.kind == Kind::abs || f.kind == Kind::floor) && a.kind() == f.kind) return a;
  if (a.is_constant()) {
    const double value = f.evaluate(a.value());
    if (!std::isfinite(value)) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("{}({}) is not a finite real number", f.name, a.value()), "[expr]",
                  "keep the argument where the function is real");
    }
    return Expr(value);
  }
  if (f.parity != 0) {
    const auto [c, rest] = detail::split_coefficient(a);
    if (c < 0) {
      const Expr mirrored = unary(f, product({Expr(-c), rest}));
      return f.parity > 0 ? mirrored : -mirrored;
    }
  }
  return intern_function(f.kind, std::array{a});
}

Expr selection(Kind kind, const Expr& a, const Expr& b) {
  const bool smaller = kind == Kind::min;
  if (same(a, b)) return a;
  if (a.is_constant() && b.is_constant()) {
    return (a.value() < b.value()) == smaller ? a : b;
  }
  return compare(a, b) < 0 ? intern_function(kind, std::array{a, b})
                           : intern_function(kind, std::array{b, a});
}

Expr remainder(const Expr& a, const Expr& b) {
  if (b.is_constant(0)) throw Error("remainder of a division by zero", "[expr]");
  if (a.is_constant() && b.is_constant()) return detail::remainder_of(a.value(), b.value());
  if (same(a, b) || a.is_constant(0)) return Expr(0);
  if (a.kind() == Kind::mod && same(a.args()[1], b)) return a;
  return intern_function(Kind::mod, std::array{a, b});
}

Expr comparison(Kind kind, const Expr& a, const Expr& b) {
  if (same(a, b)) return Expr(kind == Kind::less_equal ? 1 : 0);
  if (a.is_constant() && b.is_constant()) {
    return Expr(kind == Kind::less ? a.value() < b.value() : a.value() <= b.value());
  }
  return intern_function(kind, std::array{a, b});
}

}  // namespace

std::string_view function_name(Kind kind) noexcept {
  const FunctionInfo* f = info_of(kind);
  return f == nullptr ? std::string_view{} : f->name;
}

Expr apply_function(Kind kind, std::span<const Expr> args) {
  const FunctionInfo* f = info_of(kind);
  if (f == nullptr || args.size() != f->arity) {
    throw Error(fmt::format("function '{}' takes {} argument{}, got {}", f ? f->name : "?",
                            f ? f->arity : 0, f && f->arity == 1 ? "" : "s", args.size()),
                "[expr]");
  }
  if (detail::any_written(args)) {
    return detail::written_function(apply_function(kind, detail::all_plain(args)), kind, args);
  }
  switch (kind) {
    case Kind::min:
    case Kind::max:
      return selection(kind, args[0], args[1]);
    case Kind::mod:
      return remainder(args[0], args[1]);
    case Kind::less:
    case Kind::less_equal:
      return comparison(kind, args[0], args[1]);
    case Kind::where:
      if (args[0].is_constant()) return args[0].value() != 0 ? args[1] : args[2];
      return same(args[1], args[2]) ? args[1] : intern_function(kind, args);
    default:
      return unary(*f, args[0]);
  }
}

Expr exp(const Expr& a) { return apply_function(Kind::exp, std::array{a}); }
Expr log(const Expr& a) { return apply_function(Kind::log, std::array{a}); }
Expr sin(const Expr& a) { return apply_function(Kind::sin, std::array{a}); }
Expr cos(const Expr& a) { return apply_function(Kind::cos, std::array{a}); }
Expr tan(const Expr& a) { return apply_function(Kind::tan, std::array{a}); }
Expr asin(const Expr& a) { return apply_function(Kind::asin, std::array{a}); }
Expr acos(const Expr& a) { return apply_function(Kind::acos, std::array{a}); }
Expr atan(const Expr& a) { return apply_function(Kind::atan, std::array{a}); }
Expr sinh(const Expr& a) { return apply_function(Kind::sinh, std::array{a}); }
Expr cosh(const Expr& a) { return apply_function(Kind::cosh, std::array{a}); }
Expr tanh(const Expr& a) { return apply_function(Kind::tanh, std::array{a}); }
Expr erf(const Expr& a) { return apply_function(Kind::erf, std::array{a}); }
Expr abs(const Expr& a) { return apply_function(Kind::abs, std::array{a}); }
Expr sign(const Expr& a) { return apply_function(Kind::sign, std::array{a}); }
Expr floor(const Expr& a) { return apply_function(Kind::floor, std::array{a}); }
Expr min(const Expr& a, const Expr& b) { return apply_function(Kind::min, std::array{a, b}); }
Expr max(const Expr& a, const Expr& b) { return apply_function(Kind::max, std::array{a, b}); }
Expr mod(const Expr& a, const Expr& b) { return apply_function(Kind::mod, std::array{a, b}); }
Expr heaviside(const Expr& a) { return where(Expr(0) <= a, Expr(1), Expr(0)); }
Expr where(const Expr& condition, const Expr& a, const Expr& b) {
  return apply_function(Kind::where, std::array{condition, a, b});
}

Expr operator<(const Expr& a, const Expr& b) {
  return apply_function(Kind::less, std::array{a, b});
}
Expr operator<=(const Expr& a, const Expr& b) {
  return apply_function(Kind::less_equal, std::array{a, b});
}
Expr operator>(const Expr& a, const Expr& b) { return b < a; }
Expr operator>=(const Expr& a, const Expr& b) { return b <= a; }
Equation operator==(const Expr& a, const Expr& b) { return {a, b}; }

}  // namespace cauchy
