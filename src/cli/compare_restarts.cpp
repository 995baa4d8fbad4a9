#include "cli/compare_restarts.hpp"

#include <filesystem>

#include <fmt/ostream.h>

#include <cauchy/base/threads.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/solvers/restarts.hpp>

#include "cli/end_run.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "cli/plain_text.hpp"
#include "cli/text_table.hpp"
#include "files/record_json.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

Json interval_json(const std::map<std::string, ConfidenceInterval>& all, const std::string& name) {
  const auto found = all.find(name);
  if (found == all.end()) return nullptr;
  const ConfidenceInterval& i = found->second;
  return {{"lower", i.lower}, {"upper", i.upper}, {"level", i.level}, {"how", i.how}};
}

Json unknowns_json(const Restarts& r) {
  Json all = Json::object();
  const auto spread = r.unknown_spread();
  for (const auto& [name, value] : r.best().unknowns) {
    all[name] = {{"value", value},
                 {"interval", interval_json(r.best().intervals, name)},
                 {"restarts", interval_json(spread, name)}};
  }
  return all;
}

std::string interval_text(const std::map<std::string, ConfidenceInterval>& all,
                          const std::string& name) {
  const auto found = all.find(name);
  return found == all.end()
             ? std::string("-")
             : fmt::format("{:.6g} to {:.6g}", found->second.lower, found->second.upper);
}

/// The unknown constants of the best run: by the noise of the data, and from start to start.
void print_unknowns(const Restarts& r, std::ostream& out) {
  if (r.best().unknowns.empty()) return;
  std::vector<std::vector<std::string>> rows{
      {"constant", "best", "95 % by the data", "95 % of the restarts"}};
  const auto spread = r.unknown_spread();
  for (const auto& [name, value] : r.best().unknowns) {
    rows.push_back({name, fmt::format("{:.6g}", value), interval_text(r.best().intervals, name),
                    interval_text(spread, name)});
  }
  print_table(out, rows);
}

Json restarts_json(const std::string& label, const Restarts& r) {
  Json runs = Json::array();
  for (std::size_t k = 0; k < r.runs.size(); ++k) {
    const Solution& s = r.runs[k];
    runs.push_back({{"seed", r.seed(k)},
                    {"loss", r.loss(k)},
                    {"optimization_error", r.optimization_error(k)},
                    {"relative_l2", s.error.relative_l2()},
                    {"steps", s.training ? s.training->steps : 0},
                    {"evaluations", s.training ? s.training->evaluations : 0},
                    {"grade", to_string(s.grade)},
                    {"best", k == r.best_index()}});
  }
  return {{"run", label},
          {"problem", r.best().problem.name},
          {"method", r.best().method},
          {"best_seed", r.seed(r.best_index())},
          {"same_points", r.same_points()},
          {"loss", spread_json(r.loss_spread())},
          {"relative_l2", spread_json(r.error_spread())},
          {"unknowns", unknowns_json(r)},
          {"runs", runs}};
}

void print_restarts(const std::string& label, const Restarts& r, std::ostream& out) {
  const std::size_t best = r.best_index();
  fmt::print(out, "{}: {}\n", plain_text(label), r.best().method);
  std::vector<std::vector<std::string>> rows{
      {"seed", "loss", "optimisation error", "error", "time", "grade"}};
  for (std::size_t k = 0; k < r.runs.size(); ++k) {
    const Solution& s = r.runs[k];
    rows.push_back({std::to_string(r.seed(k)), short_number(r.loss(k)),
                    short_number(r.optimization_error(k)), short_number(s.error.relative_l2()),
                    duration(s.seconds), std::string(to_string(s.grade))});
    if (k == best) rows.back().emplace_back("best");
  }
  const auto add = [&](const char* name, double loss, double error) {
    rows.push_back(
        {name, short_number(loss), short_number(loss - r.loss(best)), short_number(error)});
  };
  const Spread loss = r.loss_spread(), error = r.error_spread();
  add("min", loss.min, error.min);
  add("median", loss.median, error.median);
  add("max", loss.max, error.max);
  print_table(out, rows);
  print_unknowns(r, out);
  if (!r.same_points()) {
    fmt::print(out, "the points differ from seed to seed: so do the losses, at equal answers\n");
  }
}

}  // namespace

void compare_restarts(const std::vector<RestartsJob>& jobs, const RestartsSettings& settings,
                      Console& console) {
  const std::size_t n = settings.n;
  const int threads = Threads::size_of(settings.threads);
  const auto file_of = [&](std::size_t job, std::size_t k) {
    ProblemFile file = jobs[job].file;
    file.method = restart_of(std::move(file.method), k);
    return file;
  };
  const auto folder_of = [&](std::size_t job, std::size_t k) {
    return fs::path(settings.out) / std::to_string(job * n + k + 1);
  };
  std::vector<RunFolder> folders;
  if (!settings.out.empty()) {
    // All folders first: one that cannot be made is known before hours of work.
    try {
      for (std::size_t job = 0; job < jobs.size(); ++job) {
        for (std::size_t k = 0; k < n; ++k) {
          folders.push_back(begin_run(folder_of(job, k), file_of(job, k)));
        }
      }
    } catch (...) {
      for (RunFolder& folder : folders) folder.discard();
      throw;
    }
  }
  const bool shown = !settings.quiet && !settings.json;
  RunProgress progress(console.err, shown);
  RunOptions options;
  options.threads = threads;
  options.max_seconds = settings.max_seconds;
  options.progress = &progress;
  const InterruptGuard guard;
  Json list = Json::array(), seconds = Json::array();
  std::size_t good = 0;
  for (std::size_t job = 0; job < jobs.size() && !InterruptGuard::requested(); ++job) {
    const auto& [label, file] = jobs[job];
    Method method = restart_of(file.method, 0);  // refuses a method without a seed
    const std::uint64_t first = training_settings(method)->seed;
    const auto announce = [&, &name = label](std::size_t k) {
      if (!shown || k == n || InterruptGuard::requested()) return;
      fmt::print(console.err, "{} of {}: {}, seed {}\n", job * n + k + 1, jobs.size() * n,
                 plain_text(name), first + k);
    };
    announce(0);
    const Restarts r = solve_restarts(
        file.problem, file.method, n, options, [&](std::size_t k, const Solution& solution) {
          if (!folders.empty()) {
            end_run(folders[job * n + k], file_of(job, k), solution, threads);
          }
          if (is_accepted(to_string(solution.grade), settings.accept)) ++good;
          announce(k + 1);
        });
    if (settings.json) {
      list.push_back(restarts_json(label, r));
      seconds.push_back(Json::array());
      for (const Solution& s : r.runs) seconds.back().push_back(s.seconds);
    } else {
      if (job > 0) console.out << '\n';
      print_restarts(label, r, console.out);
    }
  }
  if (settings.json) {
    print_json(console.out, {{"restarts", list}, {detail::times_section, {{"restarts", seconds}}}});
  }
  if (good < jobs.size() * n) console.exit_code = 1;
}

}  // namespace cauchy::cli
