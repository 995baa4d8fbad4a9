#include "solvers/spectral/fourier.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>

#include "solvers/classical/grid_field.hpp"
#include "solvers/spectral/fourier_flow.hpp"
#include "solvers/spectral/fourier_form.hpp"
#include "solvers/spectral/fourier_march.hpp"

namespace cauchy::detail {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t fourier_time_width = 8,
                      fourier_space_width = 16;  // of the interpolation of the answer
constexpr std::size_t most_fourier_steps = std::size_t{1} << 20;
constexpr std::size_t first_fourier_stored = 32, most_fourier_stored = 1024;
constexpr double fourier_answer_bytes = 256e6;            // more states in time are kept up to this
constexpr std::size_t threaded_fourier_points = 1 << 14;  // fewer are not worth threads

std::size_t fourier_rounded_up(double steps, std::size_t multiple) {
  const double count = std::ceil(steps / static_cast<double>(multiple));
  return std::max<std::size_t>(1, static_cast<std::size_t>(count)) * multiple;
}

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
  [[nodiscard]] double order() const override { return 0; }

  [[nodiscard]] MethodCost cost(int level) const override {
    const std::size_t d = form_.n_evolved, dimension = form_.space.size();
    const double points =
        std::pow(static_cast<double>(n_of(level)), static_cast<double>(dimension));
    const double modes = points / 2, fields = static_cast<double>(problem_->fields.size());
    const double stored =
        static_cast<double>(std::min(first_fourier_stored, most_stored_at(points)) + 1);
    const auto columns = static_cast<double>(d);
    const double rows = static_cast<double>(field_atoms(form_.rest).size() + form_.n_rows());
    MethodCost cost;
    cost.method = fmt::format("spectral, {} Fourier modes", size_text(n_of(level)));
    cost.unknowns = static_cast<std::size_t>(points * static_cast<double>(form_.columns.size()));
    cost.bytes = 8 * points * (rows + fields * (form_.time ? stored : 1)) +
                 16 * modes * columns * (6 * columns + 10 + stored);
    cost.less = "take fewer points: n";
    if (measured_seconds_ > 0) {
      cost.seconds = measured_seconds_ *
                     std::exp2((level - measured_level_) * (static_cast<double>(dimension) + 0.5));
    } else {
      const double steps = form_.time ? 512 : 1;
      cost.seconds = 4 * steps * rows * points * (2.5 * std::log2(points) + 10) / 1.5e9;
    }
    return cost;
  }

  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override;

 private:
  struct March {
    FourierHistory history;
    double time_error = 0;  ///< infinite: not known
    bool stopped = false;
  };
  [[nodiscard]] std::size_t n_of(int level) const {
    if (options_.n > 0) return static_cast<std::size_t>(options_.n);
    return std::size_t{form_.space.size() < 3 ? 32u : 16u} << level;
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
  [[nodiscard]] March marched(FourierFlow& flow, const Modes& initial, int level,
                              const RunOptions& options, ClassicalAnswer& answer);
  [[nodiscard]] std::shared_ptr<const FieldModel> model_of(FourierFlow& flow,
                                                           const FourierHistory& history,
                                                           ClassicalAnswer& answer) const;

  std::shared_ptr<const Problem> problem_;
  Spectral options_;
  FourierForm form_;
  double tolerance_ = 0;
  std::size_t steps_hint_ = 0;  // that the last level took
  double measured_seconds_ = 0;
  int measured_level_ = 0;
};

void FourierSolver::check(const FourierFlow& flow) const {
  const auto refuse = [](const std::string& why, const std::string& hint) {
    throw Error(ErrorKind::unsupported, why, "[solvers.spectral]", hint);
  };
  if (!flow.system().failure.empty()) refuse(flow.system().failure, "use fdm");
  if (!form_.time && !field_atoms(form_.rest).empty()) {
    refuse(
        "a steady problem needs constant coefficients and no products of fields for Fourier "
        "series",
        "use fdm");
  }
  for (const FourierGauge& g : form_.gauges) {
    const bool open = std::any_of(
        flow.system().open.begin(), flow.system().open.end(), [&](const FourierSystem::Open& o) {
          return o.mode == 0 && form_.columns[o.column].field == g.field &&
                 o.column >= form_.n_evolved;
        });
    if (!open) {
      refuse(fmt::format("the equations determine the mean of {} already, a condition on it is one "
                         "too many",
                         g.field),
             "leave it out, or use pinn");
    }
  }
}

/// Marches with more and more steps until the last two agree, and stores states until what lies
/// between them is met.
FourierSolver::March FourierSolver::marched(FourierFlow& flow, const Modes& initial, int level,
                                            const RunOptions& options, ClassicalAnswer& answer) {
  const Clock::time_point start = Clock::now();
  const double begin = form_.time->lower, end = form_.time->upper;
  const FourierMeasure measure(flow.grid(), form_.n_evolved);
  const bool exact = flow.is_linear() || form_.n_evolved == 0, fixed = options_.step > 0;
  const std::size_t most = most_stored_at(static_cast<double>(flow.grid().n_points()));
  const double least_steps = fixed ? (end - begin) / options_.step * (1 - 1e-12) : 1;
  std::size_t stored = std::min(first_fourier_stored, most);
  while (fixed && stored > 1 && static_cast<double>(stored) > least_steps) stored /= 2;
  std::size_t steps = fourier_rounded_up(fixed   ? least_steps
                                         : exact ? 1
                                                 : static_cast<double>(steps_hint_) / 2,
                                         stored);
  March best;
  best.time_error = std::numeric_limits<double>::infinity();
  const std::string message = fmt::format("spectral, {} modes", size_text(flow.grid().n()[0]));
  std::vector<double> ends;  // times at which marches ceased to be finite
  for (;;) {
    FourierHistory h =
        fourier_march(flow, initial, begin, end, steps, stored, [&](std::size_t step) {
          const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
          if (options.max_seconds > 0 && elapsed > options.max_seconds) return true;
          if (options.progress == nullptr) return false;
          if (step % std::max<std::size_t>(1, steps / 64) == 0) {
            options.progress->update({.step = step,
                                      .total = steps,
                                      .elapsed_s = elapsed,
                                      .message = message,
                                      .stage = "etdrk4",
                                      .limit_s = options.max_seconds});
          }
          return options.progress->stop_requested();
        });
    if (h.stopped) {
      best.stopped = true;
      return best;
    }
    if (!h.finite) {
      const std::size_t k = ends.size();
      const double now = h.reached - begin;
      const bool same = k >= 2 && std::abs(now - ends[k - 1]) <= 0.02 * now &&
                        std::abs(now - ends[k - 2]) <= 0.05 * now;
      ends.push_back(now);
      if (same || fixed || 2 * steps > most_fourier_steps) {
        answer.finite = false;
        answer.troubles.push_back(fmt::format(
            "it ceases to be finite at {} = {:.4g}, with {} steps{}", form_.time->name, h.reached,
            steps, fixed ? fmt::format("; leave step = {} out", options_.step) : ""));
        return best;
      }
      best.history = {};
      steps *= 2;
      continue;
    }
    const double allowed = 0.1 * std::max({tolerance_, measure.tail(h), 1e-12});
    const double gap = measure.time_gap(h, fourier_time_width);
    std::size_t next_stored = stored;
    for (double g = gap; g > allowed && 2 * next_stored <= most; g /= 100) next_stored *= 2;
    if (fixed) next_stored = std::min<std::size_t>(next_stored, std::max(stored, steps));
    if (exact) best.time_error = 0;
    if (!exact && !fixed && !best.history.at.empty() && steps > best.history.steps) {
      // Less than the fourth order is believed: initial values may be rough.
      const double ratio = static_cast<double>(steps) / static_cast<double>(best.history.steps);
      best.time_error = measure.difference(best.history, h) / (std::pow(ratio, 3) - 1);
    }
    best.history = std::move(h);
    const bool settled = fixed || best.time_error <= allowed;
    if (settled && next_stored == stored) {
      if (gap > allowed) {
        answer.remarks.push_back(
            fmt::format("{} states in time are kept, interpolation between them adds about {:.1e}",
                        stored, gap));
      }
      break;
    }
    double factor = 1;
    if (!settled) {
      factor =
          std::isfinite(best.time_error)
              ? std::clamp(std::ceil(1.1 * std::pow(best.time_error / allowed, 0.25)), 2.0, 8.0)
              : 2;
    }
    const std::size_t next =
        fourier_rounded_up(exact ? 1 : factor * static_cast<double>(steps), next_stored);
    if (next > most_fourier_steps) {
      answer.troubles.push_back(
          fmt::format("the error in time is about {:.1e} with {} steps, {:.1e} was aimed at",
                      best.time_error, steps, allowed));
      break;
    }
    stored = next_stored;
    steps = next;
  }
  steps_hint_ = best.history.steps;
  measured_level_ = level;
  return best;
}

std::shared_ptr<const FieldModel> FourierSolver::model_of(FourierFlow& flow,
                                                          const FourierHistory& history,
                                                          ClassicalAnswer& answer) const {
  const FourierGrid& grid = flow.grid();
  const std::size_t d = form_.n_evolved, c = form_.columns.size() - d, n = grid.n_modes();
  // All columns at every stored time; the answer may need more points than the march.
  std::vector<Modes> states;
  for (std::size_t l = 0; l < history.at.size(); ++l) {
    Modes all = history.at[l];
    if (c > 0) {
      const Modes tied = flow.tied(history.time(l), history.at[l]);
      all.insert(all.end(), tied.begin(), tied.end());
    }
    states.push_back(std::move(all));
  }
  const FourierHistory whole{history.begin, history.end, history.steps, std::move(states)};
  const FourierMeasure measure(grid, form_.columns.size());
  std::vector<std::size_t> points = grid.n();
  const double allowed = 0.1 * std::max(tolerance_, measure.tail(whole));
  const auto bytes = [&] {
    double all = 8 * static_cast<double>(whole.at.size() * problem_->fields.size());
    for (const std::size_t p : points) all *= static_cast<double>(p);
    return all;
  };
  double gap = measure.space_gap(whole, points, fourier_space_width);
  for (int k = 0; k < 3 && (points[0] < 2 * fourier_space_width || gap > allowed); ++k) {
    if (bytes() * std::exp2(static_cast<double>(points.size())) > 4 * fourier_answer_bytes) {
      answer.remarks.push_back(fmt::format("interpolation between points adds about {:.1e}", gap));
      break;
    }
    for (std::size_t& p : points) p *= 2;
    gap = measure.space_gap(whole, points, fourier_space_width);
  }
  const FourierGrid fine(form_.lower, form_.length, points, grid.highest());
  FourierGrid::Scratch scratch = fine.scratch();
  std::vector<GridAxis> axes;
  if (form_.time) {
    GridAxis axis{form_.time->name, {}, GridAxis::Kind::local, 0, fourier_time_width};
    for (std::size_t l = 0; l < whole.at.size(); ++l) axis.nodes.push_back(whole.time(l));
    axes.push_back(std::move(axis));
  }
  for (std::size_t k = 0; k < form_.space.size(); ++k) {
    axes.push_back({form_.space[k], fine.nodes(k), GridAxis::Kind::periodic, form_.length[k],
                    static_cast<int>(fourier_space_width)});
  }
  const FourierGrid::Derivative none = fine.derivative(std::vector<int>(form_.space.size(), 0));
  std::vector<std::vector<double>> values;
  for (const std::string& field : problem_->fields) {
    const std::size_t column = form_.column_of(field, 0);
    std::vector<double>& v = values.emplace_back(whole.at.size() * fine.n_points());
    for (std::size_t l = 0; l < whole.at.size(); ++l) {
      // The modes are the same ones on both grids.
      fine.to_points(std::span(whole.at[l]).subspan(column * n, n), none,
                     std::span(v).subspan(l * fine.n_points(), fine.n_points()), scratch);
    }
  }
  return std::make_shared<GridField>("spectral", problem_, std::move(axes), problem_->fields,
                                     std::move(values));
}

ClassicalAnswer FourierSolver::solve(int level, const RunOptions& options) {
  const Clock::time_point start = Clock::now();
  ClassicalAnswer answer;
  const std::size_t n = n_of(level);
  answer.method = fmt::format("spectral, {} Fourier modes", size_text(n));
  FourierGrid grid = grid_of(n);
  Threads threads(grid.n_points() >= threaded_fourier_points ? options.threads : 1);
  FourierFlow flow(*problem_, form_, std::move(grid), threads);
  answer.n_unknowns = 2 * flow.grid().n_modes() * form_.columns.size();
  answer.remarks = form_.remarks;
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
  March run;
  run.history = {0, 1, 0, {initial}};
  if (form_.time) {
    run = marched(flow, initial, level, options, answer);
    answer.interrupted = run.stopped;
    if (run.history.at.size() < 2) return answer;
    answer.method += fmt::format(", {} steps of ETDRK4", run.history.steps);
    if (options_.step == 0 && run.time_error > 0 && std::isfinite(run.time_error)) {
      answer.remarks.push_back(fmt::format("error in time about {:.1e}", run.time_error));
    }
  }
  for (const std::size_t l : {std::size_t{0}, run.history.at.size() - 1}) {
    const double t = form_.time ? run.history.time(l) : 0;
    const FourierFlow::Imbalance left = flow.imbalance(t, run.history.at[l]);
    if (left.size > std::max(tolerance_, 1e-10)) {
      answer.troubles.push_back(fmt::format(
          "the mean of '{}' cannot vanish ({:.1e} of its size is left): there is no periodic "
          "solution",
          left.row, left.size));
      break;
    }
  }
  const FourierMeasure measure(flow.grid(), form_.n_evolved);
  const double tail = measure.tail(run.history);
  if (tail > tolerance_) {
    answer.remarks.push_back(
        fmt::format("the last quarter of the modes holds {:.1e} of the fields", tail));
  }
  answer.model = model_of(flow, run.history, answer);
  measured_seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
  measured_level_ = level;
  return answer;
}

}  // namespace

std::unique_ptr<ClassicalSolver> make_fourier_solver(std::shared_ptr<const Problem> problem,
                                                     const Spectral& options) {
  return std::make_unique<FourierSolver>(std::move(problem), options);
}

}  // namespace cauchy::detail
