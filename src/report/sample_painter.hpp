#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/data/data_set.hpp>
#include <cauchy/report/plot.hpp>

namespace cauchy::detail {

/// One function of a sample, ready to be drawn: along a line, in a plane or at scattered points.
struct ShownFunction {
  std::string title;
  std::span<const double> values;
};

/// Draws functions on the grid of a data set.
class SamplePainter final {
 public:
  explicit SamplePainter(const FieldGrid& grid);

  [[nodiscard]] bool is_line() const { return !grid_.is_cloud() && grid_.axes.size() == 1; }
  /// What is left out of a grid of three axes, as HTML: "z = 0.5"; empty: nothing.
  [[nodiscard]] std::string left_out() const;
  [[nodiscard]] std::unique_ptr<Plot> map(const ShownFunction& f, const ColorOptions& color) const;
  /// Nodes of the only axis.
  [[nodiscard]] std::vector<double> nodes() const;

 private:
  void add_points(Plot& plot, std::span<const double> values) const;
  void add_cells(Plot& plot, std::span<const double> values) const;

  const FieldGrid& grid_;
  std::vector<double> positions_;
};

/// One channel of one sample of an array [sample, channel, point].
[[nodiscard]] std::span<const double> function_of(std::span<const double> all,
                                                  std::size_t n_channels, std::size_t points,
                                                  std::size_t sample, std::size_t channel);

/// Outputs that are shown: the last moment of every field, at most `most`.
[[nodiscard]] std::vector<std::size_t> shown_outputs(const DataSet& data, std::size_t most);

}  // namespace cauchy::detail
