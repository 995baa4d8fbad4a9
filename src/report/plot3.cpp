#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/report/plot3.hpp>
#include <cmath>
#include <numbers>
#include <utility>

#include "axes.hpp"
#include "box3.hpp"
#include "legend.hpp"
#include "plot_series.hpp"

namespace cauchy {
namespace {

constexpr std::string_view plot3_place = "[report.plot3]";

void check_sizes(std::size_t nx, std::size_t ny, std::size_t nz) {
  if (nx != ny || nx != nz)
    throw Error("coordinates of unequal length: " + std::to_string(nx) + ", " + std::to_string(ny) +
                    " and " + std::to_string(nz),
                plot3_place, "pass arrays of equal length");
}

void check_radius(double radius) {
  if (!(radius >= 0 && radius <= 1e4))
    throw Error("radius must be between 0 and 1e4 pixels, got " + std::to_string(radius),
                plot3_place);
}

bool is_finite_point(const std::array<double, 3>& p) {
  return std::ranges::all_of(p, [](double v) { return std::isfinite(v); });
}

}  // namespace

Projection3::View Projection3::view(const std::array<double, 3>& p) const {
  const double a = azimuth * std::numbers::pi / 180, e = elevation * std::numbers::pi / 180;
  const double ca = std::cos(a), sa = std::sin(a), ce = std::cos(e), se = std::sin(e);
  return {.right = -sa * p[0] + ca * p[1],
          .up = -se * ca * p[0] - se * sa * p[1] + ce * p[2],
          .towards = ce * ca * p[0] + ce * sa * p[1] + se * p[2]};
}

Plot3::Plot3(Plot3Options options) : options_(std::move(options)) {
  const auto& [azimuth, elevation] = options_.projection;
  if (!std::isfinite(azimuth) || !(std::abs(elevation) <= 90))
    throw Error("a view needs a finite azimuth and an elevation between -90 and 90 degrees, got " +
                    std::to_string(azimuth) + " and " + std::to_string(elevation),
                plot3_place);
}

Plot3& Plot3::scatter(std::span<const double> x, std::span<const double> y,
                      std::span<const double> z, ScatterStyle style) {
  check_sizes(x.size(), y.size(), z.size());
  check_radius(style.radius);
  if (!style.color) style.color = palette_color(series_.size());
  Series series{{}, std::move(style)};
  for (std::size_t i = 0; i < x.size(); ++i)
    if (is_finite_point({x[i], y[i], z[i]})) series.points.push_back({x[i], y[i], z[i]});
  series_.push_back(std::move(series));
  return *this;
}

Plot3& Plot3::scatter_by_group(std::span<const double> x, std::span<const double> y,
                               std::span<const double> z, std::span<const std::size_t> groups,
                               std::span<const std::string> names, double radius) {
  check_sizes(x.size(), y.size(), z.size());
  check_sizes(x.size(), groups.size(), x.size());
  check_radius(radius);
  const std::size_t first = series_.size();
  std::vector<Series> all;
  for (std::size_t g = 0; g < names.size(); ++g)
    all.push_back({{}, {.name = names[g], .color = palette_color(first + g), .radius = radius}});
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (groups[i] >= names.size())
      throw Error("point " + std::to_string(i) + " is in group " + std::to_string(groups[i]) +
                      " but there are " + std::to_string(names.size()) + " names",
                  plot3_place, "name every group; groups count from 0");
    if (is_finite_point({x[i], y[i], z[i]})) all[groups[i]].points.push_back({x[i], y[i], z[i]});
  }
  for (Series& s : all)
    if (!s.points.empty()) series_.push_back(std::move(s));
  return *this;
}

void Plot3::draw(Picture& picture, const PixelBox& panel) const {
  const detail::Style style = detail::Style::of(panel);
  std::vector<std::array<double, 3>> all;
  std::vector<detail::LegendEntry> entries;
  for (const Series& s : series_) {
    all.insert(all.end(), s.points.begin(), s.points.end());
    entries.push_back({s.style.name, std::nullopt, std::nullopt, s.style.color});
  }
  if (options_.legend == LegendPlace::none) entries.clear();
  const detail::Legend legend(std::move(entries), style);
  const double title_room = options_.title.empty() ? 0 : 1.7 * style.title;
  const auto make_box = [&](double legend_room) {
    return detail::Box3(
        all, options_,
        {panel.left, panel.top + title_room, panel.width - legend_room, panel.height - title_room},
        style);
  };
  detail::Box3 box = make_box(0);
  std::optional<PixelPoint> corner;
  if (!legend.empty()) {
    std::vector<PixelPoint> occupied = box.outline();
    for (const auto& p : all) occupied.push_back(box.pixel(p));
    if (options_.legend == LegendPlace::automatic) corner = legend.free_corner(panel, occupied);
    if (!corner) box = make_box(legend.width() + 2 * style.gap);
  }

  box.draw_behind(picture);
  constexpr std::size_t n_slices = 16;
  const double base = detail::dot_radius(all.size(), box.area());
  // From the back to the front in slices of equal depth.
  for (std::size_t slice = 0; slice < n_slices; ++slice) {
    const double depth = (static_cast<double>(slice) + 0.5) / n_slices;
    for (const Series& s : series_) {
      std::vector<PixelPoint> dots;
      for (const auto& p : s.points)
        if (std::min(static_cast<std::size_t>(box.depth(p) * n_slices), n_slices - 1) == slice)
          dots.push_back(box.pixel(p));
      const double radius = (s.style.radius > 0 ? s.style.radius : base) * (0.6 + 0.7 * depth);
      picture.circles(dots, radius, mix(*s.style.color, white, 0.75 * (1 - depth)));
    }
  }
  box.draw_before(picture);
  const double middle = panel.left + panel.width / 2;
  picture.text({middle, panel.top + 0.8 * style.gap + style.title}, options_.title,
               {.size = detail::fitting_size(options_.title, style.title, panel.width - 8, true),
                .color = detail::ink,
                .anchor = Anchor::middle,
                .bold = true});
  const PixelPoint outside{panel.right() - legend.width() - style.gap,
                           panel.top + title_room + style.gap};
  legend.draw(picture, corner.value_or(outside));
}

}  // namespace cauchy
