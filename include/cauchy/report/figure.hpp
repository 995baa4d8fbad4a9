#pragma once

#include <cauchy/report/plot.hpp>
#include <string>
#include <vector>

namespace cauchy {

/// Size of a figure: panels stand in rows of `columns` cells of panel_width x panel_height pixels.
struct FigureOptions {
  double panel_width = 640, panel_height = 480;
  std::size_t columns = 0;  ///< 0: as square as possible, at most 3
  std::string title{};      ///< above all panels
};

/// Draws the panels row by row. Null pointers leave a cell empty; no panel at all is an empty
/// figure of one cell. Throws Error for sizes below 80 pixels.
[[nodiscard]] Picture draw_figure(const std::vector<const Panel*>& panels,
                                  const FigureOptions& options = {});

}  // namespace cauchy
