#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/expr.hpp>
#include <cauchy/expr/print.hpp>

namespace cauchy::testing {

/// What random expressions are made of.
struct RandomExprOptions {
  int depth = 4;  ///< levels of operations, at most
  std::vector<Expr> atoms{Coordinate("x"), Coordinate("y")};
  std::vector<Kind> functions{Kind::exp,  Kind::log,  Kind::sin,  Kind::cos,
                              Kind::tan,  Kind::asin, Kind::acos, Kind::atan,
                              Kind::sinh, Kind::cosh, Kind::tanh, Kind::erf};
  std::vector<Kind> kinks{Kind::abs, Kind::sign, Kind::floor,      Kind::min,  Kind::max,
                          Kind::mod, Kind::less, Kind::less_equal, Kind::where};
  std::vector<DataFunction> data;  ///< of two arguments
};

/// An expression as it is typed, before any canonical form: the reference for what constructors
/// and the parser make of it.
struct RandomTree {
  enum class Op { number, atom, add, subtract, negate, multiply, divide, power, function, data };
  Op op = Op::number;
  Expr leaf;                   // number or atom
  Kind kind = Kind::constant;  // of a function
  std::string name;            // of a data function
  std::vector<RandomTree> args;
};

/// Seeded source of random trees and expressions; the same seed gives the same sequence.
class RandomExpr final {
 public:
  explicit RandomExpr(std::uint64_t seed, RandomExprOptions options = {})
      : rng_(seed), options_(std::move(options)) {}

  RandomTree tree() { return tree(options_.depth); }
  /// The canonical expression of a random tree; trees that are misuse (log(-1), 1/0) are skipped.
  Expr operator()();

  std::mt19937_64& rng() noexcept { return rng_; }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(rng_);
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(rng_);
  }
  RandomTree leaf();
  RandomTree tree(int depth);

  std::mt19937_64 rng_;
  RandomExprOptions options_;
};

/// The expression through the constructors, as C++ code would build it.
inline Expr build(const RandomTree& t) {
  std::vector<Expr> a;
  for (const RandomTree& arg : t.args) a.push_back(build(arg));
  switch (t.op) {
    case RandomTree::Op::number:
    case RandomTree::Op::atom:
      return t.leaf;
    case RandomTree::Op::add:
      return a[0] + a[1];
    case RandomTree::Op::subtract:
      return a[0] - a[1];
    case RandomTree::Op::negate:
      return -a[0];
    case RandomTree::Op::multiply:
      return a[0] * a[1];
    case RandomTree::Op::divide:
      return a[0] / a[1];
    case RandomTree::Op::power:
      return pow(a[0], a[1]);
    case RandomTree::Op::function:
      return apply_function(t.kind, a);
    default:
      return DataFunction(t.name).call(a);
  }
}

/// The text of a tree with every bracket written.
inline std::string text(const RandomTree& t, const Context* context = nullptr) {
  std::vector<std::string> a;
  for (const RandomTree& arg : t.args) a.push_back(text(arg, context));
  const auto infix = [&](const char* symbol) {
    return fmt::format("({}{}{})", a[0], symbol, a[1]);
  };
  switch (t.op) {
    case RandomTree::Op::number:
    case RandomTree::Op::atom:
      return fmt::format("({})", to_string(t.leaf, context));
    case RandomTree::Op::add:
      return infix(" + ");
    case RandomTree::Op::subtract:
      return infix(" - ");
    case RandomTree::Op::negate:
      return fmt::format("(-{})", a[0]);
    case RandomTree::Op::multiply:
      return infix("*");
    case RandomTree::Op::divide:
      return infix("/");
    case RandomTree::Op::power:
      return infix("^");
    default:
      break;
  }
  if (t.kind == Kind::less) return infix(" < ");
  if (t.kind == Kind::less_equal) return infix(" <= ");
  const std::string_view name =
      t.op == RandomTree::Op::data ? std::string_view(t.name) : function_name(t.kind);
  return fmt::format("{}({})", name, fmt::join(a, ", "));
}

/// Applies a relative error of about `size` to every number that an evaluation passes on.
class Perturbation final {
 public:
  Perturbation(std::mt19937_64& rng, double size) : rng_(rng), size_(size) {}
  double operator()(double value) {
    return value * (1 + size_ * std::uniform_real_distribution<double>(-1, 1)(rng_));
  }

 private:
  std::mt19937_64& rng_;
  double size_;
};

/// Value of a tree by plain arithmetic in the order as typed; NaN when any part of it is not finite
/// or its size is above 1e6.
inline double value(const RandomTree& t, const Values& values, Perturbation& perturb) {
  std::vector<double> a;
  for (const RandomTree& arg : t.args) {
    a.push_back(value(arg, values, perturb));
    if (!(std::abs(a.back()) < 1e6)) return std::numeric_limits<double>::quiet_NaN();
  }
  const auto result = [&]() -> double {
    switch (t.op) {
      case RandomTree::Op::number:
      case RandomTree::Op::atom:
        return evaluate(t.leaf, values);
      case RandomTree::Op::add:
        return a[0] + a[1];
      case RandomTree::Op::subtract:
        return a[0] - a[1];
      case RandomTree::Op::negate:
        return -a[0];
      case RandomTree::Op::multiply:
        return a[0] * a[1];
      case RandomTree::Op::divide:
        return a[0] / a[1];
      case RandomTree::Op::power:
        return std::pow(a[0], a[1]);
      case RandomTree::Op::data: {
        const std::vector<int> orders(a.size(), 0);
        return (*values.find_function(t.name))(a, orders);
      }
      default: {
        // Symbols as operands: no canonical form stands between the numbers and the function.
        std::vector<Expr> symbols;
        for (std::size_t i = 0; i < a.size(); ++i) symbols.push_back(Symbol(fmt::format("s{}", i)));
        const Expr node = apply_function(t.kind, symbols);
        std::vector<double> sorted;
        for (const Expr& s : node.args())
          sorted.push_back(a[static_cast<std::size_t>(s.name()[1] - '0')]);
        return evaluate_node(node, sorted);
      }
    }
  }();
  // Numbers stay as they are: a perturbed exponent would leave the integers.
  return t.op == RandomTree::Op::number ? result : perturb(result);
}

/// Value of an expression with perturbed intermediate results.
inline double perturbed_value(const Expr& root, const Values& values, Perturbation& perturb) {
  std::unordered_map<const void*, double> result;
  for (const Expr& e : postorder(std::array{root})) {
    std::vector<double> x;
    for (const Expr& a : e.args()) x.push_back(result.at(a.id()));
    const double* given = values.find(e);
    const auto* code = e.kind() == Kind::call ? values.find_function(e.name()) : nullptr;
    const double v = given != nullptr  ? *given
                     : code != nullptr ? (*code)(x, e.call_orders())
                                       : evaluate_node(e, x);
    result.emplace(e.id(), e.is_constant() ? v : perturb(v));
  }
  return result.at(root.id());
}

/// What rounding may do to a value: the spread over runs whose operations err by 1e-11, which is
/// 5e4 times the rounding error of double. NaN or large: too ill-conditioned to compare.
template <class Evaluate>
double rounding_spread(double reference, std::mt19937_64& rng, Evaluate evaluate_with) {
  Perturbation perturb(rng, 1e-11);
  double spread = 0;
  for (int run = 0; run < 4; ++run) {
    const double change = std::abs(evaluate_with(perturb) - reference);
    if (!(change <= 1e6)) return std::numeric_limits<double>::quiet_NaN();
    spread = std::max(spread, change);
  }
  return spread;
}

inline RandomTree RandomExpr::leaf() {
  static constexpr std::array numbers{1.0, 2.0, 3.0, 0.5, 0.1, -1.0, -2.0, 1.5, 0.7, 4.0, -0.3};
  RandomTree t;
  if (below(4) == 0) {
    t.leaf = Expr(numbers[below(numbers.size())]);
  } else {
    t.op = RandomTree::Op::atom;
    t.leaf = options_.atoms[below(options_.atoms.size())];
  }
  return t;
}

inline RandomTree RandomExpr::tree(int depth) {
  if (depth <= 0 || below(12) == 0) return leaf();
  RandomTree t;
  const auto operands = [&](std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) t.args.push_back(tree(depth - 1));
  };
  const std::size_t pick = below(100);
  using Op = RandomTree::Op;
  if (pick < 55) {
    static constexpr std::array ops{Op::add,      Op::add,    Op::subtract, Op::multiply,
                                    Op::multiply, Op::divide, Op::negate};
    t.op = ops[below(ops.size())];
    operands(t.op == Op::negate ? 1 : 2);
  } else if (pick < 70) {
    static constexpr std::array exponents{2.0, 3.0, -1.0, -2.0, 0.5, -0.5, 1.5, 0.0, 1.0, 4.0};
    t.op = Op::power;
    operands(1);
    t.args.push_back(leaf());
    if (below(4) != 0) {
      t.args.back() = RandomTree{};
      t.args.back().leaf = Expr(exponents[below(exponents.size())]);
    }
  } else if (pick < 85 && !options_.functions.empty()) {
    t.op = Op::function;
    t.kind = options_.functions[below(options_.functions.size())];
    operands(1);
  } else if (pick < 95 && !options_.kinks.empty()) {
    t.op = Op::function;
    t.kind = options_.kinks[below(options_.kinks.size())];
    operands(t.kind == Kind::where ? 3 : t.kind <= Kind::floor ? 1 : 2);
  } else if (!options_.data.empty()) {
    t.op = Op::data;
    t.name = options_.data[below(options_.data.size())].name();
    operands(2);
  } else {
    return leaf();
  }
  return t;
}

inline Expr RandomExpr::operator()() {
  for (;;) {
    try {
      return build(tree());
    } catch (const Error&) {
    }
  }
}

}  // namespace cauchy::testing
