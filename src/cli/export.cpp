#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/npz.hpp>
#include <cauchy/solvers/export.hpp>

#include "cli/command.hpp"
#include "cli/grid_option.hpp"
#include "cli/json.hpp"
#include "cli/option_checks.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"

namespace cauchy::cli {
namespace {

struct ExportOptions : CommonOptions {
  std::string folder, header, derivatives, name, npz;
  bool force = false;
};

std::string header_of(const ExportOptions& o, const LoadedRun& run) {
  const Problem& problem = run.file.problem;
  CppHeaderOptions options;
  options.name = o.name.empty() ? problem.name : o.name;
  options.comment = fmt::format("{}: {}.", problem.name, run.solution.method);
  const Context context = problem.context();
  for (const std::string& part :
       o.derivatives.empty() ? std::vector<std::string>() : split_list(o.derivatives)) {
    options.derivatives.push_back(
        parse(part, context, {fmt::format("--derivatives '{}'", part), 1, 1}));
  }
  return to_cpp_header(run.solution, options);
}

void run_export(const ExportOptions& o, Console& console) {
  if (o.header.empty() && o.npz.empty()) {
    throw Error("it does not say what to write", "export", "give --header u.hpp or --npz u.npz");
  }
  if (o.header.empty() && !(o.derivatives.empty() && o.name.empty())) {
    throw Error("--derivatives and --name belong to a header", "export", "give --header u.hpp");
  }
  check_output(o.header, o.force);
  check_output(o.npz, o.force);
  const LoadedRun run = load_run(o.folder, o.threads);
  Json written = Json::array();
  if (!o.header.empty()) {
    write_file_atomically(o.header, header_of(o, run));
    written.push_back(o.header);
  }
  if (!o.npz.empty()) {
    write_npz(o.npz, parameter_arrays(run.solution));
    written.push_back(o.npz);
  }
  if (o.json) {
    print_json(console.out, {{"files", written}});
  } else {
    for (const auto& file : written) fmt::print(console.out, "{}\n", file.get<std::string>());
  }
}

}  // namespace

void add_export(CLI::App& app, Console& console) {
  CLI::App* command = app.add_subcommand(
      "export", "Write the network of a run as a C++ header, or its parameters as .npz");
  auto o = std::make_shared<ExportOptions>();
  not_empty(command->add_option("run", o->folder, "folder of a run")->required(), "runs/burgers");
  not_empty(command->add_option("--header", o->header,
                                "a header of C++17 that needs the standard library only"),
            "burgers.hpp");
  not_empty(command->add_option("--derivatives", o->derivatives,
                                "derivatives that the header has besides the fields: u_x, u_xx"),
            "u_x,u_xx");
  not_empty(command->add_option("--name", o->name,
                                "namespace of the header; without it the name of the problem"),
            "burgers");
  not_empty(command->add_option("--npz", o->npz,
                                "parameters by the names of their layers; start = \"file.npz\" "
                                "of a pinn reads them"),
            "burgers.npz");
  command->add_flag("--force", o->force, "replace files that exist");
  add_threads_option(*command, *o);
  add_json_option(*command, *o);
  command->callback([o, &console] { run_export(*o, console); });
}

}  // namespace cauchy::cli
