#include "cli/end_run.hpp"

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/report/html_report.hpp>

namespace cauchy::cli {

void end_run(const RunFolder& run, const ProblemFile& file, const Solution& solution, int threads) {
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
    write_file_atomically(run.path() / "report.html", html_report(solution, report), Durable::no,
                          Links::refuse);
    finish_run(run, file, solution, {CAUCHY_VERSION, threads});
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::file) throw;  // the disk takes nothing
    Solution told = solution;                // a picture that fails never costs the answer
    told.findings.push_back("the report could not be made: " + e.message());
    finish_run(run, file, told, {CAUCHY_VERSION, threads});
  }
}

}  // namespace cauchy::cli
