#include "solvers/pinn/pinn_assembly.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/networks/linear_parameters.hpp>

#include "problem/fingerprint.hpp"
#include "solvers/pinn/piece_terms.hpp"
#include "solvers/pinn/pinn_contraction.hpp"
#include "solvers/pinn/pinn_graph.hpp"
#include "solvers/pinn/pinn_kan.hpp"
#include "solvers/pinn/pinn_last_layer.hpp"
#include "solvers/pinn/pinn_noise.hpp"
#include "solvers/pinn/pinn_sequence.hpp"
#include "solvers/pinn/pinn_start.hpp"

namespace cauchy::detail {
namespace {

double gate_sparsity(const Network& network) {
  const auto* experts = std::get_if<Experts>(&network);
  return experts == nullptr ? 0 : experts->sparsity;
}

bool is_linear_problem(const Problem& problem, const PinnLoss& loss) {
  return problem.unknowns.empty() &&
         std::all_of(loss.terms.begin(), loss.terms.end(), [](const PinnTerm& t) {
           return std::all_of(t.term.residuals.begin(), t.term.residuals.end(), is_linear);
         });
}

/// Whether a large problem is linear takes a while: only networks that are so themselves ask.
std::vector<Stage> stages_for(const Graph& graph, const Problem& problem, const PinnLoss& loss,
                              Precision precision) {
  std::size_t constants = 0;
  for (const ParameterBlock& b : graph.parameters()) {
    if (b.role == ParameterBlock::Role::constant) constants += static_cast<std::size_t>(b.size());
  }
  const bool linear = linear_parameters(graph).size() + constants == graph.n_parameters() &&
                      is_linear_problem(problem, loss);
  return default_stages(graph, linear, precision);
}

const Pinn& checked(const Pinn& method) {
  const auto require = [](bool good, const char* message) {
    if (!good) throw Error(message, "[solvers.pinn]");
  };
  require(method.points.interior > 0, "the number of interior points must be positive");
  require(method.points.boundary > 0, "the number of boundary points must be positive");
  require(method.points.initial > 0, "the number of initial points must be positive");
  for (const Stage& stage : method.stages) check_options(stage);
  return method;
}

std::shared_ptr<const Pieces> pieces_of(const Problem& problem, const Pinn& method) {
  if (!method.decompose.empty() && gate_sparsity(method.network) > 0) {
    throw Error(ErrorKind::unsupported, "the gates of experts are not sparse over pieces",
                "[method.network]", "leave out 'sparsity' or 'decompose'");
  }
  if (!method.decompose.empty()) return std::make_shared<const Pieces>(problem, method.decompose);
  refuse_interfaces(problem);
  return nullptr;
}

/// The problem that is trained: conditions that can be built in and those between pieces added.
std::shared_ptr<const Problem> trained_problem(std::shared_ptr<const Problem> problem,
                                               const Pinn& method) {
  if (method.hard_initial) problem = std::make_shared<const Problem>(with_hard_initial(*problem));
  return with_interfaces(std::move(problem), method.decompose);
}

}  // namespace

PinnAssembly::PinnAssembly(std::shared_ptr<const Problem> p, const Pinn& m,
                           const HandedStart& start)
    : problem(trained_problem(std::move(p), m)),
      method(with_noise_rule(checked(m), *problem)),
      pieces(pieces_of(*problem, m)),
      lower(*problem),
      sizes(characteristic_sizes(*problem, lower, m.scale)),
      loss(with_tokens(make_loss(problem, method, lower, sizes, start),
                       sequence_of(*problem, method, sizes))),
      graph([&] {
        Graph g = make_pinn_graph(
            *problem, m, lower, sizes, pieces.get(),
            gate_sparsity(m.network) > 0 ? ExpertOutputs::gates : ExpertOutputs::none);
        add_contraction(*problem, method, sizes, g, loss);
        return std::make_shared<const Graph>(std::move(g));
      }()),
      stages(m.stages.empty() ? stages_for(*graph, *problem, loss, m.precision) : m.stages) {
  if (pieces) loss = split_loss(std::move(loss), problem, method, lower, sizes, pieces);
  check_last_layer(method, *graph);
  check_splines(*this);
}

std::shared_ptr<const FieldEvaluator> PinnAssembly::evaluator(ExecutorOptions options) const {
  options.precision = method.precision;
  const auto all = std::make_shared<const Graph>(
      make_pinn_graph(*problem, method, lower, sizes, pieces.get(), ExpertOutputs::all));
  const std::size_t n_fields = problem->all_fields().size() * (pieces ? pieces->size() : 1);
  return std::make_shared<const FieldEvaluator>(
      all, lower, options, n_fields, network_shape(method.network, *graph), method.network, pieces);
}

std::string PinnAssembly::describe() const {
  const std::string of = pieces ? fmt::format("{} pieces of ", pieces->size()) : std::string();
  return fmt::format("pinn, {}{}, {} parameters", of, cauchy::describe(method.network),
                     graph->n_parameters());
}

std::vector<double> PinnAssembly::unknowns(std::span<const double> theta) const {
  std::vector<double> values;
  for (const auto& free : lower.unknowns()) {
    const auto at = static_cast<std::size_t>(graph->find_constant(free.name));
    Values known;
    known.set(Parameter(free.name), theta[at]);
    values.push_back(evaluate(free.value, known));
  }
  return values;
}

std::string PinnAssembly::fingerprint() const {
  std::string text = fmt::format("{} parameters, seed {}\n", graph->n_parameters(), method.seed);
  for (const PinnTerm& t : loss.terms) {
    text += fmt::format("{} at {} points, weight {} * {}\n", t.term.name, t.n, t.term.weight,
                        to_string(t.point_weight));
    for (const Expr& r : t.term.residuals) text += to_string(r) + "\n";
  }
  // What the terms do not show: where they hold, what is built in, and the numbers of tables.
  text += cauchy::detail::fingerprint(*problem);
  Pinn settings = method;
  settings.stages = stages;
  return text + option_text("method", settings);
}

}  // namespace cauchy::detail
