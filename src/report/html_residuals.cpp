#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"
#include "report/html_views.hpp"
#include "report/residuals.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t most_equations = 8, longest_equation = 44;
constexpr std::size_t residual_line = 401, residual_map = 110, time_row = 72;  // points a side

/// What lies below is shown as the least: zeros of a residual have no logarithm.
constexpr double decades_of_lines = 1e-6, decades_of_maps = 1e-4;

/// Logarithmic limits per equation; values below are lifted to them.
ViewLimits log_limits(std::vector<FieldSample>& samples, std::size_t n, double decades) {
  ViewLimits limits;
  limits.scale = AxisScale::log;
  limits.label = "residual";
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> seen;
    for (const FieldSample& s : samples) {
      for (std::size_t i = 0; i < s.solution[k].size(); ++i) {
        if (s.counts(i)) seen.push_back(s.solution[k][i]);
      }
    }
    Limits l = limits_of(seen, AxisScale::log);
    l.low = std::max(l.low, decades * l.high);
    limits.values.push_back(widened(l, AxisScale::log));
    for (FieldSample& s : samples) {
      for (double& v : s.solution[k]) {
        if (v < limits.values[k].low) v = limits.values[k].low;
      }
    }
  }
  return limits;
}

}  // namespace

std::string html_residual_maps(const Solution& solution) {
  if (solution.model == nullptr || solution.problem.equation.empty()) return {};
  const EquationResiduals residuals(solution);
  std::vector<std::string> names;
  for (const std::string& name : residuals.names()) {
    names.push_back(shortened(name, longest_equation));
  }
  SolutionSampler sampler(solution, {names, std::cref(residuals)});
  const std::size_t active = sampler.n_active(), n = std::min(names.size(), most_equations);
  const bool over_time = sampler.has_time() && active == 3;
  std::string figures;
  std::vector<FieldSample> samples;
  if (active == 1) {
    const ViewPlace place{0, {}, sampler.middle()};
    samples.push_back(sampler.line(0, residual_line, place.at));
    const ViewLimits limits = log_limits(samples, names.size(), decades_of_lines);
    figures = html_figure(line_picture(sampler, samples[0], place, limits, false), "residuals_line",
                          "residuals along " + sampler.axes()[0].name, fixed_text(sampler, place));
  } else if (active == 2) {
    const ViewPlace place{0, 1, sampler.middle()};
    samples.push_back(sampler.plane(0, residual_map, 1, residual_map, place.at));
    const ViewLimits limits = log_limits(samples, names.size(), decades_of_maps);
    for (std::size_t k = 0; k < n; ++k) {
      figures += html_figure(map_picture(sampler, samples[0], k, residual_map, residual_map, place,
                                         limits, n > 1 ? grid_map : wide_map),
                             fmt::format("residual{}", k), "residual of " + names[k],
                             fixed_text(sampler, place));
    }
    if (n > 1) figures = fmt::format("<div class=\"grid\">\n{}</div>\n", figures);
  } else {
    const ViewRow views = over_time ? views_over_time(sampler, 4) : views_through_middle(sampler);
    const std::size_t cells = over_time ? time_row : residual_map;
    for (const ViewPlace& place : views.places) {
      samples.push_back(sampler.plane(place.a, cells, *place.b, cells, place.at));
    }
    const ViewLimits limits = log_limits(samples, names.size(), decades_of_maps);
    for (std::size_t k = 0; k < n; ++k) {
      figures +=
          html_figure(map_rows_picture(sampler, samples, views, k, cells, cells, limits),
                      fmt::format("residual{}", k), "residual of " + names[k], views.caption);
    }
  }
  if (active > 1 && n < names.size()) {
    figures +=
        fmt::format("<p class=\"note\">The first {} of {} equations.</p>\n", n, names.size());
  }
  return html_section("residual_maps", "Where the residuals are",
                      "<p class=\"note\">Absolute residual of each equation in units of its size, "
                      "on a logarithmic scale.</p>\n" +
                          figures);
}

}  // namespace cauchy::detail
