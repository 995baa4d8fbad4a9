#pragma once

#include <cstddef>

#include <cauchy/geometry/shape.hpp>

#include "sampling/selected_pieces.hpp"

namespace cauchy::detail {

/// Candidates after which it pays to search for points that are selected, when fewer than few_hits
/// of them were. Some hits mean little: sequences meet lines such as x = 1/2 exactly.
inline constexpr std::uint64_t tries_before_search = 1U << 16, few_hits = 8;

/// How far a point is from fulfilling a condition: 0 where it holds, and decreasing on the way
/// there. Of a < b it is max(0, a - b); `and` takes the largest, `or` the smallest of its parts.
[[nodiscard]] Expr violation(const Expr& condition);

/// Whether a selection that many candidates have missed may hold on a part of the boundary that is
/// worth more candidates. From those of 8,192 candidates that miss the conditions least, a random
/// descent looks for points where they hold; where one is found, the part around it must be more
/// than a line or a point: more than 1e-3 of a surface square of share least_share.
///   kept     a row whose ranges, and time if keep_time, are kept; null: they are searched too
///   returns  true also where whole pieces are selected, of which nothing is known
///   cost     about 10 ms
[[nodiscard]] bool may_be_met(const Frame& frame, const Shape& shape, const SelectedPieces& pieces,
                              const ConditionTable& conditions, const double* kept,
                              bool keep_time = true);

/// Number of unit coordinates that choose a piece and a point of it. On the line there is no
/// surface coordinate, but the choice needs one.
[[nodiscard]] std::size_t surface_width(const Frame& frame);
/// The same with time and ranges.
[[nodiscard]] std::size_t boundary_width(const Frame& frame);
/// Time and ranges of a row from unit coordinates; returns those of the surface.
const double* fill_surface_axes(const Frame& frame, const double* u, double* row);

}  // namespace cauchy::detail
