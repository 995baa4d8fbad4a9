#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/files/operator_run.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/report/operator_report.hpp>

#include "cli/command.hpp"
#include "cli/ensemble_table.hpp"
#include "cli/forecast_table.hpp"
#include "cli/grid_option.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/operator_options.hpp"
#include "cli/option_checks.hpp"
#include "cli/refine_sample.hpp"
#include "cli/surface_table.hpp"
#include "cli/text_table.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_times = 100'000;

struct EvaluateOptions : CommonOptions {
  std::string run, grid, times, data;
  std::size_t samples = 0, sample = 0;
  std::uint64_t refine = 0;
  bool quiet = false, residual = false;
};

std::string grid_name(const FieldGrid& grid) {
  return grid.is_cloud() ? fmt::format("{} points", grid.n_points())
                         : fmt::format("{}", fmt::join(grid.sizes(), " x "));
}

/// Equally spaced times between the first and the last.
std::vector<double> finer_times(const std::vector<double>& times, std::size_t n) {
  if (times.size() < 2) {
    throw Error("the outputs have no times", "--times", "leave it out");
  }
  std::vector<double> all;
  for (std::size_t i = 0; i < n; ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(n - 1);
    all.push_back((1 - s) * times.front() + s * times.back());
  }
  return all;
}

/// Numbers of times, "20" or "20,40"; empty: those of the training.
std::vector<std::size_t> times_asked(const std::string& text) {
  std::vector<std::size_t> all;
  for (const std::string& part : text.empty() ? std::vector<std::string>() : split_list(text)) {
    std::size_t n = 0;
    const char* end = part.data() + part.size();
    const auto [rest, trouble] = std::from_chars(part.data(), end, n);
    if (trouble != std::errc() || rest != end || n < 2 || n > most_times) {
      throw Error(fmt::format("'{}' is no number of times from 2 to {}", part, most_times),
                  "--times", "write --times 20, or several: 20,40,80");
    }
    all.push_back(n);
  }
  return all;
}

/// The data sets of a call, one after the other: files, or the test samples on every grid at every
/// number of times.
class EvaluationData final {
 public:
  EvaluationData(const EvaluateOptions& o, const LoadedOperator& run, const RunOptions& options)
      : o_(o), run_(run), options_(options), problem_(run.file.problem) {
    if (!o.data.empty()) files_ = split_list(o.data);
    if (!o.data.empty() && (!o.grid.empty() || !o.times.empty())) {
      throw Error("a file has a grid of its own", "--data", "leave out --grid and --times");
    }
    times_.push_back(problem_.times);
    if (!o.times.empty()) times_.clear();
    for (const std::size_t n : times_asked(o.times)) {
      times_.push_back(finer_times(problem_.times, n));
    }
    for (const std::string& text :
         o.grid.empty() ? std::vector<std::string>() : split_list(o.grid)) {
      const auto& source = problem_.source;
      grids_.push_back(
          parse_sizes(text, source ? source->grid().axes.size() : problem_.grid.size()));
    }
    if (grids_.empty()) {
      grids_.push_back(problem_.source ? problem_.source->grid().sizes() : problem_.grid);
    }
  }

  [[nodiscard]] std::size_t size() const {
    return o_.data.empty() ? grids_.size() * times_.size() : files_.size();
  }

  /// Number of the first sample in the problem.
  [[nodiscard]] std::size_t first() const {
    return o_.data.empty() ? run_.split.train + run_.split.validation : 0;
  }

  [[nodiscard]] DataSet operator()(std::size_t i) {
    if (!o_.data.empty()) {
      DataSet data = read_data_set(files_[i]);
      adopt_names(data, run_.file.problem);
      return some(std::move(data), 0);
    }
    const DataSplit& split = run_.split;
    if (split.test == 0) {
      throw Error("the run has no test samples", o_.run, "give some with --data");
    }
    const std::vector<int>& grid = grids_[i / times_.size()];
    const std::vector<double>& times = times_[i % times_.size()];
    if (grid == run_.model->grid().sizes() && times == problem_.times) {
      if (std::optional<DataSet> kept = kept_test_samples(run_, o_.run)) {
        return some(std::move(*kept), 0);
      }
    }
    if (run_.file.problem.inputs.empty() && !run_.file.problem.source) {
      throw Error("the problem draws no inputs", o_.run, "give samples with --data");
    }
    OperatorProblem here = problem_;
    here.times = times;
    if (here.source && grid != here.source->grid().sizes()) {
      here.source = here.source->resized(grid);
      if (!here.source) {
        throw Error(ErrorKind::unsupported, "this simulator has one grid alone", "--grid",
                    "leave it out");
      }
    } else if (!here.source) {
      here.grid = grid;
    }
    const std::size_t n = o_.samples > 0 ? std::min(o_.samples, split.test) : split.test;
    return make_data(here, IndexRange{first(), first() + n}, options_);
  }

 private:
  [[nodiscard]] DataSet some(DataSet data, std::size_t first) const {
    if (o_.samples == 0 || o_.samples >= data.size()) return data;
    return data.part(first, o_.samples);
  }

  const EvaluateOptions& o_;
  const LoadedOperator& run_;
  const RunOptions& options_;
  OperatorProblem problem_;
  std::vector<std::string> files_;
  std::vector<std::vector<int>> grids_;
  std::vector<std::vector<double>> times_;  // of the outputs; one entry at least
};

Json row_json(const ResolutionError& r) {
  return {{"grid", r.grid.sizes()},
          {"samples", r.error.size()},
          {"relative_l2", r.error.mean_l2()},
          {"median", r.error.median_l2()},
          {"worst", r.error.worst_l2()},
          {"times", r.times},
          {"relative_h1", r.error.mean_h1()},
          {"maximum", *std::max_element(r.error.maximum.begin(), r.error.maximum.end())}};
}

void run_evaluate(EvaluateOptions o, Console& console) {
  const LoadedOperator run = load_operator_run(o.run);
  const InterruptGuard guard;
  RunProgress progress(console.err, !o.quiet && !o.json);
  RunOptions options;
  options.threads = Threads::size_of(o.threads);
  options.progress = &progress;
  // Samples behind the one that is refined need not be solved.
  if (o.refine > 0) o.samples = o.sample + 1;
  EvaluationData data(o, run, options);
  if (o.refine > 0) {
    if (data.size() > 1)
      throw Error("one sample has one grid", "evaluate", "name a single grid or file");
    return refine_sample(run, o.run, data(0), o.sample, data.first() + o.sample, o.refine,
                         o.residual, options, o.json, console);
  }
  std::vector<ResolutionError> errors;
  std::vector<SurfaceRow> surfaces;
  OperatorAnswers last;
  for (std::size_t i = 0; i < data.size(); ++i) {
    last.data = data(i);
    // What does not fit is said before the answers are computed.
    run.model->check_fits(last.data);
    last.given = run.model->given(last.data);
    last.prediction = run.model->predict(last.data, options.threads);
    last.error = measure(last.prediction, last.data, last.given);
    errors.push_back({last.data.grid, last.error, last.data.times.size()});
    if (auto row = surface_row(last, run, data.first())) surfaces.push_back(std::move(*row));
  }
  const double tolerance = run.file.problem.problem.tolerance.value_or(1e-2);
  const bool good = std::all_of(errors.begin(), errors.end(), [&](const ResolutionError& r) {
    return r.error.mean_l2() <= tolerance;
  });
  console.exit_code = good ? 0 : 1;
  const fs::path folder = o.run;
  const fs::path page = folder / "evaluation.html";
  const ForecastAnswers ensemble = ensemble_of(last, run, options.threads);
  write_file_atomically(page,
                        evaluation_report(run.file.problem, *run.model, errors, last, ensemble),
                        Durable::no, Links::refuse);
  if (errors.size() > 1) {
    save_picture(folder / "error_against_resolution.svg",
                 resolution_picture(errors, run.model->grid()));
  }
  const std::vector<ForecastSkill> skill = skill_of(last, run, folder);
  std::vector<fs::path> forecasts;
  if (!ensemble.empty()) forecasts = save_forecasts(folder, last, ensemble);
  const fs::path drawn = folder / "surfaces.png";
  if (!surfaces.empty()) save_surfaces(drawn, last, run, data.first(), surfaces.back());
  Json rows = Json::array();
  for (const ResolutionError& r : errors) rows.push_back(row_json(r));
  Json json = {{"problem", run.file.problem.problem.name},
               {"model", run.model->describe()},
               {"trained_on", run.model->grid().sizes()},
               {"test_error_of_training", run.test_error},
               {"tolerance", tolerance},
               {"errors", rows},
               {"report", page.string()}};
  if (!skill.empty()) json["forecast"] = skill_json(skill);
  if (!ensemble.empty()) json["ensemble"] = ensemble_json(ensemble);
  if (!surfaces.empty()) json["surfaces"] = surface_json(surfaces);
  if (o.json) return print_json(console.out, json);
  std::vector<std::vector<std::string>> table{
      {"grid", "samples", "mean L2", "median", "worst", "mean H1", "times that of the training"}};
  const bool timed = std::any_of(errors.begin(), errors.end(), [&](const ResolutionError& r) {
    return !o.times.empty() || r.times != errors.front().times;
  });
  if (timed) table[0].insert(table[0].begin() + 1, "times");
  for (const ResolutionError& r : errors) {
    const OperatorError& e = r.error;
    const double ratio = e.mean_l2() / run.test_error;
    table.push_back({grid_name(r.grid), grouped(e.size()), short_number(e.mean_l2()),
                     short_number(e.median_l2()), short_number(e.worst_l2()),
                     short_number(e.mean_h1()),
                     std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-"});
    if (timed) table.back().insert(table.back().begin() + 1, grouped(r.times));
  }
  fmt::print(console.out, "{}, trained on {}\n", run.model->describe(),
             grid_name(run.model->grid()));
  print_table(console.out, table, 2);
  print_skill(skill, console.out);
  print_ensemble(ensemble, console.out);
  for (const fs::path& file : forecasts) {
    fmt::print(console.out, "  picture {}\n", file.string());
  }
  print_surfaces(surfaces, console.out);
  if (!surfaces.empty()) fmt::print(console.out, "  surfaces {}\n", drawn.string());
  fmt::print(console.out, "  report {}\n", page.string());
}

}  // namespace

void add_evaluate(CLI::App& app, Console& console) {
  CLI::App* command = app.add_subcommand(
      "evaluate", "Measure a learnt operator on its test samples, at any resolution");
  auto o = std::make_shared<EvaluateOptions>();
  not_empty(command->add_option("run", o->run, "folder of a run of `cauchy train`")->required(),
            "runs/darcy_operator");
  not_empty(
      command->add_option("--grid,--grids", o->grid,
                          "nodes along the axes, 256 or 256x128; several: 32,64,128. The test "
                          "samples are drawn and solved anew there"),
      "64,128,256");
  not_empty(command->add_option("--times", o->times,
                                "number of times of the outputs, for an operator with a time "
                                "axis; several: 20,40,80, each on every grid"),
            "20,40,80");
  whole_number(command->add_option("--samples", o->samples, "at most so many samples"), 1);
  not_empty(command->add_option("--data", o->data,
                                "samples of a file in place of them; several: a.h5,b.h5"),
            "other.h5");
  CLI::Option* refine = command->add_option(
      "--refine", o->refine,
      "steps on the equations of the problem that make the answer for one sample better");
  whole_number(refine, 1, 1'000'000);
  whole_number(
      command->add_option("--sample", o->sample, "number of that sample, from 0")->needs(refine),
      0);
  command
      ->add_flag("--residual", o->residual,
                 "minimise the residual also where the equation has an energy")
      ->needs(refine);
  add_threads_option(*command, *o);
  command->add_flag("--quiet", o->quiet, "show no progress");
  add_json_option(*command, *o);
  command->callback([o, &console] { run_evaluate(*o, console); });
}

}  // namespace cauchy::cli
