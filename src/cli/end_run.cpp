#include "cli/end_run.hpp"

#include <cauchy/report/html_report.hpp>

namespace cauchy::cli {

void end_run(const std::filesystem::path& folder, const ProblemFile& file, const Solution& solution,
             int threads) {
  save_html_report(folder / "report.html", solution, {.settings = method_text(file.method)});
  finish_run(folder, file, solution, {CAUCHY_VERSION, threads});
}

}  // namespace cauchy::cli
