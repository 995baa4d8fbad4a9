#include "cli/study_run.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/ostream.h>

#include <cauchy/base/clock.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/solvers/method.hpp>

#include "cli/classical_reference.hpp"
#include "cli/interrupt.hpp"
#include "cli/plain_text.hpp"
#include "cli/study_folder.hpp"
#include "cli/text_table.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

/// How many runs have ended, shown by all that go on.
class StudyProgress final : public Progress {
 public:
  StudyProgress(std::ostream& out, bool shown, std::size_t total)
      : bar_(out, shown), total_(total) {}

  void update(const ProgressState&) override { show(false); }
  void finish(const ProgressState&) override {}
  [[nodiscard]] bool stop_requested() const noexcept override {
    return InterruptGuard::requested();
  }
  /// One run has ended.
  void count(const std::string& what) {
    bool over = false;
    {
      const std::lock_guard lock(mutex_);
      over = ++done_ == total_;
      last_ = what;
    }
    if (!over) show(false);  // the last one is shown by end()
  }
  void end() { show(true); }

 private:
  void show(bool last) {
    const std::lock_guard lock(mutex_);
    const double elapsed = clock_seconds() - begin_;
    const ProgressState state{
        .step = done_, .total = total_, .elapsed_s = elapsed, .message = last_, .stage = "runs"};
    if (last) {
      bar_.finish(state);
    } else {
      bar_.update(state);
    }
  }

  RunProgress bar_;
  const std::size_t total_;
  const double begin_ = clock_seconds();
  std::mutex mutex_;  // guards all below
  std::size_t done_ = 0;
  std::string last_;
};

/// Gives the problems of runs that are still to be made a reference where they have none; equal
/// problems get the same one.
void find_references(StudyPlan& plan, const StudyResult& result, const StudyRunSettings& settings,
                     Console& console) {
  RunProgress progress(console.err, settings.shown);
  std::map<std::string, std::optional<ReferenceCode>> known;
  std::string reason;
  for (std::size_t c = 0; c < plan.cells.size() && !InterruptGuard::requested(); ++c) {
    const std::vector<StudyRun>& runs = result.cells[c].runs;
    if (std::none_of(runs.begin(), runs.end(), [](const StudyRun& r) { return r.is_open(); })) {
      continue;
    }
    // A copy: the folders of the runs hold the problem as it was written.
    ProblemFile file = plan.cells[c].file;
    if (!training_settings(file.method)) continue;  // it estimates its own error
    const auto [found, is_new] = known.try_emplace(to_toml({file.problem, Method{}}));
    if (is_new) {
      const std::string why =
          find_reference(file, plan.reference, settings.threads, RunLimit::of_run(0, &progress));
      if (!why.empty()) reason = why;
      found->second = file.problem.reference.code;
    }
    plan.cells[c].reference = found->second;
  }
  if (!reason.empty() && settings.shown) {
    fmt::print(console.err, "no classical method has found a reference: {}\n", plain_text(reason));
  }
}

/// A run of the study that is to be made.
struct OpenRun {
  std::size_t cell = 0, k = 0;
};

/// All variants with the first seed, then all with the second one: what an interrupted study has
/// can be compared.
std::vector<OpenRun> open_runs(const StudyResult& result) {
  std::vector<OpenRun> open;
  for (std::size_t c = 0; c < result.cells.size(); ++c) {
    for (std::size_t k = 0; k < result.cells[c].runs.size(); ++k) {
      if (result.cells[c].runs[k].is_open()) open.push_back({c, k});
    }
  }
  std::stable_sort(open.begin(), open.end(),
                   [](const OpenRun& a, const OpenRun& b) { return a.k < b.k; });
  return open;
}

/// Makes one run in its folder, from its checkpoint where there is one.
void make_run(const StudyPlan& plan, const OpenRun& open, StudyRun& run, Progress& progress) {
  ProblemFile file = plan.cells[open.cell].run_file(open.k);
  try {
    const RunFolder folder = resume_run(run.folder, file);
    if (const auto& found = plan.cells[open.cell].reference) file.problem.reference.code = found;
    RunOptions options;
    options.threads = plan.threads_per_run;
    options.max_seconds = plan.max_seconds;
    options.checkpoint = run.folder / "checkpoint.bin";
    options.inputs = folder.inputs();
    options.progress = &progress;
    const Solution solution = solve(*prepare(file, plan.threads_per_run), options);
    if (solution.interrupted && InterruptGuard::requested()) return;
    finish_run(folder, file, solution, {CAUCHY_VERSION, plan.threads_per_run});
    run.summary = summarize(solution);
  } catch (const Error& e) {
    run.failure = in_file(e, file).what();
  } catch (const std::exception& e) {
    run.failure = e.what();
  }
}

/// As many runs as threads and memory have room for.
std::size_t runs_at_a_time(const StudyPlan& plan, const StudyRunSettings& settings) {
  double bytes = 1;
  for (const PlannedCell& cell : plan.cells) bytes = std::max(bytes, cell.bytes);
  const double by_threads = settings.threads / static_cast<double>(plan.threads_per_run);
  const double by_memory = process_memory().free / bytes;
  return static_cast<std::size_t>(std::clamp(std::min(by_threads, by_memory), 1.0, 1e4));
}

StudyResult result_so_far(const StudyPlan& plan, const fs::path& folder) {
  StudyResult result{.name = plan.name,
                     .title = plan.title,
                     .notes = plan.notes,
                     .problem = plan.cells[0].file.problem.name,
                     .settings = method_text(plan.cells[0].file.method),
                     .max_seconds = plan.max_seconds,
                     .cells = {}};
  for (std::size_t c = 0; c < plan.cells.size(); ++c) {
    StudyCell cell{plan.cells[c].variant};
    for (const std::uint64_t seed : plan.cells[c].seeds) {
      StudyRun run{.seed = seed, .folder = study_run_path(folder, c, seed)};
      if (fs::exists(run.folder / "result.json")) run.summary = read_summary(run.folder);
      if (!run.summary) run.failure = plan.cells[c].refusal;
      cell.runs.push_back(std::move(run));
    }
    result.cells.push_back(std::move(cell));
  }
  return result;
}

}  // namespace

StudyResult run_study(StudyPlan& plan, const fs::path& folder, const StudyRunSettings& settings,
                      Console& console) {
  StudyResult result = result_so_far(plan, folder);
  const std::vector<OpenRun> open = open_runs(result);
  find_references(plan, result, settings, console);
  StudyProgress progress(console.err, settings.shown && !open.empty(), open.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < open.size(); i = next++) {
      if (InterruptGuard::requested()) return;
      StudyCell& cell = result.cells[open[i].cell];
      StudyRun& run = cell.runs[open[i].k];
      make_run(plan, open[i], run, progress);
      if (run.is_open()) continue;
      progress.count(fmt::format("{}, seed {}", cell.variant.name, run.seed));
    }
  };
  const std::size_t room = runs_at_a_time(plan, settings);
  {
    std::vector<std::jthread> others;
    for (std::size_t n = 1; n < std::min(room, open.size()); ++n) others.emplace_back(work);
    work();
  }
  progress.end();
  return result;
}

}  // namespace cauchy::cli
