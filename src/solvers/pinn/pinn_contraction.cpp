#include "solvers/pinn/pinn_contraction.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>

namespace cauchy::detail {
namespace {

/// The nearest activations of several rows that a value is made of.
void collect_activations(const Graph& graph, int value, std::set<int>& seen, std::set<int>& found) {
  if (!seen.insert(value).second) return;
  const Operation& op = graph.ops()[static_cast<std::size_t>(value)];
  if (op.code == OpCode::activation && op.rows > 1) {
    found.insert(value);
    return;
  }
  for (const int input : op.inputs) collect_activations(graph, input, seen, found);
}

[[noreturn]] void refuse_contraction(const char* why, const char* fix) {
  throw Error(ErrorKind::unsupported, fmt::format("there is no contractive penalty: {}", why),
              "[method] contraction", fix);
}

}  // namespace

void add_contraction(const Problem& problem, const Pinn& method, const Sizes& sizes, Graph& graph,
                     PinnLoss& loss) {
  if (!(method.contraction > 0)) return;
  if (!method.decompose.empty()) {
    refuse_contraction("every piece has a network of its own", "leave out 'decompose'");
  }
  std::set<int> seen, hidden;
  for (const Graph::Output& o : graph.outputs()) {
    collect_activations(graph, o.value, seen, hidden);
  }
  if (hidden.empty()) refuse_contraction("the network has no hidden activations", "use an mlp");
  PinnTerm term;
  term.term.name = "contraction";
  term.term.weight = method.contraction;
  term.kind = PointSource::Kind::equation;
  term.n = method.points.interior;
  std::size_t number = 0;
  for (const int value : hidden) {
    for (int row = 0; row < graph.rows(value); ++row) {
      const std::string name = fmt::format("contracted#{}", ++number);
      graph.output(name, value, row);
      for (const Sizes::Axis& axis : sizes.axes) {
        term.term.residuals.push_back(axis.half * d(Field(name), Coordinate(axis.name)));
      }
    }
  }
  term.draw = [&problem](std::size_t n, const SamplerOptions& sampler) {
    return equation_points(problem, "", n, sampler);
  };
  // Integrals stay last.
  const auto integrals = std::find_if(loss.terms.begin(), loss.terms.end(),
                                      [](const PinnTerm& t) { return t.groups.has_value(); });
  loss.terms.insert(integrals, std::move(term));
}

}  // namespace cauchy::detail
