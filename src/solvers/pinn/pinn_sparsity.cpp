#include "solvers/pinn/pinn_sparsity.hpp"

#include <algorithm>

#include <cauchy/problem/place.hpp>

namespace cauchy::detail {

std::optional<PinnTerm> sparsity_term(const Problem& problem, const Pinn& method) {
  constexpr std::size_t most_points = 1000;
  const auto* experts = std::get_if<Experts>(&method.network);
  const std::vector<std::string> gates = gate_names(problem, method);
  if (gates.empty() || !(experts->sparsity > 0)) return std::nullopt;
  PinnTerm term;
  term.term.name = "sparsity of the gates";
  term.term.weight = experts->sparsity;
  term.term.form = TermForm::power;
  term.term.power = experts->power;
  for (const std::string& gate : gates) term.term.residuals.emplace_back(Field(gate));
  term.redrawn = false;
  const std::size_t n = std::min(method.points.interior, most_points);
  const Points points = equation_points(problem, "", n, method.points.sampler);
  term.n = points.size();
  Groups all{.offsets = {0, term.n}, .points = {}, .weights = {}};
  for (std::size_t i = 0; i < term.n; ++i) all.points.push_back(i);
  all.weights.assign(term.n, 1 / static_cast<double>(term.n));
  term.groups = std::move(all);
  term.draw = [points](std::size_t, const SamplerOptions&) { return points; };
  return term;
}

}  // namespace cauchy::detail
