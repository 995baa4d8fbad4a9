#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/report/figure.hpp>
#include <cauchy/report/mathml.hpp>
#include <cauchy/report/plot.hpp>

#include "report/html_operator_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy {
namespace {

std::string sizes_of(const FieldGrid& grid) {
  return grid.is_cloud() ? fmt::format("{} points", grid.n_points())
                         : fmt::format("{}", fmt::join(grid.sizes(), " x "));
}

/// What a grid is drawn over: nodes along its first axis; of a cloud its points.
double nodes_of(const FieldGrid& grid) {
  return grid.is_cloud() ? static_cast<double>(grid.n_points()) : grid.axes.front().n;
}

/// The numbers of times of the outputs, increasing.
std::vector<std::size_t> times_of(const std::vector<ResolutionError>& resolutions) {
  std::set<std::size_t> all;
  for (const ResolutionError& r : resolutions) all.insert(r.times);
  return {all.begin(), all.end()};
}

}  // namespace

Picture resolution_picture(const std::vector<ResolutionError>& resolutions,
                           const FieldGrid& trained) {
  std::vector<ResolutionError> sorted = resolutions;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return nodes_of(a.grid) < nodes_of(b.grid);
  });
  std::vector<double> x, mean, worst, h1, all{nodes_of(trained)};
  for (const ResolutionError& r : sorted) {
    x.push_back(nodes_of(r.grid));
    mean.push_back(r.error.mean_l2());
    worst.push_back(r.error.worst_l2());
    h1.push_back(r.error.mean_h1());
  }
  all.insert(all.end(), x.begin(), x.end());
  std::vector<double> errors = mean;
  errors.insert(errors.end(), worst.begin(), worst.end());
  errors.insert(errors.end(), h1.begin(), h1.end());
  const auto with_margin = [](std::span<const double> values) {
    const Limits l = widened(limits_of(values, AxisScale::log), AxisScale::log);
    const double margin = std::max(std::pow(l.high / l.low, 0.08), 1.15);
    return Limits{l.low / margin, l.high * margin};
  };
  PlotOptions options;
  options.x = {"nodes along the first axis", AxisScale::log, with_margin(all)};
  options.y = {"relative error", AxisScale::log, with_margin(errors)};
  options.legend = LegendPlace::outside;
  Plot plot(options);
  const double at[] = {nodes_of(trained), nodes_of(trained)};
  const double ends[] = {options.y.limits->low, options.y.limits->high};
  plot.line(at, ends,
            {.name = "grid of the training", .color = Color{150, 158, 168}, .dashed = true});
  const std::vector<std::size_t> times = times_of(sorted);
  for (std::size_t k = 0; k < times.size() && times.size() > 1; ++k) {
    std::vector<double> nodes, of_times;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i].times != times[k]) continue;
      nodes.push_back(x[i]);
      of_times.push_back(mean[i]);
    }
    plot.line(nodes, of_times,
              {.name = fmt::format("mean L2, {} times", times[k]),
               .color = palette_color(k),
               .width = 2,
               .markers = true});
  }
  if (times.size() > 1) return draw_figure({&plot}, {1000, 360, 1, ""});
  plot.line(x, mean, {.name = "mean L2", .color = palette_color(0), .width = 2, .markers = true});
  plot.line(x, worst, {.name = "worst L2", .color = palette_color(1), .markers = true});
  plot.line(x, h1, {.name = "mean H1", .color = palette_color(2), .markers = true});
  return draw_figure({&plot}, {1000, 360, 1, ""});
}

namespace detail {

std::string html_resolutions(const std::vector<ResolutionError>& resolutions,
                             const FieldGrid& trained) {
  if (resolutions.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{"grid", "samples",
                                                 "mean relative <i>L</i><sup>2</sup>", "median",
                                                 "worst", "mean relative <i>H</i><sup>1</sup>"}};
  const bool several = times_of(resolutions).size() > 1;
  for (const ResolutionError& r : resolutions) {
    const OperatorError& e = r.error;
    const bool own = r.grid == trained;
    std::string grid = html_escaped(sizes_of(r.grid));
    if (several) grid += fmt::format(", {} times", r.times);
    rows.push_back({grid + (own && !several ? " (training)" : ""), grouped(e.size()),
                    html_number(e.mean_l2()), html_number(e.median_l2()), html_number(e.worst_l2()),
                    html_number(e.mean_h1())});
  }
  std::string out = html_table(rows);
  if (resolutions.size() > 1) {
    out += html_figure(resolution_picture(resolutions, trained), "resolution",
                       "error against resolution",
                       "The same numbers on every grid; the test samples are drawn and solved anew "
                       "on each.");
  }
  return html_section("resolution", "Error against resolution", out);
}

std::string html_operator_spectra(const OperatorAnswers& a) {
  constexpr std::size_t most_samples = 50;
  if (a.error.empty() || a.prediction.empty() || a.data.grid.is_cloud()) return {};
  const std::size_t points = a.data.grid.n_points(), channels = a.data.outputs.size();
  const std::size_t c = channels - 1, n = std::min(a.error.size(), most_samples);
  std::vector<double> truth, answer, error;
  for (std::size_t s = 0; s < n; ++s) {
    const std::size_t first = (s * channels + c) * points;
    for (std::size_t i = first; i < first + points; ++i) {
      truth.push_back(a.data.out[i]);
      answer.push_back(a.prediction[i]);
      error.push_back(a.prediction[i] - a.data.out[i]);
    }
  }
  const FieldGrid& grid = a.data.grid;
  const std::vector<double> of_truth = power_spectrum(grid, truth),
                            of_answer = power_spectrum(grid, answer),
                            of_error = power_spectrum(grid, error);
  if (of_truth.size() < 4) return {};
  std::vector<double> k;
  for (std::size_t i = 1; i < of_truth.size(); ++i) k.push_back(static_cast<double>(i));
  const auto positive = [&](const std::vector<double>& all) { return std::span(all).subspan(1); };
  PlotOptions options;
  options.x = {"wave number, cycles per length", AxisScale::log, std::nullopt};
  options.y = {"power", AxisScale::log, std::nullopt};
  options.legend = LegendPlace::outside;
  Plot plot(options);
  plot.line(k, positive(of_truth), {.name = "truth", .color = black, .width = 2.4});
  plot.line(k, positive(of_answer),
            {.name = "answer", .color = palette_color(1), .width = 2, .dashed = true});
  plot.line(k, positive(of_error), {.name = "error", .color = palette_color(0)});
  return html_section(
      "spectra", "Spectra",
      html_figure(
          draw_figure({&plot}, {1000, 340, 1, ""}), "spectra",
          "power spectra of truth, answer and error",
          fmt::format("Power of {} by wave number, mean over {} {} samples: where the error "
                      "meets the truth, the answer has lost the detail.",
                      html_escaped(greek_name(a.data.outputs[c])), n, html_escaped(a.name))));
}

}  // namespace detail
}  // namespace cauchy
