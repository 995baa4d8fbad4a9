#pragma once

#include <array>
#include <cauchy/report/plot.hpp>
#include <span>
#include <string>
#include <vector>

namespace cauchy {

/// Parallel view of space. The viewer is far away in direction
///   d = (cos e cos a, cos e sin a, sin e),  a = azimuth, e = elevation, in degrees,
/// and looks at the origin; the z axis points up in the picture. |elevation| <= 90.
struct Projection3 {
  double azimuth = -60, elevation = 24;

  /// right = (-sin a, cos a, 0) . p, up = (d x right) . p, towards = d . p: greater is nearer.
  struct View {
    double right, up, towards;
  };
  [[nodiscard]] View view(const std::array<double, 3>& p) const;
};

struct Plot3Options {
  std::string title{};
  std::array<std::string, 3> labels = {"x", "y", "z"};
  Projection3 projection{};
  bool equal_aspect = true;  ///< the box has the proportions of the data; false: a cube
  LegendPlace legend = LegendPlace::automatic;
};

/// Three-dimensional points in a box with marked edges; far points are smaller and paler. Points
/// that are not finite are left out. Throws Error for arrays of unequal length.
class Plot3 final : public Panel {
 public:
  explicit Plot3(Plot3Options options = {});

  Plot3& scatter(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                 ScatterStyle style = {});
  /// Point i in the palette colour of groups[i] < names.size(), which the legend names.
  Plot3& scatter_by_group(std::span<const double> x, std::span<const double> y,
                          std::span<const double> z, std::span<const std::size_t> groups,
                          std::span<const std::string> names, double radius = 0);

  void draw(Picture& picture, const PixelBox& box) const override;

 private:
  struct Series {
    std::vector<std::array<double, 3>> points;
    ScatterStyle style;
  };
  Plot3Options options_;
  std::vector<Series> series_;
};

}  // namespace cauchy
