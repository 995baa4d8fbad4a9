#include <cauchy/networks/experts.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/networks/network.hpp>

#include "networks/softmax.hpp"

namespace cauchy {
namespace {

constexpr std::string_view experts_place = "[networks.experts]";

void check_experts(const Experts& e) {
  if (e.experts.empty()) {
    throw Error("a mixture needs at least one expert", experts_place,
                "give [[method.network.expert]]");
  }
  if (e.gate.size() > 1) {
    throw Error(fmt::format("a mixture has one gate, got {}", e.gate.size()), experts_place);
  }
  if (!(e.sparsity >= 0) || !std::isfinite(e.sparsity)) {
    throw Error(fmt::format("sparsity must not be negative, got {}", e.sparsity), experts_place);
  }
  if (!(e.power > 0 && e.power < 1)) {
    throw Error(fmt::format("power must be between 0 and 1, got {}", e.power), experts_place);
  }
}

Network gate_of(const Experts& e) {
  return e.gate.empty() ? Network(Mlp{.width = 16, .depth = 2}) : e.gate.front();
}

int checked_rows(const Graph& graph, int value, int n, const std::string& whose) {
  if (graph.rows(value) != n) {
    throw Error(fmt::format("{} has {} outputs, not {}", whose, graph.rows(value), n),
                experts_place, "all networks of a mixture give one row per field");
  }
  return value;
}

}  // namespace

ExpertValues add_experts(Graph& graph, const Experts& e, int input, int n_outputs) {
  check_experts(e);
  ExpertValues values{-1, -1, {}};
  for (std::size_t i = 0; i < e.experts.size(); ++i) {
    const int u = add_network(graph, e.experts[i], input, n_outputs);
    values.experts.push_back(checked_rows(graph, u, n_outputs, fmt::format("expert {}", i + 1)));
  }
  values.mixture = values.experts.front();
  if (values.experts.size() == 1) return values;
  const auto m = static_cast<int>(e.experts.size());
  const int logits = add_network(graph, gate_of(e), input, m);
  values.gates = detail::softmax(graph, checked_rows(graph, logits, m, "the gate"), m);
  for (int i = 0; i < m; ++i) {
    const int part = graph.multiply(graph.slice(values.gates, i, 1),
                                    values.experts[static_cast<std::size_t>(i)]);
    values.mixture = i == 0 ? part : graph.add(values.mixture, part);
  }
  return values;
}

int add_network(Graph& graph, const Experts& e, int input, int n_outputs) {
  return add_experts(graph, e, input, n_outputs).mixture;
}

void visit_options(Experts& e, OptionVisitor& v) {
  v.number("sparsity", e.sparsity, NumberRange::not_negative);
  v.number("power", e.power, NumberRange::inside_one);
  Network gate = gate_of(e);
  v.section("gate", gate);
  e.gate = {gate};
  v.list("expert", e.experts);
}

std::string describe(const Experts& e) {
  std::string all;
  for (const Network& n : e.experts) all += (all.empty() ? "" : "; ") + describe(n);
  return fmt::format("{} experts ({})", e.experts.size(), all);
}

}  // namespace cauchy
