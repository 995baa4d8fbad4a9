#include "solvers/pinn/pinn_assembly.hpp"

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/io/option_text.hpp>

#include "problem/fingerprint.hpp"
#include "solvers/pinn/pinn_graph.hpp"
#include "solvers/pinn/pinn_last_layer.hpp"
#include "solvers/pinn/pinn_noise.hpp"

namespace cauchy::detail {
namespace {

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

}  // namespace

PinnAssembly::PinnAssembly(std::shared_ptr<const Problem> p, const Pinn& m,
                           const HandedStart& start)
    : problem(m.hard_initial ? std::make_shared<const Problem>(with_hard_initial(*p)) : p),
      method(with_noise_rule(checked(m), *problem)),
      lower(*problem),
      sizes(characteristic_sizes(*problem, lower, m.scale)),
      loss(make_loss(problem, method, lower, sizes, start)),
      graph(std::make_shared<const Graph>(make_pinn_graph(*problem, m, lower, sizes))),
      stages(m.stages.empty() ? default_stages(graph->n_parameters(), m.precision) : m.stages) {
  check_last_layer(method, *graph);
  std::vector<PointSource::Kind> kinds;
  for (const PinnTerm& t : loss.terms) kinds.push_back(t.kind);
  check_balancer(method.rules.balancer, kinds);
}

std::string PinnAssembly::describe() const {
  return fmt::format("pinn, {}, {} parameters", cauchy::describe(method.network),
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
