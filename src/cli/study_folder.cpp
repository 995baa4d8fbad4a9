#include "cli/study_folder.hpp"

#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/io/files.hpp>

#include "cli/json.hpp"
#include "files/run_inputs.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;
using detail::FolderLock;

constexpr const char* plan_file = "plan.json";

/// Checksum of everything that the first run of a variant is made of.
std::string inputs_of(const PlannedCell& cell) {
  std::string all;
  for (const detail::RunInput& input : detail::run_inputs(cell.file)) {
    all += input.name + '\n' + input.bytes() + '\n';
  }
  return detail::checksum(all);
}

Json plan_json(const StudyPlan& plan) {
  Json variants = Json::array();
  for (const PlannedCell& cell : plan.cells) {
    Json settings = Json::array();
    for (const StudySetting& s : cell.variant.settings) settings.push_back(s.text);
    variants.push_back({{"name", cell.variant.name},
                        {"settings", settings},
                        {"seeds", cell.seeds},
                        {"inputs", inputs_of(cell)}});
  }
  return {{"name", plan.name},           {"title", plan.title},
          {"notes", plan.notes},         {"max_seconds", plan.max_seconds},
          {"reference", plan.reference}, {"variants", variants}};
}

Error damaged(const fs::path& file) {
  return {ErrorKind::file, "the file is damaged", file.string(), "start the study anew"};
}

FolderLock lock_study(const fs::path& folder) {
  std::optional<FolderLock> lock = FolderLock::take(folder);
  if (lock) return std::move(*lock);
  throw Error(fmt::format("a study goes on in this folder ({})", FolderLock::holder(folder)),
              folder.string(), "wait for its end, or choose another one with --out");
}

/// Throws Error unless the folder is empty.
void expect_empty(const fs::path& folder) {
  if (is_study_folder(folder)) {
    throw Error("the folder holds a study already", folder.string(),
                "choose another one with --out, or continue it with --resume");
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == FolderLock::file_name) continue;
    throw Error(fmt::format("the folder holds other files: '{}'", name), folder.string(),
                "choose another one with --out");
  }
}

/// Makes the folder; false when it was there.
bool make_study_folder(const fs::path& folder) {
  const fs::path clean = folder.has_filename() ? folder : folder.parent_path();  // "study/"
  std::error_code failure;
  if (clean.has_parent_path()) fs::create_directories(clean.parent_path(), failure);
  const bool made = !failure && fs::create_directory(clean, failure);
  if (!failure && !fs::is_directory(clean)) {
    failure = std::make_error_code(std::errc::not_a_directory);
  }
  if (!failure) return made;
  throw Error(ErrorKind::file, fmt::format("the folder cannot be made: {}", failure.message()),
              folder.string(), "choose another one with --out");
}

}  // namespace

fs::path study_run_path(const fs::path& folder, std::size_t cell, std::uint64_t seed) {
  return folder / std::to_string(cell + 1) / fmt::format("seed_{}", seed);
}

bool is_study_folder(const fs::path& folder) {
  std::error_code failure;
  return fs::exists(folder / plan_file, failure);
}

StudyFolder begin_study(const fs::path& path, bool next, const StudyPlan& plan) {
  fs::path folder = path;
  bool made = make_study_folder(folder);
  for (int i = 2; next && !made; ++i) {
    folder = fmt::format("{}-{}", path.string(), i);
    made = make_study_folder(folder);
  }
  if (!made) expect_empty(folder);
  StudyFolder study{folder, lock_study(folder)};
  try {
    for (std::size_t c = 0; c < plan.cells.size(); ++c) {
      const PlannedCell& cell = plan.cells[c];
      for (std::size_t k = 0; k < cell.seeds.size(); ++k) {
        (void)begin_run(study_run_path(folder, c, cell.seeds[k]), cell.run_file(k));
      }
    }
    // The last one: its presence says that every run has begun.
    write_file_atomically(
        folder / plan_file,
        plan_json(plan).dump(2, ' ', false, Json::error_handler_t::replace) + "\n", Durable::no,
        Links::refuse);
  } catch (...) {
    std::error_code ignored;
    for (std::size_t c = 0; c < plan.cells.size(); ++c) {
      fs::remove_all(folder / std::to_string(c + 1), ignored);
    }
    { const FolderLock last = std::move(study.lock); }
    if (made) fs::remove(folder, ignored);
    throw;
  }
  return study;
}

StudyFolder resume_study(const fs::path& path, const StudyPlan& plan) {
  if (!is_study_folder(path)) {
    throw Error("there is no study to resume", path.string(), "start it without --resume");
  }
  StudyFolder study{path, lock_study(path)};
  const Json wanted = plan_json(plan);
  Json there;
  try {
    there = Json::parse(read_file(path / plan_file));
    for (const char* key : {"max_seconds", "reference", "variants"}) {
      if (there.at(key) == wanted.at(key)) continue;
      throw Error(fmt::format("the study in the folder differs in its {}", key), path.string(),
                  fmt::format("choose another one with --out, or continue it with `cauchy study "
                              "{} --resume`",
                              path.string()));
    }
  } catch (const Json::exception&) {
    throw damaged(path / plan_file);
  }
  return study;
}

StudyPlan read_study_plan(const fs::path& folder) {
  const fs::path file = folder / plan_file;
  StudyPlan plan;
  try {
    const Json j = Json::parse(read_file(file));
    plan.name = j.at("name").get<std::string>();
    plan.title = j.at("title").get<std::string>();
    plan.notes = j.at("notes").get<std::string>();
    plan.max_seconds = j.at("max_seconds").get<double>();
    plan.reference = j.at("reference").get<std::string>();
    for (const Json& v : j.at("variants")) {
      PlannedCell cell;
      cell.variant.name = v.at("name").get<std::string>();
      for (const Json& s : v.at("settings")) {
        cell.variant.settings.push_back({s.get<std::string>(), ""});
      }
      cell.seeds = v.at("seeds").get<std::vector<std::uint64_t>>();
      cell.file = read_problem_file(study_run_path(folder, plan.cells.size(), cell.seeds.at(0)) /
                                    "problem.toml");
      cell.look_for_refusal(plan.threads_per_run);
      plan.cells.push_back(std::move(cell));
    }
  } catch (const Json::exception&) {
    throw damaged(file);
  } catch (const std::out_of_range&) {  // a variant without seeds
    throw damaged(file);
  }
  return plan;
}

}  // namespace cauchy::cli
