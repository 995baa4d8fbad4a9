#include <cauchy/report/surface_picture.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr double panel_title = 22, panel_gap = 8;
constexpr double samples_per_pixel = 2;  // of the image along each side
constexpr double dot_radius = 1.6;       // of a point, samples

/// To the right, up and towards the reader.
Point3 as_seen(const Point3& p) {
  constexpr double turn = 0.6, tilt = 0.45;
  const double right = std::cos(turn) * p[0] + std::sin(turn) * p[1];
  const double away = -std::sin(turn) * p[0] + std::cos(turn) * p[1];
  return {right, std::cos(tilt) * p[2] + std::sin(tilt) * away,
          std::sin(tilt) * p[2] - std::cos(tilt) * away};
}

/// Brightness of a surface with this normal, as seen: light from above left of the reader.
double brightness(const Point3& n) {
  constexpr Point3 light = {-0.4, 0.6, 0.69};
  const double length = std::hypot(n[0], n[1], n[2]);
  if (!(length > 0)) return 0.5;
  const double cosine = (n[0] * light[0] + n[1] * light[1] + n[2] * light[2]) / length;
  return 0.4 + 0.6 * std::max(0.0, cosine);
}

class SurfacePainter final {
 public:
  SurfacePainter(std::size_t side, Point3 low, double scale)
      : side_(side), low_(low), scale_(scale), depth_(side * side, -INFINITY) {
    image_.width = image_.height = side;
    image_.rgb.assign(3 * side * side, 255);
  }

  void mesh(const TriangleMesh& mesh, Color color) {
    std::vector<Point3> seen, normals(mesh.vertices.size(), Point3{0, 0, 0});
    for (const Point3& v : mesh.vertices) seen.push_back(place(v));
    for (const auto& t : mesh.triangles) {
      const Point3 n = cross(seen[t[0]], seen[t[1]], seen[t[2]]);
      for (const std::uint32_t v : t) {
        for (std::size_t k = 0; k < 3; ++k) normals[v][k] += n[k];
      }
    }
    for (const auto& t : mesh.triangles) triangle(t, seen, normals, color);
  }

  void points(const OrientedPoints& cloud, Color color) {
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      const Point3 n = as_seen(cloud.normals[i]), x = place(cloud.points[i]);
      if (!(n[2] > 0)) continue;
      const auto low = [&](double v) { return static_cast<long>(std::floor(v - dot_radius)); };
      const auto high = [&](double v) { return static_cast<long>(std::ceil(v + dot_radius)); };
      for (long r = low(x[1]); r <= high(x[1]); ++r) {
        for (long c = low(x[0]); c <= high(x[0]); ++c) {
          const double dx = static_cast<double>(c) - x[0], dy = static_cast<double>(r) - x[1];
          if (dx * dx + dy * dy <= dot_radius * dot_radius) dot(c, r, x[2], n, color);
        }
      }
    }
  }

  RgbImage take() { return std::move(image_); }

 private:
  /// Column and row of the image, the row counted upwards, and the depth in the same units.
  [[nodiscard]] Point3 place(const Point3& p) const {
    Point3 s = as_seen(p);
    for (std::size_t k = 0; k < 3; ++k) s[k] = (s[k] - low_[k]) * scale_;
    return s;
  }
  static Point3 cross(const Point3& a, const Point3& b, const Point3& c) {
    Point3 n{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      n[i] = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
    }
    return n;
  }

  void dot(long column, long row, double depth, const Point3& normal, Color color) {
    const auto n = static_cast<long>(side_);
    if (column < 0 || row < 0 || column >= n || row >= n) return;
    const auto at = static_cast<std::size_t>((n - 1 - row) * n + column);
    if (!(depth > depth_[at])) return;
    depth_[at] = depth;
    const Color shade = mix(black, color, brightness(normal));
    image_.rgb[3 * at] = shade.red;
    image_.rgb[3 * at + 1] = shade.green;
    image_.rgb[3 * at + 2] = shade.blue;
  }

  void triangle(const std::array<std::uint32_t, 3>& t, const std::vector<Point3>& seen,
                const std::vector<Point3>& normals, Color color) {
    const Point3 &a = seen[t[0]], &b = seen[t[1]], &c = seen[t[2]];
    const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (!(area > 0)) return;  // seen from behind
    const auto first = [](double x, double y, double z) {
      return static_cast<long>(std::ceil(std::min({x, y, z})));
    };
    const auto last = [](double x, double y, double z) {
      return static_cast<long>(std::floor(std::max({x, y, z})));
    };
    for (long r = first(a[1], b[1], c[1]); r <= last(a[1], b[1], c[1]); ++r) {
      for (long q = first(a[0], b[0], c[0]); q <= last(a[0], b[0], c[0]); ++q) {
        const auto x = static_cast<double>(q), y = static_cast<double>(r);
        const double u = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area;
        const double v = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area;
        if (u < 0 || v < 0 || u + v > 1) continue;
        Point3 n{};
        for (std::size_t k = 0; k < 3; ++k) {
          n[k] = (1 - u - v) * normals[t[0]][k] + u * normals[t[1]][k] + v * normals[t[2]][k];
        }
        dot(q, r, (1 - u - v) * a[2] + u * b[2] + v * c[2], n, color);
      }
    }
  }

  std::size_t side_;
  Point3 low_;
  double scale_;
  std::vector<double> depth_;
  RgbImage image_;
};

}  // namespace

Picture draw_surfaces(const std::vector<SurfacePanel>& panels, std::size_t columns, double size) {
  Point3 low, high;
  low.fill(INFINITY);
  high.fill(-INFINITY);
  const auto meet = [&](const Point3& p) {
    const Point3 s = as_seen(p);
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], s[k]);
      high[k] = std::max(high[k], s[k]);
    }
  };
  for (const SurfacePanel& panel : panels) {
    for (const Point3& p : panel.mesh.vertices) meet(p);
    for (const Point3& p : panel.points.points) meet(p);
  }
  const double extent = std::max(high[0] - low[0], high[1] - low[1]);
  if (columns == 0 || !(extent > 0) || !std::isfinite(extent)) {
    throw Error("there is no surface to draw", "[report.surfaces]");
  }
  const auto side = static_cast<std::size_t>(std::lround(samples_per_pixel * size));
  const double scale = 0.94 * static_cast<double>(side) / extent;
  for (std::size_t k = 0; k < 2; ++k) {
    low[k] = (low[k] + high[k]) / 2 - static_cast<double>(side) / (2 * scale);
  }
  columns = std::min(columns, panels.size());
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  Picture picture(static_cast<double>(columns) * (size + panel_gap) + panel_gap,
                  static_cast<double>(rows) * (size + panel_title) + panel_gap);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    SurfacePainter painter(side, low, scale);
    painter.mesh(panels[i].mesh, mix(white, palette_color(0), 0.65));
    painter.points(panels[i].points, palette_color(1));
    const double left = panel_gap + static_cast<double>(i % columns) * (size + panel_gap);
    const double top = static_cast<double>(i / columns) * (size + panel_title);
    picture.text({left + size / 2, top + panel_title - 6}, panels[i].title,
                 {.size = 13, .anchor = Anchor::middle});
    picture.image({left, top + panel_title, size, size}, painter.take());
  }
  return picture;
}

}  // namespace cauchy
