#pragma once

#include <cstdint>

#include <cauchy/math/lapack.hpp>
#include <cauchy/math/matrix.hpp>

namespace cauchy {

// Images are matrices: row i from the top, column j from the left.

/// What lies beyond the border: zeros, the nearest pixel, or the mirror image without the border
/// pixel itself (d c b | a b c d | c b a).
enum class Padding : std::uint8_t { zero, edge, reflect };

/// out(i, j) = sum_kl kernel(k, l) image(i + k - r, j + l - s) with the centre (r, s) of the
/// kernel: a stencil laid over every pixel. The kernel has odd sides.
///   error    throws Error for even sides, and when a mirror would have to show more than there is
[[nodiscard]] Matrix correlate(MatrixView<const double> image, MatrixView<const double> kernel,
                               Padding padding = Padding::zero);
/// The same with the kernel turned by 180 degrees: convolution in the mathematical sense.
[[nodiscard]] Matrix convolve(MatrixView<const double> image, MatrixView<const double> kernel,
                              Padding padding = Padding::zero);

/// Sobel's gradient, 8 times the derivative by a pixel: x = [1 2 1]' [-1 0 1], y = [-1 0 1]' [1 2
/// 1].
struct SobelGradient {
  Matrix x, y, magnitude;
};
///   threshold  magnitudes below it become 0
[[nodiscard]] SobelGradient sobel(MatrixView<const double> image, double threshold = 0,
                                  Padding padding = Padding::reflect);

/// How unknown pixels are filled in: both solve Laplace's equation with the known pixels as
/// boundary values and no flux over the border of the image.
///   boundary   -lap u = 0 at unknown pixels alone, known ones put into the right side
///   indicator  c (u - f) - (1 - c) lap u = 0 everywhere, c = 1 at known pixels and 0 at others
enum class Inpainting : std::uint8_t { boundary, indicator };
struct InpaintedImage {
  Factorization status = Factorization::ok;  ///< singular: a part without any known pixel
  Matrix image;
};
///   known    of the same shape: not 0 where the pixel is known; black pixels may well be known
///   cost     a sparse factorisation: a second for a million pixels
[[nodiscard]] InpaintedImage inpaint(MatrixView<const double> image, MatrixView<const double> known,
                                     Inpainting form = Inpainting::boundary);

/// Mean squared difference, and 10 log10(peak^2 / that): infinite for equal images.
[[nodiscard]] double mean_squared_error(MatrixView<const double> a, MatrixView<const double> b);
[[nodiscard]] double psnr(MatrixView<const double> a, MatrixView<const double> b, double peak = 1);

}  // namespace cauchy
