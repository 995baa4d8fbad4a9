#include <algorithm>

#include <fmt/format.h>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"
#include "report/html_views.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t experts_line = 401, experts_map = 80;  // points a side
constexpr std::size_t most_parts = 32;                       // pictures

bool is_gate(const std::string& name) { return name.find("gate_") != std::string::npos; }

/// Gates between 0 and 1, so that their pictures can be compared; experts each for themselves.
ViewLimits part_limits(const FieldSample& sample, const std::vector<std::string>& names) {
  ViewLimits limits = view_limits({sample}, names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (is_gate(names[k])) limits.values[k] = {0, 1};
  }
  return limits;
}

}  // namespace

std::string html_experts(const Solution& solution) {
  if (solution.model == nullptr) return {};
  std::vector<std::string> names = solution.model->parts();
  if (names.empty()) return {};
  std::stable_partition(names.begin(), names.end(), is_gate);
  if (names.size() > most_parts) names.resize(most_parts);
  std::vector<Expr> expressions;
  for (const std::string& name : names) expressions.emplace_back(Field(name));
  SolutionSampler sampler(solution, {names, [&](std::span<const double> rows) {
                                       return solution.evaluate(expressions, rows);
                                     }});
  std::string figures;
  if (sampler.n_active() == 1) {
    const ViewPlace place{0, {}, sampler.middle()};
    const FieldSample s = sampler.line(0, experts_line, place.at);
    figures = html_figure(line_picture(sampler, s, place, part_limits(s, names), false), "experts",
                          "gates and experts", fixed_text(sampler, place));
  } else {
    const std::size_t a = sampler.n_active() == 2 ? 0 : sampler.first_space();
    const ViewPlace place{a, a + 1, sampler.middle()};
    const FieldSample s = sampler.plane(a, experts_map, a + 1, experts_map, place.at);
    const ViewLimits limits = part_limits(s, names);
    for (std::size_t k = 0; k < names.size(); ++k) {
      figures +=
          html_figure(map_picture(sampler, s, k, experts_map, experts_map, place, limits, grid_map),
                      fmt::format("expert{}", k), "map of " + names[k], fixed_text(sampler, place));
    }
    figures = fmt::format("<div class=\"grid\">\n{}</div>\n", figures);
  }
  return html_section("experts", "Experts and gates",
                      "<p class=\"note\">The answer is the sum of gates times experts; the gates "
                      "add up to 1 everywhere.</p>\n" +
                          figures);
}

}  // namespace cauchy::detail
