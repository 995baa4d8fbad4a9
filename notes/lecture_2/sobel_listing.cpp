#include <cmath>

#include "lecture_2/pictures.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_sobel_listing(Output& out) {
  // The listing: in place of the middle row and column, the last ones have the weight 2.
  Matrix gx(3, 3), gy(3, 3);
  const double listed[] = {1, 1, 2}, slope[] = {-1, 0, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      gx(i, j) = listed[i] * slope[j];
      gy(i, j) = slope[i] * listed[j];
    }
  }
  Matrix product(8, 8);  // i j has the slopes i and j; Sobel's gradient is 8 times that
  for (std::size_t k = 0; k < 64; ++k) product.data()[k] = double((k / 8) * (k % 8));
  const SobelGradient right = sobel(product);
  out.check("corrected: x slope of i j at (3, 4)", right.x(3, 4), 24, 0);
  out.check("corrected: y slope of i j at (3, 4)", right.y(3, 4), 32, 0);
  out.check("listing: x slope of i j at (3, 4)", correlate(product, gx)(3, 4), 26, 0);
  out.check("listing: y slope of i j at (3, 4)", correlate(product, gy)(3, 4), 34, 0);

  const std::size_t n = 64;
  Matrix disk(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      disk(i, j) = 1 / (1 + std::exp(std::hypot(double(i) - 31.5, double(j) - 31.5) - 20));
    }
  }
  const Matrix x = correlate(disk, gx, Padding::reflect), y = correlate(disk, gy, Padding::reflect);
  const SobelGradient good = sobel(disk);
  Matrix difference(n, n);
  double mirrored = 0, mirrored_good = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto magnitude = [&](std::size_t a) { return std::hypot(x(a, j), y(a, j)); };
      difference(i, j) = magnitude(i) - good.magnitude(i, j);
      mirrored = std::max(mirrored, std::abs(magnitude(i) - magnitude(n - 1 - i)));
      mirrored_good =
          std::max(mirrored_good, std::abs(good.magnitude(i, j) - good.magnitude(n - 1 - i, j)));
    }
  }
  out.check("corrected: edges of a disk, top against bottom", mirrored_good, 0, 1e-13);
  out.require("listing: the edges of a disk are not symmetric", mirrored > 0.1);
  const Plot panels[] = {
      image_panel("a disk", disk), image_panel("edges", good.magnitude),
      image_panel("listing minus right", difference, {.map = Colormap::diverging})};
  out.picture("disk", draw_figure({&panels[0], &panels[1], &panels[2]}, {360, 320, 3}),
              "The listing weighs the lower right of every pixel too much.");
}

Artefact sobel_listing_entry() {
  return {.id = "sobel-listing",
          .kind = Kind::listing,
          .lecture = 2,
          .lines = "1310-1361",
          .title = "Sobel's edges by slices of an array",
          .formula = "",
          .says = "A function that computes both slopes by sums of shifted slices.",
          .truth =
              "The weight 2 stands at the last row (x slope) and column (y slope) instead of "
              "the middle ones: the slopes of i j at (3, 4) come out as 26 and 34 instead of 24 "
              "and 32. Besides, `gray /= 255` changes the image of the caller and fails for "
              "integers.",
          .page = "applications.md",
          .seconds = 0.1,
          .file = "lecture_2/sobel_listing.cpp",
          .make = make_sobel_listing};
}

}  // namespace cauchy::notes
