#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/math/difference.hpp>
#include <cauchy/math/image.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_image {
namespace {

Matrix image_of(std::size_t m, std::size_t n, const std::function<double(double, double)>& f) {
  Matrix a(m, n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      a(i, j) = f(static_cast<double>(i), static_cast<double>(j));
    }
  }
  return a;
}

Matrix turned(const Matrix& a) {  // by 90 degrees, counter-clockwise
  Matrix b(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) b(a.cols() - 1 - j, i) = a(i, j);
  }
  return b;
}

TEST(Sobel, HasTheTwoInTheMiddle) {
  // Of I = i j at (3, 4): 8 (i, j) with the weights 1, 2, 1.
  const Matrix image = image_of(8, 9, [](double i, double j) { return i * j; });
  const SobelGradient g = sobel(image);
  EXPECT_EQ(g.x(3, 4), 24);
  EXPECT_EQ(g.y(3, 4), 32);
}

TEST(Sobel, OfARampIsEightAndOfAConstantNothing) {
  const SobelGradient ramp = sobel(image_of(5, 6, [](double, double j) { return j; }));
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 1; j < 5; ++j) EXPECT_EQ(ramp.magnitude(i, j), 8);
  }
  const SobelGradient flat =
      sobel(image_of(5, 6, [](double, double) { return 3.5; }), 0, Padding::edge);
  for (std::size_t k = 0; k < 30; ++k) EXPECT_EQ(flat.magnitude.data()[k], 0);
}

TEST(Sobel, TurnsWithTheImageAndCutsBelowTheThreshold) {
  Rng rng(2);
  const Matrix image = image_of(7, 7, [&](double, double) { return rng.uniform(); });
  const Matrix a = turned(sobel(image).magnitude), b = sobel(turned(image)).magnitude;
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a.data()[k], b.data()[k], 1e-14);
  const Matrix cut = sobel(image, 2).magnitude, all = sobel(image).magnitude;
  for (std::size_t k = 0; k < all.size(); ++k) {
    EXPECT_EQ(cut.data()[k], all.data()[k] < 2 ? 0 : all.data()[k]);
  }
}

TEST(Correlate, IsAStencilAndConvolutionIsItsMirror) {
  // The derivative by u_(j+1) - u_(j-1) is a correlation: a convolution has the other sign.
  const Matrix line{{1, 4, 9, 16, 25}}, kernel{{-0.5, 0, 0.5}};
  EXPECT_EQ(correlate(line, kernel)(0, 2), 6);
  EXPECT_EQ(convolve(line, kernel)(0, 2), -6);
  EXPECT_EQ(correlate(line, kernel)(0, 0), 2);                    // zero beyond
  EXPECT_EQ(correlate(line, kernel, Padding::edge)(0, 0), 1.5);   // 1 | 1 4
  EXPECT_EQ(correlate(line, kernel, Padding::reflect)(0, 0), 0);  // 4 | 1 4
}

TEST(Correlate, WithLaplaceStencilsIsTheLaplacian) {
  const auto second = central_weights(2, 2);
  EXPECT_EQ(second, (std::vector<double>{1, -2, 1}));
  const Matrix laplace{{0, 1, 0}, {1, -4, 1}, {0, 1, 0}};
  const Matrix image = image_of(6, 6, [](double i, double j) { return i * i + 3 * j * j + i * j; });
  const Matrix out = correlate(image, laplace);
  for (std::size_t i = 1; i < 5; ++i) {
    for (std::size_t j = 1; j < 5; ++j) EXPECT_EQ(out(i, j), 8);
  }
}

TEST(Correlate, SaysWhatItCannot) {
  EXPECT_THAT(message_of([] { (void)correlate(Matrix(3, 3), Matrix(2, 3)); }),
              ::testing::HasSubstr("odd sides"));
  EXPECT_THAT(message_of([] { (void)correlate(Matrix(1, 3), Matrix(5, 1), Padding::reflect); }),
              ::testing::HasSubstr("mirror"));
}

class Inpaint : public ::testing::TestWithParam<Inpainting> {};

TEST_P(Inpaint, RecoversHarmonicImages) {
  // Linear functions are harmonic on the grid; the border is known, and a few pixels inside.
  const Matrix image = image_of(12, 15, [](double i, double j) { return 0.02 * i - 0.03 * j + 1; });
  Matrix known = image_of(12, 15, [](double i, double j) {
    return i == 0 || j == 0 || i == 11 || j == 14 || (i == 5 && j == 6) ? 1 : 0;
  });
  Matrix damaged = image;
  for (std::size_t k = 0; k < image.size(); ++k) {
    if (known.data()[k] == 0) damaged.data()[k] = -7;
  }
  const InpaintedImage out = inpaint(damaged, known, GetParam());
  ASSERT_EQ(out.status, Factorization::ok);
  for (std::size_t k = 0; k < image.size(); ++k) {
    EXPECT_NEAR(out.image.data()[k], image.data()[k], 1e-12);
  }
  EXPECT_GT(psnr(out.image, image), 200);
}

TEST_P(Inpaint, KeepsTheMaximumPrincipleAndBlackPixels) {
  Rng rng(9);
  Matrix image = image_of(20, 20, [&](double, double) { return rng.uniform(); });
  Matrix known = image_of(20, 20, [&](double, double) { return rng.uniform() < 0.1 ? 1.0 : 0.0; });
  known(3, 3) = 1;
  image(3, 3) = 0;  // black and known
  const InpaintedImage out = inpaint(image, known, GetParam());
  ASSERT_EQ(out.status, Factorization::ok);
  double low = 1, high = 0;
  for (std::size_t k = 0; k < 400; ++k) {
    if (known.data()[k] == 0) continue;
    low = std::min(low, image.data()[k]);
    high = std::max(high, image.data()[k]);
    EXPECT_NEAR(out.image.data()[k], image.data()[k], 1e-14);
  }
  for (std::size_t k = 0; k < 400; ++k) {
    EXPECT_GE(out.image.data()[k], low - 1e-12);
    EXPECT_LE(out.image.data()[k], high + 1e-12);
  }
}

TEST_P(Inpaint, NeedsAKnownPixel) {
  EXPECT_EQ(inpaint(Matrix(4, 4), Matrix(4, 4), GetParam()).status, Factorization::singular);
}

INSTANTIATE_TEST_SUITE_P(BothForms, Inpaint,
                         ::testing::Values(Inpainting::boundary, Inpainting::indicator));

TEST(Inpaint, BothFormsAreTheSame) {
  Rng rng(4);
  const Matrix image = image_of(16, 11, [&](double, double) { return rng.uniform(); });
  const Matrix known =
      image_of(16, 11, [&](double, double) { return rng.uniform() < 0.2 ? 1.0 : 0.0; });
  const Matrix a = inpaint(image, known, Inpainting::boundary).image;
  const Matrix b = inpaint(image, known, Inpainting::indicator).image;
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a.data()[k], b.data()[k], 1e-13);
}

TEST(Psnr, IsThatOfItsDefinition) {
  EXPECT_NEAR(psnr(Matrix{{0.1, 0}}, Matrix{{0, 0}}), 10 * std::log10(200.0), 1e-12);
  EXPECT_TRUE(std::isinf(psnr(Matrix{{1}}, Matrix{{1}})));
}

}  // namespace
}  // namespace cauchy::test_image
