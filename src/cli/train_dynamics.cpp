#include "cli/train_dynamics.hpp"

#include <filesystem>
#include <optional>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/files/dynamics_file.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/io/table.hpp>
#include <cauchy/report/dynamics_report.hpp>

#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/output_file.hpp"
#include "cli/plain_text.hpp"
#include "cli/predict_table.hpp"
#include "cli/run_watch.hpp"
#include "cli/text_table.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

DynamicsFile read_dynamics(const std::string& file, const CommonOptions& o) {
  fs::path path = file;
  if (fs::is_directory(path)) path /= "problem.toml";
  DynamicsFile read = read_dynamics_file(path, o.settings);
  if (!o.precision.empty() && o.precision != to_string(Precision::f64)) {
    throw Error("dynamics are learnt in f64", "--precision", "leave it out");
  }
  Precision unused = Precision::f64;
  apply_training_options(o, stages_of(read.method), seed_of(read.method), unused);
  return read;
}

RunFolder dynamics_folder(const DynamicsTraining& t, const DynamicsFile& file) {
  const fs::path numbered = fs::path("runs") / folder_name(file.problem.name);
  if (t.resume) {
    const fs::path own = fs::is_directory(t.file) ? fs::path(t.file) : numbered;
    return resume_run(t.out.empty() ? own : fs::path(t.out), file);
  }
  return t.out.empty() ? begin_next_run(numbered, file) : begin_run(t.out, file);
}

void print_dynamics(const DynamicsFile& file, const DynamicsResult& r, std::ostream& out) {
  const DynamicsProblem& p = file.problem;
  fmt::print(out, "{}: {}\n", plain_text(p.title.empty() ? p.name : p.title), to_string(r.grade));
  for (const std::string& finding : r.findings) fmt::print(out, "  {}\n", plain_text(finding));
  std::vector<std::vector<std::string>> rows{{"rows of", "trajectories", "mean L2", "worst"}};
  const auto add = [&](const char* name, const TrajectoryError& e) {
    if (e.empty()) return;
    rows.push_back(
        {name, grouped(e.relative_l2.size()), short_number(e.mean()), short_number(e.worst())});
  };
  add("training", r.train);
  add("test", r.test);
  print_table(out, rows, 2);
  const std::map<std::string, double> found = r.model->constants();
  if (!found.empty()) {
    std::vector<std::vector<std::string>> table{{"constant", "value", "truth"}};
    for (const auto& [name, value] : found) {
      const auto truth = p.truths.find(name);
      table.push_back({plain_text(name), short_number(value),
                       truth == p.truths.end() ? "" : short_number(truth->second)});
    }
    print_table(out, table, 2);
  }
  print_events(r.training.events, out);
  fmt::print(out, "  {}, {} steps, {}, {} parameters\n", duration(r.seconds),
             grouped(r.training.steps), plain_text(r.model->describe()),
             grouped(r.model->n_parameters()));
}

}  // namespace

void train_dynamics(const DynamicsTraining& t, const CommonOptions& o, Console& console) {
  const DynamicsFile file = read_dynamics(t.file, o);
  const int threads = Threads::size_of(o.threads);
  const InterruptGuard guard;
  RunProgress progress(console.err, !t.quiet && !o.json);
  const FolderPlace place(t.out);
  RunFolder run = dynamics_folder(t, file);
  const fs::path folder = run.path();
  const std::string again = fmt::format("cauchy train {} --resume", folder.string());
  RunOptions options;
  options.threads = threads;
  options.checkpoint = folder / "checkpoint.bin";
  options.checkpoint_seconds = t.checkpoint_seconds;
  options.inputs = run.inputs();
  if (t.max_seconds > 0) options.max_seconds = t.max_seconds;
  options.target_error = t.target_error;
  options.progress = &progress;
  RunWatch watch(folder);
  watch.attach(options);
  std::optional<DynamicsResult> result;
  try {
    result = learn_dynamics(file.problem, file.method, options);
    watch.tell(result->interrupted, again);
  } catch (const Error& e) {
    if (!fs::exists(options.checkpoint)) {
      run.discard();
      place.discard();
    }
    throw in_file(e, file);
  }
  HtmlOptions report{.settings = "[train]\n" + option_text("train", file.method)};
  DynamicsMethod method = file.method;
  report.run = {{"seed", std::to_string(seed_of(method))},
                {"threads", std::to_string(threads)},
                {"version of Cauchy", CAUCHY_VERSION}};
  const fs::path page = folder / "report.html";
  write_file_atomically(page, dynamics_report(file.problem, *result, report), Durable::no,
                        Links::refuse);
  finish_run(run, file, *result, {CAUCHY_VERSION, threads});
  const bool stopped = InterruptGuard::requested() && result->interrupted;
  console.exit_code = is_accepted(to_string(result->grade), o.accept) && !stopped ? 0 : 1;
  if (o.json) {
    Json json = Json::parse(result_json(file, *result, {CAUCHY_VERSION, threads}));
    json["folder"] = folder.string();
    json["report"] = page.string();
    if (result->interrupted) json["resume"] = again;
    print_json(console.out, json);
    return;
  }
  print_dynamics(file, *result, console.out);
  fmt::print(console.out, "  folder {}\n", folder.string());
  fmt::print(console.out, "  report {}\n", page.string());
  if (result->interrupted) {
    fmt::print(console.out, "  stopped before its end; go on with: {}\n", again);
  }
}

void predict_dynamics(const DynamicsPrediction& q, const CommonOptions& o, Console& console) {
  const LoadedDynamics run = load_dynamics_run(q.folder);
  const DynamicsProblem& p = run.file.problem;
  TrajectoryData known = p.data;
  if (!q.at.empty()) {
    known = trajectories_of(read_table(q.at, {.allow_nonfinite = true}), run.file.id, p.field.time,
                            p.data.columns);
  }
  TrajectoryData answer{p.data.columns, {}};
  std::vector<std::vector<double>> times;
  for (const Trajectory& t : known.trajectories) {
    const double from = t.times.front();
    if (!(q.until > from)) {
      throw Error(fmt::format("trajectory {} begins at {:.6g}", t.name, from), "--until",
                  "give a later time");
    }
    std::vector<double> own;
    for (std::size_t i = 0; i < q.times; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(q.times - 1);
      own.push_back(i + 1 == q.times ? q.until : from + share * (q.until - from));
    }
    times.push_back(own);
    answer.trajectories.push_back({t.name, std::move(own), {}});
  }
  std::string trouble;
  std::vector<std::vector<double>> values = run.model->predict(known, times, o.threads, &trouble);
  for (std::size_t i = 0; i < values.size(); ++i) answer.trajectories[i].values = values[i];
  if (!trouble.empty()) {
    fmt::print(console.err, "cauchy: {}\n", plain_text(trouble));
    console.exit_code = 1;
  }
  deliver(table_of(answer, run.file.id, p.field.time), {q.out, o.json, answer.columns, "times"},
          console);
}

}  // namespace cauchy::cli
