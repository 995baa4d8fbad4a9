#include <cauchy/report/samples_picture.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include <cauchy/report/figure.hpp>
#include <cauchy/report/mathml.hpp>

#include "report/sample_painter.hpp"

namespace cauchy {
namespace {

using detail::function_of;

/// Channels of one sample as lines over the only axis.
std::unique_ptr<Plot> lines_of(const DataSet& d, const std::vector<double>& values,
                               const std::vector<std::string>& names,
                               const std::vector<std::size_t>& channels, std::size_t sample) {
  const std::vector<double> x = detail::SamplePainter(d.grid).nodes();
  const FieldGrid::Axis& axis = d.grid.axes[0];
  PlotOptions options;
  options.title = fmt::format("sample {}", sample);
  options.x = {greek_name(axis.name), AxisScale::linear, Limits{axis.lower, axis.upper}};
  auto plot = std::make_unique<Plot>(options);
  for (const std::size_t c : channels) {
    plot->line(x, function_of(values, names.size(), x.size(), sample, c),
               {.name = greek_name(names[c]), .width = 2});
  }
  return plot;
}

}  // namespace

Picture draw_samples(const DataSet& data, const SamplesPictureOptions& options) {
  check(data);
  const detail::SamplePainter painter(data.grid);
  std::vector<std::size_t> inputs;
  for (std::size_t c = 0; c < std::min(data.inputs.size(), options.channels); ++c) {
    inputs.push_back(c);
  }
  const std::vector<std::size_t> outputs =
      data.out.empty() ? std::vector<std::size_t>{} : detail::shown_outputs(data, options.channels);
  std::vector<std::unique_ptr<Plot>> plots;
  const std::size_t n = std::min(data.size(), options.samples), points = data.grid.n_points();
  for (std::size_t s = 0; s < n; ++s) {
    if (painter.is_line()) {
      plots.push_back(lines_of(data, data.in, data.inputs, inputs, s));
      if (!outputs.empty()) plots.push_back(lines_of(data, data.out, data.outputs, outputs, s));
      continue;
    }
    const auto add = [&](const std::vector<double>& values, const std::vector<std::string>& names,
                         std::size_t c) {
      plots.push_back(painter.map({fmt::format("{}, sample {}", greek_name(names[c]), s),
                                   function_of(values, names.size(), points, s, c)},
                                  {}));
    };
    for (const std::size_t c : inputs) add(data.in, data.inputs, c);
    for (const std::size_t c : outputs) add(data.out, data.outputs, c);
  }
  std::vector<const Panel*> panels;
  for (const auto& plot : plots) panels.push_back(plot.get());
  FigureOptions figure{360, 300, plots.size() / n, options.title};
  if (painter.is_line()) figure.panel_height = 220;
  return draw_figure(panels, figure);
}

}  // namespace cauchy
