#pragma once

#include <functional>
#include <ostream>

#include <CLI/CLI.hpp>

namespace cauchy::cli {

/// Where commands print, and the exit code that they leave.
struct Console {
  std::ostream& out;
  std::ostream& err;
  int exit_code = 0;
};

// Each adds one command to the program; its callback runs after all words have been read.
void add_solve(CLI::App& app, Console& console);
void add_check(CLI::App& app, Console& console);
void add_predict(CLI::App& app, Console& console);
void add_export(CLI::App& app, Console& console);
void add_compare(CLI::App& app, Console& console);
void add_study(CLI::App& app, Console& console);
void add_data(CLI::App& app, Console& console);
void add_train(CLI::App& app, Console& console);
void add_evaluate(CLI::App& app, Console& console);
void add_formula(CLI::App& app, Console& console);
void add_points(CLI::App& app, Console& console);
void add_mesh(CLI::App& app, Console& console);
void add_reconstruct(CLI::App& app, Console& console);
void add_list(CLI::App& app, Console& console);
void add_notes(CLI::App& app, Console& console);
/// Added last: it describes the commands that the program has by then.
void add_completion(CLI::App& app, Console& console);

}  // namespace cauchy::cli
