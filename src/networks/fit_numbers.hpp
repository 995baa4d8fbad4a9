#pragma once

#include <cstddef>
#include <span>

#include <cauchy/base/function_ref.hpp>

namespace cauchy::detail {

/// Makes the sum of squares of many rows small by a few numbers, in place: Levenberg-Marquardt with
/// Marquardt's scaling, normal equations.
///   row      residual of a row at these numbers; its derivatives too, where the span is not empty
///   end      after `most_steps`, or when a step gains less than 1e-14 of the sum, or none is found
void fit_numbers(std::span<double> numbers, std::size_t n_rows,
                 FunctionRef<double(std::span<const double>, std::size_t, std::span<double>)> row,
                 int most_steps = 60);

}  // namespace cauchy::detail
