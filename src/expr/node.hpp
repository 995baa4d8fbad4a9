#pragma once

#include <cauchy/expr/expr.hpp>

namespace cauchy::detail {

/// One interned node. Two live nodes never have the same content.
struct Node {
  Kind kind = Kind::constant;
  double value = 0;
  std::string name;
  MultiIndex index;
  std::vector<int> orders;
  std::vector<Expr> args;
  std::uint64_t hash = 0;
  int depth = 0;

  /// The one live node with this content; hash and depth are filled in here.
  static Expr intern(Node content);
  static const Node& of(const Expr& e) noexcept { return *e.node_; }
  /// The expression with this written form, or none.
  static Expr noted(Expr e, std::shared_ptr<const Written> form) {
    e.written_ = std::move(form);
    return e;
  }
  static const std::shared_ptr<const Written>& note(const Expr& e) noexcept { return e.written_; }
};

/// Identity key for memo tables over a graph.
inline const Node* key(const Expr& e) noexcept { return &Node::of(e); }

/// Coefficient and rest of a term: 3*x*y -> {3, x*y}; x -> {1, x}; 3 -> {3, 1}.
struct ScaledTerm {
  double coefficient;
  Expr rest;
};
ScaledTerm split_coefficient(const Expr& e);

/// True for numbers with an integer value of magnitude at most 2^31.
bool is_integer(const Expr& e) noexcept;

}  // namespace cauchy::detail
