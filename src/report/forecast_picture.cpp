#include <cauchy/report/forecast_picture.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/matrix.hpp>
#include <cauchy/report/figure.hpp>

namespace cauchy {
namespace {

constexpr const char* forecast_place = "[report.forecast_picture]";

/// Values of one map, and the limits of its colours.
struct ForecastMap {
  std::string title;
  std::vector<double> values;
  Limits limits;
  Colormap colors = Colormap::viridis;
};

Limits limits_of(std::span<const double> v) {
  const auto [low, high] = std::minmax_element(v.begin(), v.end());
  return *low < *high ? Limits{*low, *high} : Limits{*low - 1, *low + 1};
}

std::unique_ptr<Plot> draw_map(const FieldGrid& grid, const ForecastMap& map) {
  PlotOptions options{.title = map.title, .grid = false};
  options.color.limits = map.limits;
  options.color.map = map.colors;
  auto plot = std::make_unique<Plot>(options);
  const auto rows = static_cast<std::size_t>(grid.axes[0].n);
  const auto columns = static_cast<std::size_t>(grid.axes[1].n);
  Matrix m(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) m(i, j) = map.values[i * columns + j];
  }
  plot->heat_map(m, {grid.axes[1].lower, grid.axes[1].upper}, {-90, 90});
  return plot;
}

}  // namespace

Picture forecast_picture(const DataSet& test, std::span<const std::vector<double>> members,
                         const std::string& field, std::size_t sample) {
  std::vector<std::size_t> channels;
  for (std::size_t k = 0; k < test.outputs.size(); ++k) {
    if (test.outputs[k].starts_with(field + "(t=")) channels.push_back(k);
  }
  if (channels.empty() || sample >= test.size() || members.empty() || test.grid.axes.size() != 2) {
    throw Error(fmt::format("there is no forecast of '{}' for sample {}", field, sample),
                forecast_place, "give a field and a sample of the data, on two axes");
  }
  const std::size_t points = test.grid.n_points(), M = members.size();
  const bool many = M > 1;
  std::vector<std::size_t> shown = {channels.front(), channels[(channels.size() - 1) / 2],
                                    channels.back()};
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  std::vector<std::vector<ForecastMap>> columns;
  for (const std::size_t k : shown) {
    const std::size_t first = (sample * test.outputs.size() + k) * points;
    const auto truth = std::span(test.out).subspan(first, points);
    std::vector<double> mean(points), error(points), spread(points);
    for (std::size_t p = 0; p < points; ++p) {
      for (const std::vector<double>& m : members) mean[p] += m[first + p] / static_cast<double>(M);
      for (const std::vector<double>& m : members) {
        spread[p] += (m[first + p] - mean[p]) * (m[first + p] - mean[p]);
      }
      spread[p] = many ? std::sqrt(spread[p] / static_cast<double>(M - 1)) : 0;
      error[p] = std::abs(mean[p] - truth[p]);
    }
    const Limits range = limits_of(truth);
    const Limits off = {
        0, std::max({*std::ranges::max_element(error), *std::ranges::max_element(spread), 1e-300})};
    const std::string name = test.outputs[k];
    std::vector<ForecastMap> maps;
    maps.push_back({name + ", truth", {truth.begin(), truth.end()}, range});
    maps.push_back({name + (many ? ", mean of the ensemble" : ", forecast"), mean, range});
    maps.push_back({name + ", |error|", error, off});
    if (many) maps.push_back({name + ", spread", spread, off});
    columns.push_back(std::move(maps));
  }
  std::vector<std::unique_ptr<Plot>> plots;
  for (std::size_t row = 0; row < columns[0].size(); ++row) {
    for (const auto& column : columns) plots.push_back(draw_map(test.grid, column[row]));
  }
  std::vector<const Panel*> panels;
  for (const auto& plot : plots) panels.push_back(plot.get());
  return draw_figure(panels, {.panel_width = 460, .panel_height = 260, .columns = columns.size()});
}

Picture spectra_picture(std::span<const ForecastSpectrum> spectra) {
  std::vector<std::unique_ptr<Plot>> plots;
  for (const ForecastSpectrum& s : spectra) {
    PlotOptions options{.title = fmt::format("{}(t={:g})", s.field, s.lead)};
    options.x = {.label = "degree", .scale = AxisScale::log};
    options.y = {.label = "power", .scale = AxisScale::log};
    auto plot = std::make_unique<Plot>(options);
    std::vector<double> degree;
    for (std::size_t l = 0; l < s.truth.size(); ++l) degree.push_back(static_cast<double>(l));
    plot->line(degree, s.truth, {.name = "truth"});
    const bool same = s.member == s.mean;
    plot->line(degree, s.member, {.name = same ? "forecast" : "members"});
    if (!same) plot->line(degree, s.mean, {.name = "mean", .dashed = true});
    plots.push_back(std::move(plot));
  }
  std::vector<const Panel*> panels;
  for (const auto& plot : plots) panels.push_back(plot.get());
  return draw_figure(panels, {.panel_width = 460, .panel_height = 340, .columns = 2});
}

}  // namespace cauchy
