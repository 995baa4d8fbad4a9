#include "resample.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cauchy::detail {
namespace {

// One pixel's share of the image along one axis: weights of cells first, first + 1, ... whose sum
// is the covered part of the pixel, in [0, 1].
struct Share {
  std::size_t pixel, first;
  std::vector<double> weights;
};

// [begin, end): the image along the axis; [low, high): what may be painted.
std::vector<Share> shares(double begin, double end, double low, double high, std::size_t n_cells,
                          std::size_t n_pixels) {
  std::vector<Share> result;
  low = std::max({low, begin, 0.0});
  high = std::min({high, end, static_cast<double>(n_pixels)});
  if (!(low < high)) return result;
  const double cells_per_pixel = static_cast<double>(n_cells) / (end - begin);
  const auto cell_of = [&](double x) {
    const double cell = std::floor((x - begin) * cells_per_pixel);
    return std::min(static_cast<std::size_t>(std::max(cell, 0.0)), n_cells - 1);
  };
  for (auto p = static_cast<std::size_t>(low); static_cast<double>(p) < high; ++p) {
    const double a = std::max(low, static_cast<double>(p));
    const double b = std::min(high, static_cast<double>(p + 1));
    Share share{p, cell_of(a), {}};
    for (std::size_t cell = share.first; cell <= cell_of(b); ++cell) {
      const double left = std::max(a, begin + static_cast<double>(cell) / cells_per_pixel);
      const double right = std::min(b, begin + static_cast<double>(cell + 1) / cells_per_pixel);
      share.weights.push_back(std::max(0.0, right - left));
    }
    result.push_back(std::move(share));
  }
  return result;
}

}  // namespace

void draw_resampled(const RgbImage& image, const PixelBox& box, const PixelBox& clip,
                    std::vector<unsigned char>& pixels, std::size_t width, std::size_t height) {
  const auto columns = shares(box.left, box.right(), clip.left, clip.right(), image.width, width);
  const auto rows = shares(box.top, box.bottom(), clip.top, clip.bottom(), image.height, height);
  for (const Share& row : rows) {
    for (const Share& column : columns) {
      std::array<double, 3> sum{};
      double covered = 0;
      for (std::size_t i = 0; i < row.weights.size(); ++i) {
        for (std::size_t j = 0; j < column.weights.size(); ++j) {
          const double weight = row.weights[i] * column.weights[j];
          const auto* cell = &image.rgb[3 * ((row.first + i) * image.width + column.first + j)];
          for (std::size_t k = 0; k < 3; ++k) sum[k] += weight * cell[k];
          covered += weight;
        }
      }
      unsigned char* pixel = &pixels[3 * (row.pixel * width + column.pixel)];
      const double rest = std::max(0.0, 1 - covered);
      for (std::size_t k = 0; k < 3; ++k)
        pixel[k] = static_cast<unsigned char>(
            std::lround(std::clamp(sum[k] + rest * pixel[k], 0.0, 255.0)));
    }
  }
}

}  // namespace cauchy::detail
