// The folder of a run that trains a foundation model.
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cauchy/files/morph_file.hpp>
#include <cauchy/files/run_log.hpp>
#include <cauchy/io/files.hpp>

#include "files/record_json.hpp"
#include "files/run_inputs.hpp"
#include "training/checkpoints.hpp"

namespace cauchy {
namespace {

using MorphJson = detail::RecordJson;

/// problem.toml and the files of the families, which get names inside of the folder.
std::vector<detail::RunInput> inputs_of_morph(const MorphFile& file) {
  const auto portable = std::make_shared<MorphFile>(file);
  std::vector<detail::RunInput> inputs;
  for (std::size_t k = 0; k < portable->families.size(); ++k) {
    MorphFile::Family& f = portable->families[k];
    const std::string name = fmt::format("data/{}.toml", f.problem.problem.problem.name);
    inputs.push_back(
        {name, f.file, [portable, k] { return to_toml(portable->families[k].problem); }});
    f.file = name;
  }
  inputs.push_back({"problem.toml", "", [portable] { return to_toml(*portable); }});
  return inputs;
}

MorphJson number_json(double x) { return std::isfinite(x) ? MorphJson(x) : MorphJson(); }

MorphJson error_json_of(const MorphError& e) {
  return {{"one_step", e.one_step},
          {"still", e.still},
          {"rolled_out", number_json(e.rolled_out)},
          {"rolled_out_still", e.rolled_out_still}};
}

}  // namespace

RunFolder begin_run(const std::filesystem::path& folder, const MorphFile& file) {
  return detail::begin_run_of(folder, inputs_of_morph(file));
}
RunFolder begin_next_run(const std::filesystem::path& folder, const MorphFile& file) {
  return detail::begin_next_run_of(folder, inputs_of_morph(file));
}
RunFolder resume_run(const std::filesystem::path& folder, const MorphFile& file) {
  return detail::resume_run_of(folder, inputs_of_morph(file));
}

std::string result_json(const MorphFile& file, const MorphStudyResult& r, const RunInfo& info) {
  MorphJson seen = MorphJson::array(), transfers = MorphJson::array();
  for (const auto& s : r.seen) {
    seen.push_back(
        {{"family", s.family}, {"trajectories", s.trajectories}, {"test", error_json_of(s.test)}});
  }
  for (const MorphTransfer& t : r.transfers) {
    transfers.push_back({{"family", t.family},
                         {"few", t.few},
                         {"all", t.all},
                         {"zero_shot", error_json_of(t.zero_shot)},
                         {"full", error_json_of(t.full)},
                         {"lora", error_json_of(t.lora)},
                         {"trainable", t.trainable},
                         {"scratch_few", error_json_of(t.scratch_few)},
                         {"scratch", error_json_of(t.scratch)},
                         {"gap_zero_shot", number_json(t.gap_zero_shot())},
                         {"gap_full", number_json(t.gap_full())},
                         {"gap_lora", number_json(t.gap_lora())}});
  }
  const MorphJson result = {{"problem", file.name},
                            {"title", file.title},
                            {"method", describe(file.study.network)},
                            {"grade", to_string(r.grade)},
                            {"findings", r.findings},
                            {"interrupted", r.interrupted},
                            {"seen", seen},
                            {"unseen", transfers},
                            {"validation", number_json(r.pretrained.validation)},
                            {"steps", r.pretrained.record.steps},
                            {"parameters", r.pretrained.model.theta.size()},
                            {"seed", file.study.train.seed},
                            {"precision", to_string(file.study.train.precision)},
                            {detail::run_section, detail::run_json(info)},
                            {detail::times_section, detail::times_json(r.seconds)}};
  return detail::record_text(result);
}

void finish_run(const RunFolder& run, const MorphFile& file, const MorphStudyResult& r,
                const RunInfo& info) {
  Checkpoint model;
  r.pretrained.model.save(model);
  detail::put_inputs(model, run.inputs());
  model.texts["kind"] = "morph";
  save_checkpoint(run.path() / "model.bin", model);
  if (!r.pretrained.record.history.empty()) RunLog(run.path()).update(r.pretrained.record);
  write_file_atomically(run.path() / "result.json", result_json(file, r, info), Durable::no,
                        Links::refuse);
}

}  // namespace cauchy
