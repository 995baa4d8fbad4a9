#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <cauchy/report/mathml.hpp>

#include "report/html_text.hpp"
#include "report/html_views.hpp"

namespace cauchy::detail {
namespace {

constexpr double page_width = 1040;

/// Two axes of space of comparable length are drawn to scale.
bool to_scale(const FieldSampler& sampler, std::size_t a, std::size_t b) {
  const bool space = a >= sampler.first_space() && b >= sampler.first_space() &&
                     a < sampler.n_active() && b < sampler.n_active();
  const auto& x = sampler.axes()[a];
  const auto& y = sampler.axes()[b];
  const double ratio = (y.upper - y.lower) / (x.upper - x.lower);
  return space && ratio > 0.15 && ratio < 6;
}

/// Height of a panel so that a map to scale fills it.
double panel_height(const FieldSampler& sampler, std::size_t a, std::size_t b, double width) {
  if (!to_scale(sampler, a, b)) return std::clamp(0.8 * width, 190.0, 340.0);
  const auto& x = sampler.axes()[a];
  const auto& y = sampler.axes()[b];
  const double ratio = (y.upper - y.lower) / (x.upper - x.lower);
  const double beside = 0.17 * width + 65, below = 75;  // room for labels and the colour bar
  return std::clamp((width - beside) * ratio + below, 150.0, 1.5 * width);
}

class MapPainter {
 public:
  MapPainter(const FieldSampler& sampler, std::size_t na, std::size_t nb)
      : sampler_(sampler), na_(na), nb_(nb) {}

  std::unique_ptr<Plot> plot(const std::string& title, const std::vector<double>& values,
                             const ViewPlace& place, Limits colors, Colormap map) const {
    const std::size_t a = place.a, b = *place.b;
    const auto& x = sampler_.axes()[a];
    const auto& y = sampler_.axes()[b];
    PlotOptions options;
    options.title = title;
    options.x = {greek_name(x.name), AxisScale::linear, Limits{x.lower, x.upper}};
    options.y = {greek_name(y.name), AxisScale::linear, Limits{y.lower, y.upper}};
    options.color.limits = colors;
    options.color.map = map;
    options.equal_aspect = to_scale(sampler_, a, b);
    options.grid = false;
    auto result = std::make_unique<Plot>(options);
    result->heat_map(MatrixView<const double>(values.data(), nb_, na_), *options.x.limits,
                     *options.y.limits);
    cover(*result, place, x, y);
    return result;
  }

 private:
  /// White outside of the region, so that its edge is sharp.
  void cover(Plot& plot, const ViewPlace& place, const FieldSampler::Axis& x,
             const FieldSampler::Axis& y) const {
    auto [curves, rings] = sampler_.outline(place.a, *place.b, place.at);
    if (!rings.empty()) {
      rings.push_back(
          {{x.lower, y.lower}, {x.upper, y.lower}, {x.upper, y.upper}, {x.lower, y.upper}});
      plot.region(std::move(rings), {.fill = white, .edge = std::nullopt});
    }
    for (const auto& curve : curves) {
      std::vector<double> px, py;
      for (const PixelPoint& p : curve) {
        px.push_back(p.x);
        py.push_back(p.y);
      }
      plot.line(px, py, {.color = Color{70, 78, 88}, .width = 1.2});
    }
  }

  const FieldSampler& sampler_;
  std::size_t na_, nb_;
};

std::vector<double> difference(const FieldSample& s, std::size_t f) {
  std::vector<double> e(s.solution[f].size());
  for (std::size_t i = 0; i < e.size(); ++i) e[i] = s.solution[f][i] - s.reference[f][i];
  return e;
}

Picture draw(const std::vector<std::unique_ptr<Plot>>& plots, double width, double height,
             std::size_t columns) {
  std::vector<const Panel*> panels;
  for (const auto& plot : plots) panels.push_back(plot.get());
  return without_grey(draw_figure(panels, {width, height, columns, ""}));
}

}  // namespace

Picture map_picture(const FieldSampler& sampler, const FieldSample& sample, std::size_t field,
                    std::size_t na, std::size_t nb, const ViewPlace& place,
                    const ViewLimits& limits) {
  const MapPainter painter(sampler, na, nb);
  const std::string name = greek_name(sampler.fields()[field]);
  std::vector<std::unique_ptr<Plot>> plots;
  plots.push_back(
      painter.plot(name, sample.solution[field], place, limits.values[field], Colormap::viridis));
  if (has_reference(sample, field)) {
    plots.push_back(painter.plot(name + " reference", sample.reference[field], place,
                                 limits.values[field], Colormap::viridis));
    plots.push_back(painter.plot(name + " error", difference(sample, field), place,
                                 limits.errors[field], Colormap::diverging));
  }
  const double width = plots.size() == 1 ? 560 : page_width / 3;
  return draw(plots, width, panel_height(sampler, place.a, *place.b, width), plots.size());
}

Picture map_rows_picture(const FieldSampler& sampler, const std::vector<FieldSample>& samples,
                         const std::vector<ViewPlace>& places,
                         const std::vector<std::string>& titles, std::size_t field, std::size_t na,
                         std::size_t nb, const ViewLimits& limits) {
  const MapPainter painter(sampler, na, nb);
  const std::string name = greek_name(sampler.fields()[field]);
  std::vector<std::unique_ptr<Plot>> plots;
  const bool compared = std::all_of(samples.begin(), samples.end(),
                                    [&](const FieldSample& s) { return has_reference(s, field); });
  double height = 0;
  const double width = page_width / static_cast<double>(samples.size());
  for (std::size_t row = 0; row < (compared ? 3u : 1u); ++row) {
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const FieldSample& s = samples[k];
      const char* what = row == 0 ? "" : row == 1 ? " reference" : " error";
      plots.push_back(painter.plot(fmt::format("{}{}, {}", name, what, titles[k]),
                                   row == 0   ? s.solution[field]
                                   : row == 1 ? s.reference[field]
                                              : difference(s, field),
                                   places[k], row < 2 ? limits.values[field] : limits.errors[field],
                                   row < 2 ? Colormap::viridis : Colormap::diverging));
      height = std::max(height, panel_height(sampler, places[k].a, *places[k].b, width));
    }
  }
  return draw(plots, width, height, samples.size());
}

}  // namespace cauchy::detail
