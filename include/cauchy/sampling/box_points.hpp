#pragma once

#include <cstddef>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/box.hpp>

namespace cauchy {

/// n independent points, uniform in the box; row-major n x sides.
///   error    throws Error when n is 0 or a side is empty, reversed or not finite
[[nodiscard]] std::vector<double> uniform_points(const Box& box, std::size_t n, Rng& rng);

/// The same on the face where side `side` has its lower (or upper) value, exactly.
///   error    also when the box has no such side
[[nodiscard]] std::vector<double> face_points(const Box& box, std::size_t side, bool upper,
                                              std::size_t n, Rng& rng);

/// A tensor grid with counts[i] equally spaced points on side i, ends included exactly; the last
/// side runs fastest.
///   error    throws Error unless there is one count of at least 2 per side, and as above
[[nodiscard]] std::vector<double> grid_points(const Box& box,
                                              const std::vector<std::size_t>& counts);

}  // namespace cauchy
