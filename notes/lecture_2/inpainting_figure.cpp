#include <cmath>

#include <cauchy/base/rng.hpp>

#include "lecture_2/pictures.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

/// A mask of about `share` of the pixels: dithered, dense where the image bends (|lap u|), since a
/// harmonic filling cannot know of that.
Matrix bending_mask(const Matrix& image, double share) {
  Matrix stencil(3, 3), density(image.rows(), image.cols());
  for (const std::size_t k : {1u, 3u, 5u, 7u}) stencil.data()[k] = 1;
  stencil(1, 1) = -4;
  const Matrix bend = correlate(image, stencil, Padding::edge);
  double scale = 1e3;
  const auto total = [&] {
    double sum = 0;
    for (std::size_t k = 0; k < density.size(); ++k) {
      sum += density.data()[k] = std::min(1.0, scale * (std::abs(bend.data()[k]) + 0.005));
    }
    return sum / double(density.size());
  };
  while (total() > share) scale *= 0.98;
  for (std::size_t i = 0; i < density.rows(); ++i) {  // Floyd and Steinberg
    for (std::size_t j = 0; j < density.cols(); ++j) {
      const double old = density(i, j);
      density(i, j) = old > 0.5 ? 1 : 0;
      const double rest = old - density(i, j);
      const bool right = j + 1 < density.cols(), below = i + 1 < density.rows();
      if (right) density(i, j + 1) += rest * 7 / 16;
      if (below && j > 0) density(i + 1, j - 1) += rest * 3 / 16;
      if (below) density(i + 1, j) += rest * 5 / 16;
      if (right && below) density(i + 1, j + 1) += rest / 16;
    }
  }
  return density;
}

}  // namespace

void make_inpainting_figure(Output& out) {
  const std::size_t n = 128;
  const Matrix face = test_portrait(n), chosen = bending_mask(face, 0.095);
  Matrix drawn(n, n), shown(n, n);
  double share = 0;
  Rng rng(1);
  for (std::size_t k = 0; k < face.size(); ++k) share += chosen.data()[k] / double(face.size());
  for (std::size_t k = 0; k < face.size(); ++k) {
    drawn.data()[k] = rng.uniform() < share ? 1 : 0;
    shown.data()[k] = chosen.data()[k] != 0 ? face.data()[k] : std::nan("");
  }
  const Matrix filled = inpaint(face, chosen).image, random = inpaint(face, drawn).image;
  const Matrix other = inpaint(face, chosen, Inpainting::indicator).image;
  const double quality = psnr(filled, face), quality_random = psnr(random, face);
  out.text(
      fmt::format("Known are {:.1f} percent of the pixels. Signal to noise: {:.1f} dB with "
                  "chosen pixels, {:.1f} dB with random ones.",
                  100 * share, quality, quality_random));
  out.require("less than a tenth of the pixels is known", share < 0.1);
  out.require("chosen pixels are at least 5 dB better than random ones",
              quality > quality_random + 5);
  out.check("both forms of the problem differ by", std::sqrt(mean_squared_error(filled, other)), 0,
            1e-10);
  double low = 1, high = 0;
  for (std::size_t k = 0; k < face.size(); ++k) {
    low = std::min(low, filled.data()[k]);
    high = std::max(high, filled.data()[k]);
  }
  out.require("the filling stays within the known values (maximum principle)",
              low >= 0 && high <= 1);
  // A harmonic image is its own filling.
  Matrix harmonic(33, 33), border(33, 33);
  for (std::size_t i = 0; i < 33; ++i) {
    for (std::size_t j = 0; j < 33; ++j) {
      harmonic(i, j) = double(i * j);
      border(i, j) = i == 0 || j == 0 || i == 32 || j == 32 ? 1 : 0;
    }
  }
  out.check("a harmonic image from its border",
            std::sqrt(mean_squared_error(inpaint(harmonic, border).image, harmonic)), 0, 1e-10);
  const Plot panels[] = {image_panel("original", face), image_panel("known", shown),
                         image_panel("filled in", filled)};
  out.picture("panels", draw_figure({&panels[0], &panels[1], &panels[2]}, {360, 320, 3}),
              "Most pixels can be left out where the image hardly bends.");
}

Artefact inpainting_figure_entry() {
  return {
      .id = "inpainting",
      .kind = Kind::figure,
      .lecture = 2,
      .lines = "1459-1508",
      .title = "An image from a tenth of its pixels (also hands-on 1.7)",
      .formula =
          R"(-\Delta u = 0 \text{ where unknown}, \quad u = f \text{ where known}, \quad \partial_n u = 0 \text{ at the border}
c\,(u - f) - (1 - c)\,\Delta u = 0)",
      .says =
          "Laplace's equation fills in the pixels that are missing; with a well-chosen set of "
          "known pixels less than a tenth of them is enough.",
      .truth = "",
      .page = "applications.md",
      .seconds = 0.2,
      .file = "lecture_2/inpainting_figure.cpp",
      .make = make_inpainting_figure};
}

}  // namespace cauchy::notes
