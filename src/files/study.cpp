#include <cauchy/files/study.hpp>

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace cauchy {
namespace {

double measured(const RunSummary& summary, StudyMeasure measure) {
  switch (measure) {
    case StudyMeasure::relative_l2:
      return summary.relative_l2;
    case StudyMeasure::estimate:
      return summary.estimate;
    case StudyMeasure::residual:
      break;
  }
  return summary.residual;
}

template <class Which>
std::size_t count_runs(const std::vector<StudyCell>& cells, Which which) {
  std::size_t n = 0;
  for (const StudyCell& cell : cells) {
    for (const StudyRun& run : cell.runs) n += which(run) ? 1 : 0;
  }
  return n;
}

}  // namespace

std::string_view describe(StudyMeasure measure) noexcept {
  switch (measure) {
    case StudyMeasure::relative_l2:
      return "relative L2 error";
    case StudyMeasure::estimate:
      return "estimated error";
    case StudyMeasure::residual:
      break;
  }
  return "residual at fresh points";
}

StudyMeasure StudyResult::measure() const {
  for (const StudyMeasure m : {StudyMeasure::relative_l2, StudyMeasure::estimate}) {
    const auto known = [m](const StudyRun& run) {
      return run.summary && !std::isnan(measured(*run.summary, m));
    };
    if (count_runs(cells, known) > 0) return m;
  }
  return StudyMeasure::residual;
}

std::size_t StudyResult::n_runs() const {
  return count_runs(cells, [](const StudyRun&) { return true; });
}
std::size_t StudyResult::n_open() const {
  return count_runs(cells, [](const StudyRun& run) { return run.is_open(); });
}
std::size_t StudyResult::n_failed() const {
  return count_runs(cells, [](const StudyRun& run) { return !run.failure.empty(); });
}

StudyLine study_line(const StudyCell& cell, StudyMeasure measure) {
  StudyLine line;
  for (const StudyRun& run : cell.runs) {
    if (!run.summary) continue;
    line.values.push_back(measured(*run.summary, measure));
    line.seconds.push_back(run.summary->seconds);
    line.steps.push_back(static_cast<double>(run.summary->steps));
    ++line.grades[run.summary->grade];
  }
  return line;
}

std::string grades_text(const StudyCell& cell) {
  std::map<std::string, std::size_t> grades = study_line(cell, StudyMeasure::relative_l2).grades;
  std::size_t failed = 0, open = 0;
  for (const StudyRun& run : cell.runs) {
    failed += run.failure.empty() ? 0 : 1;
    open += run.is_open() ? 1 : 0;
  }
  std::string out;
  const auto add = [&](std::string_view name, std::size_t n) {
    if (n > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, name);
  };
  for (const Grade g :
       {Grade::converged, Grade::unverified, Grade::stalled, Grade::suspicious, Grade::diverged}) {
    add(to_string(g), grades[std::string(to_string(g))]);
  }
  add("failed", failed);
  add("not made", open);
  return out;
}

Spread study_spread(const std::vector<double>& numbers) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return spread(numbers.empty() ? std::vector<double>{nan} : numbers);
}

}  // namespace cauchy
