#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/report/picture.hpp>

#include "base/quantity_text.hpp"

namespace cauchy::detail {

/// Text for HTML, as xml_escaped.
std::string html_escaped(std::string_view text);

/// A number for people, three digits: 0.0123, 1.2 x 10^-5 with a true superscript; "NaN". With 0
/// digits as many as it needs.
std::string html_number(double value, int digits = 3);

/// Which of n things are shown where there is room for `most`: chosen at random, the same at every
/// call, in increasing order. Every n-th point of a low-discrepancy sequence would be a pattern.
std::vector<std::size_t> some_of(std::size_t n, std::size_t most);

/// At most `length` characters, the last of them an ellipsis where something is left out.
std::string shortened(std::string_view text, std::size_t length);

/// The first row is the head; an empty one is not shown. Cells are HTML; columns from the second on
/// are numbers where `numeric`.
std::string html_table(const std::vector<std::vector<std::string>>& rows, bool numeric = true);

/// A white card with a headline.
std::string html_section(std::string_view id, std::string_view title, std::string_view content);

/// A section, or a note in its place: one broken part must not cost the reader the others.
std::string html_safely(std::string_view title, FunctionRef<std::string()> part);

/// Pictures as inline SVG; `id` makes the names inside unique in the page.
///   smooth   images are interpolated, not shown as squares
std::string inline_svg(const Picture& picture, std::string_view id, std::string_view label);
/// The same in a <figure> with a caption (HTML).
std::string html_figure(const Picture& picture, std::string_view id, std::string_view label,
                        std::string_view caption = {});

/// The picture with the colour of missing values in images turned into white.
Picture without_grey(const Picture& picture);

/// One picture at a time, with play, pause and a slider.
struct HtmlFrame {
  std::string label;  ///< HTML, shown beside the slider
  std::string content;
};
std::string html_player(std::string_view name, const std::vector<HtmlFrame>& frames,
                        std::size_t first);

/// A whole page: its headline, a line of small text below it (may be empty), its sections (HTML).
std::string html_page(std::string_view title, std::string_view subtitle, std::string_view content);

/// Style sheet and script of a report.
std::string_view html_style();
std::string_view html_script();

}  // namespace cauchy::detail
