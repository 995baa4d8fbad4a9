#include "networks/softmax.hpp"

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {

int softmax(Graph& graph, int x, int parts) {
  const int rows = graph.rows(x);
  if (parts < 1 || rows % parts != 0) {
    throw Error(fmt::format("{} rows are not {} stretches of one length", rows, parts),
                "[networks.softmax]");
  }
  const int n = rows / parts;
  int logarithm = graph.slice(x, 0, n);
  for (int part = 1; part < parts; ++part) {
    const int above = graph.subtract(graph.slice(x, part * n, n), logarithm);
    logarithm = graph.add(logarithm, graph.activation(above, Activation::softplus));
  }
  if (n > 1 && parts > 1) logarithm = graph.tile(logarithm, parts);
  return graph.activation(graph.subtract(x, logarithm), Activation::exp);
}

}  // namespace cauchy::detail
