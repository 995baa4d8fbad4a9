#pragma once

#include <string>
#include <vector>

namespace cauchy::cli {

/// Points of a grid: one list of values per coordinate.
struct GridAxes {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;

  [[nodiscard]] std::size_t size() const;
  /// All combinations as rows, the last coordinate running fastest.
  [[nodiscard]] std::vector<double> rows() const;
};

/// Reads "t=0:1:101,x=-1:1:201,k=3": first and last value and count, or one value. The numbers may
/// be expressions ("2*pi"). Coordinates come in the order of `names`, whatever that of the text.
///   error    throws Error at --grid naming the part: not of this form, unknown or repeated
///            coordinate, one that is missing, a count below 2, ends that do not increase, more
///            than 1e8 points
[[nodiscard]] GridAxes parse_grid(const std::string& text, const std::vector<std::string>& names);

/// The parts of a list between commas outside of brackets, without blanks around them.
[[nodiscard]] std::vector<std::string> split_list(const std::string& text);

}  // namespace cauchy::cli
