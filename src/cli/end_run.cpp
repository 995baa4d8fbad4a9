#include "cli/end_run.hpp"

#include <cauchy/report/html_report.hpp>

namespace cauchy::cli {

void end_run(const std::filesystem::path& folder, const ProblemFile& file, const Solution& solution,
             int threads) {
  const std::string text = to_toml(file);
  const std::size_t method = text.find("\n[method");
  save_html_report(folder / "report.html", solution,
                   {.settings = method == std::string::npos ? "" : text.substr(method + 1)});
  finish_run(folder, file, solution, {CAUCHY_VERSION, threads});
}

}  // namespace cauchy::cli
