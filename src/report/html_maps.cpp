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
bool to_scale(const SolutionSampler& sampler, std::size_t a, std::size_t b) {
  const bool space = a >= sampler.first_space() && b >= sampler.first_space() &&
                     a < sampler.n_active() && b < sampler.n_active();
  const auto& x = sampler.axes()[a];
  const auto& y = sampler.axes()[b];
  const double ratio = (y.upper - y.lower) / (x.upper - x.lower);
  return space && ratio > 0.15 && ratio < 6;
}

/// Height of a panel so that a map to scale fills it.
double panel_height(const SolutionSampler& sampler, std::size_t a, std::size_t b, double width) {
  if (!to_scale(sampler, a, b)) return std::clamp(0.8 * width, 190.0, 340.0);
  const auto& x = sampler.axes()[a];
  const auto& y = sampler.axes()[b];
  const double ratio = (y.upper - y.lower) / (x.upper - x.lower);
  const double beside = 0.17 * width + 65, below = 75;  // room for labels and the colour bar
  return std::clamp((width - beside) * ratio + below, 150.0, 1.5 * width);
}

class MapPainter {
 public:
  MapPainter(const SolutionSampler& sampler, std::size_t na, std::size_t nb)
      : sampler_(sampler), na_(na), nb_(nb) {}

  std::unique_ptr<Plot> plot(const std::string& title, const std::vector<double>& values,
                             const ViewPlace& place, const ColorOptions& colors) const {
    const std::size_t a = place.a, b = *place.b;
    const auto& x = sampler_.axes()[a];
    const auto& y = sampler_.axes()[b];
    PlotOptions options;
    options.title = title;
    options.x = {greek_name(x.name), AxisScale::linear, Limits{x.lower, x.upper}};
    options.y = {greek_name(y.name), AxisScale::linear, Limits{y.lower, y.upper}};
    options.color = colors;
    options.equal_aspect = to_scale(sampler_, a, b);
    options.grid = false;
    auto result = std::make_unique<Plot>(options);
    result->heat_map(MatrixView<const double>(values.data(), nb_, na_), *options.x.limits,
                     *options.y.limits);
    cover(*result, place, x, y);
    return result;
  }

  /// The values of a field, or of its reference.
  std::unique_ptr<Plot> values(const std::string& title, const std::vector<double>& v,
                               const ViewPlace& place, const ViewLimits& limits,
                               std::size_t f) const {
    return plot(title, v, place, {.scale = limits.scale, .limits = limits.values[f]});
  }

  /// The error of a field, with a ring where it is largest.
  std::unique_ptr<Plot> error(const std::string& title, const FieldSample& s,
                              const ViewPlace& place, const ViewLimits& limits,
                              std::size_t f) const {
    std::vector<double> e(s.solution[f].size());
    for (std::size_t i = 0; i < e.size(); ++i) e[i] = s.solution[f][i] - s.reference[f][i];
    auto result = plot(title, e, place, {.limits = limits.errors[f], .map = Colormap::diverging});
    if (f < limits.worst.size() && shows(sampler_, place, limits.worst[f])) {
      const double x[] = {limits.worst[f][place.a]}, y[] = {limits.worst[f][*place.b]};
      result->scatter(x, y, {.color = black, .radius = 5});
      result->scatter(x, y, {.color = white, .radius = 3.4});
    }
    return result;
  }

 private:
  /// White outside of the region, so that its edge is sharp.
  void cover(Plot& plot, const ViewPlace& place, const SolutionSampler::Axis& x,
             const SolutionSampler::Axis& y) const {
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

  const SolutionSampler& sampler_;
  std::size_t na_, nb_;
};

Picture draw(const std::vector<std::unique_ptr<Plot>>& plots, double width, double height,
             std::size_t columns) {
  std::vector<const Panel*> panels;
  for (const auto& plot : plots) panels.push_back(plot.get());
  return without_grey(draw_figure(panels, {width, height, columns, ""}));
}

}  // namespace

Picture map_picture(const SolutionSampler& sampler, const FieldSample& sample, std::size_t field,
                    std::size_t na, std::size_t nb, const ViewPlace& place,
                    const ViewLimits& limits, double single_width) {
  const MapPainter painter(sampler, na, nb);
  const std::string name = greek_name(sampler.fields()[field]);
  std::vector<std::unique_ptr<Plot>> plots;
  plots.push_back(painter.values(name, sample.solution[field], place, limits, field));
  if (has_reference(sample, field)) {
    plots.push_back(
        painter.values(name + " reference", sample.reference[field], place, limits, field));
    plots.push_back(painter.error(name + " error", sample, place, limits, field));
  }
  const double width = plots.size() == 1 ? single_width : page_width / 3;
  return draw(plots, width, panel_height(sampler, place.a, *place.b, width), plots.size());
}

Picture map_rows_picture(const SolutionSampler& sampler, const std::vector<FieldSample>& samples,
                         const ViewRow& views, std::size_t field, std::size_t na, std::size_t nb,
                         const ViewLimits& limits) {
  const std::vector<ViewPlace>& places = views.places;
  const std::vector<std::string>& titles = views.titles;
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
      const std::string title = fmt::format("{}{}, {}", name, what, titles[k]);
      plots.push_back(row == 2
                          ? painter.error(title, s, places[k], limits, field)
                          : painter.values(title, row == 0 ? s.solution[field] : s.reference[field],
                                           places[k], limits, field));
      height = std::max(height, panel_height(sampler, places[k].a, *places[k].b, width));
    }
  }
  return draw(plots, width, height, samples.size());
}

}  // namespace cauchy::detail
