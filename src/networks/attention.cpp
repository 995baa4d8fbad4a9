#include "networks/attention.hpp"

#include <cmath>
#include <vector>

#include "networks/softmax.hpp"

namespace cauchy::detail {

int each_token(Graph& graph, std::span<const int> tokens, int rows, std::string_view name) {
  std::vector<int> out;
  for (const int token : tokens) {
    out.push_back(out.empty() ? graph.affine(token, rows, true, name)
                              : graph.shared_affine(token, out.front()));
  }
  return out.size() == 1 ? out.front() : graph.concatenate(out);
}

int each_token(Graph& graph, int x, int n_tokens, int rows, std::string_view name) {
  const int width = graph.rows(x) / n_tokens;
  std::vector<int> tokens;
  for (int i = 0; i < n_tokens; ++i) {
    tokens.push_back(n_tokens == 1 ? x : graph.slice(x, i * width, width));
  }
  return each_token(graph, tokens, rows, name);
}

int attention(Graph& graph, const Attention& shape, int x, int n_tokens, int source, int n_source) {
  const int width = shape.width, each = width / shape.heads;
  const int queries = graph.multiply(each_token(graph, x, n_tokens, width, "query"),
                                     graph.number(1 / std::sqrt(each)));
  const int keys = each_token(graph, source, n_source, width, "key");
  const int values = each_token(graph, source, n_source, width, "value");
  const auto token = [&](int of, int j) {
    const int one = n_source == 1 ? of : graph.slice(of, j * width, width);
    return n_tokens == 1 ? one : graph.tile(one, n_tokens);
  };
  // Scores of all that ask and all heads at once, one stretch of rows per key.
  std::vector<int> scores;
  for (int j = 0; j < n_source; ++j) {
    scores.push_back(graph.row_sum(graph.multiply(queries, token(keys, j)), each));
  }
  const int weights = softmax(graph, graph.concatenate(scores), n_source);
  const int stretch = n_tokens * shape.heads;
  int sum = -1;
  for (int j = 0; j < n_source; ++j) {
    const int weight = graph.repeat_rows(graph.slice(weights, j * stretch, stretch), each);
    const int part = graph.multiply(weight, token(values, j));
    sum = j == 0 ? part : graph.add(sum, part);
  }
  return each_token(graph, sum, n_tokens, width, "attention");
}

}  // namespace cauchy::detail
