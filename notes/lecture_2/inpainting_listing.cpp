#include <cmath>

#include <cauchy/base/rng.hpp>

#include "lecture_2/pictures.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_inpainting_listing(Output& out) {
  const std::size_t n = 64;
  const Matrix face = test_portrait(n);
  Matrix known(n, n), damaged(n, n);
  Rng rng(2);
  for (std::size_t k = 0; k < face.size(); ++k) {
    known.data()[k] = rng.uniform() < 0.3 ? 1 : 0;
    damaged.data()[k] = known.data()[k] * face.data()[k];
  }
  // The loop of the listing, with any mask.
  const auto listing = [&](const Matrix& mask, int sweeps) {
    Matrix v = damaged;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      Matrix next = v;
      for (std::size_t i = 1; i + 1 < n; ++i) {
        for (std::size_t j = 1; j + 1 < n; ++j) {
          if (mask(i, j) == 0)
            next(i, j) = (v(i + 1, j) + v(i - 1, j) + v(i, j + 1) + v(i, j - 1)) / 4;
        }
      }
      for (std::size_t j = 0; j < n; ++j) next(0, j) = next(1, j), next(n - 1, j) = next(n - 2, j);
      for (std::size_t i = 0; i < n; ++i) next(i, 0) = next(i, 1), next(i, n - 1) = next(i, n - 2);
      for (std::size_t k = 0; k < v.size(); ++k) {
        if (mask.data()[k] != 0) next.data()[k] = damaged.data()[k];
      }
      v = next;
    }
    return v;
  };
  Matrix not_black(n, n);  // unknown = (bnd == 0)
  std::size_t lost = 0;
  for (std::size_t k = 0; k < face.size(); ++k) {
    not_black.data()[k] = damaged.data()[k] == 0 ? 0 : 1;
    lost += known.data()[k] != 0 && not_black.data()[k] == 0 ? 1 : 0;
  }
  const Matrix printed = listing(not_black, 2000), right = listing(known, 2000);
  const Matrix longer = listing(known, 4000);
  double wrong = 0, wrong_right = 0, inside = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (known(i, j) != 0) {
        wrong = std::max(wrong, std::abs(printed(i, j) - face(i, j)));
        wrong_right = std::max(wrong_right, std::abs(right(i, j) - face(i, j)));
      }
      inside = std::max(inside, std::abs(right(i, j) - longer(i, j)));
    }
  }
  out.text(
      fmt::format("{} known pixels are black. Signal to noise: {:.2f} dB by the listing, {:.2f} dB "
                  "with a mask of its own.",
                  lost, psnr(printed, face), psnr(right, face)));
  out.require("there are black pixels among the known ones", lost > 0);
  out.require("printed: known pixels are changed by up to a half", wrong > 0.3);
  out.check("with a mask: known pixels are kept", wrong_right, 0, 0);
  out.require("with a mask the image is at least 1 dB better",
              psnr(right, face) > psnr(printed, face) + 1);
  out.check("2,000 sweeps against 4,000", inside, 0, 1e-6);
  Matrix difference(n, n);
  for (std::size_t k = 0; k < face.size(); ++k) {
    difference.data()[k] = printed.data()[k] - right.data()[k];
  }
  const Plot panels[] = {image_panel("listing", printed), image_panel("with a mask", right),
                         image_panel("difference", difference, {.map = Colormap::diverging})};
  out.picture("panels", draw_figure({&panels[0], &panels[1], &panels[2]}, {360, 320, 3}),
              "Black eyes and a black mouth are known, but the listing paints over them.");
}

Artefact inpainting_listing_entry() {
  return {
      .id = "inpainting-listing",
      .kind = Kind::listing,
      .lecture = 2,
      .lines = "1510-1542",
      .title = "Inpainting by Jacobi's sweeps",
      .formula =
          R"(V_{ij} \leftarrow \frac{1}{4}(V_{i+1,j} + V_{i-1,j} + V_{i,j+1} + V_{i,j-1}) \text{ where unknown})",
      .says = "A loop of sweeps over the unknown pixels; unknown are those whose value is 0.",
      .truth =
          "A black pixel may well be known: the listing paints over it. The mask has to be "
          "an array of its own. The argument `real` is not used, nothing looks whether the "
          "sweeps have converged, and cutting values at 1 is not needed (maximum principle).",
      .page = "applications.md",
      .seconds = 0.2,
      .file = "lecture_2/inpainting_listing.cpp",
      .make = make_inpainting_listing};
}

}  // namespace cauchy::notes
