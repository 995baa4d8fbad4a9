#include <cauchy/cli/cli.hpp>

#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/plain_text.hpp"
#include "cli/wrong_words.hpp"

namespace cauchy {
namespace {

int run_command(std::span<const std::string> args, std::ostream& out, std::ostream& err) {
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
  cli::add_formula(app, console);
  cli::add_export(app, console);
  cli::add_compare(app, console);
  cli::add_study(app, console);
  cli::add_data(app, console);
  cli::add_train(app, console);
  cli::add_evaluate(app, console);
  cli::add_points(app, console);
  cli::add_mesh(app, console);
  cli::add_reconstruct(app, console);
  cli::add_list(app, console);
  cli::add_notes(app, console);
  cli::add_completion(app, console);
  try {
    std::vector<std::string> words(args.rbegin(), args.rend());  // CLI11 reads from the back
    app.parse(words);
    return console.exit_code;
  } catch (const CLI::ParseError& e) {
    // Help and version come as exceptions too, with code 0.
    if (e.get_exit_code() == 0) return app.exit(e, out, err);
    fmt::print(err, "cauchy: {}\n", cli::plain_text(cli::wrong_words(app, args).what()));
  } catch (const Error& e) {
    fmt::print(err, "cauchy: {}\n", cli::plain_text(e.what()));
    if (e.kind() == ErrorKind::interrupted) return 1;  // not what was asked for, but how long
  } catch (const std::bad_alloc&) {
    err << "cauchy: the system gave no more memory; use fewer points or a smaller network\n";
  } catch (const std::length_error&) {
    err << "cauchy: a size is larger than any memory; use smaller numbers\n";
  } catch (const std::filesystem::filesystem_error& e) {
    fmt::print(err, "cauchy: {}: {}\n", cli::plain_text(e.path1().string()), e.code().message());
  } catch (const std::system_error& e) {
    fmt::print(err, "cauchy: the system refused something: {}\n", e.code().message());
  } catch (const std::exception& e) {
    fmt::print(err, "cauchy: something that was not foreseen: {}; please report it\n",
               cli::plain_text(e.what()));
  }
  return 2;
}

}  // namespace

int run_cli(std::span<const std::string> args, std::ostream& out, std::ostream& err) {
  cli::PlainStream plain(out);
  const int code = run_command(args, plain, err);
  const cli::InterruptGuard guard;  // a reader that has gone changes the exit code, not more
  if (plain.flush()) return code;
  fmt::print(err, "cauchy: the output cannot be written; is the disk full, or the reader gone?\n");
  return 2;
}

}  // namespace cauchy
