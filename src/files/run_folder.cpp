#include <cauchy/files/run_folder.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cauchy/base/error.hpp>
#include <cauchy/files/run_log.hpp>
#include <cauchy/io/files.hpp>

#include "files/diagnosis_json.hpp"
#include "files/found_constants.hpp"
#include "files/record_json.hpp"
#include "files/run_inputs.hpp"

namespace cauchy {
namespace {

namespace fs = std::filesystem;
using Json = detail::RecordJson;

/// The largest of some numbers; NaN when one is, or when there are none.
double largest(const std::vector<double>& numbers) {
  double result = numbers.empty() ? std::numeric_limits<double>::quiet_NaN() : numbers[0];
  for (const double v : numbers) {
    if (std::isnan(v)) return v;
    result = std::max(result, v);
  }
  return result;
}

Json json_of(const std::vector<FieldError>& errors, const std::vector<std::string>& coordinates) {
  Json fields = Json::array();
  for (const FieldError& e : errors) {
    Json at = Json::object();
    for (std::size_t k = 0; k < e.where.size(); ++k) at[coordinates[k]] = e.where[k];
    fields.push_back(
        {{"field", e.field}, {"relative_l2", e.relative_l2}, {"max", e.max}, {"at", at}});
  }
  return fields;
}

/// For solution.bin, which holds none, so that equal runs have equal files.
Solution without_times(Solution s) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  s.seconds = unknown;
  if (s.training) {
    for (HistoryEntry& h : s.training->history) h.seconds = unknown;
    for (TrainingEvent& e : s.training->events) e.seconds = unknown;
  }
  return s;
}

/// Times of an answer from its record, where there is one that has them.
void restore_times(Solution& s, const fs::path& file) {
  if (!fs::exists(file)) return;
  const Json record = Json::parse(read_file(file), nullptr, false);
  if (!record.is_object()) return;
  s.seconds = detail::seconds_of_record(record);
  const Json times = record.value(detail::times_section, Json::object());
  const Json events = times.is_object() ? times.value("events", Json()) : Json();
  if (!s.training || events.size() != s.training->events.size()) return;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].is_number()) s.training->events[i].seconds = events[i].get<double>();
  }
}

}  // namespace

std::string result_json(const ProblemFile& file, const Solution& s, const RunInfo& info) {
  const std::vector<std::string> coordinates = s.problem.coordinates();
  const Json fields = json_of(s.error.fields, coordinates);
  Json estimate;
  if (s.estimate) {
    estimate = {{"relative_l2", s.estimate->relative_l2},
                {"how", s.estimate->how},
                {"unsure", s.estimate->unsure},
                {"stated", s.estimate->stated()},
                {"fields", json_of(s.estimate->fields, coordinates)},
                {"history", s.estimate->history}};
  }
  Json bounds = Json::array();
  for (const ErrorBound& b : s.bounds) {
    bounds.push_back({{"field", b.field},
                      {"norm", b.norm},
                      {"lower", b.lower},
                      {"upper", b.upper},
                      {"relative", b.relative},
                      {"how", b.how}});
  }
  Json checks = Json::array();
  const TrainingRecord record = s.training.value_or(TrainingRecord{});
  for (const TermCheck& c : s.checks) {
    Json at = Json::object();
    for (std::size_t k = 0; k < c.where.size(); ++k) at[coordinates[k]] = c.where[k];
    checks.push_back({{"name", c.name},
                      {"kind", to_string(c.kind)},
                      {"scale", c.scale},
                      {"points", c.n_points},
                      {"fresh", c.fresh},
                      {"mean", c.mean},
                      {"largest", c.worst},
                      {"at", at},
                      {"trained", c.trained}});
  }
  Json terms = Json::object();
  if (!record.history.empty()) {
    const std::vector<std::string> names = curve_names(record);
    for (std::size_t k = 0; k < record.history.back().terms.size(); ++k) {
      terms[names[k]] = record.history.back().terms[k];
    }
  }
  Method method = file.method;
  const std::optional<TrainingSettings> training = training_settings(method);
  const Json result = {{"problem", s.problem.name},
                       {"title", s.problem.title},
                       {"method", s.method},
                       {"recipe", is_recipe(file.method) ? Json(name_of(file.method)) : Json()},
                       {"choices", record.choices},
                       {"grade", to_string(s.grade)},
                       {"findings", s.findings},
                       {"warnings", s.warnings},
                       {"interrupted", s.interrupted},
                       {"error",
                        {{"reference", s.error.reference},
                         {"reference_error", s.error.reference_error},
                         {"points", s.error.n_points},
                         {"relative_l2", s.error.relative_l2()},
                         {"joint_relative_l2", s.error.joint_l2},
                         {"tolerance", s.problem.tolerance ? Json(*s.problem.tolerance) : Json()},
                         {"fields", fields}}},
                       {"estimate", estimate},
                       {"bounds", bounds},
                       {"unknowns", detail::to_json(detail::found_constants(s))},
                       {"checks", checks},
                       {"events", detail::events_json(record.events)},
                       {"loss", record.history.empty() ? Json() : Json(record.loss())},
                       {"loss_terms", terms},
                       {"steps", record.steps},
                       {"evaluations", record.evaluations},
                       {"unknowns_of_method", s.n_unknowns},
                       {"parameters", record.parameters.size()},
                       {"scales", record.scales},
                       {"seed", training ? Json(training->seed) : Json()},
                       {"precision", training ? Json(to_string(training->precision)) : Json()},
                       {detail::run_section, detail::run_json(info)},
                       {detail::times_section, detail::times_json(s.seconds, record.events)}};
  return detail::record_text(result);
}

void finish_run(const RunFolder& run, const ProblemFile& file, const Solution& solution,
                const RunInfo& info) {
  save_solution(run.path() / "solution.bin", without_times(solution), run.inputs());
  if (solution.training) RunLog(run.path()).update(*solution.training);
  if (solution.training && solution.training->diagnosis) {
    write_file_atomically(run.path() / "diagnosis.json",
                          detail::diagnosis_json(*solution.training->diagnosis), Durable::no,
                          Links::refuse);
  }
  // The last one: its presence says that the others are there.
  write_file_atomically(run.path() / "result.json", result_json(file, solution, info), Durable::no,
                        Links::refuse);
}

RunSummary summarize(const Solution& s) {
  RunSummary r;
  r.problem = s.problem.name;
  r.method = s.method;
  r.grade = to_string(s.grade);
  r.relative_l2 = s.error.relative_l2();
  r.joint_l2 = s.error.joint_l2;
  r.max_error = std::numeric_limits<double>::quiet_NaN();
  for (const FieldError& e : s.error.fields) {
    if (!(e.max <= r.max_error)) r.max_error = e.max;
  }
  r.seconds = s.seconds;
  r.loss = s.training ? s.training->loss() : std::numeric_limits<double>::quiet_NaN();
  r.steps = s.training ? s.training->steps : 0;
  r.unknowns = s.n_unknowns;
  r.estimate = s.estimate ? s.estimate->relative_l2 : std::numeric_limits<double>::quiet_NaN();
  r.reference_error = s.error.reference_error;
  std::vector<double> residuals;
  for (const TermCheck& c : s.checks) residuals.push_back(c.fresh);
  r.residual = largest(residuals);
  r.constants = detail::found_constants(s);
  return r;
}

RunSummary read_summary(const fs::path& folder) {
  const fs::path file = folder / "result.json";
  if (!fs::exists(file)) {
    throw Error("there is no result.json: no run has ended in this folder", folder.string(),
                "solve a problem with --out, or continue the run with --resume");
  }
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto number = [](const Json& j) { return j.is_number() ? j.get<double>() : none; };
  try {
    const Json j = Json::parse(read_file(file));
    RunSummary r;
    r.problem = j.at("problem").get<std::string>();
    r.method = j.at("method").get<std::string>();
    r.grade = j.at("grade").get<std::string>();
    r.relative_l2 = number(j.at("error").at("relative_l2"));
    r.joint_l2 = number(j.at("error").value("joint_relative_l2", Json()));
    r.max_error = none;
    for (const Json& f : j.at("error").at("fields")) {
      const double max = number(f.at("max"));
      if (!(max <= r.max_error)) r.max_error = max;
    }
    r.seconds = detail::seconds_of_record(j);
    r.loss = number(j.at("loss"));
    r.steps = j.at("steps").get<std::uint64_t>();
    r.unknowns = j.value("unknowns_of_method", std::size_t(0));
    const Json estimate = j.value("estimate", Json());
    r.estimate = estimate.is_object() ? number(estimate.value("relative_l2", Json())) : none;
    r.reference_error = number(j.at("error").value("reference_error", Json()));
    std::vector<double> residuals;
    for (const Json& c : j.at("checks")) residuals.push_back(number(c.at("fresh")));
    r.residual = largest(residuals);
    r.constants = detail::constants_in(j.value("unknowns", Json::array()));
    return r;
  } catch (const Json::exception&) {
    throw Error(ErrorKind::file, "the file is damaged", file.string(), "solve the problem again");
  }
}

LoadedRun load_run(const fs::path& folder, int threads) {
  if (!fs::exists(folder / "solution.bin")) {
    throw Error(ErrorKind::file,
                fs::is_directory(folder) ? "there is no solution.bin: no run has ended here"
                                         : "there is no such folder",
                folder.string(), "name the folder that `cauchy solve` has printed");
  }
  LoadedRun run{read_problem_file(folder / "problem.toml"), {}};
  run.solution = load_solution(folder / "solution.bin", run.file.problem, run.file.method, threads,
                               detail::checksums_in(folder, detail::run_inputs(run.file)));
  restore_times(run.solution, folder / "result.json");
  return run;
}

}  // namespace cauchy
