#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_map>

#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// Numbers for atoms and code for data functions.
class Values final {
 public:
  /// A data function: its arguments and the derivative order in each.
  using Function = std::function<double(std::span<const double> args, std::span<const int> orders)>;

  /// Any node may be given a value, usually an atom.
  Values& set(const Expr& atom, double value);
  Values& set(const DataFunction& f, Function code);
  [[nodiscard]] const double* find(const Expr& atom) const noexcept;
  [[nodiscard]] const Function* find_function(const std::string& name) const noexcept;

 private:
  std::unordered_map<const void*, std::pair<Expr, double>> numbers_;
  std::unordered_map<std::string, Function> functions_;
};

/// Value at one point by walking the graph: the reference that compiled programs are compared with.
///   error    throws Error naming the atom that has no value
[[nodiscard]] double evaluate(const Expr& e, const Values& values = {});

/// The operation of one node on numbers; `args` are the values of its operands.
[[nodiscard]] double evaluate_node(const Expr& e, std::span<const double> args);

}  // namespace cauchy
