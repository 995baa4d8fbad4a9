#include "solvers/spectral/fourier.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>

#include "solvers/classical/grid_field.hpp"
#include "solvers/spectral/fourier_flow.hpp"
#include "solvers/spectral/fourier_form.hpp"
#include "solvers/spectral/fourier_steady.hpp"
#include "solvers/spectral/fourier_steps.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t most_fourier_stored = 1024;
constexpr double fourier_answer_bytes = 256e6;            // more states in time are kept up to this
constexpr std::size_t threaded_fourier_points = 1 << 14;  // fewer are not worth threads

class FourierSolver final : public ClassicalSolver {
 public:
  FourierSolver(std::shared_ptr<const Problem> problem, const Spectral& options)
      : problem_(std::move(problem)), options_(options), form_(fourier_form(*problem_)) {
    if (options_.n != 0 && options_.n < 8) {
      throw Error(fmt::format("n is {}, Fourier series need at least 8 points", options_.n),
                  "[solvers.spectral]");
    }
    tolerance_ =
        options_.tolerance > 0 ? options_.tolerance : problem_->tolerance.value_or(1e-3) / 10;
    Threads one(1);
    const FourierFlow small(*problem_, form_, grid_of(8), one);
    check(small);
  }

  [[nodiscard]] int levels() const override {
    constexpr int by_dimension[] = {11, 7, 5};
    return options_.n > 0 ? 1 : by_dimension[form_.space.size() - 1];
  }
  [[nodiscard]] int coarser() const override {
    return std::min(halvings(static_cast<int>(n_of(0)), 8), options_.n > 0 ? 2 : 1);
  }
  [[nodiscard]] double order() const override { return of_series; }

  [[nodiscard]] MethodCost cost(int level) const override {
    const std::size_t d = form_.n_evolved, dimension = form_.space.size();
    const double points =
        std::pow(static_cast<double>(n_of(level)), static_cast<double>(dimension));
    const double modes = points / 2, fields = static_cast<double>(problem_->fields.size());
    const auto stored = static_cast<double>(most_stored_at(points));
    const auto columns = static_cast<double>(d);
    const double rows = static_cast<double>(field_atoms(form_.rest).size() + form_.n_rows());
    MethodCost cost;
    cost.method = fmt::format("spectral, {} Fourier modes", size_text(n_of(level)));
    cost.unknowns = static_cast<std::size_t>(points * static_cast<double>(form_.columns.size()));
    // Two histories and the answer, with as many states as there may be.
    cost.bytes = 8 * points * (rows + (form_.time ? 3 * fields * stored : fields)) +
                 16 * modes * columns * (6 * columns + 10);
    cost.less = "take fewer points: n";
    // ETDRK4 needs about sqrt(2) times the steps where the grid is twice as fine.
    const double steps = !form_.time       ? 1
                         : last_steps_ > 0 ? static_cast<double>(last_steps_) *
                                                 std::exp2(0.5 * (level - last_level_))
                                           : 512;
    // Four stages, for each row a transform of half as many complex numbers.
    cost.work.add(WorkKind::dense,
                  4 * steps * rows * 10 * (points / 2 + 100) * std::log2(points + 1));
    return cost;
  }

  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override;

 private:
  [[nodiscard]] std::size_t n_of(int level) const {
    const int first = form_.space.size() < 3 ? 32 : 16;
    return static_cast<std::size_t>(cells_at(options_.n > 0 ? options_.n : first, level));
  }
  [[nodiscard]] std::string size_text(std::size_t n) const {
    return fmt::format("{}", fmt::join(std::vector<std::size_t>(form_.space.size(), n), " x "));
  }
  /// Products of p factors fold nothing onto kept modes when (p + 1) k < n. For what is no
  /// polynomial, or one of high degree, two thirds of the modes are kept.
  [[nodiscard]] FourierGrid grid_of(std::size_t n) const {
    const int p = !options_.dealias ? 1 : form_.degree <= 4 ? form_.degree : 2;
    const std::size_t highest = std::max<std::size_t>(1, (n - 1) / static_cast<std::size_t>(p + 1));
    const std::vector<std::size_t> all(form_.space.size(), n), top(form_.space.size(), highest);
    return {form_.lower, form_.length, all, top};
  }
  [[nodiscard]] std::size_t most_stored_at(double points) const {
    const double bytes = 8 * points * static_cast<double>(problem_->fields.size());
    std::size_t stored = 16;
    while (stored < most_fourier_stored &&
           2 * static_cast<double>(stored) * bytes <= fourier_answer_bytes)
      stored *= 2;
    return stored;
  }

  void check(const FourierFlow& flow) const;
  [[nodiscard]] std::shared_ptr<const FieldModel> model_of(FourierFlow& flow,
                                                           FourierHistory history,
                                                           ClassicalAnswer& answer) const;

  std::shared_ptr<const Problem> problem_;
  Spectral options_;
  SpectralForm form_;
  double tolerance_ = 0;
  std::size_t last_steps_ = 0;  // of the last level
  int last_level_ = 0;
};

void FourierSolver::check(const FourierFlow& flow) const {
  const auto refuse = [](const std::string& why, const std::string& hint) {
    throw Error(ErrorKind::unsupported, why, "[solvers.spectral]", hint);
  };
  if (!flow.system().failure.empty()) refuse(flow.system().failure, "use fdm");
  for (const FourierGauge& g : form_.gauges) {
    const bool open = std::any_of(
        flow.system().open.begin(), flow.system().open.end(), [&](const FourierSystem::Open& o) {
          return form_.columns[o.column].field == g.field && o.column >= form_.n_evolved;
        });
    if (!open) {
      refuse(fmt::format("the equations determine the mean of {} already, a condition on it is one "
                         "too many",
                         g.field),
             "leave it out, or use pinn");
    }
  }
}

std::shared_ptr<const FieldModel> FourierSolver::model_of(FourierFlow& flow, FourierHistory history,
                                                          ClassicalAnswer& answer) const {
  const FourierGrid& grid = flow.grid();
  const std::size_t d = form_.n_evolved, c = form_.columns.size() - d, n = grid.n_modes();
  // All columns at every stored time; the answer may need more points than the march.
  for (std::size_t l = 0; c > 0 && l < history.at.size(); ++l) {
    const double t = form_.time ? history.time(l) : 0;
    const Modes tied = flow.tied(t, history.at[l]);
    history.at[l].insert(history.at[l].end(), tied.begin(), tied.end());
  }
  const FourierMeasure measure(grid, form_.columns.size());
  std::vector<std::size_t> points = grid.n();
  const double tail = measure.tail(history), allowed = 0.1 * std::max(tolerance_, tail);
  if (!std::isfinite(tail)) {
    answer.finite = false;
    answer.troubles.emplace_back("a known function of the equations is not finite at some point");
    return nullptr;
  }
  if (tail > tolerance_) {
    answer.remarks.push_back(
        fmt::format("the last quarter of the modes holds {:.1e} of the fields", tail));
  }
  const auto bytes = [&] {
    double all = 8 * static_cast<double>(history.at.size() * problem_->fields.size());
    for (const std::size_t p : points) all *= static_cast<double>(p);
    return all;
  };
  // Nodes of the interpolation per direction; in space of three, values would be dear.
  const std::size_t width = points.size() < 3 ? 16 : 10;
  double gap = measure.space_gap(history, points, width);
  for (int k = 0; k < 3 && (points[0] < width || gap > allowed); ++k) {
    if (bytes() * std::exp2(static_cast<double>(points.size())) > 2 * fourier_answer_bytes) {
      answer.remarks.push_back(fmt::format("interpolation between points adds about {:.1e}", gap));
      break;
    }
    for (std::size_t& p : points) p *= 2;
    gap = measure.space_gap(history, points, width);
  }
  answer.error += measure.beyond(history) + gap;
  const FourierGrid fine(form_.lower, form_.length, points, grid.highest());
  FourierGrid::Scratch scratch = fine.scratch();
  std::vector<GridAxis> axes;
  if (form_.time) {
    GridAxis axis{form_.time->name, {}, GridAxis::Kind::local, 0, fourier_time_width};
    for (std::size_t l = 0; l < history.at.size(); ++l) axis.nodes.push_back(history.time(l));
    axes.push_back(std::move(axis));
  }
  for (std::size_t k = 0; k < form_.space.size(); ++k) {
    axes.push_back({form_.space[k], fine.nodes(k), GridAxis::Kind::periodic, form_.length[k],
                    static_cast<int>(width)});
  }
  const FourierGrid::Derivative none = fine.derivative(std::vector<int>(form_.space.size(), 0));
  std::vector<std::vector<double>> values;
  for (const std::string& field : problem_->fields) {
    const std::size_t column = form_.column_of(field, 0);
    std::vector<double>& v = values.emplace_back(history.at.size() * fine.n_points());
    for (std::size_t l = 0; l < history.at.size(); ++l) {
      // The modes are the same ones on both grids.
      fine.to_points(std::span(history.at[l]).subspan(column * n, n), none,
                     std::span(v).subspan(l * fine.n_points(), fine.n_points()), scratch);
    }
  }
  return std::make_shared<GridField>("spectral", problem_, std::move(axes), problem_->fields,
                                     std::move(values));
}

ClassicalAnswer FourierSolver::solve(int level, const RunOptions& options) {
  ClassicalAnswer answer;
  const std::size_t n = n_of(level);
  answer.method = fmt::format("spectral, {} Fourier modes", size_text(n));
  FourierGrid grid = grid_of(n);
  Threads threads(grid.n_points() >= threaded_fourier_points ? options.threads : 1);
  FourierFlow flow(*problem_, form_, std::move(grid), threads);
  answer.n_unknowns = 2 * flow.grid().n_modes() * form_.columns.size();
  answer.remarks = form_.remarks;
  for (const FourierSystem::Open& o : flow.system().open) {
    const std::string& field = form_.columns[o.column].field;
    if (o.column >= form_.n_evolved &&
        std::none_of(form_.gauges.begin(), form_.gauges.end(),
                     [&](const FourierGauge& g) { return g.field == field; })) {
      answer.remarks.push_back(fmt::format("the mean of {} is open, it was set to 0", field));
    }
  }
  if (!flow.system().failure.empty()) {
    answer.troubles.push_back(flow.system().failure);
    return answer;
  }
  Modes initial = flow.initial();
  if (flow.system().projection.rows() > 0) {
    Modes projected(initial.size());
    flow.system().projection.apply(initial, projected);
    const FourierMeasure measure(flow.grid(), form_.n_evolved);
    const double moved = measure.difference({0, 1, 1, {initial}}, {0, 1, 1, {projected}});
    if (!(moved <= tolerance_)) {
      answer.troubles.push_back(fmt::format(
          "the initial values do not meet the constraints of the equations: they had to be moved "
          "by {:.1e}",
          moved));
    }
    initial = std::move(projected);
  }
  FourierRun run;
  run.history = {0, 1, 0, {initial}};
  if (!form_.time) {
    FourierSteady steady = fourier_steady(flow, form_.columns.size(), options);
    answer.interrupted = steady.stopped;
    if (!steady.trouble.empty()) answer.troubles.push_back(steady.trouble);
    if (steady.steps > 0) {
      answer.method += fmt::format(", {} steps of Newton's method", steady.steps);
    }
    flow.settle(std::move(steady.modes));
  } else {
    const FourierSteps how{tolerance_, options_.step, std::max<std::size_t>(1, last_steps_ / 2),
                           most_stored_at(static_cast<double>(flow.grid().n_points()))};
    run = fourier_run(flow, initial, *form_.time, form_.n_evolved, how, options, answer.method);
    answer.interrupted = run.stopped;
    answer.finite = run.finite;
    std::move(run.troubles.begin(), run.troubles.end(), std::back_inserter(answer.troubles));
    std::move(run.remarks.begin(), run.remarks.end(), std::back_inserter(answer.remarks));
    if (run.history.at.empty()) return answer;
    last_steps_ = run.history.steps;
    answer.error = run.time_gap + (std::isfinite(run.time_error) ? run.time_error : 0);
    answer.method += fmt::format(", {} steps of ETDRK4", run.history.steps);
    if (run.time_error > 0 && std::isfinite(run.time_error)) {
      answer.remarks.push_back(fmt::format("error in time about {:.1e}", run.time_error));
    }
  }
  for (const std::size_t l : {std::size_t{0}, run.history.at.size() - 1}) {
    const double t = form_.time ? run.history.time(l) : 0;
    const FourierFlow::Imbalance left = flow.imbalance(t, run.history.at[l]);
    if (!(left.size <= std::max(tolerance_, 1e-10))) {
      answer.troubles.push_back(fmt::format(
          "the mean of '{}' cannot vanish ({:.1e} of its size is left): there is no periodic "
          "solution",
          left.row, left.size));
      break;
    }
  }
  answer.model = model_of(flow, std::move(run.history), answer);
  last_level_ = level;
  return answer;
}

}  // namespace

std::unique_ptr<ClassicalSolver> make_fourier_solver(std::shared_ptr<const Problem> problem,
                                                     const Spectral& options) {
  return std::make_unique<FourierSolver>(std::move(problem), options);
}

}  // namespace cauchy::detail
