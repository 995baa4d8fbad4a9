#pragma once

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include <cauchy/expr/expr.hpp>
#include <cauchy/expr/print.hpp>

#include "tensor/graph_checks.hpp"

namespace cauchy::detail {

/// Most channels, and most expressions, of one expression().
inline constexpr std::size_t max_expression_channels = 256;

/// The atoms of expressions of channels: where the number of each comes from.
struct ExpressionAtoms {
  std::vector<Expr> inputs;           ///< at every point
  std::vector<std::size_t> channels;  ///< of each of them
  std::vector<Expr> parameters;       ///< the same everywhere
};

/// Nothing below an atom is looked at (the arguments of a data function).
///   error    an atom that is neither a channel nor a parameter
[[nodiscard]] inline ExpressionAtoms expression_atoms(const std::vector<std::string>& names,
                                                      const std::vector<Expr>& expressions) {
  ExpressionAtoms result;
  std::vector<Expr> open = expressions;
  std::unordered_set<const void*> seen;
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    if (!seen.insert(e.id()).second) continue;
    const Kind kind = e.kind();
    if (kind != Kind::parameter && kind != Kind::coordinate && kind != Kind::symbol &&
        kind != Kind::call && kind != Kind::field) {
      open.insert(open.end(), e.args().begin(), e.args().end());
      continue;
    }
    const std::string text = to_string(e);
    const auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end()) {
      result.inputs.push_back(e);
      result.channels.push_back(static_cast<std::size_t>(found - names.begin()));
    } else if (kind == Kind::parameter) {
      result.parameters.push_back(e);
    } else {
      refuse_tensor(fmt::format("expression: '{}' is no channel", text),
                    fmt::format("channels are: {}", fmt::join(names, ", ")));
    }
  }
  return result;
}

}  // namespace cauchy::detail
