#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <cauchy/report/figure.hpp>
#include <cauchy/report/mathml.hpp>
#include <cauchy/report/plot.hpp>

#include "operators/channels.hpp"
#include "report/html_operator_parts.hpp"
#include "report/html_text.hpp"
#include "report/sample_painter.hpp"

namespace cauchy::detail {
namespace {

constexpr double sample_width = 1040;

Limits common_limits(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return widened(limits_of(all, AxisScale::linear), AxisScale::linear);
}

/// Of one field of many moments: some of them, in order.
std::vector<std::size_t> spread_outputs(const OperatorAnswers& a, std::size_t most) {
  std::vector<std::size_t> free;
  for (std::size_t c = 0; c < a.data.outputs.size(); ++c) {
    if (std::find(a.given.begin(), a.given.end(), c) == a.given.end()) free.push_back(c);
  }
  if (free.size() <= most) return free;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(free[i * (free.size() - 1) / (most - 1)]);
  return some;
}

/// Inputs, answers with the truth dashed, and errors along the only axis.
Picture line_sample(const OperatorAnswers& a, std::size_t sample) {
  const DataSet& d = a.data;
  const std::size_t points = d.grid.n_points();
  const std::vector<double> x = SamplePainter(d.grid).nodes();
  PlotOptions options;
  options.x = {greek_name(d.grid.axes[0].name), AxisScale::linear, Limits{x.front(), x.back()}};
  options.title = "input";
  Plot inputs(options);
  for (std::size_t c = 0; c < std::min<std::size_t>(d.inputs.size(), 4); ++c) {
    inputs.line(x, function_of(d.in, d.inputs.size(), points, sample, c),
                {.name = greek_name(d.inputs[c]), .width = 2});
  }
  options.title = "answer, truth dashed";
  Plot outputs(options);
  options.title = "error";
  options.legend = LegendPlace::none;  // colours as beside
  Plot errors(options);
  std::size_t ink = 0;
  for (const std::size_t c : spread_outputs(a, 4)) {
    const auto truth = function_of(d.out, d.outputs.size(), points, sample, c);
    const auto answer = function_of(a.prediction, d.outputs.size(), points, sample, c);
    std::vector<double> error(points);
    for (std::size_t i = 0; i < points; ++i) error[i] = answer[i] - truth[i];
    const Color color = palette_color(ink++);
    const std::string name = greek_name(d.outputs[c]);
    outputs.line(x, answer, {.name = name, .color = color, .width = 2});
    outputs.line(x, truth, {.color = mix(color, black, 0.55), .width = 1.4, .dashed = true});
    errors.line(x, error, {.name = name, .color = color});
  }
  return draw_figure({&inputs, &outputs, &errors}, {sample_width / 3, 250, 3, ""});
}

/// A row of maps per output: an input, truth, answer, error.
Picture map_sample(const OperatorAnswers& a, std::size_t sample) {
  const DataSet& d = a.data;
  const std::size_t points = d.grid.n_points();
  const SamplePainter painter(d.grid);
  std::vector<std::unique_ptr<Plot>> plots;
  const std::vector<std::size_t> outputs = shown_outputs(d, 2);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::size_t c = outputs[k];
    const auto truth = function_of(d.out, d.outputs.size(), points, sample, c);
    const auto answer = function_of(a.prediction, d.outputs.size(), points, sample, c);
    std::vector<double> error(points);
    for (std::size_t i = 0; i < points; ++i) error[i] = answer[i] - truth[i];
    const Limits both = common_limits(truth, answer);
    const std::string name = greek_name(d.outputs[c]);
    if (k < d.inputs.size()) {
      plots.push_back(painter.map(
          {greek_name(d.inputs[k]), function_of(d.in, d.inputs.size(), points, sample, k)}, {}));
    } else {
      plots.push_back(nullptr);
    }
    plots.push_back(painter.map({name + " truth", truth}, {.limits = both}));
    plots.push_back(painter.map({name + " answer", answer}, {.limits = both}));
    plots.push_back(painter.map({name + " error", error}, {.map = Colormap::diverging}));
  }
  std::vector<const Panel*> panels;
  for (const auto& plot : plots) panels.push_back(plot.get());
  return draw_figure(panels, {sample_width / 4, 215, 4, ""});
}

}  // namespace

std::vector<ShownSample> shown_samples(const OperatorError& error) {
  const std::vector<std::size_t> order = error.best_to_worst();
  const std::size_t n = order.size();
  static constexpr const char* names[] = {"best", "better quarter", "median", "worse quarter",
                                          "worst"};
  std::vector<ShownSample> shown;
  for (std::size_t k = 0; n > 0 && k < 5; ++k) {
    const std::size_t number = order[k * (n - 1) / 4];
    const bool known = std::any_of(shown.begin(), shown.end(),
                                   [&](const ShownSample& s) { return s.number == number; });
    if (!known) shown.push_back({number, names[n == 1 ? 2 : k]});
  }
  return shown;
}

std::string html_operator_samples(const OperatorAnswers& a) {
  if (a.error.empty() || a.prediction.empty()) return {};
  const SamplePainter painter(a.data.grid);
  std::string out = fmt::format(
      "<p class=\"note\">{} samples on the grid {}, ordered by their relative "
      "<i>L</i><sup>2</sup> error{}.</p>\n",
      grouped(a.error.size()), html_escaped(to_string(a.data.grid)),
      painter.left_out().empty() ? "" : ", at " + painter.left_out());
  if (a.data.grid.is_cloud() && a.data.grid.axes.size() == 1) return {};
  for (const ShownSample& s : shown_samples(a.error)) {
    const Picture picture = painter.is_line() ? line_sample(a, s.number) : map_sample(a, s.number);
    out += html_figure(without_grey(picture), fmt::format("sample_{}", s.number), s.name,
                       fmt::format("{}: {} sample {}, error {}", s.name, html_escaped(a.name),
                                   s.number + 1, html_number(a.error.relative_l2[s.number])));
  }
  return html_section("samples", "Samples from the best to the worst", out);
}

}  // namespace cauchy::detail
