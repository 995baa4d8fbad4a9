#pragma once

#include <cauchy/engine/graph.hpp>

namespace cauchy::detail {

/// Softmax across `parts` stretches of rows of equal length n: row r of stretch i becomes
///   exp(x_ir - L_r),   L_r = log sum_j exp(x_jr)
/// L grows stretch by stretch, L <- L + softplus(x_j - L), and is never below any x_j: nothing
/// overflows for finite x, and all of it is smooth, which a maximum subtracted first is not.
int softmax(Graph& graph, int x, int parts);

}  // namespace cauchy::detail
