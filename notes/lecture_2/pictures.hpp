#pragma once

#include <cmath>
#include <string>
#include <utility>

#include <cauchy/math/image.hpp>
#include <cauchy/report/figure.hpp>

namespace cauchy::notes {

/// A face with black eyes on a dark ramp, n x n pixels between 0 and 1: stands for the photographs
/// of the notes, which are not free.
inline Matrix test_portrait(std::size_t n) {
  Matrix image(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double x = (double(j) + 0.5) / double(n) * 2 - 1;
      const double y = 1 - (double(i) + 0.5) / double(n) * 2;
      double v = 0.15 + 0.15 * x;
      if (y < -0.55 && std::abs(x) < 0.75 + 0.4 * y + 0.5) v = 0.45 + 0.1 * std::sin(14 * x);
      const double r = std::hypot(x / 0.55, (y - 0.05) / 0.7);
      if (r < 1) v = 0.85 - 0.25 * x - 0.15 * r * r;
      if (std::hypot(std::abs(x) - 0.22, (y - 0.2) / 0.6) < 0.09) v = 0;  // black, but known
      if (std::abs(y + 0.3 - 0.6 * x * x) < 0.035 && std::abs(x) < 0.25) v = 0;
      if (y > 0.5 && r < 1.12) v = 0.35 + 0.2 * std::cos(25 * x) * (y > 0.55);
      image(i, j) = std::round(255 * v) / 255;
    }
  }
  return image;
}

/// An image as it hangs on a wall: plots have row 0 at the bottom, images at the top.
inline Plot image_panel(std::string title, const Matrix& m, ColorOptions color = {}) {
  Matrix up(m.rows(), m.cols());
  for (std::size_t i = 0; i < m.rows(); ++i) {
    for (std::size_t j = 0; j < m.cols(); ++j) up(i, j) = m(m.rows() - 1 - i, j);
  }
  Plot plot({.title = std::move(title), .color = color, .equal_aspect = true, .grid = false});
  plot.heat_map(up, {0, double(m.cols())}, {0, double(m.rows())});
  return plot;
}

}  // namespace cauchy::notes
