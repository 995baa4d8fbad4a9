#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/node.hpp"

namespace cauchy::detail {

/// The node with other operands, built by the canonical constructors.
Expr rebuild(const Expr& e, std::vector<Expr> args);

/// Base and exponent of a factor: x^3 -> {x, 3}; x -> {x, 1}. Only numbers count as exponents:
/// x^y -> {x^y, 1}.
struct Power {
  Expr base;
  double exponent;
};
Power split_power(const Expr& factor);

/// Factors of a product, {e} for everything else.
std::vector<Expr> factors_of(const Expr& e);
/// Terms of a sum, {e} for everything else.
std::vector<Expr> terms_of(const Expr& e);

/// Multiplies out products and powers of sums, with a limit on the work.
class Expander final {
 public:
  static constexpr int max_exponent = 16;

  /// `max_terms` bounds the terms of one product before like terms are collected, `max_work` their
  /// number over the life of the object.
  Expander(std::size_t max_terms, std::size_t max_work)
      : max_terms_(max_terms), work_left_(max_work) {}

  /// Empty when a limit is passed.
  std::optional<Expr> expand(const Expr& e);

 private:
  std::optional<Expr> expand_node(const Expr& e);
  std::optional<Expr> top(const Expr& e, int depth);
  std::optional<Expr> multiply(const Expr& a, const Expr& b);

  std::size_t max_terms_, work_left_;
  // The node, kept alive, and its image; empty where a limit was passed.
  std::unordered_map<const Node*, std::pair<Expr, std::optional<Expr>>> memo_;
};

}  // namespace cauchy::detail
