#pragma once

#include <functional>
#include <span>

namespace cauchy::detail {

/// Gets states and slopes along an integration, in its order: at the start, after every step, and
/// at three times inside of it, so that cubic polynomials between them add little to its error.
using StepSeen =
    std::function<void(double t, std::span<const double> y, std::span<const double> dy)>;

}  // namespace cauchy::detail
