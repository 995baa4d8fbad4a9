#include "report/sample_painter.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/report/mathml.hpp>

#include "operators/channels.hpp"
#include "report/html_text.hpp"

namespace cauchy::detail {

SamplePainter::SamplePainter(const FieldGrid& grid) : grid_(grid) {
  if (grid.is_cloud()) positions_ = grid.positions();
}

std::string SamplePainter::left_out() const {
  if (grid_.is_cloud() || grid_.axes.size() < 3) return {};
  const FieldGrid::Axis& z = grid_.axes[2];
  return fmt::format("{} = {}", html_escaped(greek_name(z.name)), html_number(z.node(z.n / 2)));
}

std::unique_ptr<Plot> SamplePainter::map(const ShownFunction& f, const ColorOptions& color) const {
  PlotOptions options;
  options.title = f.title;
  const FieldGrid::Axis &x = grid_.axes[0], &y = grid_.axes[1];
  options.x = {greek_name(x.name), AxisScale::linear, Limits{x.lower, x.upper}};
  options.y = {greek_name(y.name), AxisScale::linear, Limits{y.lower, y.upper}};
  options.color = color;
  options.grid = false;
  const double ratio = (y.upper - y.lower) / (x.upper - x.lower);
  options.equal_aspect = ratio > 0.2 && ratio < 5;
  auto plot = std::make_unique<Plot>(options);
  if (grid_.is_cloud()) {
    add_points(*plot, f.values);
  } else {
    add_cells(*plot, f.values);
  }
  return plot;
}

std::vector<double> SamplePainter::nodes() const {
  std::vector<double> x;
  for (int i = 0; i < grid_.axes[0].n; ++i) x.push_back(grid_.axes[0].node(i));
  return x;
}

void SamplePainter::add_points(Plot& plot, std::span<const double> values) const {
  const std::size_t d = grid_.axes.size();
  std::vector<double> x, y;
  for (std::size_t i = 0; i < values.size(); ++i) {
    x.push_back(positions_[i * d]);
    y.push_back(positions_[i * d + 1]);
  }
  plot.scatter_by_value(x, y, values, 3);
}

/// Rows of a picture run along y, those of the array along x.
void SamplePainter::add_cells(Plot& plot, std::span<const double> values) const {
  const FieldGrid::Axis &x = grid_.axes[0], &y = grid_.axes[1];
  const auto nx = static_cast<std::size_t>(x.n), ny = static_cast<std::size_t>(y.n);
  const std::size_t depth = values.size() / (nx * ny);
  Matrix cells(ny, nx);
  for (std::size_t i = 0; i < nx; ++i) {
    for (std::size_t j = 0; j < ny; ++j) {
      cells(j, i) = values[(i * ny + j) * depth + depth / 2];
    }
  }
  plot.heat_map(cells, {x.lower, x.upper}, {y.lower, y.upper});
}

std::span<const double> function_of(std::span<const double> all, std::size_t n_channels,
                                    std::size_t points, std::size_t sample, std::size_t channel) {
  return all.subspan((sample * n_channels + channel) * points, points);
}

std::vector<std::size_t> shown_outputs(const DataSet& d, std::size_t most) {
  std::vector<std::size_t> shown;
  std::vector<std::string> fields;
  for (std::size_t c = d.outputs.size(); c-- > 0;) {
    const auto frame = frame_in(d.outputs[c]);
    const std::string field = frame ? frame->field : d.outputs[c];
    if (std::find(fields.begin(), fields.end(), field) != fields.end()) continue;
    fields.push_back(field);
    shown.insert(shown.begin(), c);
  }
  if (shown.size() > most) shown.resize(most);
  return shown;
}

}  // namespace cauchy::detail
