#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>

#include "axes.hpp"

namespace cauchy {

Picture draw_figure(const std::vector<const Panel*>& panels, const FigureOptions& options) {
  if (!(options.panel_width >= 80 && options.panel_height >= 80))
    throw Error("panels of a figure need at least 80 x 80 pixels, got " +
                    std::to_string(options.panel_width) + " x " +
                    std::to_string(options.panel_height),
                "[report.figure]");
  const std::size_t n = std::max<std::size_t>(panels.size(), 1);
  const auto square = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  const std::size_t columns =
      std::min(options.columns > 0 ? options.columns : std::min<std::size_t>(square, 3), n);
  const std::size_t rows = (n + columns - 1) / columns;
  const double width = options.panel_width * static_cast<double>(columns);
  const double title = options.title.empty() ? 0 : 16;
  const double top = options.title.empty() ? 0 : 2 * title;

  Picture picture(width, top + options.panel_height * static_cast<double>(rows));
  picture.text({width / 2, 1.5 * title}, options.title,
               {.size = detail::fitting_size(options.title, title, width - 16, true),
                .color = detail::ink,
                .anchor = Anchor::middle,
                .bold = true});
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (panels[i] == nullptr) continue;
    const auto row = static_cast<double>(i / columns), column = static_cast<double>(i % columns);
    panels[i]->draw(picture, {column * options.panel_width, top + row * options.panel_height,
                              options.panel_width, options.panel_height});
  }
  return picture;
}

}  // namespace cauchy
