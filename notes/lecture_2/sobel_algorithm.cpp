#include <cmath>

#include "lecture_2/pictures.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_sobel_algorithm(Output& out) {
  Matrix gx(3, 3), gy(3, 3);
  const double smooth[] = {1, 2, 1}, slope[] = {-1, 0, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      gx(i, j) = smooth[i] * slope[j];
      gy(i, j) = slope[i] * smooth[j];
    }
  }
  const auto edges = [&](const Matrix& image, double theta) {
    const Matrix x = correlate(image, gx, Padding::reflect);
    const Matrix y = correlate(image, gy, Padding::reflect);
    Matrix o(image.rows(), image.cols());
    for (std::size_t k = 0; k < o.size(); ++k) {
      o.data()[k] = std::hypot(x.data()[k], y.data()[k]);
      if (o.data()[k] < theta) o.data()[k] = 0;
    }
    return o;
  };
  Matrix ramp(9, 9), flat(9, 9);
  for (std::size_t k = 0; k < 81; ++k) {
    ramp.data()[k] = double(k % 9);
    flat.data()[k] = 0.7;
  }
  out.check("a ramp of slope 1", edges(ramp, 0)(4, 4), 8, 0);
  out.check("a flat image", edges(flat, 0)(4, 4), 0, 1e-15);
  const Matrix face = test_portrait(64), found = edges(face, 0);
  Matrix turned(64, 64);
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t j = 0; j < 64; ++j) turned(i, j) = face(j, 63 - i);
  }
  const Matrix of_turned = edges(turned, 0), of_library = sobel(face).magnitude;
  double turns = 0, differs = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t j = 0; j < 64; ++j) {
      turns = std::max(turns, std::abs(of_turned(i, j) - found(j, 63 - i)));
      differs = std::max(differs, std::abs(of_library(i, j) - found(i, j)));
    }
  }
  out.check("edges of the turned image against the turned edges", turns, 0, 1e-14);
  out.check("these lines against the library", differs, 0, 1e-14);
  const Plot panels[] = {
      image_panel("G_x", correlate(face, gx, Padding::reflect), {.map = Colormap::diverging}),
      image_panel("G_y", correlate(face, gy, Padding::reflect), {.map = Colormap::diverging}),
      image_panel("magnitude, below 0.6 cut off", edges(face, 0.6))};
  out.picture("steps", draw_figure({&panels[0], &panels[1], &panels[2]}, {360, 320, 3}),
              "The two derivatives, each smoothed across, and their magnitude.");
}

Artefact sobel_algorithm_entry() {
  return {
      .id = "sobel-algorithm",
      .kind = Kind::algorithm,
      .lecture = 2,
      .lines = "1276-1301",
      .title = "Sobel's edges, step by step",
      .formula =
          R"(G_x = [1, 2, 1]^T \otimes [-1, 0, 1], \quad G_y = [-1, 0, 1]^T \otimes [1, 2, 1], \quad O = \sqrt{X^2 + Y^2})",
      .says =
          "Two stencils, a difference along one axis and a smoothing along the other, give "
          "the gradient of an image; magnitudes below a threshold become zero.",
      .truth = "",
      .page = "applications.md",
      .seconds = 0.1,
      .file = "lecture_2/sobel_algorithm.cpp",
      .make = make_sobel_algorithm};
}

}  // namespace cauchy::notes
