#pragma once

#include <cstddef>
#include <string_view>

#include <cauchy/geometry/domain.hpp>
#include <cauchy/geometry/shape.hpp>

namespace cauchy {

/// A number with its standard error.
struct Estimate {
  double value = 0;
  double error = 0;    ///< standard deviation of value, estimated; 0 when exact
  bool exact = false;  ///< a closed form, right to rounding
  std::size_t n = 0;   ///< evaluations used; 0 when exact
};

/// Length, area or volume: the closed form where the shape has one (infinity when unbounded),
/// otherwise the share of its bounding box by n quasi-random points, in 16 independently scrambled
/// Sobol sets whose spread gives the error. An error of 0 then means that no set saw a difference,
/// for example when the shape fills its box. The same n gives the same bits.
///   error    throws Error when n < 32, or the shape is unbounded without a closed form
[[nodiscard]] Estimate measure(const Shape& shape, std::size_t n = 1U << 14U);

/// Length or area of a part of the boundary of space (number of points on the line): the sum of
/// closed forms as far as they go, the rest as above by points on the carriers of the pieces. Of a
/// part that changes with time it is the mean over time.
///   error    as above; also when nothing is selected or the shape depends on a range
[[nodiscard]] Estimate boundary_measure(const Domain& domain, std::string_view where = "boundary",
                                        std::size_t n = 1U << 14U);

}  // namespace cauchy
