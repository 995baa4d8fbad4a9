#include <cmath>

#include "lecture_2/pictures.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_sobel_figure(Output& out) {
  const Matrix face = test_portrait(160);
  const SobelGradient all = sobel(face), strong = sobel(face, 1.0);
  // A bright disk of radius 40: its edge must be found there, all around.
  const std::size_t n = 160;
  Matrix disk(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      disk(i, j) = std::hypot(double(i) - 79.5, double(j) - 79.5) < 40 ? 1 : 0;
    }
  }
  const Matrix edge = sobel(disk, 1.0).magnitude;
  double sum = 0, radius = 0, away = 0;
  std::size_t kept = 0, strong_ones = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double r = std::hypot(double(i) - 79.5, double(j) - 79.5);
      sum += edge(i, j);
      radius += r * edge(i, j);
      if (edge(i, j) > 0) away = std::max(away, std::abs(r - 40));
      kept += all.magnitude(i, j) > 0.05 ? 1 : 0;
      strong_ones += strong.magnitude(i, j) > 0 ? 1 : 0;
    }
  }
  out.check("mean radius of the edge of a disk of radius 40", radius / sum, 40, 0.2);
  out.check("farthest edge pixel from the circle", away, 0, 1.5);
  out.require("the threshold keeps fewer than a third of the pixels with some slope",
              3 * strong_ones < kept);
  const Plot panels[] = {image_panel("image", face), image_panel("magnitude", all.magnitude),
                         image_panel("above 1", strong.magnitude)};
  out.picture("edges", draw_figure({&panels[0], &panels[1], &panels[2]}, {360, 320, 3}));
}

Artefact sobel_figure_entry() {
  return {.id = "sobel-figure",
          .kind = Kind::figure,
          .lecture = 2,
          .lines = "1303-1308",
          .title = "Edges of an image",
          .formula = "",
          .says = "An image and its edges by Sobel's filter.",
          .truth = "",
          .page = "applications.md",
          .seconds = 0.1,
          .file = "lecture_2/sobel_figure.cpp",
          .make = make_sobel_figure};
}

}  // namespace cauchy::notes
