#include "cli/predict_operator.hpp"

#include <algorithm>

#include <fmt/ostream.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/files/operator_run.hpp>

#include "cli/grid_option.hpp"
#include "cli/operator_options.hpp"
#include "cli/predict_table.hpp"
#include "problem/lowering.hpp"

namespace cauchy::cli {
namespace {

/// The input functions, and the number of the first one.
std::pair<DataSet, std::size_t> input_functions(const OperatorPrediction& q,
                                                const LoadedOperator& run) {
  DataSet data;
  if (!q.data.empty()) {
    data = read_data_set(q.data, {.axes = grid_of(run.file.problem).axes});
    adopt_names(data, run.file.problem);
  } else if (std::optional<DataSet> kept = kept_test_samples(run, q.folder)) {
    data = std::move(*kept);
  } else {
    throw Error("the run has no test samples", q.folder, "give input functions with --data");
  }
  if (!q.sample) return {std::move(data), 0};
  if (*q.sample >= data.size()) {
    throw Error(
        fmt::format("there is no sample {}, they are numbered 0 to {}", *q.sample, data.size() - 1),
        "--sample", "take one of them");
  }
  return {data.part(*q.sample, 1), *q.sample};
}

/// Points outside of the box of an operator, in space and time.
std::size_t count_outside(const LoadedOperator& run, std::span<const double> rows) {
  const std::vector<std::string> names = run.model->coordinates();
  const std::size_t d = names.size();
  std::vector<std::pair<double, double>> ends;
  const auto& domain = run.file.problem.problem.domain;
  if (domain && domain->time() != nullptr) {
    ends.emplace_back(domain->time()->lower, domain->time()->upper);
  }
  for (const FieldGrid::Axis& a : run.model->grid().axes) ends.emplace_back(a.lower, a.upper);
  if (ends.size() != d) return 0;  // data without a domain: their times are not bounded
  std::size_t n = 0;
  for (std::size_t i = 0; i < rows.size() / d; ++i) {
    bool inside = true;
    for (std::size_t k = 0; k < d; ++k) {
      const auto [lower, upper] = ends[k];
      const double slack = 1e-9 * (upper - lower), x = rows[i * d + k];
      inside = inside && x >= lower - slack && x <= upper + slack;
    }
    n += inside ? 0 : 1;
  }
  return n;
}

}  // namespace

void predict_operator(const OperatorPrediction& q, const CommonOptions& o, Console& console) {
  const LoadedOperator run = load_operator_run(q.folder);
  const std::vector<std::string> coordinates = run.model->coordinates();
  if (coordinates.empty()) {
    throw Error(ErrorKind::unsupported, "this operator answers on grids, not at points", q.folder,
                "use cauchy evaluate --grid, or train a DeepONet");
  }
  Quantities quantities = quantities_of(q.of, run.file.problem.problem);
  const detail::Lowering lower(run.file.problem.problem);
  for (Expr& e : quantities.expressions) e = lower(e);
  std::vector<double> rows =
      q.at.empty() ? parse_grid(q.grid, coordinates).rows() : points_in(q.at, coordinates);
  const auto [data, first] = input_functions(q, run);
  const std::size_t d = coordinates.size(), n = rows.size() / d, m = quantities.names.size();
  require_memory(8.0 * static_cast<double>(data.size() * n * (1 + d + 2 * m)),
                 fmt::format("{} samples at {} points", data.size(), n), "use fewer points",
                 "predict");
  const std::vector<double> values =
      run.model->predict_at(data, quantities.expressions, rows, o.threads);
  const std::size_t outside = count_outside(run, rows);
  if (outside > 0) {
    fmt::print(console.err,
               "cauchy: {} of {} points lie outside of the domain: values there are extrapolated\n",
               outside, n);
  }
  Table table;
  table.columns = {"sample"};
  table.columns.insert(table.columns.end(), coordinates.begin(), coordinates.end());
  table.columns.insert(table.columns.end(), quantities.names.begin(), quantities.names.end());
  for (std::size_t s = 0; s < data.size(); ++s) {
    for (std::size_t i = 0; i < n; ++i) {
      table.values.push_back(static_cast<double>(first + s));
      for (std::size_t k = 0; k < d; ++k) table.values.push_back(rows[i * d + k]);
      for (std::size_t k = 0; k < m; ++k) table.values.push_back(values[(s * n + i) * m + k]);
    }
  }
  check_table(table, "--of");
  deliver(table, {q.out, o.json, quantities.names, "points", outside}, console);
}

}  // namespace cauchy::cli
