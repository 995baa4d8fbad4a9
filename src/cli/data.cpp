#include <filesystem>
#include <optional>

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/report/samples_picture.hpp>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/operator_options.hpp"
#include "cli/option_checks.hpp"
#include "cli/output_file.hpp"
#include "cli/plain_text.hpp"
#include "cli/problem_library.hpp"
#include "cli/text_table.hpp"
#include "files/record_json.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

struct DataOptions : CommonOptions {
  std::string file, out, grid, picture;
  std::optional<std::uint64_t> samples, validation, test;
  double max_seconds = 0;
  bool resume = false, force = false, quiet = false;
};

/// Options that stand for keys of the file.
std::vector<std::string> settings_of(const DataOptions& o) {
  std::vector<std::string> all;
  if (!o.method.empty()) all.push_back(fmt::format("method={{kind=\"{}\"}}", o.method));
  all.insert(all.end(), o.settings.begin(), o.settings.end());
  const auto add = [&](const char* key, const std::optional<std::uint64_t>& value) {
    if (value) all.push_back(fmt::format("operator.{}={}", key, *value));
  };
  add("samples", o.samples);
  add("validation", o.validation);
  add("test", o.test);
  if (o.seed) all.push_back(fmt::format("operator.seed=\"{}\"", *o.seed));
  return all;
}

OperatorFile read_file_of(const DataOptions& o) {
  const fs::path path = problem_path(o.file, LibraryKind::operators);
  std::vector<std::string> settings = settings_of(o);
  if (!o.grid.empty()) {
    // The number of axes is that of the problem: one number is for all of them.
    const std::vector<int> sizes = parse_sizes(o.grid);
    settings.push_back(sizes.size() == 1
                           ? fmt::format("operator.grid={}", sizes[0])
                           : fmt::format("operator.grid=[{}]", fmt::join(sizes, ",")));
  }
  return read_operator_file(path, settings);
}

/// Samples of an earlier run: gone on with, or begun anew, but never lost by accident.
void check_part(const fs::path& part, const DataOptions& o) {
  const bool there = fs::exists(part);
  if (o.resume && !there) {
    throw Error(ErrorKind::not_found, "there is nothing to resume", part.string(),
                "leave out --resume");
  }
  if (!there || o.resume) return;
  if (!o.force) {
    throw Error(ErrorKind::file, "samples of a run that was stopped are there", part.string(),
                "go on with --resume, or begin anew with --force");
  }
  fs::remove(part);
}

std::string resume_data(const DataOptions& o, const fs::path& out) {
  return fmt::format("the same command with --out {} --resume{}", out.string(),
                     o.force ? " and without --force" : "");
}

void print_data(const OperatorFile& file, const DataSet& data, const fs::path& out, double seconds,
                std::ostream& to) {
  const Problem& p = file.problem.problem;
  const auto note = [&](const char* key) {
    const auto it = data.notes.find(key);
    return it == data.notes.end() ? std::string("not known") : it->second;
  };
  fmt::print(to, "{}\n", plain_text(p.title.empty() ? p.name : p.title));
  fmt::print(to, "  {} samples on {} in {}: {} for training, {} for validation, {} for the test\n",
             grouped(data.size()), to_string(data.grid), duration(seconds),
             grouped(file.problem.samples), grouped(file.problem.validation),
             grouped(file.problem.test));
  fmt::print(
      to, "  inputs {}; outputs {}\n", plain_text(fmt::format("{}", fmt::join(data.inputs, ", "))),
      data.outputs.size() > 6 ? plain_text(fmt::format("{} ... {} ({})", data.outputs.front(),
                                                       data.outputs.back(), data.outputs.size()))
                              : plain_text(fmt::format("{}", fmt::join(data.outputs, ", "))));
  fmt::print(to, "  by {}\n", plain_text(note("method")));
  fmt::print(to, "  error of the data {}: {}\n", note("error"), note("error by"));
  fmt::print(to, "  file {}, {}\n", out.string(),
             bytes_to_string(static_cast<double>(fs::file_size(out))));
}

void run_data(const DataOptions& o, Console& console) {
  const OperatorFile file = read_file_of(o);
  const fs::path out =
      o.out.empty() ? fs::path(folder_name(file.problem.problem.name) + ".h5") : fs::path(o.out);
  if (out.extension() != ".h5" && out.extension() != ".hdf5") {
    throw Error("a data set is an HDF5 file", "--out " + out.string(), "name it .h5");
  }
  check_output(out, o.force);
  check_output(o.picture, o.force);
  const fs::path part = out.string() + ".part";
  check_part(part, o);
  const InterruptGuard guard;
  RunProgress progress(console.err, !o.quiet && !o.json);
  RunOptions options;
  options.threads = Threads::size_of(o.threads);
  options.max_seconds = o.max_seconds;
  options.progress = &progress;
  options.checkpoint = part;
  options.limit = begin_limit(options);
  options.max_seconds = 0;
  DataSet data;
  try {
    data = make_data(file.problem, options);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::interrupted) throw in_file(e, file);
    fmt::print(console.err, "{}\n", plain_text(e.message()));
    if (fs::exists(part)) fmt::print(console.err, "go on with: {}\n", resume_data(o, out));
    console.exit_code = 1;
    return;
  }
  data.notes["problem"] = to_toml(file);
  write_data_set(out, data);
  fs::remove(part);
  if (!o.picture.empty()) {
    const Problem& p = file.problem.problem;
    save_picture(o.picture, draw_samples(data, {.title = p.title.empty() ? p.name : p.title}));
  }
  if (o.json) {
    Json json = {{"file", out.string()},
                 {"samples", data.size()},
                 {"grid", data.grid.sizes()},
                 {"inputs", data.inputs},
                 {"outputs", data.outputs},
                 {"bytes", fs::file_size(out)},
                 {"notes", data.notes},
                 {detail::times_section, detail::times_json(options.limit.seconds())}};
    if (!o.picture.empty()) json["picture"] = o.picture;
    print_json(console.out, json);
    return;
  }
  print_data(file, data, out, options.limit.seconds(), console.out);
  if (!o.picture.empty()) fmt::print(console.out, "  picture {}\n", o.picture);
}

}  // namespace

void add_data(CLI::App& app, Console& console) {
  CLI::App* command = app.add_subcommand(
      "data", "Draw the input functions of an operator problem, solve every sample, keep both");
  auto o = std::make_shared<DataOptions>();
  constexpr std::uint64_t most = 100'000'000;
  mark_operators(*not_empty(
      command->add_option("file", o->file, "operator problem in TOML, or its name in the library")
          ->required(),
      "darcy"));
  not_empty(command->add_option("--out", o->out, "HDF5 file; without it NAME.h5"), "darcy.h5");
  whole_number(command->add_option("--samples", o->samples, "for training"), 1, most);
  whole_number(command->add_option("--validation", o->validation, "further samples"), 0, most);
  whole_number(command->add_option("--test", o->test, "further samples"), 0, most);
  not_empty(command->add_option("--grid", o->grid,
                                "nodes along the axes: 128 for all of them, or 128x64"),
            "128");
  whole_number(command->add_option("--seed", o->seed, "of the input functions"));
  add_method_option(*command, *o);
  add_set_option(*command, *o, "operator.grid=128");
  add_threads_option(*command, *o);
  positive_number(command->add_option("--max-seconds", o->max_seconds,
                                      "stop after this time and keep what there is"));
  not_empty(command->add_option("--picture", o->picture,
                                "draw the first samples: picture.svg or picture.png"),
            "darcy.svg");
  command->add_flag("--resume", o->resume, "go on with a run that was stopped");
  command->add_flag("--force", o->force, "replace files that exist");
  command->add_flag("--quiet", o->quiet, "show no progress");
  add_json_option(*command, *o);
  add_sandbox_option(*command, *o);
  command->callback(
      [o, &console] { run_in_sandbox(*o, console.err, [&] { run_data(*o, console); }); });
}

}  // namespace cauchy::cli
