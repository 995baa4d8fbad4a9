// Runs:    edges [PICTURE.svg [IMAGE.png]]
// Expects: Sobel's gradient of a picture (without a file: a disk on a ramp) with the weight 2 in
// the
//          middle row and column; the edge of the disk has slope towards its centre; exit code 0.
#include <fmt/format.h>

#include <cauchy/io/png_image.hpp>
#include <cauchy/math/image.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>

namespace {

cauchy::Matrix disk_on_ramp(std::size_t n) {
  cauchy::Matrix image(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double x = (static_cast<double>(j) + 0.5) / static_cast<double>(n) - 0.5;
      const double y = (static_cast<double>(i) + 0.5) / static_cast<double>(n) - 0.5;
      image(i, j) = 0.3 * (x + 0.5) + 0.6 / (1 + std::exp(60 * (std::hypot(x, y) - 0.3)));
    }
  }
  return image;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cauchy;
  const Matrix image = argc > 2 ? read_png(argv[2]).gray : disk_on_ramp(128);
  const SobelGradient edges = sobel(image, 0.4);
  // I = i j has the gradient (i, j), eight times: (24, 32) at row 3, column 4.
  Matrix product(8, 8);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) product(i, j) = static_cast<double>(i * j);
  }
  const SobelGradient g = sobel(product);
  bool good = g.x(3, 4) == 24 && g.y(3, 4) == 32;
  fmt::print("of i*j at (3, 4): ({}, {})\n", g.x(3, 4), g.y(3, 4));
  if (argc <= 2) {  // the gradient points inwards at the right end of the disk, and nowhere else
    const std::size_t middle = 64, right = 64 + 38;
    good = good && edges.x(middle, right) < -0.4 && std::abs(edges.y(middle, right)) < 0.05;
    good = good && edges.magnitude(4, 4) == 0 && edges.magnitude(middle, middle) == 0;
  }
  const auto panel = [](const char* title, const Matrix& m) {
    Matrix up(m.rows(), m.cols());  // plots begin at the bottom
    for (std::size_t i = 0; i < m.rows(); ++i) {
      for (std::size_t j = 0; j < m.cols(); ++j) up(i, j) = m(m.rows() - 1 - i, j);
    }
    Plot plot({.title = title, .equal_aspect = true, .grid = false});
    plot.heat_map(up, {0, static_cast<double>(m.cols())}, {0, static_cast<double>(m.rows())});
    return plot;
  };
  const Plot left = panel("image", image), middle = panel("d/dx", edges.x),
             right = panel("edges", edges.magnitude);
  if (argc > 1) save_picture(argv[1], draw_figure({&left, &middle, &right}, {360, 340, 3}));
  fmt::print("{}\n", good ? "all as expected" : "something is wrong");
  return good ? 0 : 1;
}
