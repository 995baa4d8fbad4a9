#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/files/dynamics_file.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/io/xdmf.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/solvers/error_bars.hpp>

#include "cli/command.hpp"
#include "cli/grid_option.hpp"
#include "cli/option_checks.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/predict_operator.hpp"
#include "cli/predict_table.hpp"
#include "cli/train_dynamics.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

struct PredictOptions : CommonOptions {
  std::string folder, at, grid, of, data, out;
  std::optional<std::size_t> sample;
  double until = 0;
  std::size_t times = 0;
  bool force = false, with_error = false;
};

/// Behind every quantity its estimated error, u and u_error; `values` row-major n x quantities.
void add_errors(const Solution& solution, std::span<const double> rows, Quantities& q,
                std::vector<double>& values) {
  const std::vector<double> errors = estimated_errors(solution, q.expressions, rows);
  const std::size_t m = q.names.size(), n = values.size() / m;
  Quantities both;
  std::vector<double> all;
  for (std::size_t k = 0; k < m; ++k) {
    both.names.insert(both.names.end(), {q.names[k], q.names[k] + "_error"});
  }
  for (std::size_t i = 0; i < n * m; ++i) all.insert(all.end(), {values[i], errors[i]});
  q = std::move(both);
  values = std::move(all);
}

/// Which rows lie in the closed domain, with 1e-9 of its size for rounding.
std::vector<bool> inside(const Problem& problem, std::span<const double> rows) {
  const Domain domain = domain_of(problem);
  const std::size_t d = domain.columns().size(), n = rows.size() / d;
  const std::size_t first = domain.space_column();
  const std::size_t dimension = domain.space() == nullptr ? 0 : domain.space()->dimension();
  const auto within = [](double x, double lower, double upper) {
    const double slack = 1e-9 * (upper - lower);
    return x >= lower - slack && x <= upper + slack;
  };
  std::vector<bool> result(n, true);
  ShapePtr shape;
  std::vector<double> last;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = rows.subspan(i * d, d);
    bool good = true;
    if (const Time* t = domain.time()) good = within(row[0], t->lower, t->upper);
    const auto ranges = row.subspan(first + dimension);
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const Range& r = domain.ranges()[k];
      good = good && within(ranges[k], r.lower, r.upper);
    }
    if (good && dimension > 0) {
      if (!shape || !std::equal(last.begin(), last.end(), ranges.begin(), ranges.end())) {
        last.assign(ranges.begin(), ranges.end());
        shape = domain.shape(last);
      }
      double size = 0;
      for (std::size_t k = 0; k < dimension; ++k) {
        size = std::max(size, shape->bounds().upper[k] - shape->bounds().lower[k]);
      }
      good = shape->distance(row.data() + first) >= -1e-9 * size;
    }
    result[i] = good;
  }
  return result;
}

Table table_of(const std::vector<std::string>& coordinates, const Quantities& q,
               std::span<const double> rows, std::span<const double> values,
               const std::vector<bool>& keep) {
  Table table;
  table.columns = coordinates;
  table.columns.insert(table.columns.end(), q.names.begin(), q.names.end());
  const std::size_t d = coordinates.size(), m = q.names.size();
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    const auto x = rows.subspan(i * d, d), v = values.subspan(i * m, m);
    table.values.insert(table.values.end(), x.begin(), x.end());
    table.values.insert(table.values.end(), v.begin(), v.end());
  }
  check_table(table, "--of");
  return table;
}

/// A grid for ParaView: time becomes moments, coordinates with one value are left out.
void write_grid(const fs::path& file, const Problem& problem, const GridAxes& grid,
                const Quantities& q, std::span<const double> values,
                const std::vector<bool>& keep) {
  GridFields data;
  std::vector<std::size_t> shape;
  const Time* time = domain_of(problem).time() != nullptr ? problem.domain->time() : nullptr;
  for (std::size_t k = 0; k < grid.names.size(); ++k) {
    const bool is_time =
        time != nullptr && grid.names[k] == time->name && problem.domain->space() != nullptr;
    if (is_time) {
      data.times = grid.values[k];
    } else if (grid.values[k].size() > 1) {
      data.axes.push_back(grid.values[k]);
    } else {
      continue;
    }
    shape.push_back(grid.values[k].size());
  }
  if (data.axes.empty() || data.axes.size() > 3) {
    throw Error(fmt::format("a grid for ParaView has 1 to 3 axes besides time, this one has {}",
                            data.axes.size()),
                "--grid", "fix the others: NAME=VALUE");
  }
  const std::size_t m = q.names.size();
  for (std::size_t j = 0; j < m; ++j) {
    Array array{shape, std::vector<double>(keep.size())};
    for (std::size_t i = 0; i < keep.size(); ++i) {
      array.values[i] = keep[i] ? values[i * m + j] : std::numeric_limits<double>::quiet_NaN();
    }
    data.fields[q.names[j]] = std::move(array);
  }
  write_xdmf(file, data);
}

bool is_xdmf(const fs::path& file) {
  return file.extension() == ".xdmf" || file.extension() == ".xmf";
}

void check_names(const fs::path& file, const Quantities& q) {
  const bool tree = is_xdmf(file) || file.extension() == ".h5" || file.extension() == ".hdf5";
  for (const std::string& name : q.names) {
    if (tree && name.find('/') != std::string::npos) {
      throw Error(fmt::format("'{}' cannot be a name in an HDF5 file", name), "--of",
                  fmt::format("give it one: name={}", name));
    }
  }
}

void run_predict(const PredictOptions& o, Console& console) {
  if (has_dynamics(o.folder)) {
    if (!o.grid.empty() || !o.of.empty() || o.until == 0) {
      throw Error("learnt dynamics are followed to a time", "predict",
                  "give --until TIME, without --grid and --of");
    }
    check_output(o.out, o.force);
    return predict_dynamics({o.folder, o.at, o.out, o.until, o.times == 0 ? 101 : o.times}, o,
                            console);
  }
  const bool learnt = has_operator(o.folder);
  if (!learnt && (o.sample || !o.data.empty())) {
    throw Error("--sample and --data belong to runs that have learnt an operator", "predict",
                "leave them out");
  }
  if (learnt && o.with_error) {
    throw Error("errors of an operator are known on its test samples only", "--with-error",
                "see the report of the run");
  }
  if (o.until != 0 || o.times != 0) {
    throw Error("--until and --times belong to runs that have learnt dynamics", "predict",
                "use --at or --grid");
  }
  if (o.at.empty() == o.grid.empty()) {
    throw Error(
        o.at.empty() ? "it does not say where to evaluate" : "--at and --grid exclude each other",
        "predict", "give --at points.csv or --grid t=0:1:11,x=-1:1:21");
  }
  if (is_xdmf(o.out) && o.grid.empty()) {
    throw Error("an XDMF file needs a grid", "--out", "use --grid, or write .csv, .npz or .h5");
  }
  check_output(o.out, o.force);
  if (learnt) {
    if (is_xdmf(o.out)) {
      throw Error("answers of an operator are a table", "--out", "write .csv, .npz or .h5");
    }
    return predict_operator({o.folder, o.at, o.grid, o.of, o.data, o.out, o.sample}, o, console);
  }
  if (is_xdmf(o.out)) check_output(fs::path(o.out).replace_extension(".h5"), o.force);
  const LoadedRun run = load_run(o.folder, o.threads);
  const Problem& problem = run.file.problem;
  const std::vector<std::string> coordinates = problem.coordinates();
  Quantities q = quantities_of(o.of, problem);
  check_names(o.out, q);
  GridAxes grid;
  std::vector<double> rows;
  if (!o.grid.empty()) {
    grid = parse_grid(o.grid, coordinates);
    // Points, values, and both in one table.
    const auto width = static_cast<double>(coordinates.size() + q.names.size());
    require_memory(16 * width * static_cast<double>(grid.size()),
                   fmt::format("a grid of {} points", grid.size()), "use fewer points", "--grid");
    rows = grid.rows();
  } else {
    rows = points_in(o.at, coordinates);
  }
  std::vector<bool> keep = inside(problem, rows);
  const auto outside = static_cast<std::size_t>(std::count(keep.begin(), keep.end(), false));
  const std::size_t n = keep.size();
  if (outside == n && !o.grid.empty()) {
    throw Error("no point lies in the domain", "--grid", "`cauchy check RUN` shows its ends");
  }
  std::vector<double> values = run.solution.evaluate(q.expressions, rows);
  if (o.with_error) add_errors(run.solution, rows, q, values);
  if (outside > 0) {
    fmt::print(console.err, "cauchy: {} of {} points lie outside of the domain: {}\n", outside, n,
               o.grid.empty() ? "values there are extrapolated" : "they are left out");
  }
  if (o.grid.empty()) keep.assign(n, true);
  const Delivery delivery{o.out, o.json, q.names, "points", outside};
  if (is_xdmf(o.out)) {
    write_grid(o.out, problem, grid, q, values, keep);
    return tell_delivery(n, delivery, console);
  }
  const Table table = table_of(coordinates, q, rows, values, keep);
  if (o.out.empty()) return deliver(table, delivery, console);
  write_table(o.out, table);
  tell_delivery(n, delivery, console);
}

}  // namespace

void add_predict(CLI::App& app, Console& console) {
  CLI::App* command =
      app.add_subcommand("predict", "Evaluate the answer of a run at points or on a grid");
  auto o = std::make_shared<PredictOptions>();
  not_empty(command->add_option("run", o->folder, "folder of a run")->required(), "runs/burgers");
  not_empty(
      command->add_option("--at", o->at, "table with a column per coordinate: .csv, .npz or .h5"),
      "sensors.csv");
  not_empty(command->add_option("--grid", o->grid,
                                "t=0:1:101,x=-1:1:201 (first:last:count), or one value: k=2"),
            "t=0:1:101,x=-1:1:201");
  not_empty(command->add_option("--of", o->of,
                                "what to evaluate: \"u, u_x, energy=u^2/2\"; without it all "
                                "fields"),
            "\"u, u_x\"");
  not_empty(command->add_option(
                "--out", o->out,
                "table.csv, .npz, .h5, or grid.xdmf for ParaView; without it CSV is printed"),
            "values.csv");
  whole_number(command->add_option("--sample", o->sample,
                                   "of a learnt operator: the number of one input function, from "
                                   "0; without it all"),
               0);
  not_empty(command->add_option("--data", o->data,
                                "of a learnt operator: input functions of a file in place of the "
                                "test samples: .h5 or .npz"),
            "other.h5");
  command->add_option("--until", o->until,
                      "of learnt dynamics: follow them from the first row of every trajectory (or "
                      "of the table --at) to this time");
  whole_number(command->add_option("--times", o->times,
                                   "with --until: times of every trajectory; without it 101"),
               2, 100'000'000);
  command->add_flag("--with-error", o->with_error,
                    "a column with the estimated error behind every quantity: u, u_error");
  command->add_flag("--force", o->force, "replace a file that exists");
  add_threads_option(*command, *o);
  add_json_option(*command, *o);
  command->callback([o, &console] { run_predict(*o, console); });
}

}  // namespace cauchy::cli
