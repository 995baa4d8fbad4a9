#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/solvers/formula.hpp>

#include "solvers/pinn/pinn_field.hpp"
#include "solvers/pinn/pinn_graph.hpp"
#include "solvers/pinn/pinn_kan.hpp"

namespace cauchy {

std::vector<FieldFormula> formulas_of(const Problem& problem, const Method& method,
                                      const Solution& solution, const RunFormulaOptions& options) {
  const auto* field = dynamic_cast<const detail::PinnField*>(solution.model.get());
  const auto* settings = std::get_if<Pinn>(&method);
  if (field == nullptr || settings == nullptr) {
    throw Error(ErrorKind::unsupported, "only the answer of one network is a formula",
                "[solvers.formula]", "solve with kind = \"pinn\", without windows of time");
  }
  Pinn pinn_settings = *settings;
  pinn_settings.network = field->network();
  const detail::PinnAssembly pinn(std::make_shared<const Problem>(problem), pinn_settings);
  const Points points =
      interior_points(domain_of(problem), options.points, {.kind = SamplerKind::sobol});
  const std::span<const double> theta = field->parameters();
  std::vector<FieldFormula> all;
  for (const detail::NetworkPlace& place : detail::network_places(pinn)) {
    const auto inputs = detail::inputs_at(pinn, place, points.values);
    const KanModel whole(pinn.method.network, static_cast<int>(place.inputs.size()),
                         static_cast<int>(place.fields.size()),
                         theta.subspan(place.offset, place.n_parameters));
    const KanModel model = options.prune > 0 ? whole.pruned(inputs, options.prune) : whole;
    const std::vector<double> targets = whole.features(inputs).back();
    const KanFormula found = formula_of(model, inputs, place.inputs, options.formula, targets);
    std::vector<std::string> edges;
    for (std::size_t l = 0; l < found.edges.size(); ++l) {
      for (std::size_t e = 0; e < found.edges[l].size(); ++e) {
        const EdgeFormula& edge = found.edges[l][e];
        const std::size_t n = model.n_features(l);
        edges.push_back(
            fmt::format("layer {}, {} -> {}: {}", l + 1, e % n + 1, e / n + 1,
                        edge.function == nullptr
                            ? "constant"
                            : fmt::format("{}, R2 = {:.6f}", edge.function->name, edge.r2)));
      }
    }
    for (std::size_t k = 0; k < place.fields.size(); ++k) {
      const std::string& name = place.fields[k];
      Expr value = Expr(pinn.sizes.fields.at(name)) * found.outputs[k];
      if (const auto hard = detail::hard_form(*pinn.problem, pinn.lower, pinn.sizes, name)) {
        value = hard->extension + hard->factor * value;
      }
      all.push_back({name, simplify(value), found.r2[k], edges});
    }
  }
  return all;
}

}  // namespace cauchy
