#pragma once

#include <vector>

#include <cauchy/engine/graph.hpp>

namespace cauchy::detail {

/// A point as a short sequence of times: its inputs with row `time` moved by (first + j) step for
/// j = 0 ... n - 1. The value itself where nothing is moved.
inline std::vector<int> pseudo_sequence(Graph& graph, int input, int time, int first, int n,
                                        double step) {
  std::vector<int> all;
  for (int j = first; j < first + n; ++j) {
    std::vector<Expr> shift(static_cast<std::size_t>(graph.rows(input)), Expr(0));
    shift[static_cast<std::size_t>(time)] = Expr(j * step);
    all.push_back(j == 0 ? input : graph.add(input, graph.expression(std::move(shift))));
  }
  return all;
}

}  // namespace cauchy::detail
