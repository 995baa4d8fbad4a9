#include "cli/study_plan.hpp"

#include <algorithm>

#include <cauchy/base/error.hpp>
#include <cauchy/solvers/method.hpp>
#include <cauchy/solvers/restarts.hpp>

namespace cauchy::cli {
namespace {

std::vector<std::string> texts_of(const std::vector<StudySetting>& settings) {
  std::vector<std::string> texts;
  for (const StudySetting& s : settings) texts.push_back(s.text);
  return texts;
}

}  // namespace

void PlannedCell::look_for_refusal(int threads) {
  refusal.clear();
  try {
    const MethodCost cost = prepare(file, threads)->cost();
    bytes = cost.bytes;
    require_fit(cost);
  } catch (const Error& e) {
    refusal = e.what();
  }
}

ProblemFile PlannedCell::run_file(std::size_t k) const {
  ProblemFile run = file;
  if (seeds.size() > 1) run.method = restart_of(std::move(run.method), k);
  return run;
}

StudyPlan plan_study(const StudyFile& study, const std::string& name, const CommonOptions& settings,
                     const std::string& reference) {
  StudyPlan plan{.name = name,
                 .title = study.title,
                 .notes = study.notes,
                 .max_seconds = study.max_seconds,
                 .reference = reference,
                 .threads_per_run = study.threads_per_run};
  CommonOptions common = settings;
  common.settings = texts_of(study.set);
  common.settings.insert(common.settings.end(), settings.settings.begin(), settings.settings.end());
  for (const StudyVariant& variant : study_variants(study)) {
    PlannedCell cell{.variant = variant};
    try {
      cell.file = read_problem(study.problem, common, texts_of(variant.settings));
    } catch (const Error& e) {
      std::vector<StudySetting> all = study.set;
      all.insert(all.end(), variant.settings.begin(), variant.settings.end());
      throw in_study(e, all);
    }
    if (const auto training = training_settings(cell.file.method)) {
      for (std::size_t k = 0; k < study.seeds; ++k) cell.seeds.push_back(training->seed + k);
    } else {
      cell.seeds = {0};
    }
    cell.look_for_refusal(study.threads_per_run);
    plan.cells.push_back(std::move(cell));
  }
  const bool none = std::all_of(plan.cells.begin(), plan.cells.end(),
                                [](const PlannedCell& c) { return !c.refusal.empty(); });
  // Nothing can be run: the first reason, as an error of its own.
  if (none) require_fit(prepare(plan.cells[0].file, study.threads_per_run)->cost());
  return plan;
}

}  // namespace cauchy::cli
