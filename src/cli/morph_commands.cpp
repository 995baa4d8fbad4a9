#include "cli/morph_commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/data/data_set.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/files/morph_file.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/report/morph_report.hpp>

#include "cli/gpu_rate.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/plain_text.hpp"
#include "cli/problem_library.hpp"
#include "cli/run_watch.hpp"
#include "cli/text_table.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

MorphFile read_morph(const fs::path& path, const CommonOptions& o) {
  MorphFile file =
      read_morph_file(fs::is_directory(path) ? path / "problem.toml" : path, o.settings);
  if (o.seed) file.study.train.seed = *o.seed;
  if (!o.precision.empty()) {
    file.study.train.precision =
        o.precision == to_string(Precision::f64) ? Precision::f64 : Precision::f32;
  }
  if (!o.optimizer.empty()) {
    throw Error("a foundation model is trained by what [train] says", "--optimizer",
                "write --set train.learning_rate=1e-3");
  }
  return file;
}

std::string name_of(const MorphFile::Family& f) { return f.problem.problem.problem.name; }

/// The trajectories of a family while they are made, in the folder of the run.
fs::path part_of(const fs::path& folder, const MorphFile::Family& f) {
  return folder / (name_of(f) + ".part");
}

/// Trajectories of all families, made where they are not there yet; what is done of a family is
/// kept.
///   error   throws Error (ErrorKind::interrupted) when the limit of the run ends before
struct Families {
  std::vector<MorphFamily> seen, unseen;
};
Families families_in(const fs::path& folder, const MorphFile& file, const RunOptions& options) {
  Families result;
  for (const MorphFile::Family& f : file.families) {
    const fs::path own = folder / (name_of(f) + ".h5"), part = part_of(folder, f);
    if (!fs::exists(own)) {
      RunOptions making;
      making.threads = options.threads;
      making.progress = options.progress;
      making.limit = options.limit;
      making.checkpoint = part;
      try {
        write_data_set(own, make_data(f.problem.problem, making));
      } catch (const Error& e) {
        if (e.kind() != ErrorKind::interrupted) throw;
        throw Error(e.kind(), fmt::format("family '{}': {}", name_of(f), e.message()), e.place());
      }
      fs::remove(part);
    }
    (f.unseen ? result.unseen : result.seen).push_back(family_of(f, read_data_set(own)));
  }
  return result;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

void print_study(const MorphFile& file, const MorphStudyResult& r, std::ostream& out) {
  fmt::print(out, "{}: {}\n", plain_text(file.title.empty() ? file.name : file.title),
             to_string(r.grade));
  for (const std::string& finding : r.findings) fmt::print(out, "  {}\n", plain_text(finding));
  std::vector<std::vector<std::string>> rows{
      {"family", "trajectories", "one step", "still", "rolled out", "still"}};
  for (const auto& s : r.seen) {
    rows.push_back({plain_text(s.family), grouped(s.trajectories), short_number(s.test.one_step),
                    short_number(s.test.still), short_number(s.test.rolled_out),
                    short_number(s.test.rolled_out_still)});
  }
  print_table(out, rows, 2);
  if (!r.transfers.empty()) {
    rows = {{"not seen before", "trained on", "trainable", "one step", "rolled out", "gap closed"}};
    for (const MorphTransfer& t : r.transfers) {
      const std::string name = plain_text(t.family), few = fmt::format("{} of {}", t.few, t.all);
      const auto add = [&](const char* way, const std::string& on, double share, double one,
                           double rolled, double gap) {
        rows.push_back({fmt::format("{}, {}", name, way), on, percent(share), short_number(one),
                        short_number(rolled), fmt::format("{:.2f}", gap)});
      };
      const MorphError& s = t.scratch;
      add("standing still", "0", 0, s.still, s.rolled_out_still, 0);
      add("zero-shot", "0", 0, t.zero_shot.one_step, t.zero_shot.rolled_out, t.gap_zero_shot());
      add("fine-tuned", few, 1, t.full.one_step, t.full.rolled_out, t.gap_full());
      if (t.trainable > 0) {
        add("low-rank", few, t.trainable, t.lora.one_step, t.lora.rolled_out, t.gap_lora());
      }
      add("from scratch", few, 1, t.scratch_few.one_step, t.scratch_few.rolled_out,
          gap_closure(t.scratch_few.one_step, s.one_step, s.still));
      add("from scratch", grouped(t.all), 1, s.one_step, s.rolled_out, 1);
    }
    print_table(out, rows, 2);
  }
  fmt::print(out, "  {}, {} steps of the pre-training, {}, {} parameters\n", duration(r.seconds),
             grouped(r.pretrained.record.steps), plain_text(describe(file.study.network)),
             grouped(r.pretrained.model.theta.size()));
}

}  // namespace

std::optional<fs::path> morph_path(const std::string& word) {
  if (has_morph(word)) return fs::path(word);
  if (has_morph(word + ".toml")) return fs::path(word + ".toml");
  std::error_code failure;
  if (word.empty() || word.find('/') != std::string::npos || fs::exists(word, failure)) return {};
  for (const fs::path& file : library_files(LibraryKind::operators)) {
    if (file.stem() == word && has_morph(file)) return file;
  }
  return {};
}

void train_morph_file(const fs::path& path, const RunCommandOptions& o, Console& console) {
  const MorphFile file = read_morph(path, o);
  const int threads = Threads::size_of(o.threads);
  const InterruptGuard guard;
  RunProgress progress(console.err, !o.quiet && !o.json);
  const FolderPlace place(o.out);
  RunFolder run = open_run(o, file.name, file);
  const fs::path folder = run.path();
  const std::string again = fmt::format("cauchy train {} --resume", folder.string());
  RunOptions options = run_options(o, run, threads, &progress);
  options.max_seconds = o.max_seconds;  // of this part, with its data
  options = within(options, begin_limit(options));
  RunWatch watch(folder);
  watch.attach(options);
  // The history that is written on the way is that of the pre-training.
  const auto write_history = options.on_history;
  const bool trained = fs::exists(folder / "models" / "pretrained.bin");
  options.on_history = [&](const TrainingRecord& record) {
    const bool pretraining =
        !trained && record.term_names.size() == static_cast<std::size_t>(std::count_if(
                                                    file.families.begin(), file.families.end(),
                                                    [](const auto& f) { return !f.unseen; }));
    if (pretraining && record.has_reference) write_history(record);
  };
  Families families;
  std::optional<MorphStudyResult> result;
  try {
    families = families_in(folder, file, options);
    result =
        run_morph_study(file.study, families.seen, families.unseen, folder / "models", options);
    watch.tell(result->interrupted, again);
  } catch (const Error& e) {
    const bool stopped = e.kind() == ErrorKind::interrupted;
    bool kept = fs::exists(options.checkpoint) || fs::exists(folder / "models" / "pretrained.bin");
    for (const MorphFile::Family& f : file.families) {
      kept = kept || (stopped && (fs::exists(folder / (name_of(f) + ".h5")) ||
                                  fs::exists(part_of(folder, f))));
    }
    if (!kept) {
      for (const MorphFile::Family& f : file.families) {
        fs::remove(folder / (name_of(f) + ".h5"));
        fs::remove(part_of(folder, f));
      }
      fs::remove(folder / "models");
      run.discard();
      place.discard();
    }
    if (!stopped) throw in_file(e, file);
    fmt::print(console.err, "{}\n", plain_text(e.message()));
    if (kept) fmt::print(console.err, "go on with: {}\n", again);
    console.exit_code = 1;
    return;
  }
  HtmlOptions report{.title = file.title.empty() ? file.name : file.title,
                     .settings = to_toml(file)};
  report.run = {{"seed", std::to_string(file.study.train.seed)},
                {"precision", std::string(to_string(file.study.train.precision))},
                {"threads", std::to_string(threads)},
                {"version of Cauchy", CAUCHY_VERSION}};
  const fs::path page = folder / "report.html";
  write_file_atomically(page, morph_report(*result, families.unseen, report, threads), Durable::no,
                        Links::refuse);
  finish_run(run, file, *result, {CAUCHY_VERSION, threads});
  const bool stopped = InterruptGuard::requested() && result->interrupted;
  console.exit_code = is_accepted(to_string(result->grade), o.accept) && !stopped ? 0 : 1;
  if (o.json) {
    Json json = Json::parse(result_json(file, *result, {CAUCHY_VERSION, threads}));
    json["folder"] = folder.string();
    json["report"] = page.string();
    if (result->interrupted) json["resume"] = again;
    return print_json(console.out, json);
  }
  print_study(file, *result, console.out);
  fmt::print(console.out, "  folder {}\n", folder.string());
  fmt::print(console.out, "  report {}\n", page.string());
  if (result->interrupted) {
    fmt::print(console.out, "  stopped before its end; go on with: {}\n", again);
  }
}

void check_morph_file(const fs::path& path, const CommonOptions& o, Console& console) {
  const MorphFile file = read_morph(path, o);
  const MorphStudy& study = file.study;
  const std::size_t parameters = n_parameters(study.network);
  double published = 0, flops = 0;
  for (const MorphVariant& v : all_morph_variants()) {
    if (v.name == study.network.variant) published = v.published;
  }
  std::vector<std::vector<std::string>> rows = {
      {"family", "use", "UPTF-7", "Gflop forward", "batch"}};
  Json families = Json::array();
  std::size_t n_seen = 0;
  for (const MorphFile::Family& f : file.families) {
    const MorphShape s = shape_of(f, study.history);
    const MorphCost cost = cost_of(study.network, s, study.train.batch, study.train.precision);
    const OperatorProblem& p = f.problem.problem;
    std::size_t components = 1;
    for (const UptfVector& v : f.vectors) components = std::max(components, v.components.size());
    const std::vector<std::size_t> shape = {p.samples,
                                            p.times.size() + 1,
                                            static_cast<std::size_t>(s.fields),
                                            components,
                                            static_cast<std::size_t>(s.grid[0]),
                                            static_cast<std::size_t>(s.grid[1]),
                                            static_cast<std::size_t>(s.grid[2])};
    if (!f.unseen) flops += cost.flops, ++n_seen;
    rows.push_back({plain_text(name_of(f)), f.unseen ? "transfer" : "pre-training",
                    fmt::format("({})", fmt::join(shape, ", ")),
                    fmt::format("{:.3g}", cost.flops * 1e-9),
                    bytes_to_string(static_cast<double>(cost.bytes))});
    families.push_back({{"family", name_of(f)},
                        {"unseen", f.unseen},
                        {"shape", shape},
                        {"flops", cost.flops},
                        {"bytes", cost.bytes}});
  }
  // Backward costs twice as much as forward.
  flops *=
      3 * static_cast<double>(study.train.batch * study.train.steps) / static_cast<double>(n_seen);
  if (o.json) {
    return print_json(console.out, {{"problem", file.name},
                                    {"method", describe(study.network)},
                                    {"parameters", parameters},
                                    {"published", published > 0 ? Json(published) : Json()},
                                    {"history", study.history},
                                    {"families", families},
                                    {"flops", flops},
                                    {"gpu_days", flops / gpu_flops / 86400}});
  }
  std::ostream& out = console.out;
  fmt::print(out, "{}{}{}\n", plain_text(file.name), file.title.empty() ? "" : ": ",
             plain_text(file.title));
  fmt::print(out, "network      {}, from {} {}\n", describe(study.network), study.history,
             study.history == 1 ? "moment" : "moments");
  fmt::print(out, "parameters   {}{}\n", grouped(parameters),
             published > 0 ? fmt::format(" ({:.3g} million published)", published * 1e-6) : "");
  print_table(out, rows, 2);
  fmt::print(out,
             "pre-training {} steps of {} moments, {:.3g} Pflop: {:.3g} days on one GPU that does "
             "{:.0f} Tflop/s with it\n",
             grouped(study.train.steps), study.train.batch, flops * 1e-15,
             flops / gpu_flops / 86400, gpu_flops * 1e-12);
}

}  // namespace cauchy::cli
