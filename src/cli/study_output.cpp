#include "cli/study_output.hpp"

#include <cmath>

#include <fmt/ostream.h>

#include <cauchy/io/files.hpp>
#include <cauchy/report/study_page.hpp>

#include "cli/plain_text.hpp"
#include "cli/text_table.hpp"
#include "files/record_json.hpp"

namespace cauchy::cli {
namespace {

std::string_view measure_key(StudyMeasure measure) {
  switch (measure) {
    case StudyMeasure::relative_l2:
      return "relative_l2";
    case StudyMeasure::estimate:
      return "estimate";
    case StudyMeasure::residual:
      break;
  }
  return "residual";
}

Json run_json(const StudyRun& run) {
  Json json{{"seed", run.seed}, {"folder", run.folder.string()}};
  if (!run.failure.empty()) json["failed"] = run.failure;
  if (!run.summary) return json;
  const RunSummary& s = *run.summary;
  json["relative_l2"] = s.relative_l2;
  json["estimate"] = s.estimate;
  json["residual"] = s.residual;
  json["loss"] = s.loss;
  json["steps"] = s.steps;
  json["grade"] = s.grade;
  return json;
}

}  // namespace

Json study_json(const StudyResult& study) {
  const StudyMeasure measure = study.measure();
  Json variants = Json::array(), times = Json::array();
  for (const StudyCell& cell : study.cells) {
    const StudyLine line = study_line(cell, measure);
    Json runs = Json::array(), settings = Json::array(), seconds = Json::array();
    for (const StudyRun& run : cell.runs) {
      runs.push_back(run_json(run));
      seconds.push_back(run.summary ? Json(run.summary->seconds) : Json());
    }
    for (const StudySetting& s : cell.variant.settings) settings.push_back(s.text);
    variants.push_back({{"name", cell.variant.name},
                        {"settings", settings},
                        {"value", spread_json(study_spread(line.values))},
                        {"steps", spread_json(study_spread(line.steps))},
                        {"grades", line.grades},
                        {"runs", runs}});
    times.push_back({{"seconds", spread_json(study_spread(line.seconds))}, {"runs", seconds}});
  }
  return {{"study", study.name},
          {"problem", study.problem},
          {"measure", measure_key(measure)},
          {"max_seconds", study.max_seconds},
          {"runs", study.n_runs()},
          {"failed", study.n_failed()},
          {"open", study.n_open()},
          {"variants", variants},
          {detail::times_section, {{"variants", times}}}};
}

void print_study(const StudyResult& study, std::ostream& out) {
  const StudyMeasure measure = study.measure();
  fmt::print(out, "{}: {} of {}{}\n", plain_text(study.name), describe(measure),
             plain_text(study.problem),
             measure == StudyMeasure::relative_l2 ? "" : ", which has no reference");
  std::vector<std::vector<std::string>> rows{{"variant", "median", "lower quartile",
                                              "upper quartile", "worst", "time", "steps",
                                              "grades"}};
  for (const StudyCell& cell : study.cells) {
    const StudyLine line = study_line(cell, measure);
    const Spread value = study_spread(line.values);
    const double seconds = study_spread(line.seconds).median;
    const double steps = study_spread(line.steps).median;
    rows.push_back({cell.variant.name, short_number(value.median),
                    short_number(value.lower_quartile), short_number(value.upper_quartile),
                    short_number(value.max), std::isnan(seconds) ? "-" : duration(seconds),
                    std::isnan(steps) ? "-" : grouped(static_cast<std::uint64_t>(steps)),
                    grades_text(cell)});
  }
  print_table(out, rows);
  for (const StudyCell& cell : study.cells) {
    for (const StudyRun& run : cell.runs) {
      if (run.failure.empty()) continue;
      fmt::print(out, "{}, seed {}: {}\n", plain_text(cell.variant.name), run.seed,
                 plain_text(run.failure));
    }
  }
}

void save_study(const StudyResult& study, const std::filesystem::path& folder) {
  write_file_atomically(
      folder / "study.json",
      study_json(study).dump(2, ' ', false, Json::error_handler_t::replace) + "\n", Durable::no,
      Links::refuse);
  write_file_atomically(folder / "study.svg", to_svg(study_picture(study)), Durable::no,
                        Links::refuse);
  write_file_atomically(folder / "study.html", html_study(study), Durable::no, Links::refuse);
}

}  // namespace cauchy::cli
