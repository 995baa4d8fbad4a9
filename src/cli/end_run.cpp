#include "cli/end_run.hpp"

#include <cauchy/io/files.hpp>
#include <cauchy/report/html_report.hpp>

namespace cauchy::cli {

void end_run(const RunFolder& run, const ProblemFile& file, const Solution& solution, int threads) {
  const std::string report = html_report(solution, {.settings = method_text(file.method)});
  write_file_atomically(run.path() / "report.html", report, Durable::no, Links::refuse);
  finish_run(run, file, solution, {CAUCHY_VERSION, threads});
}

}  // namespace cauchy::cli
