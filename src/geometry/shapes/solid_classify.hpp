#pragma once

#include <cstddef>

#include <cauchy/geometry/shape.hpp>

namespace cauchy::detail {

/// Where something lies with respect to a shape; mixed when it is not proven to be one of the
/// other.
enum class PieceSide : unsigned char { inside, outside, mixed };

/// Where one piece of `a` lies with respect to `b`: strictly inside, strictly outside, or mixed.
/// Proven by distances: a ball about a point that is narrower than |distance| lies on one side. The
/// box of the piece is halved until that decides, at most 2,000 times.
[[nodiscard]] PieceSide classify_piece(const Shape& a, std::size_t piece, const Shape& b);

/// How the point sets lie: nothing in common, one within the other, or not proven.
enum class Relation : unsigned char { disjoint, a_in_b, b_in_a, unproven };

/// From the sides of all pieces of both, and from bounds without common interior.
[[nodiscard]] Relation relate(const Shape& a, const Shape& b);

/// Whether the interiors of the bounding boxes have nothing in common.
[[nodiscard]] bool bounds_apart(const Bounds& a, const Bounds& b);

}  // namespace cauchy::detail
