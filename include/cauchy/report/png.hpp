#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cauchy {

/// The bytes of a PNG file, 8 bits per channel, no interlace.
///   pixels   row by row from the top, 3 (RGB) or 4 (RGBA, straight alpha) bytes per pixel; which
///   of
///            the two follows from pixels.size()
///   throws   Error when a side is zero or above 1,000,000, or the size of pixels fits neither
[[nodiscard]] std::vector<unsigned char> encode_png(std::size_t width, std::size_t height,
                                                    std::span<const unsigned char> pixels);

}  // namespace cauchy
