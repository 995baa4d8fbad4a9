#include <cauchy/networks/lstm.hpp>

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "networks/layers.hpp"
#include "networks/pseudo_sequence.hpp"

namespace cauchy {
namespace {

void check_lstm(const Lstm& net, int n_inputs, int n_outputs) {
  constexpr std::string_view place = "[networks.lstm]";
  detail::require_count("width", net.width, 1, detail::max_width, place);
  detail::require_count("layers", net.layers, 1, Lstm::max_layers, place);
  detail::require_count("sequence", net.sequence, 1, Lstm::max_sequence, place);
  detail::require_count("the number of fields", n_outputs, 1, detail::max_width, place);
  if (!(net.step > 0) || !std::isfinite(net.step)) {
    throw Error(fmt::format("step must be positive, got {}", net.step), place);
  }
  if (net.time < 0 || net.time >= n_inputs) {
    throw Error(fmt::format("time must be one of the {} inputs, counted from 0, got {}", n_inputs,
                            net.time),
                place);
  }
}

/// The states of one layer behind every time of a sequence.
std::vector<int> run_cell(Graph& graph, int width, const std::vector<int>& sequence) {
  const auto gate = [&](int sums, int number, Activation s) {
    return graph.activation(graph.slice(sums, number * width, width), s);
  };
  int h = graph.expression(std::vector<Expr>(static_cast<std::size_t>(width), Expr(0)));
  int c = -1, first = -1;
  std::vector<int> states;
  for (const int x : sequence) {
    const int both[] = {x, h};
    const int seen = graph.concatenate(both);
    const int sums =
        first < 0 ? graph.affine(seen, 4 * width, true, "gates") : graph.shared_affine(seen, first);
    if (first < 0) first = sums;
    const int added =
        graph.multiply(gate(sums, 0, Activation::sigmoid), gate(sums, 3, Activation::tanh));
    if (c < 0) {
      c = added;  // there is nothing to forget yet
    } else {
      const int forget = graph.add(graph.slice(sums, width, width), graph.number(1));
      c = graph.add(graph.multiply(graph.activation(forget, Activation::sigmoid), c), added);
    }
    h = graph.multiply(gate(sums, 2, Activation::sigmoid), graph.activation(c, Activation::tanh));
    states.push_back(h);
  }
  return states;
}

}  // namespace

int add_network(Graph& graph, const Lstm& net, int input, int n_outputs) {
  check_lstm(net, graph.rows(input), n_outputs);
  std::vector<int> states =
      detail::pseudo_sequence(graph, input, net.time, 1 - net.sequence, net.sequence, net.step);
  for (int layer = 0; layer < net.layers; ++layer) states = run_cell(graph, net.width, states);
  return graph.affine(states.back(), n_outputs, true, "output");
}

void visit_options(Lstm& net, OptionVisitor& v) {
  v.count("width", net.width, 1, detail::max_width);
  v.count("layers", net.layers, 1, Lstm::max_layers);
  v.count("sequence", net.sequence, 1, Lstm::max_sequence);
  v.number("step", net.step, NumberRange::positive);
  v.count("time", net.time, 0, 1000);
}

std::string describe(const Lstm& net) {
  return fmt::format("lstm, {} times, {} of {}", net.sequence,
                     net.layers == 1 ? "1 layer" : fmt::format("{} layers", net.layers), net.width);
}

}  // namespace cauchy
