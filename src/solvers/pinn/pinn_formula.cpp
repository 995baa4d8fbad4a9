#include <cstdlib>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/solvers/formula.hpp>

#include "problem/initial_layers.hpp"
#include "solvers/pinn/pinn_field.hpp"
#include "solvers/pinn/pinn_graph.hpp"
#include "solvers/pinn/pinn_kan.hpp"

namespace cauchy {
namespace {

constexpr const char* formula_place = "[solvers.formula]";

const detail::PinnField& network_field(const Solution& solution, const Method& method) {
  const auto* field = dynamic_cast<const detail::PinnField*>(solution.model.get());
  if (field != nullptr && std::holds_alternative<Pinn>(method)) return *field;
  throw Error(ErrorKind::unsupported, "only the answer of one network is a formula", formula_place,
              "solve with kind = \"pinn\", without windows of time");
}

detail::PinnAssembly assembly_of(const Problem& problem, const Method& method,
                                 const detail::PinnField& field) {
  Pinn settings = std::get<Pinn>(method);
  settings.network = field.network();
  return {std::make_shared<const Problem>(problem), settings};
}

std::vector<std::string> edge_lines(const KanFormula& found, const KanModel& model) {
  std::vector<std::string> lines;
  for (std::size_t l = 0; l < found.edges.size(); ++l) {
    const std::size_t n = model.n_features(l);
    for (std::size_t e = 0; e < found.edges[l].size(); ++e) {
      const EdgeFormula& edge = found.edges[l][e];
      const std::string what = edge.function == nullptr
                                   ? "constant"
                                   : fmt::format("{}, R2 = {:.6f}", edge.function->name, edge.r2);
      lines.push_back(fmt::format("layer {}, {} -> {}: {}", l + 1, e % n + 1, e / n + 1, what));
    }
  }
  return lines;
}

/// Sizes and halves of the domain have been multiplied into the numbers of the network.
Expr with_digits(const Expr& e, int digits) {
  if (digits <= 0) return e;
  const Expr roots[] = {e};
  std::vector<Replacement> rounded;
  for (const Expr& node : postorder(roots)) {
    if (!node.is_constant()) continue;
    const std::string text = fmt::format("{:.{}g}", node.value(), digits);
    rounded.push_back({node, Expr(std::strtod(text.c_str(), nullptr))});
  }
  return substitute(e, rounded);
}

}  // namespace

std::vector<KanOfAnswer> kans_of(const Problem& problem, const Method& method,
                                 const Solution& solution, std::size_t n_points) {
  const detail::PinnField& field = network_field(solution, method);
  const detail::PinnAssembly pinn = assembly_of(problem, method, field);
  const Points points = interior_points(domain_of(problem), n_points, {.kind = SamplerKind::sobol});
  const std::span<const double> theta = field.parameters();
  std::vector<KanOfAnswer> all;
  for (const detail::NetworkPlace& place : detail::network_places(pinn)) {
    const KanModel model(pinn.method.network, static_cast<int>(place.inputs.size()),
                         static_cast<int>(place.fields.size()),
                         theta.subspan(place.offset, place.n_parameters));
    all.push_back(
        {place.fields, place.inputs, model, detail::inputs_at(pinn, place, points.values)});
  }
  return all;
}

std::vector<FieldFormula> formulas_of(const Problem& problem, const Method& method,
                                      const Solution& solution, const RunFormulaOptions& options) {
  const detail::PinnAssembly pinn = assembly_of(problem, method, network_field(solution, method));
  std::vector<FieldFormula> all;
  for (const KanOfAnswer& kan : kans_of(problem, method, solution, options.points)) {
    const KanModel model =
        options.prune > 0 ? kan.model.pruned(kan.points, options.prune) : kan.model;
    const KanFormula found = formula_of(model, kan.points, kan.inputs, options.formula,
                                        kan.model.features(kan.points).back());
    for (std::size_t k = 0; k < kan.fields.size(); ++k) {
      const std::string& name = kan.fields[k];
      Expr value = Expr(pinn.sizes.fields.at(name)) * found.outputs[k];
      if (const auto hard = detail::hard_form(*pinn.problem, pinn.lower, pinn.sizes, name)) {
        value = hard->extension + hard->factor * value;
      }
      value += detail::sum_of(detail::layers_of(*pinn.problem, pinn.method, pinn.lower), name);
      all.push_back({name, with_digits(simplify(value), options.formula.digits), found.r2[k],
                     edge_lines(found, model)});
    }
  }
  return all;
}

}  // namespace cauchy
