#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cauchy/base/error.hpp>
#include <cauchy/files/dynamics_file.hpp>
#include <cauchy/files/run_log.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/files.hpp>

#include "files/record_json.hpp"
#include "files/run_inputs.hpp"
#include "training/checkpoints.hpp"

namespace cauchy {
namespace {

namespace fs = std::filesystem;
using DynamicsJson = detail::RecordJson;

/// Everything that the run is made of; the tables get names inside of the folder.
std::vector<detail::RunInput> inputs_of_dynamics(const DynamicsFile& file) {
  const auto portable = std::make_shared<DynamicsFile>(file);
  std::vector<detail::RunInput> inputs;
  const auto add = [&](std::string& from, const TrajectoryData& data, const char* name) {
    inputs.push_back({name, from, [portable, &data] {
                        return to_csv(table_of(data, portable->id, portable->problem.field.time));
                      }});
    from = name;
  };
  add(portable->file, portable->problem.data, "data/trajectories.csv");
  if (portable->problem.reference) {
    add(portable->reference_file, *portable->problem.reference, "data/reference.csv");
  }
  inputs.push_back({"problem.toml", "", [portable] { return to_toml(*portable); }});
  return inputs;
}

DynamicsJson errors_of(const TrajectoryError& e) {
  if (e.empty()) return {};
  DynamicsJson columns = DynamicsJson::object();
  for (std::size_t c = 0; c < e.columns.size(); ++c) columns[e.columns[c]] = e.column_l2[c];
  return {{"trajectories", e.relative_l2.size()},
          {"relative_l2", e.mean()},
          {"worst", e.worst()},
          {"fields", columns},
          {"of_trajectories", e.relative_l2}};
}

}  // namespace

RunFolder begin_run(const fs::path& folder, const DynamicsFile& file) {
  return detail::begin_run_of(folder, inputs_of_dynamics(file));
}
RunFolder begin_next_run(const fs::path& folder, const DynamicsFile& file) {
  return detail::begin_next_run_of(folder, inputs_of_dynamics(file));
}
RunFolder resume_run(const fs::path& folder, const DynamicsFile& file) {
  return detail::resume_run_of(folder, inputs_of_dynamics(file));
}

std::string result_json(const DynamicsFile& file, const DynamicsResult& r, const RunInfo& info) {
  const DynamicsProblem& p = file.problem;
  DynamicsJson fields = DynamicsJson::array(), unknowns = DynamicsJson::array();
  for (std::size_t c = 0; c < r.test.columns.size() && !r.test.empty(); ++c) {
    fields.push_back({{"field", r.test.columns[c]},
                      {"relative_l2", r.test.column_l2[c]},
                      {"max", *std::max_element(r.test.maximum.begin(), r.test.maximum.end())},
                      {"at", DynamicsJson::object()}});
  }
  for (const auto& [name, value] : r.model->constants()) {
    const auto truth = p.truths.find(name);
    const bool known = truth != p.truths.end() && truth->second != 0;
    unknowns.push_back({{"name", name},
                        {"value", value},
                        {"relative_error", known ? DynamicsJson(std::abs(value / truth->second - 1))
                                                 : DynamicsJson()}});
  }
  DynamicsMethod method = file.method;
  const DynamicsJson result = {
      {"problem", p.name},
      {"title", p.title},
      {"method", r.model->describe()},
      {"recipe", DynamicsJson()},
      {"choices", r.training.choices},
      {"grade", to_string(r.grade)},
      {"findings", r.findings},
      {"interrupted", r.interrupted},
      {"error",
       {{"reference", r.tested_on},
        {"reference_error", 0},
        {"points", r.test.relative_l2.size()},
        {"relative_l2", r.test.mean()},
        {"joint_relative_l2", r.test.mean()},
        {"tolerance", p.tolerance ? DynamicsJson(*p.tolerance) : DynamicsJson()},
        {"fields", fields}}},
      {"train", errors_of(r.train)},
      {"test", errors_of(r.test)},
      {"unknowns", unknowns},
      {"checks", DynamicsJson::array()},
      {"events", detail::events_json(r.training.events)},
      {"loss", r.training.history.empty() ? DynamicsJson() : DynamicsJson(r.training.loss())},
      {"steps", r.training.steps},
      {"evaluations", r.training.evaluations},
      {"parameters", r.training.parameters.size()},
      {"unknowns_of_method", r.training.parameters.size()},
      {"seed", seed_of(method)},
      {"precision", "f64"},
      {detail::run_section, detail::run_json(info)},
      {detail::times_section, detail::times_json(r.seconds, r.training.events)}};
  return detail::record_text(result);
}

void finish_run(const RunFolder& run, const DynamicsFile& file, const DynamicsResult& result,
                const RunInfo& info) {
  Checkpoint model;
  result.model->save(model);
  detail::put_inputs(model, run.inputs());
  model.texts["kind"] = result.model->kind();
  save_checkpoint(run.path() / "model.bin", model);
  RunLog(run.path()).update(result.training);
  // The last one: its presence says that the others are there.
  write_file_atomically(run.path() / "result.json", result_json(file, result, info), Durable::no,
                        Links::refuse);
}

LoadedDynamics load_dynamics_run(const fs::path& folder) {
  const fs::path file = folder / "model.bin";
  if (!fs::exists(file)) {
    throw Error(ErrorKind::file,
                fs::is_directory(folder) ? "there is no model.bin: no training has ended here"
                                         : "there is no such folder",
                folder.string(), "name the folder that `cauchy train` has printed");
  }
  LoadedDynamics run{read_dynamics_file(folder / "problem.toml"), nullptr};
  const Checkpoint model = load_checkpoint(file);
  try {
    detail::check_inputs(model, detail::checksums_in(folder, inputs_of_dynamics(run.file)));
    run.model = load_dynamics(model, run.file.problem, run.file.method);
  } catch (const Error& e) {
    throw e.at(file.string());
  }
  return run;
}

}  // namespace cauchy
