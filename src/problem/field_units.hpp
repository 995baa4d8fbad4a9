#pragma once

#include <span>
#include <vector>

namespace cauchy::detail {

/// The units in which errors of fields are judged: what a field does, not its offset.
///   unit      the smaller of its size (root mean square of what is right) and its variation (the
///             largest minus the smallest of what is right and what was found)
///   constant  a field that varies by less than 1e-6 of its size is measured by its size
///   zero      one below 1e-7 of the largest unit (a velocity across a channel) has 1e-3 of that
/// Rows of n x fields, both of one length. A unit is never 0: where nothing is known it is 1.
[[nodiscard]] std::vector<double> field_units(std::span<const double> right,
                                              std::span<const double> found, std::size_t n_fields);

}  // namespace cauchy::detail
