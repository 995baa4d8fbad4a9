#include <cauchy/files/operator_run.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cauchy/base/error.hpp>
#include <cauchy/files/run_log.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/io/files.hpp>

#include "files/record_json.hpp"
#include "files/run_inputs.hpp"
#include "files/toml_node.hpp"
#include "training/checkpoints.hpp"

namespace cauchy {
namespace {

namespace fs = std::filesystem;
using OperatorJson = detail::RecordJson;

OperatorJson errors_json(const OperatorError& e) {
  if (e.empty()) return {};
  OperatorJson fields = OperatorJson::object();
  for (std::size_t f = 0; f < e.fields.size(); ++f) fields[e.fields[f]] = e.field_l2[f];
  OperatorJson r2 = OperatorJson::object();
  for (std::size_t f = 0; f < e.field_r2.size(); ++f) {
    r2[e.fields[f]] = std::isfinite(e.field_r2[f]) ? OperatorJson(e.field_r2[f]) : OperatorJson();
  }
  return {{"samples", e.size()},
          {"relative_l2", e.mean_l2()},
          {"standard_error", e.size() > 1 ? OperatorJson(e.standard_error()) : OperatorJson()},
          {"relative_h1", e.mean_h1()},
          {"median", e.median_l2()},
          {"worst", e.worst_l2()},
          {"worst_sample", e.best_to_worst().back()},
          {"fields", fields},
          {"r2", r2},
          {"of_samples", e.relative_l2}};
}

/// The same numbers under the keys of a run that solves a problem.
OperatorJson error_json(const OperatorProblem& p, const OperatorError& test) {
  OperatorJson fields = OperatorJson::array();
  for (std::size_t f = 0; f < test.fields.size(); ++f) {
    fields.push_back({{"field", test.fields[f]},
                      {"relative_l2", test.field_l2[f]},
                      {"max", *std::max_element(test.maximum.begin(), test.maximum.end())},
                      {"at", OperatorJson::object()}});
  }
  return {{"reference", test.empty() ? "" : fmt::format("{} test samples", test.size())},
          {"reference_error", 0},
          {"points", test.size()},
          {"relative_l2", test.mean_l2()},
          {"joint_relative_l2", test.mean_l2()},
          {"tolerance", p.problem.tolerance ? OperatorJson(*p.problem.tolerance) : OperatorJson()},
          {"fields", fields}};
}

OperatorJson epochs_json(const std::vector<EpochEntry>& epochs) {
  std::vector<double> loss, validation;
  std::vector<std::uint64_t> step;
  for (const EpochEntry& e : epochs) {
    step.push_back(e.step);
    loss.push_back(e.loss);
    validation.push_back(e.validation);
  }
  return {{"step", step}, {"loss", loss}, {"validation", validation}};
}

/// A run writes all keys that there are. One of an FNO without `trapezoid` is older than that key:
/// all nodes counted alike when it was trained.
void restore_older_settings(const fs::path& problem_file, OperatorMethod& method) {
  auto* const field = std::get_if<FieldOperator>(&method);
  FieldNetwork* const network = field != nullptr
                                    ? &field->network
                                    : std::get_if<FieldNetwork>(&std::get<DeepOnet>(method).branch);
  Fno* const fno = network != nullptr ? std::get_if<Fno>(network) : nullptr;
  if (fno == nullptr) return;
  const detail::TomlNode root =
      detail::load_toml(read_file(problem_file, detail::max_toml_bytes), problem_file.string(),
                        problem_file.parent_path(), problem_file, {});
  const detail::TomlNode* node = root.find("train");
  if (node != nullptr) node = node->find(field != nullptr ? "network" : "branch");
  if (node == nullptr || node->find("trapezoid") == nullptr) fno->trapezoid = false;
}

}  // namespace

RunFolder begin_run(const fs::path& folder, const OperatorFile& file) {
  return detail::begin_run_of(folder, detail::run_inputs(file));
}
RunFolder begin_next_run(const fs::path& folder, const OperatorFile& file) {
  return detail::begin_next_run_of(folder, detail::run_inputs(file));
}
RunFolder resume_run(const fs::path& folder, const OperatorFile& file) {
  return detail::resume_run_of(folder, detail::run_inputs(file));
}

std::string result_json(const OperatorFile& file, const OperatorResult& r, const RunInfo& info) {
  const OperatorProblem& p = file.problem;
  OperatorJson times = detail::times_json(r.seconds, r.training.events);
  for (const EpochEntry& e : r.epochs) times["epochs"].push_back(e.seconds);
  const OperatorJson result = {
      {"problem", p.problem.name},
      {"title", p.problem.title},
      {"method", r.model ? r.model->describe() : describe(file.method)},
      {"recipe", OperatorJson()},
      {"choices", r.training.choices},
      {"grade", to_string(r.grade)},
      {"findings", r.findings},
      {"interrupted", r.interrupted},
      {"error", error_json(p, r.test)},
      {"split",
       {{"train", r.split.train}, {"validation", r.split.validation}, {"test", r.split.test}}},
      {"grid", r.model ? OperatorJson(r.model->grid().sizes()) : OperatorJson()},
      {"train", errors_json(r.train)},
      {"validation", errors_json(r.validation)},
      {"test", errors_json(r.test)},
      {"epochs", epochs_json(r.epochs)},
      {"best_epoch", r.best_epoch},
      {"unknowns", OperatorJson::array()},
      {"checks", OperatorJson::array()},
      {"events", detail::events_json(r.training.events)},
      {"loss", r.training.history.empty() ? OperatorJson() : OperatorJson(r.training.loss())},
      {"steps", r.training.steps},
      {"evaluations", r.training.evaluations},
      {"parameters", r.training.parameters.size()},
      {"unknowns_of_method", r.training.parameters.size()},
      {"seed", seed_of(file.method)},
      {"precision", to_string(precision_of(file.method))},
      {detail::run_section, detail::run_json(info)},
      {detail::times_section, times}};
  return detail::record_text(result);
}

void finish_run(const RunFolder& run, const OperatorFile& file, const OperatorResult& result,
                const RunInfo& info) {
  Checkpoint model;
  result.model->save(model);
  detail::put_inputs(model, run.inputs());
  model.texts["kind"] = result.model->kind();
  model.numbers["split/train"] = result.split.train;
  model.numbers["split/validation"] = result.split.validation;
  model.numbers["split/test"] = result.split.test;
  model.arrays["test_error"] = Array::list({result.test.mean_l2()});
  save_checkpoint(run.path() / "model.bin", model);
  RunLog(run.path()).update(result.training);
  // The last one: its presence says that the others are there.
  write_file_atomically(run.path() / "result.json", result_json(file, result, info), Durable::no,
                        Links::refuse);
}

LoadedOperator load_operator_run(const fs::path& folder) {
  const fs::path file = folder / "model.bin";
  if (!fs::exists(file)) {
    throw Error(ErrorKind::file,
                fs::is_directory(folder) ? "there is no model.bin: no training has ended here"
                                         : "there is no such folder",
                folder.string(), "name the folder that `cauchy train` has printed");
  }
  LoadedOperator run{read_operator_file(folder / "problem.toml"), nullptr};
  restore_older_settings(folder / "problem.toml", run.file.method);
  const Checkpoint model = load_checkpoint(file);
  try {
    detail::check_inputs(model, detail::checksums_in(folder, detail::run_inputs(run.file)));
    run.model = load_operator(model, run.file.method);
    run.split = {model.number("split/train"), model.number("split/validation"),
                 model.number("split/test")};
    const std::vector<double>& error = model.array("test_error").values;
    run.test_error = error.size() == 1 ? error[0] : std::numeric_limits<double>::quiet_NaN();
  } catch (const Error& e) {
    throw e.at(file.string());
  }
  return run;
}

}  // namespace cauchy
