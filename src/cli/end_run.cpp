#include "cli/end_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/report/html_report.hpp>

namespace cauchy::cli {

void end_run(const RunFolder& run, const ProblemFile& file, const Solution& solution, int threads,
             const RunLimit& limit) {
  HtmlOptions report{.settings = method_text(file.method)};
  if (const auto made = expand(file.method, file.problem)) {
    report.settings += fmt::format("\n# which stands for\n\n{}", method_text(Method(made->pinn)));
  }
  Method method = file.method;
  if (const auto training = training_settings(method)) {
    report.run.emplace_back("seed", std::to_string(training->seed));
    report.run.emplace_back("precision", to_string(training->precision));
  }
  report.run.emplace_back("threads", std::to_string(threads));
  report.run.emplace_back("version of Cauchy", CAUCHY_VERSION);
  try {
    // A tenth and half a second more than the run itself had.
    const double rest = 1.1 * limit.max_seconds() + 0.5 - limit.seconds();
    const LimitScope drawing(limit.timed() ? RunLimit::of_run(std::max(rest, 0.2), nullptr)
                                           : RunLimit());
    write_file_atomically(run.path() / "report.html", html_report(solution, report), Durable::no,
                          Links::refuse);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::file) throw;  // the disk takes nothing
    Solution told = solution;                // a picture that fails never costs the answer
    told.findings.push_back("the report could not be made: " + e.message());
    return finish_run(run, file, told, {CAUCHY_VERSION, threads});
  }
  finish_run(run, file, solution, {CAUCHY_VERSION, threads});
}

}  // namespace cauchy::cli
