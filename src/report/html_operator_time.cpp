#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/report/figure.hpp>
#include <cauchy/report/mathml.hpp>
#include <cauchy/report/plot.hpp>

#include "report/html_operator_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy::detail {

std::string html_operator_courses(const OperatorAnswers& a) {
  if (a.error.empty() || a.prediction.empty() || a.data.times.size() < 2) return {};
  const std::vector<FieldCourse> courses = measure_over_time(a.prediction, a.data, a.given);
  if (courses.empty() || courses.front().times.size() < 2) return {};
  PlotOptions options;
  options.x = {"time", AxisScale::linear, std::nullopt};
  options.legend = LegendPlace::outside;
  double least = 1;
  for (const FieldCourse& c : courses) {
    for (const double r : c.r2) least = std::isfinite(r) ? std::min(least, r) : least;
  }
  // Far below zero there is nothing to compare.
  const double low = std::max(-0.5, least - 0.05 * (1 - least) - 1e-3);
  options.y = {"R2", AxisScale::linear, Limits{low, 1 + 0.02 * (1 - low)}};
  Plot r2(options);
  options.y = {"mean relative L2 error", AxisScale::log, std::nullopt};
  Plot errors(options);
  for (std::size_t i = 0; i < courses.size(); ++i) {
    const FieldCourse& c = courses[i];
    const LineStyle style{
        .name = greek_name(c.field), .color = palette_color(i), .width = 2, .markers = true};
    r2.line(c.times, c.r2, style);
    errors.line(c.times, c.relative_l2, style);
  }
  return html_section(
      "times", "Errors over time",
      html_figure(draw_figure({&r2, &errors}, {700, 360, 2, ""}), "times",
                  "R2 and relative error of every field over time",
                  fmt::format("{} {} samples. R2: one minus the squared error over the squared "
                              "deviation from the mean, of all samples and nodes at one time.",
                              a.error.size(), html_escaped(a.name))));
}

std::string html_sample_curves(const OperatorProblem& problem, const OperatorAnswers& a) {
  if (!problem.source || a.error.empty() || a.prediction.empty()) return {};
  const std::size_t n = a.error.size(), sample = a.error.best_to_worst()[(n - 1) / 2];
  const std::size_t in = a.data.in_size(), out = a.data.out_size();
  const auto given = std::span(a.data.in).subspan(sample * in, in);
  const std::vector<SampleCurve> truth =
      problem.source->curves(given, std::span(a.data.out).subspan(sample * out, out));
  const std::vector<SampleCurve> answer =
      problem.source->curves(given, std::span(a.prediction).subspan(sample * out, out));
  if (truth.empty()) return {};
  const std::vector<double> times = problem.source->times();
  std::vector<std::string> quantities;
  for (const SampleCurve& c : truth) {
    const bool known =
        std::find(quantities.begin(), quantities.end(), c.quantity) != quantities.end();
    if (!known) quantities.push_back(c.quantity);
  }
  std::vector<Plot> plots;
  for (const std::string& quantity : quantities) {
    PlotOptions options;
    options.x = {"time", AxisScale::linear, std::nullopt};
    options.y = {quantity, AxisScale::linear, std::nullopt};
    options.legend = LegendPlace::outside;
    Plot& plot = plots.emplace_back(options);
    std::size_t k = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      if (truth[i].quantity != quantity) continue;
      const Color color = palette_color(k++);
      plot.line(times, truth[i].values, {.name = truth[i].name, .color = color, .width = 2});
      plot.line(times, answer[i].values, {.color = color, .dashed = true, .markers = true});
    }
  }
  std::vector<const Panel*> panels;
  for (const Plot& plot : plots) panels.push_back(&plot);
  return html_section(
      "production", "Curves",
      html_figure(draw_figure(panels, {700, 320, 2, ""}), "production",
                  "curves of the truth and of the answer",
                  fmt::format("From the fields of the {} sample with the median error: truth "
                              "(lines) and answer (broken lines).",
                              html_escaped(a.name))));
}

}  // namespace cauchy::detail
