#pragma once

#include <cstddef>
#include <string>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/expr/expr.hpp>
#include <cauchy/sampling/points.hpp>
#include <cauchy/sampling/sampler.hpp>
#include "sampling/frame.hpp"

namespace cauchy::detail {

/// Exactly n points inside; see interior_points.
Points interior_rows(const Frame& frame, std::size_t n, const SamplerOptions& options);
/// The regular grid of interior_rows, for shapes that do not vary.
Points interior_grid(const Frame& frame, std::size_t n, const SamplerOptions& options);

/// A part of the boundary: for each piece the condition on its points, of columns of the frame;
/// the number 0 or 1 when it does not depend on them.
struct Selection {
  FunctionRef<Expr(const Piece&)> condition;
  std::string text;
  bool varies_in_time = false;
};
/// Exactly n points on the selected part; see boundary_points.
Points boundary_rows(const Frame& frame, const Selection& where, std::size_t n,
                     const SamplerOptions& options);

/// "left, right, ...": what a selection can name.
[[nodiscard]] std::string piece_names(const Shape& shape);

}  // namespace cauchy::detail
