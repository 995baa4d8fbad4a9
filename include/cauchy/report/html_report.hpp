#pragma once

#include <cauchy/problem/solution.hpp>
#include <filesystem>
#include <string>

namespace cauchy {

/// What a report shows besides the solution.
struct HtmlOptions {
  std::string title = {};     ///< empty: title or name of the problem
  std::string settings = {};  ///< of the run, as text; shown as it is
  std::size_t frames = 21;    ///< of an animation, 2 to 60
};

/// One HTML file about a finished run, complete in itself: no network, no other files. It shows the
/// grade with its findings, the problem as formulas (MathML), the history of the loss, solution,
/// reference and error as pictures (lines, maps, slices, animations over time and over parameter
/// ranges), the training points, and tables of residuals, errors and times.
///   robust   what is missing (reference, history, model) is left out, and what cannot be drawn
///            leaves a note with the reason; names may contain any characters
///   size     0.1 to 3 MB
///   cost     about 10^5 evaluations of the solution and of the reference
[[nodiscard]] std::string html_report(const Solution& solution, const HtmlOptions& options = {});

/// Writes it; the file appears whole or not at all.
///   error    throws Error when it cannot be written
void save_html_report(const std::filesystem::path& path, const Solution& solution,
                      const HtmlOptions& options = {});

}  // namespace cauchy
