#include <cauchy/cli/cli.hpp>

#include <exception>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>

#include "cli/command.hpp"
#include "cli/wrong_words.hpp"

namespace cauchy {
namespace {

/// A message as one line: what a file or a word of the call holds must not reach the terminal as
/// line breaks or control characters.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return text;
}

}  // namespace

int run_cli(std::span<const std::string> args, std::ostream& out, std::ostream& err) {
  CLI::App app(
      "Differential problems: write them once, solve them with any method, know how wrong "
      "the answer is.",
      "cauchy");
  app.require_subcommand(1);
  app.set_version_flag("--version", CAUCHY_VERSION);
  cli::Console console{out, err};
  cli::add_solve(app, console);
  cli::add_check(app, console);
  cli::add_predict(app, console);
  cli::add_compare(app, console);
  cli::add_points(app, console);
  cli::add_list(app, console);
  cli::add_completion(app, console);
  try {
    std::vector<std::string> words(args.rbegin(), args.rend());  // CLI11 reads from the back
    app.parse(words);
    return console.exit_code;
  } catch (const CLI::ParseError& e) {
    // Help and version come as exceptions too, with code 0.
    if (e.get_exit_code() == 0) return app.exit(e, out, err);
    fmt::print(err, "cauchy: {}\n", one_line(cli::wrong_words(app, args).what()));
  } catch (const std::exception& e) {
    fmt::print(err, "cauchy: {}\n", one_line(e.what()));
  }
  return 2;
}

}  // namespace cauchy
