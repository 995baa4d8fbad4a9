#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/report/figure.hpp>
#include <cauchy/report/mathml.hpp>

#include "problem/point_data.hpp"
#include "report/html_parts.hpp"
#include "report/html_sample.hpp"
#include "report/html_text.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t most_observations = 8, most_dots = 2500, data_line = 401;

/// One observation: its points, what was measured there, and what the solution says.
struct Comparison {
  const Observation& observation;
  std::vector<double> rows, measured, predicted, difference;
};

Comparison compared(const Solution& s, const Observation& o) {
  Comparison c{o, given_points(s.problem, o).values, o.table.column(o.column), {}, {}};
  c.predicted = s(o.quantity, c.rows);
  for (std::size_t i = 0; i < c.measured.size(); ++i) {
    c.difference.push_back(c.predicted[i] - c.measured[i]);
  }
  return c;
}

/// R^2 without the nines: 0.93, or 1 - 2e-9.
std::string share_text(double missing) {
  if (!(missing < 1e-3)) return html_number(1 - missing);
  return missing > 0 ? "1 − " + html_number(missing, 2) : "1";
}

/// How far off the solution is, in words.
std::string spread_text(const Comparison& c) {
  const auto n = static_cast<double>(c.measured.size());
  double mean = 0, squares = 0, size = 0, variance = 0, largest = 0;
  for (const double m : c.measured) mean += m / n;
  for (std::size_t i = 0; i < c.measured.size(); ++i) {
    squares += c.difference[i] * c.difference[i];
    size += c.measured[i] * c.measured[i];
    variance += (c.measured[i] - mean) * (c.measured[i] - mean);
    if (!(std::abs(c.difference[i]) <= largest)) largest = std::abs(c.difference[i]);
  }
  std::string text = fmt::format("The solution is off by {} in the root mean square",
                                 html_number(std::sqrt(squares / n)));
  if (size > 0) {
    text += fmt::format(" ({} % of the values)", html_number(100 * std::sqrt(squares / size), 2));
  }
  text += fmt::format(", by {} at most", html_number(largest));
  if (variance > 0) {
    text += fmt::format("; <i>R</i>² = {}", share_text(squares / variance));
  }
  return text + ".";
}

/// Some of the numbers, at rows that were chosen.
std::vector<double> chosen(std::span<const double> values, std::span<const std::size_t> rows) {
  std::vector<double> out;
  for (const std::size_t i : rows) out.push_back(values[i]);
  return out;
}

ScatterStyle dots(std::size_t n) { return {.color = black, .radius = n > 300 ? 1.6 : 2.6}; }

/// Over the only coordinate: the quantity with the measured values, and the difference below.
Picture over_coordinate(const Solution& s, const Comparison& c,
                        std::span<const std::size_t> shown) {
  const SolutionSampler sampler(s);
  const std::vector<double> x = sampler.positions(0, data_line), at = chosen(c.rows, shown);
  PlotOptions options;
  options.x = {greek_name(sampler.axes()[0].name), AxisScale::linear, {}};
  options.y.label = "value";
  options.legend = LegendPlace::outside;
  Plot values(options);
  values.line(x, s(c.observation.quantity, x), {.name = "solution", .width = 2.2});
  ScatterStyle style = dots(shown.size());
  style.name = "measured";
  values.scatter(at, chosen(c.measured, shown), style);
  options.y.label = "solution − measured";
  Plot differences(options);
  const double ends[] = {x.front(), x.back()}, zero[] = {0, 0};
  differences.line(ends, zero, {.color = Color{150, 158, 168}});
  differences.scatter(at, chosen(c.difference, shown), dots(shown.size()));
  return draw_figure({&values, &differences}, {1000, 250, 1, ""});
}

/// Predicted against measured with the diagonal, and the difference beside it.
Picture against_measured(const Comparison& c, std::span<const std::size_t> shown) {
  std::vector<double> both = c.measured;
  both.insert(both.end(), c.predicted.begin(), c.predicted.end());
  Limits range = widened(limits_of(both, AxisScale::linear), AxisScale::linear);
  const double margin = 0.04 * (range.high - range.low);
  range = {range.low - margin, range.high + margin};
  const std::vector<double> measured = chosen(c.measured, shown);
  const double ends[] = {range.low, range.high}, zero[] = {0, 0};
  PlotOptions options;
  options.x = {"measured", AxisScale::linear, range};
  options.y = {"solution", AxisScale::linear, range};
  options.equal_aspect = true;
  Plot values(options);
  values.line(ends, ends, {.color = palette_color(0)});
  values.scatter(measured, chosen(c.predicted, shown), dots(shown.size()));
  options.y = {"solution − measured", AxisScale::linear, {}};
  options.equal_aspect = false;
  Plot differences(options);
  differences.line(ends, zero, {.color = palette_color(0)});
  differences.scatter(measured, chosen(c.difference, shown), dots(shown.size()));
  return draw_figure({&values, &differences}, {500, 360, 2, ""});
}

}  // namespace

std::string html_data(const Solution& s) {
  const std::vector<Observation>& all = s.problem.observation;
  if (all.empty() || s.model == nullptr) return {};
  std::string out;
  const std::size_t n = std::min(all.size(), most_observations);
  for (std::size_t k = 0; k < n; ++k) {
    if (all[k].table.rows() == 0) continue;
    const Comparison c = compared(s, all[k]);
    const std::vector<std::size_t> shown = some_of(c.measured.size(), most_dots);
    const bool one = s.problem.coordinates().size() == 1;
    std::string caption = fmt::format("{} values", grouped(c.measured.size()));
    if (shown.size() < c.measured.size())
      caption += fmt::format(", {} shown", grouped(shown.size()));
    out += fmt::format(
        "<h3>{}</h3>\n<p>{}</p>\n{}",
        html_escaped(all[k].name.empty() ? "observation" : all[k].name), spread_text(c),
        html_figure(one ? over_coordinate(s, c, shown) : against_measured(c, shown),
                    fmt::format("data{}", k), "solution against measured values", caption + "."));
  }
  if (n < all.size()) {
    out += fmt::format("<p class=\"note\">The first {} of {} observations.</p>\n", n, all.size());
  }
  return out.empty() ? out : html_section("data", "Data against the solution", out);
}

}  // namespace cauchy::detail
