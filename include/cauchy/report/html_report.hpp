#pragma once

#include <cauchy/problem/solution.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cauchy {

/// What a report shows besides the solution.
struct HtmlOptions {
  std::string title = {};     ///< empty: title or name of the problem
  std::string settings = {};  ///< of the run, as text; shown as it is
  /// What else is known of the run, name and value: {"seed", "0"}, {"threads", "8"}.
  std::vector<std::pair<std::string, std::string>> run = {};
  std::size_t frames = 21;  ///< of an animation, 2 to 60
};

/// One HTML file about a finished run, complete in itself: no network, no other files. It shows the
/// grade with its findings and warnings, the problem as formulas (MathML), the history of loss and
/// error, solution, reference and error as pictures (lines, maps, slices, animations over time and
/// over parameter ranges), measured values against the solution, tables of errors and residuals,
/// where the residuals are, the training points, and how the run went.
///   robust   what is missing (reference, history, model) is left out, and what cannot be drawn
///            leaves a note with the reason; names may contain any characters
///   size     0.1 to 4 MB
///   cost     about 10^5 evaluations of the solution and of the reference, 10^4 of the derivatives
///   same     for the same solution and options, to the last byte
[[nodiscard]] std::string html_report(const Solution& solution, const HtmlOptions& options = {});

/// Writes it; the file appears whole or not at all.
///   error    throws Error when it cannot be written
void save_html_report(const std::filesystem::path& path, const Solution& solution,
                      const HtmlOptions& options = {});

}  // namespace cauchy
