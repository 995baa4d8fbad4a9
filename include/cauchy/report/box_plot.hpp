#pragma once

#include <string>
#include <vector>

#include <cauchy/report/plot.hpp>

namespace cauchy {

/// Several samples of numbers, one row each: a box between the quartiles with a bar at the median,
/// whiskers to the smallest and the largest number, every number as a dot.
///   left out  numbers that the axis cannot show (not finite; not positive on a log axis): their
///             count stands at the end of the row, and a quartile that is infinite at the frame
///   throws    Error for limits of the axis that are not finite and increasing (log: positive)
class BoxPlot final : public Panel {
 public:
  explicit BoxPlot(AxisOptions x = {}, std::string title = {});

  /// The next row below the others.
  BoxPlot& row(std::string name, std::vector<double> values);
  /// A height of the panel at which rows are easy to read.
  [[nodiscard]] double good_height() const;

  void draw(Picture& picture, const PixelBox& box) const override;

 private:
  struct Row {
    std::string name;
    std::vector<double> values;
  };
  AxisOptions x_;
  std::string title_;
  std::vector<Row> rows_;
};

}  // namespace cauchy
