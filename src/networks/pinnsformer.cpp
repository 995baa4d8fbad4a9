#include <cauchy/networks/pinnsformer.hpp>

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "networks/attention.hpp"
#include "networks/pseudo_sequence.hpp"

namespace cauchy {
namespace {

void check_former(const Pinnsformer& f, int n_inputs, int n_outputs) {
  const auto refuse = [](const std::string& why) { throw Error(why, "[networks.pinnsformer]"); };
  const auto require_positive = [&](std::string_view what, int n) {
    if (n < 1) refuse(fmt::format("{} must be positive, got {}", what, n));
  };
  require_positive("width", f.width);
  require_positive("heads", f.heads);
  require_positive("layers", f.layers);
  require_positive("feedforward", f.feedforward);
  require_positive("sequence", f.sequence);
  require_positive("the number of fields", n_outputs);
  if (f.width % f.heads != 0) {
    refuse(fmt::format("width must be a multiple of heads, got {} and {}", f.width, f.heads));
  }
  if (!(f.step > 0) || !std::isfinite(f.step)) {
    refuse(fmt::format("step must be positive, got {}", f.step));
  }
  if (f.time < 0 || f.time >= n_inputs) {
    refuse(
        fmt::format("time must be one of the {} inputs, counted from 0, got {}", n_inputs, f.time));
  }
}

/// Two hidden layers with wavelets, then `rows` rows, for each token.
int feed_forward(Graph& graph, const Pinnsformer& f, int x, int tokens, int rows) {
  using detail::each_token;
  const int h = graph.wavelet(each_token(graph, x, tokens, f.feedforward, "feedforward"));
  const int g = graph.wavelet(each_token(graph, h, tokens, f.feedforward, "feedforward"));
  return each_token(graph, g, tokens, rows, "feedforward");
}

/// z + attention(s(z), source), then z + F(s(z)); source -1: s(z) itself.
int attention_layer(Graph& graph, const Pinnsformer& f, int z, int tokens, int source) {
  const int a = graph.wavelet(z);
  const detail::Attention shape{.width = f.width, .heads = f.heads};
  const int n_keys = source < 0 ? tokens : f.sequence;
  const int keys = source < 0 ? a : source;
  z = graph.add(z, detail::attention(graph, shape, a, tokens, keys, n_keys));
  return graph.add(z, feed_forward(graph, f, graph.wavelet(z), tokens, f.width));
}

/// The answers of the first `tokens` tokens, one after the other. Tokens of the decoder do not see
/// each other: the first one needs no others.
int former_layers(Graph& graph, const Pinnsformer& f, int input, int n_outputs, int tokens) {
  check_former(f, graph.rows(input), n_outputs);
  // The time of each token is a step behind that of the one before.
  const std::vector<int> times =
      detail::pseudo_sequence(graph, input, f.time, 0, f.sequence, f.step);
  const int mixed = detail::each_token(graph, times, f.width, "mixer");
  int encoded = mixed;
  for (int layer = 0; layer < f.layers; ++layer) {
    encoded = attention_layer(graph, f, encoded, f.sequence, -1);
  }
  encoded = graph.wavelet(encoded);
  int z = tokens == f.sequence ? mixed : graph.slice(mixed, 0, tokens * f.width);
  for (int layer = 0; layer < f.layers; ++layer) z = attention_layer(graph, f, z, tokens, encoded);
  return feed_forward(graph, f, graph.wavelet(z), tokens, n_outputs);
}

}  // namespace

int add_network(Graph& graph, const Pinnsformer& f, int input, int n_outputs) {
  return former_layers(graph, f, input, n_outputs, 1);
}

std::vector<int> add_tokens(Graph& graph, const Pinnsformer& f, int input, int n_outputs) {
  const int all = former_layers(graph, f, input, n_outputs, f.sequence);
  std::vector<int> tokens;
  for (int j = 0; j < f.sequence; ++j) {
    tokens.push_back(f.sequence == 1 ? all : graph.slice(all, j * n_outputs, n_outputs));
  }
  return tokens;
}

void visit_options(Pinnsformer& f, OptionVisitor& v) {
  v.count("width", f.width, 1, 100'000);
  v.count("heads", f.heads, 1, 1000);
  v.count("layers", f.layers, 1, 100);
  v.count("feedforward", f.feedforward, 1, 100'000);
  v.count("sequence", f.sequence, 1, 100);
  v.number("step", f.step, NumberRange::positive);
  v.count("time", f.time, 0, 1000);
  v.flag("sequential", f.sequential);
}

std::string describe(const Pinnsformer& f) {
  return fmt::format("pinnsformer, {} tokens of {}, {} heads", f.sequence, f.width, f.heads);
}

}  // namespace cauchy
