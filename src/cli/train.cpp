#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/files/dynamics_file.hpp>
#include <cauchy/files/operator_run.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/io/table.hpp>
#include <cauchy/report/operator_report.hpp>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/morph_commands.hpp"
#include "cli/operator_options.hpp"
#include "cli/option_checks.hpp"
#include "cli/output_file.hpp"
#include "cli/plain_text.hpp"
#include "cli/run_command.hpp"
#include "cli/run_watch.hpp"
#include "cli/text_table.hpp"
#include "cli/train_dynamics.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

/// Samples that are done while data are made, in the folder of the run.
constexpr const char* part_file = "data.part";

struct TrainOptions : RunCommandOptions {
  std::string data, triples;
};

std::string train_again(const fs::path& folder) {
  return fmt::format("cauchy train {} --resume", folder.string());
}

/// The samples of a run: those of its folder, of a file, or made now; then they lie in the folder.
/// None when the making was stopped.
std::optional<DataSet> data_for(const TrainOptions& o, const OperatorFile& file,
                                const fs::path& folder, const RunOptions& options,
                                std::string& stopped) {
  const fs::path own = folder / "data.h5", part = folder / part_file;
  if (o.data.empty() && o.triples.empty() && fs::exists(own)) return read_data_set(own);
  DataSet data;
  if (!o.data.empty()) {
    data = read_data_set(o.data, {.axes = grid_of(file.problem).axes});
    adopt_names(data, file.problem);
  } else {
    RunOptions making = options;
    making.checkpoint = part;
    try {
      // Where equations alone are learnt from, or triples, the training needs no answers.
      const bool needless = is_physics_only(file.method) || !o.triples.empty();
      const std::size_t first = needless ? file.problem.samples : 0;
      data = make_data(file.problem, {first, file.problem.total()}, making);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::interrupted) throw;
      stopped = e.message();
      return std::nullopt;
    }
  }
  if (!o.triples.empty()) {
    const Problem& p = file.problem.problem;
    Table table = read_table(o.triples, {.allow_nonfinite = true});
    table.source = o.triples;
    data.triples = triples_of(table, p.coordinates(),
                              file.problem.outputs.empty() ? p.fields : file.problem.outputs);
  }
  write_data_set(own, data);
  fs::remove(part);
  return data;
}

OperatorAnswers answers_of(const OperatorFile& file, const OperatorResult& r, const DataSet& data,
                           int threads) {
  const bool test = r.split.test > 0;
  const std::size_t labelled = r.split.train - unlabelled(file.problem, file.method, data);
  OperatorAnswers a;
  a.data = data.part(test ? labelled + r.split.validation : 0, test ? r.split.test : labelled);
  a.prediction = r.model->predict(a.data, threads);
  a.given = r.model->given(a.data);
  a.error = test ? r.test : r.train;
  a.name = test ? "test" : "training";
  return a;
}

/// Writes the report and the files of a run that has ended; result.json comes last.
void end_training(const RunFolder& run, const OperatorFile& file, const OperatorResult& result,
                  const DataSet& data, int threads) {
  HtmlOptions report{.settings = "[train]\n" + option_text("train", file.method)};
  report.run = {
      {"samples", fmt::format("{} for training, {} for validation, {} for the test",
                              result.split.train, result.split.validation, result.split.test)},
      {"grid", to_string(data.grid)},
      {"seed", std::to_string(seed_of(file.method))},
      {"precision", std::string(to_string(precision_of(file.method)))},
      {"threads", std::to_string(threads)},
      {"version of Cauchy", CAUCHY_VERSION}};
  const std::string page =
      operator_report(file.problem, result, answers_of(file, result, data, threads),
                      {{data.grid, result.test}}, report);
  write_file_atomically(run.path() / "report.html", page, Durable::no, Links::refuse);
  finish_run(run, file, result, {CAUCHY_VERSION, threads});
}

void print_result(const OperatorFile& file, const OperatorResult& r, std::ostream& out) {
  const Problem& p = file.problem.problem;
  fmt::print(out, "{}: {}\n", plain_text(p.title.empty() ? p.name : p.title), to_string(r.grade));
  for (const std::string& finding : r.findings) fmt::print(out, "  {}\n", plain_text(finding));
  std::vector<std::vector<std::string>> rows{
      {"samples", "number", "mean L2", "median", "worst", "mean H1"}};
  const auto add = [&](const char* name, const OperatorError& e) {
    if (e.empty()) return;
    rows.push_back({name, grouped(e.size()), short_number(e.mean_l2()), short_number(e.median_l2()),
                    short_number(e.worst_l2()), short_number(e.mean_h1())});
  };
  add("training", r.train);
  add("validation", r.validation);
  add("test", r.test);
  print_table(out, rows, 2);
  if (r.test.field_r2.size() > 1) {
    std::string text;
    for (std::size_t f = 0; f < r.test.field_r2.size(); ++f) {
      text += fmt::format("{}{} {:.4f}", f == 0 ? "" : ", ", plain_text(r.test.fields[f]),
                          r.test.field_r2[f]);
    }
    fmt::print(out, "  R2 of the test: {}\n", text);
  }
  print_events(r.training.events, out);
  fmt::print(out, "  {}, {} epochs, {} steps, {}, {} parameters\n", duration(r.seconds),
             grouped(r.epochs.size()), grouped(r.training.steps), plain_text(r.model->describe()),
             grouped(r.model->n_parameters()));
}

/// What a run has learnt, and from what.
struct Learnt {
  DataSet data;
  OperatorResult result;
};

/// Data and training of a run in its folder. None when it was stopped while the data were made,
/// which is printed; a run that has nothing to go on with leaves nothing behind.
std::optional<Learnt> learn_in(RunFolder& run, const FolderPlace& place, const TrainOptions& o,
                               const OperatorFile& file, RunOptions options, Console& console) {
  const fs::path folder = run.path();
  const auto discard_new = [&] {
    const bool kept = fs::exists(options.checkpoint) || fs::exists(folder / part_file) ||
                      (o.resume && fs::exists(folder / "data.h5"));
    if (kept) return false;
    run.discard();
    place.discard();
    return true;
  };
  // The time of the data counts.
  options.limit = begin_limit(options);
  options.max_seconds = 0;
  std::string stopped;
  try {
    std::optional<DataSet> data = data_for(o, file, folder, options, stopped);
    if (data) {
      RunWatch watch(folder);
      watch.attach(options);
      OperatorResult result = learn(file.problem, *data, file.method, options);
      watch.tell(result.interrupted, train_again(folder));
      return Learnt{std::move(*data), std::move(result)};
    }
  } catch (const std::exception& e) {
    discard_new();
    if (const auto* error = dynamic_cast<const Error*>(&e)) throw in_file(*error, file);
    throw;
  }
  fmt::print(console.err, "{}\n", plain_text(stopped));
  if (!discard_new()) fmt::print(console.err, "go on with: {}\n", train_again(folder));
  console.exit_code = 1;
  return std::nullopt;
}

void run_train(const TrainOptions& o, Console& console) {
  if (has_dynamics(o.file)) {
    if (!o.data.empty() || !o.triples.empty()) {
      throw Error("dynamics are learnt from the table that the file names",
                  o.data.empty() ? "--triples" : "--data", "write --set dynamics.data=FILE");
    }
    return train_dynamics(
        {o.file, o.out, o.max_seconds, o.target_error, o.checkpoint_seconds, o.resume, o.quiet}, o,
        console);
  }
  if (const auto morph = morph_path(o.file)) {
    if (!o.data.empty() || !o.triples.empty()) {
      throw Error("families of a foundation model make their own trajectories",
                  o.data.empty() ? "--triples" : "--data", "leave it out");
    }
    return train_morph_file(*morph, o, console);
  }
  const OperatorFile file = read_operator(o.file, o);
  const InterruptGuard guard;  // to the end: what was found is written and printed in any case
  RunProgress progress(console.err, !o.quiet && !o.json);
  const RunLimit limit = RunLimit::of_run(o.max_seconds, &progress);
  try {
    const LimitScope scope(limit);  // networks on a sphere take a while
    // Whatever the method cannot treat is said before anything is made or written.
    check_options(file.method);
    if (o.data.empty()) check_fits(file.problem, file.method);
  } catch (const Error& e) {
    throw in_file(e, file);
  }
  const int threads = Threads::size_of(o.threads);
  const FolderPlace place(o.out);
  RunFolder run = open_run(o, file.problem.problem.name, file);
  const fs::path folder = run.path();
  const RunOptions options = within(run_options(o, run, threads, &progress), limit);
  const std::optional<Learnt> learnt = learn_in(run, place, o, file, options, console);
  if (!learnt) return;
  const OperatorResult& result = learnt->result;
  const bool stopped = InterruptGuard::requested() && result.interrupted;
  end_training(run, file, result, learnt->data, threads);
  console.exit_code = is_accepted(to_string(result.grade), o.accept) && !stopped ? 0 : 1;
  const fs::path report = folder / "report.html";
  if (o.json) {
    Json json = Json::parse(result_json(file, result, {CAUCHY_VERSION, threads}));
    json["folder"] = folder.string();
    json["report"] = report.string();
    if (result.interrupted) json["resume"] = train_again(folder);
    print_json(console.out, json);
    return;
  }
  print_result(file, result, console.out);
  fmt::print(console.out, "  folder {}\n", folder.string());
  fmt::print(console.out, "  report {}\n", report.string());
  if (result.interrupted) {
    fmt::print(console.out, "  stopped before its end; go on with: {}\n", train_again(folder));
  }
}

}  // namespace

void add_train(CLI::App& app, Console& console) {
  CLI::App* command = app.add_subcommand("train",
                                         "Learn the operator or the dynamics of a file from data, "
                                         "and grade it on what it has not seen");
  auto o = std::make_shared<TrainOptions>();
  mark_operators(*not_empty(
      command
          ->add_option("file", o->file,
                       "operator problem in TOML, or its name in the library; or a problem "
                       "with [dynamics] or a study with [morph]; with --resume also a run folder")
          ->required(),
      "darcy"));
  not_empty(command->add_option("--data", o->data,
                                "samples, made by `cauchy data` or of others: .h5 or .npz; without "
                                "it they are made now"),
            "darcy.h5");
  not_empty(command->add_option("--triples", o->triples,
                                "answers for the training of a DeepONet at points of their own: a "
                                "table with columns sample (from 0), one per coordinate and one "
                                "per output"),
            "triples.csv");
  add_training_options(*command, *o, "train.network.width=64");
  add_threads_option(*command, *o);
  add_run_options(*command, *o,
                  "stop when the mean relative L2 error of the validation samples is at most this");
  add_accept_option(*command, *o);
  add_json_option(*command, *o);
  add_sandbox_option(*command, *o);
  command->callback(
      [o, &console] { run_in_sandbox(*o, console.err, [&] { run_train(*o, console); }); });
}

}  // namespace cauchy::cli
