#include <cauchy/files/run_folder.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cauchy/base/error.hpp>
#include <cauchy/files/run_log.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/files.hpp>

namespace cauchy {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The problem with its tables under names inside of the folder.
ProblemFile portable(ProblemFile file) {
  Problem& p = file.problem;
  for (std::size_t i = 0; i < p.functions.size(); ++i) {
    p.functions[i].file = fmt::format("data/function_{}.csv", p.functions[i].name);
  }
  for (std::size_t i = 0; i < p.observation.size(); ++i) {
    p.observation[i].file = fmt::format("data/observation_{}.csv", i + 1);
  }
  if (!p.reference.table.columns.empty()) p.reference.file = "data/reference.csv";
  return file;
}

/// Names inside of the folder for the triangle surfaces of the problem.
std::map<std::string, std::string> surface_names(const Problem& p) {
  std::map<std::string, std::string> names;
  for (const std::string& file : surface_files(p)) {
    const std::string ending = fs::path(file).extension().string();
    names.emplace(file, fmt::format("data/surface_{}{}", names.size() + 1, ending));
  }
  return names;
}

/// The text of problem.toml.
std::string problem_text(const ProblemFile& file) {
  return to_toml(portable(file), surface_names(file.problem));
}

void make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) {
    throw Error(ErrorKind::file, fmt::format("the folder cannot be made: {}", failure.message()),
                folder.string(), "choose another one with --out");
  }
}

void write_tables(const fs::path& folder, const Problem& p) {
  const auto write = [&](const std::string& file, const Table& table) {
    make_folder((folder / file).parent_path());
    write_csv(folder / file, table);
  };
  for (const TabulatedFunction& f : p.functions) write(f.file, f.table);
  for (const Observation& o : p.observation) write(o.file, o.table);
  if (!p.reference.table.columns.empty()) write(p.reference.file, p.reference.table);
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

fs::path free_run_folder(const fs::path& folder) {
  fs::path free = folder;
  for (int i = 2; fs::exists(free); ++i) free = fmt::format("{}-{}", folder.string(), i);
  return free;
}

void begin_run(const fs::path& folder, const ProblemFile& file) {
  if (fs::exists(folder / "problem.toml")) {
    throw Error("the folder holds a run already", folder.string(),
                "choose another one with --out, or continue it with --resume");
  }
  make_folder(folder);
  write_tables(folder, portable(file).problem);
  for (const auto& [from, name] : surface_names(file.problem)) {
    make_folder((folder / name).parent_path());
    write_file_atomically(folder / name, read_file(from));
  }
  write_file_atomically(folder / "problem.toml", problem_text(file));
}

double resume_run(const fs::path& folder, const ProblemFile& file) {
  if (!fs::exists(folder / "problem.toml")) {
    throw Error("there is no run to resume", folder.string(), "start it without --resume");
  }
  if (read_file(folder / "problem.toml") != problem_text(file)) {
    throw Error("the folder holds a run of another problem or with other settings", folder.string(),
                "give the same file and settings, or start without --resume");
  }
  if (fs::exists(folder / "result.json")) {
    const Json result = Json::parse(read_file(folder / "result.json"), nullptr, false);
    const bool finished = result.is_object() && result.contains("interrupted") &&
                          result["interrupted"] == Json(false);
    if (finished) {
      throw Error("the run is finished", folder.string(), "start a new one without --resume");
    }
  }
  const fs::path probe = folder / "log.csv";  // as good as any to see whether files can be written
  AtomicFile{probe};
  if (!fs::exists(folder / "checkpoint.bin")) return 0;
  const Checkpoint checkpoint = load_checkpoint(folder / "checkpoint.bin");
  const std::vector<double>& seconds = checkpoint.array("seconds").values;
  if (seconds.size() != 1) {
    throw Error(ErrorKind::file, "the checkpoint is damaged", (folder / "checkpoint.bin").string(),
                "start the run anew");
  }
  return seconds[0];
}

std::string result_json(const ProblemFile& file, const Solution& s, const RunInfo& info) {
  const std::vector<std::string> coordinates = s.problem.coordinates();
  Json fields = Json::array();
  for (const FieldError& e : s.error.fields) {
    Json at = Json::object();
    for (std::size_t k = 0; k < e.where.size(); ++k) at[coordinates[k]] = e.where[k];
    fields.push_back(
        {{"field", e.field}, {"relative_l2", e.relative_l2}, {"max", e.max}, {"at", at}});
  }
  Json unknowns = Json::array();
  for (const auto& [name, value] : s.unknowns) {
    const auto error = s.error.unknowns.find(name);
    unknowns.push_back(
        {{"name", name},
         {"value", value},
         {"relative_error", error == s.error.unknowns.end() ? Json() : Json(error->second)}});
  }
  Json checks = Json::array();
  const TrainingRecord record = s.training.value_or(TrainingRecord{});
  for (const TermCheck& c : record.checks) {
    checks.push_back(
        {{"name", c.name}, {"trained", c.trained}, {"fresh", c.fresh}, {"scale", c.scale}});
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
                       {"grade", to_string(s.grade)},
                       {"findings", s.findings},
                       {"interrupted", s.interrupted},
                       {"error",
                        {{"reference", s.error.reference},
                         {"points", s.error.n_points},
                         {"relative_l2", s.error.relative_l2()},
                         {"joint_relative_l2", s.error.joint_l2},
                         {"tolerance", s.problem.tolerance ? Json(*s.problem.tolerance) : Json()},
                         {"fields", fields}}},
                       {"unknowns", unknowns},
                       {"checks", checks},
                       {"loss", record.history.empty() ? Json() : Json(record.loss())},
                       {"loss_terms", terms},
                       {"steps", record.steps},
                       {"evaluations", record.evaluations},
                       {"seconds", s.seconds},
                       {"unknowns_of_method", s.n_unknowns},
                       {"parameters", record.parameters.size()},
                       {"scales", record.scales},
                       {"seed", training ? Json(training->seed) : Json()},
                       {"precision", training ? Json(to_string(training->precision)) : Json()},
                       {"threads", info.threads},
                       {"versions", {{"cauchy", info.version}, {"compiler", __VERSION__}}}};
  return dump(result);
}

void finish_run(const fs::path& folder, const ProblemFile& file, const Solution& solution,
                const RunInfo& info) {
  save_solution(folder / "solution.bin", solution);
  if (solution.training) RunLog(folder).update(*solution.training);
  // The last one: its presence says that the others are there.
  write_file_atomically(folder / "result.json", result_json(file, solution, info));
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
    r.seconds = number(j.at("seconds"));
    r.loss = number(j.at("loss"));
    r.steps = j.at("steps").get<std::uint64_t>();
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
  run.solution = load_solution(folder / "solution.bin", run.file.problem, run.file.method, threads);
  return run;
}

}  // namespace cauchy
