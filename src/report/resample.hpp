#pragma once

#include <cauchy/report/picture.hpp>

namespace cauchy::detail {

/// Paints image, stretched over box, into width x height RGB pixels; only the part inside clip.
///   value   each pixel is the mean of the image over the pixel's square: sharp cells when
///           magnified, no aliasing when reduced; partly covered pixels are blended
///   cost    O(pixels of the box * ceil(image cells per pixel)), separable weights
void draw_resampled(const RgbImage& image, const PixelBox& box, const PixelBox& clip,
                    std::vector<unsigned char>& pixels, std::size_t width, std::size_t height);

}  // namespace cauchy::detail
