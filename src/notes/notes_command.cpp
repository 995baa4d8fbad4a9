#include "notes/notes_command.hpp"

#include <fmt/ostream.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cauchy/base/error.hpp>

#include "cli/interrupt.hpp"
#include "cli/text_table.hpp"
#include "notes/result.hpp"
#include "notes/site.hpp"

namespace cauchy::notes {
namespace {

namespace fs = std::filesystem;

struct NotesOptions {
  std::vector<std::string> ids;
  std::string out = "notes-site", docs;
  bool all = false, fast = false, again = false, json = false;
  int threads = 1;
};

void print_list(const NotesOptions& o, std::ostream& out) {
  if (o.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Artefact& a : all_artefacts()) {
      rows.push_back({{"id", a.id},
                      {"kind", to_string(a.kind)},
                      {"lecture", a.lecture},
                      {"lines", a.lines},
                      {"title", a.title},
                      {"erratum", a.truth},
                      {"seconds", a.seconds},
                      {"file", a.file}});
    }
    out << rows.dump(1) << "\n";
    return;
  }
  std::vector<std::vector<std::string>> rows = {{"id", "lecture", "kind", "seconds", "title"}};
  for (const Artefact& a : all_artefacts()) {
    rows.push_back({a.id, std::to_string(a.lecture), std::string(to_string(a.kind)),
                    fmt::format("{:g}", a.seconds), a.title + (a.truth.empty() ? "" : " *")});
  }
  cli::print_table(out, std::move(rows));
  fmt::print(out, "\n* corrected: the notes have an error there. cauchy notes run ID makes one.\n");
}

std::vector<const Artefact*> chosen(const NotesOptions& o) {
  std::vector<const Artefact*> some;
  for (const std::string& id : o.ids) some.push_back(&find_artefact(id));
  for (const Artefact& a : all_artefacts()) {
    if (o.all || (o.fast && a.seconds < fast_seconds)) some.push_back(&a);
  }
  if (some.empty()) {
    throw Error("nothing was chosen", "cauchy notes run", "give ids, --fast or --all");
  }
  return some;
}

int run_chosen(const NotesOptions& o, std::ostream& out, std::ostream& err) {
  const std::vector<const Artefact*> some = chosen(o);
  const cli::InterruptGuard guard;
  std::size_t failed = 0, number = 0;
  for (const Artefact* a : some) {
    ++number;
    if (!o.again) {
      if (const auto there = load(*a, o.out); there && there->passed()) {
        fmt::print(out, "{:>3}/{} {}: there already\n", number, some.size(), a->id);
        continue;
      }
    }
    cli::RunProgress progress(err, false);
    const std::optional<Result> r = make(*a, o.out, o.threads, &progress);
    if (!r || cli::InterruptGuard::requested()) {
      fmt::print(err, "cauchy notes: stopped at {}; the same command goes on there\n", a->id);
      return 1;
    }
    fmt::print(out, "{:>3}/{} {}: {} in {:.1f} s\n", number, some.size(), a->id,
               r->passed() ? fmt::format("{} checks passed", r->checks.size()) : "FAILED",
               r->seconds);
    if (!r->failure.empty()) fmt::print(out, "        {}\n", r->failure);
    for (const Check& c : r->checks) {
      if (c.passed()) continue;
      fmt::print(out, "        {}{}\n", c.what,
                 c.is_statement ? std::string(": does not hold")
                                : fmt::format(": {:.8g} instead of {:.8g} +- {:.2g}", c.value,
                                              c.expected, c.tolerance));
    }
    out.flush();
    failed += r->passed() ? 0 : 1;
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

int run_notes(std::span<const std::string> args, std::ostream& out, std::ostream& err,
              const fs::path& sources) {
  CLI::App app("The lecture notes, executable: every algorithm, listing, table and figure.",
               "cauchy notes");
  app.require_subcommand(0, 1);
  app.footer(
      "list [--json]\n"
      "run ID... | --fast | --all  [--again] [--threads N] [--out FOLDER] [--docs FOLDER]\n"
      "site [--out FOLDER] [--docs FOLDER]\n"
      "An interrupted run goes on with the same command. Exit code 1: a check has failed.");
  NotesOptions o;
  CLI::App* list = app.add_subcommand("list", "all artefacts (the default)");
  list->add_flag("--json", o.json, "for programs");
  CLI::App* run = app.add_subcommand("run", "make some of them, and the pages about them");
  run->add_option("ID", o.ids, "which");
  run->add_flag("--all", o.all, "all of them, a minute or two");
  run->add_flag("--fast", o.fast, "those that take less than 5 s");
  run->add_flag("--again", o.again, "also those that are there");
  run->add_option("--threads", o.threads, "default 1")->check(CLI::Range(1, 1024));
  CLI::App* site = app.add_subcommand("site", "write the pages about what was made");
  for (CLI::App* command : {run, site}) {
    command->add_option("--out", o.out, "folder of the site, made where it is missing");
    command->add_option("--docs", o.docs, "where docs/ is as pages, seen from the site");
  }
  try {
    std::vector<std::string> words(args.rbegin(), args.rend());
    app.parse(words);
    if (!*run && !*site) {
      print_list(o, out);
      return 0;
    }
    std::error_code ignored;
    fs::create_directories(o.out, ignored);
    const int code = *run ? run_chosen(o, out, err) : 0;
    write_site(all_artefacts(), o.out, {sources, o.docs});
    fmt::print(out, "{}\n", (fs::path(o.out) / "index.html").string());
    return code;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e, out, err);
    fmt::print(err, "cauchy notes: {}\n", e.what());
  } catch (const std::exception& e) {
    fmt::print(err, "cauchy: {}\n", e.what());
  }
  return 2;
}

}  // namespace cauchy::notes
