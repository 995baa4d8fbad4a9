#include <cauchy/report/html_report.hpp>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"

namespace cauchy {
std::string html_report(const Solution& solution, const HtmlOptions& options) {
  if (options.frames < 2 || options.frames > 60) {
    throw Error(fmt::format("an animation has 2 to 60 frames, got {}", options.frames),
                "[report.html]");
  }
  const Problem& problem = solution.problem;
  std::string title = options.title;
  if (title.empty()) title = problem.title;
  if (title.empty()) title = problem.name;

  std::string out;
  out += detail::html_safely("Verdict", [&] { return detail::html_verdict(solution); });
  out += detail::html_safely("Problem", [&] { return detail::html_problem(solution); });
  out +=
      detail::html_safely("What the recipe chose", [&] { return detail::html_choices(solution); });
  out += detail::html_safely("Training", [&] { return detail::html_history(solution); });
  out += detail::html_safely("What happened on the way",
                             [&] { return detail::html_events(solution); });
  out += detail::html_safely("Diagnosis", [&] { return detail::html_diagnosis(solution); });
  out += detail::html_safely("Unknown constants", [&] { return detail::html_unknowns(solution); });
  out += detail::html_safely("Solution",
                             [&] { return detail::html_fields(solution, options.frames); });
  out += detail::html_safely("Experts", [&] { return detail::html_experts(solution); });
  out += detail::html_safely("Errors", [&] { return detail::html_errors(solution); });
  out += detail::html_safely("Estimated error", [&] { return detail::html_error_bars(solution); });
  out += detail::html_safely("Data", [&] { return detail::html_data(solution); });
  out += detail::html_safely("Residuals", [&] { return detail::html_checks(solution); });
  out += detail::html_safely("Residuals", [&] { return detail::html_residual_maps(solution); });
  out += detail::html_safely("Training points", [&] { return detail::html_points(solution); });
  out += detail::html_safely("Run", [&] { return detail::html_run(solution, options); });
  return detail::html_page(title, problem.source, out);
}

void save_html_report(const std::filesystem::path& path, const Solution& solution,
                      const HtmlOptions& options) {
  write_file_atomically(path, html_report(solution, options));
}

}  // namespace cauchy
