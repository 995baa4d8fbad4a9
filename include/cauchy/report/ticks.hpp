#pragma once

#include <span>
#include <string>
#include <vector>

namespace cauchy {

/// A range of values, low < high where a function does not say otherwise.
struct Limits {
  double low = 0, high = 1;
};

enum class AxisScale { linear, log };

/// Where an axis is marked; labels belong to the major marks.
struct Ticks {
  std::vector<double> major, minor;
  std::vector<std::string> labels;
};

/// Limits that can be drawn: ends in order, finite, and far enough apart for the marks to differ.
/// A single value c becomes c -+ |c|/10 (0: -+1); on a log axis one factor of 3 to each side, and
/// limits that are not positive become [1e-3 * high, high] or [0.1, 1].
[[nodiscard]] Limits widened(Limits limits, AxisScale scale);

/// Least and greatest finite (log: and positive) value; {0, 1} (log: {0.1, 1}) without any.
/// May have low == high.
[[nodiscard]] Limits limits_of(std::span<const double> values, AxisScale scale);

/// Multiples of 1, 2 or 5 times a power of ten inside the limits, at most max_count + 1 of them and
/// about half of that at least; minor marks divide the steps in four or five.
[[nodiscard]] Ticks linear_ticks(Limits limits, int max_count);

/// Powers of ten, every second, third, ... one where there are more than max_count, with minor
/// marks at the multiples 2 to 9 (or at the left-out powers). Fewer than two powers inside: 1, 2
/// and 5 times powers of ten; fewer than two of these: linear_ticks. Needs 0 < low.
[[nodiscard]] Ticks log_ticks(Limits limits, int max_count);

/// Labels of equally accurate marks, step apart: no more decimals than the step needs, no trailing
/// zeros, a true minus sign; "2x10^-5" with a superscript where a plain number would be long.
[[nodiscard]] std::vector<std::string> tick_labels(std::span<const double> ticks, double step);

}  // namespace cauchy
