// Runs:    inpainting [PICTURE.svg [IMAGE.png MASK.png]]
// Expects: a picture of which 8 percent of the pixels are known (white in the mask), filled in by
//          Laplace's equation in two forms, which agree; PSNR above 25 dB for the smooth picture
//          that is taken without files; exit code 0.
#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/io/png_image.hpp>
#include <cauchy/math/image.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>

int main(int argc, char** argv) {
  using namespace cauchy;
  constexpr std::size_t n = 96;
  Matrix image(n, n), known(n, n);
  Rng rng(1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double x = static_cast<double>(j) / n, y = static_cast<double>(i) / n;
      image(i, j) = 0.5 + 0.25 * std::sin(7 * x) * std::cos(5 * y) + 0.2 * (x > 0.6 ? y : 0);
      known(i, j) = rng.uniform() < 0.08 ? 1 : 0;
    }
  }
  if (argc > 3) {
    image = read_png(argv[2]).gray;
    known = read_png(argv[3]).gray;
    for (std::size_t k = 0; k < known.size(); ++k) known.data()[k] = known.data()[k] > 0.5 ? 1 : 0;
  }
  Matrix damaged = image;
  for (std::size_t k = 0; k < image.size(); ++k) damaged.data()[k] *= known.data()[k];
  const InpaintedImage a = inpaint(damaged, known, Inpainting::boundary);
  const InpaintedImage b = inpaint(damaged, known, Inpainting::indicator);
  if (a.status != Factorization::ok || b.status != Factorization::ok) return 1;
  const double quality = psnr(a.image, image), difference = mean_squared_error(a.image, b.image);
  fmt::print("PSNR {:.1f} dB (damaged {:.1f} dB), mean squared error {:.2e}\n", quality,
             psnr(damaged, image), mean_squared_error(a.image, image));
  fmt::print("both forms differ by {:.1e}\n", std::sqrt(difference));
  const auto panel = [](const char* title, const Matrix& m) {
    Matrix up(m.rows(), m.cols());
    for (std::size_t i = 0; i < m.rows(); ++i) {
      for (std::size_t j = 0; j < m.cols(); ++j) up(i, j) = m(m.rows() - 1 - i, j);
    }
    Plot plot({.title = title, .equal_aspect = true, .grid = false});
    plot.heat_map(up, {0, static_cast<double>(m.cols())}, {0, static_cast<double>(m.rows())});
    return plot;
  };
  const Plot original = panel("original", image), mask = panel("known", damaged),
             result = panel("filled in", a.image);
  if (argc > 1) save_picture(argv[1], draw_figure({&original, &mask, &result}, {360, 340, 3}));
  return difference < 1e-20 && (argc > 3 || quality > 25) ? 0 : 1;
}
