// Every file of problems/ solved with its method (`auto` where it names none) and several seeds, at
// most two minutes each unless the file says otherwise. Every run is a process of its own and a
// line of a table, so that a call that is cut, or several calls, can be put together.
//
//   library --append RESULTS [--only TEXT] [--seeds LIST] [--max-seconds S] [--jobs N]
//           [--threads T] [--again] [--problems FOLDER] [--write PAGE] [--smallest]
//   library --write-from RESULTS --write PAGE
//     --append      every run as a line; runs that are there and have ended well are not repeated
//     --only        files whose name contains one of the words of the text, commas between them
//     --seeds       default 1,2,3
//     --max-seconds of a run whose file gives no [method] seconds, default 120
//     --jobs        runs at a time; --threads: of each, default what the machine has for it
//     --again       repeats runs that are there
//     --write       the tables as Markdown; --write-from: without any run
//     --smallest    one file, one seed, one second
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bench_options.hpp"
#include "library_problem.hpp"
#include "library_runs.hpp"
#include "page_table.hpp"

namespace {

using namespace cauchy;
namespace fs = std::filesystem;

struct Section {
  const char* title;
  std::vector<std::string> names;
};

/// Where a file stands on the page; what is in none of them comes last.
const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"Ordinary differential equations",
       {"sir", "seird", "lotka_volterra", "lorenz_short", "van_der_pol"}},
      {"Many periods, long times",
       {"oscillator", "pendulum", "wave_modes", "advection_30", "advection_80", "klein_gordon"}},
      {"Chaos", {"lorenz", "roessler", "double_pendulum", "kuramoto_sivashinsky_chaotic"}},
      {"Stiff kinetics", {"robertson", "hires", "brusselator", "gray_scott"}},
      {"Diffusion and reaction",
       {"heated_bar", "reaction_diffusion", "fisher_kpp", "allen_cahn", "burgers"}},
      {"Fronts in two space dimensions",
       {"burgers_front_2d", "burgers_system_2d", "fisher_front_2d"}},
      {"Transport and waves",
       {"advection", "wave", "string_dirichlet", "string_robin", "kdv", "kuramoto_sivashinsky",
        "schroedinger"}},
      {"Shocks and shear, by finite volumes",
       {"sod", "dam_break", "buckley_leverett", "kelvin_helmholtz"}},
      {"Potentials",
       {"poisson_square", "poisson_disk", "laplace_annulus", "laplace_l_shape", "laplace_slit",
        "poisson_10d", "helmholtz", "eikonal", "darcy"}},
      {"Several length scales",
       {"poisson_multiscale", "poisson_peak", "high_frequency", "cubic_two_scales"}},
      {"Jumps and random fields",
       {"poisson_interface", "interface_layers", "interface_disk", "darcy_random"}},
      {"Regions with many holes",
       {"laplace_holes", "channel_holes", "laplace_holes_3d", "screened_holes_3d"}},
      {"Outflow and its corners",
       {"convection_corner", "kovasznay_outflow", "backward_step", "laplace_mixed"}},
      {"Flow and mechanics",
       {"kovasznay", "taylor_green", "lid_driven_cavity", "lid_driven_cavity_400",
        "lid_driven_cavity_1000", "stokes", "elasticity", "plate"}},
      {"Inverse problems",
       {"burgers_inverse", "burgers_inverse_noisy", "heat_inverse", "conductivity_field",
        "diffusivity_noisy"}},
      {"Families: one training for a range of parameters",
       {"helmholtz_family", "string_robin_family", "fin_family"}}};
  return all;
}

struct Job {
  fs::path file;
  std::uint64_t seed = 1;
  double limit = 0;
};

Run run_job(const Job& job, int threads) {
  Run r{.problem = job.file.stem().string(),
        .seed = job.seed,
        .threads = threads,
        .limit = job.limit};
  try {
    ProblemFile file = read_with_reference(job.file);
    if (const auto settings = training_settings(file.method)) settings->seed = job.seed;
    RunOptions options;
    options.threads = threads;
    options.max_seconds = job.limit;
    const Solution s = solve(file.problem, file.method, options);
    r.seconds = s.seconds;
    r.error = worst_error(s);
    if (std::isnan(r.error) && !s.error.reference.empty()) r.error = INFINITY;
    r.grade = to_string(s.grade);
    r.method = s.method;
    if (!s.findings.empty()) r.finding = s.findings.front();
  } catch (const std::exception& e) {
    r.error = INFINITY;
    r.grade = "failed";
    r.finding = e.what();
  }
  fmt::print("{:<30} seed {:<3} {:>8.1f} s {:>9.1e}  {:<11} {}\n", r.problem, r.seed, r.seconds,
             r.error, r.grade, r.finding);
  std::fflush(stdout);
  return r;
}

/// Each job in a process of its own; `finished` is called after each.
template <class Finished>
void run_all(const std::vector<Job>& jobs, std::size_t at_a_time, int threads, const fs::path& out,
             const Finished& finished) {
  std::map<::pid_t, const Job*> running;
  std::size_t next = 0;
  while (next < jobs.size() || !running.empty()) {
    while (next < jobs.size() && running.size() < at_a_time) {
      const Job& job = jobs[next++];
      std::fflush(stdout);
      const ::pid_t child = ::fork();
      if (child < 0) throw Error("no process could be started");
      if (child == 0) {
        append(out, line_of(run_job(job, threads)));
        std::_Exit(0);
      }
      running[child] = &job;
    }
    int status = 0;
    const ::pid_t child = ::wait(&status);
    const auto job = running.find(child);
    if (job == running.end()) continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      append(out, line_of({.problem = job->second->file.stem().string(),
                           .seed = job->second->seed,
                           .error = INFINITY,
                           .grade = "died",
                           .threads = threads,
                           .limit = job->second->limit}));
    }
    running.erase(job);
    finished();
  }
}

/// "**3e-05**" within the tolerance, "-" for NaN.
std::string error_text(double error, double tolerance) {
  if (std::isnan(error)) return "-";
  const std::string text = fmt::format("{:.1e}", error);
  return error <= tolerance ? "**" + text + "**" : text;
}

std::string reference_text(const Problem& p) {
  if (!p.reference.exact.empty()) return fmt::format("exact `{}`", p.reference.exact);
  if (!p.reference.formulas.empty()) return "formula";
  return p.reference.file.empty() ? "found" : "table";
}

/// "converged", or "converged 2, stalled 1".
std::string grades_text(const std::vector<const Run*>& runs) {
  std::map<std::string, int> counts;
  for (const Run* r : runs) ++counts[r->grade];
  std::string text;
  for (const auto& [grade, count] : counts) {
    text += (text.empty() ? "" : ", ") +
            (counts.size() == 1 ? grade : fmt::format("{} {}", grade, count));
  }
  return text;
}

/// One file's line, and how it counts.
struct Line {
  std::string text;
  bool graded = false, good = false;
};

Line line_of(const fs::path& path, const Runs& runs) {
  const Problem p = read_problem_file(path).problem;
  const std::string name = path.stem().string();
  const double tolerance = p.tolerance.value_or(1e-2);
  std::vector<const Run*> mine;
  std::vector<double> errors, seconds;
  for (const auto& [key, run] : runs) {
    if (key.first != name) continue;
    mine.push_back(&run);
    if (!std::isnan(run.error)) errors.push_back(run.error);
    seconds.push_back(run.seconds);
  }
  const bool graded = !errors.empty();
  const double worst = graded ? *std::max_element(errors.begin(), errors.end()) : NAN;
  const std::string time = seconds.empty() ? "-" : fmt::format("{:.1f}", median(seconds));
  return {fmt::format("| `{}` | {} | {} | {:.0e} | {} | {} | {} | {} |\n", name, p.title,
                      mine.empty() || graded ? reference_text(p) : "none", tolerance,
                      error_text(median(errors), tolerance), error_text(worst, tolerance), time,
                      grades_text(mine)),
          graded, worst <= tolerance};
}

std::string page(std::vector<fs::path> files, const Runs& runs) {
  std::string tables, summary;
  int n_graded = 0, n_good = 0;
  const auto add = [&](const std::string& title, const std::vector<fs::path>& of_it) {
    if (of_it.empty()) return;
    int graded = 0, good = 0;
    tables += fmt::format(
        "\n### {}\n\n| file | problem | reference | tolerance | error, median | worst | seconds | "
        "grade |\n|---|---|---|---|---|---|---|---|\n",
        title);
    for (const fs::path& file : of_it) {
      const Line line = line_of(file, runs);
      tables += line.text;
      graded += line.graded;
      good += line.good;
    }
    summary += fmt::format("| {} | {} | {} of {} |\n", title, of_it.size(), good, graded);
    n_graded += graded;
    n_good += good;
  };
  for (const Section& section : sections()) {
    std::vector<fs::path> of_it;
    for (const std::string& name : section.names) {
      const auto at = std::find_if(files.begin(), files.end(),
                                   [&](const fs::path& file) { return file.stem() == name; });
      if (at == files.end()) continue;
      of_it.push_back(*at);
      files.erase(at);
    }
    add(section.title, of_it);
  }
  add("Others", files);
  return fmt::format(
      "Written {} by `make library` on {} threads of: {}. Within the tolerance with all seeds that "
      "were run: {} of {} files.\n\n"
      "| class | files | within tolerance |\n|---|---|---|\n{}{}",
      today(), Threads::size_of(0), processor(), n_good, n_graded, summary, tables);
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) all.push_back(word);
  return all;
}

std::vector<fs::path> problem_files(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// All files with the first seed, then all with the second: a reference is found once. A method
/// that does not train has one run.
std::vector<Job> jobs_of(const std::vector<fs::path>& files, const std::vector<std::string>& only,
                         const std::vector<std::string>& seeds, double max_seconds) {
  std::vector<Job> jobs;
  for (const std::string& seed : seeds) {
    for (const fs::path& file : files) {
      const std::string name = file.stem().string();
      if (!only.empty() && std::none_of(only.begin(), only.end(), [&](const std::string& word) {
            return name.find(word) != std::string::npos;
          })) {
        continue;
      }
      Method method = read_problem_file(file).method;
      if (!training_settings(method) && seed != seeds.front()) continue;
      const auto* recipe = std::get_if<Auto>(&method);
      const bool says = recipe != nullptr && recipe->seconds > 0;
      jobs.push_back({file, std::stoull(seed), says ? recipe->seconds : max_seconds});
    }
  }
  return jobs;
}

}  // namespace

int main(int argc, char** argv) try {
  std::string only, seeds = "1,2,3";
  double max_seconds = 120;
  std::size_t at_a_time = 1;
  int threads = 0;
  bool again = false, run = true;
  if (bench::take_smallest(argc, argv)) {
    only = "heated_bar";
    seeds = "1";
    max_seconds = 1;
  }
  fs::path folder = "problems", results, out;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&] {
      if (i + 1 >= argc) throw Error("a value is missing", option);
      return std::string(argv[++i]);
    };
    if (option == "--append" || option == "--write-from") {
      results = value();
      run = option == "--append";
    } else if (option == "--only") {
      only = value();
    } else if (option == "--seeds") {
      seeds = value();
    } else if (option == "--max-seconds") {
      max_seconds = std::stod(value());
    } else if (option == "--jobs") {
      at_a_time = std::max<std::size_t>(1, std::stoul(value()));
    } else if (option == "--threads") {
      threads = std::stoi(value());
    } else if (option == "--again") {
      again = true;
    } else if (option == "--problems") {
      folder = value();
    } else if (option == "--write") {
      out = value();
    } else {
      throw Error("unknown option", option, "see the head of bench/library.cpp");
    }
  }
  if (results.empty()) throw Error("no table of runs is named; give it", "--append");
  if (!run && out.empty()) throw Error("no page is named; give it", "--write");
  if (threads <= 0) threads = std::max(1, Threads::size_of(0) / static_cast<int>(at_a_time));
  const std::vector<fs::path> files = problem_files(folder);
  const auto write = [&] {
    if (!out.empty()) write_page(out, page(files, read_runs(results)));
  };
  if (run) {
    if (!fs::exists(results)) append(results, run_columns);
    std::vector<Job> jobs = jobs_of(files, words(only), words(seeds), max_seconds);
    if (!again) {
      const Runs done = read_runs(results);
      std::erase_if(jobs, [&](const Job& job) {
        const auto at = done.find({job.file.stem().string(), job.seed});
        return at != done.end() && at->second.grade != "failed" && at->second.grade != "died";
      });
    }
    fmt::print("{} runs, {} at a time, {} threads each\n", jobs.size(), at_a_time, threads);
    run_all(jobs, at_a_time, threads, results, write);
  }
  write();
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "library: {}\n", e.what());
  return 1;
}
