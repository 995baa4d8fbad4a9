#include "data/sample_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

#include "problem/doubts.hpp"
#include "solvers/auto_classical/prepared_auto_classical.hpp"
#include "solvers/spectral/fourier_form.hpp"  // is_periodic

namespace cauchy::detail {
namespace {

const MethodEntry& entry_of(const Method& method) {
  const auto& all = all_methods();
  const auto it = std::find_if(all.begin(), all.end(), [&](const MethodEntry& e) {
    return e.options.index() == method.index();
  });
  if (it == all.end()) {
    throw Error(ErrorKind::unsupported,
                fmt::format("data are not made by a method from outside ({})", name_of(method)),
                "method");
  }
  return *it;
}

/// Passes on a wish to stop, and nothing else.
class StopOnly final : public Progress {
 public:
  explicit StopOnly(const Progress* from) : from_(from) {}
  void update(const ProgressState&) override {}
  void finish(const ProgressState&) override {}
  [[nodiscard]] bool stop_requested() const noexcept override {
    return from_ != nullptr && from_->stop_requested();
  }

 private:
  const Progress* from_;
};

/// Whether a method works on a grid of its own, with settings that name none.
bool is_gridded(const Method& method, const Problem& problem) {
  if (const Fdm* m = std::get_if<Fdm>(&method)) return m->n == 0;
  if (const Fvm* m = std::get_if<Fvm>(&method)) return m->n == 0;
  const Spectral* m = std::get_if<Spectral>(&method);
  return m != nullptr && m->n == 0 && is_periodic(problem);
}

/// The method on a grid that holds the nodes of `grid`: cells (of Fourier series, points) along the
/// longest side.
Method on_grid_of(Method method, const FieldGrid& grid) {
  double longest = 0, cells = 0;
  int points = 8;
  for (const FieldGrid::Axis& a : grid.axes) {
    longest = std::max(longest, a.upper - a.lower);
    points = std::max(points, a.n);
  }
  for (const FieldGrid::Axis& a : grid.axes) cells = std::max(cells, longest / a.spacing());
  const int n = static_cast<int>(std::lround(std::ceil(cells - 1e-9)));
  if (Fdm* m = std::get_if<Fdm>(&method)) m->n = n;
  if (Fvm* m = std::get_if<Fvm>(&method)) m->n = n;
  if (Spectral* m = std::get_if<Spectral>(&method)) m->n = points;
  return method;
}

/// Sparse factors of some thousand unknowns take longer than multigrid, where that fits.
void prefer_multigrid(Method& method, const FieldGrid& grid,
                      const std::shared_ptr<const Problem>& problem) {
  Fdm* m = std::get_if<Fdm>(&method);
  if (m == nullptr || m->linear_solver != LinearSolver::automatic || m->order > 2 ||
      grid.axes.size() < 2 || grid.n_points() < 6000 || problem->domain->time() != nullptr) {
    return;
  }
  Fdm other = *m;
  other.linear_solver = LinearSolver::multigrid;
  try {
    (void)entry_of(other).prepare(problem, other, 1);
    *m = other;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
  }
}

/// Names of methods, the most promising first. Random functions are rough: polynomials of the whole
/// box, which the plain ranking likes for smooth tables, come behind differences.
std::vector<std::string_view> data_ranking(const Problem& problem) {
  std::vector<std::string_view> names = classical_ranking(problem);
  if (is_periodic(problem)) return names;
  const auto spectral = std::find(names.begin(), names.end(), "spectral");
  const auto fdm = std::find(names.begin(), names.end(), "fdm");
  if (spectral < fdm && fdm != names.end()) std::rotate(spectral, spectral + 1, fdm + 1);
  return names;
}

std::vector<double> times_of(const OperatorProblem& problem) {
  const Time* time = problem.problem.domain->time();
  if (time == nullptr) return {};
  return problem.times.empty() ? std::vector<double>{time->upper} : problem.times;
}

std::vector<std::string> fields_of(const OperatorProblem& problem) {
  return problem.outputs.empty() ? problem.problem.fields : problem.outputs;
}

/// Throws Error where conditions are missing: differences would fill the gap with something, and
/// the samples would be answers to no problem. In a system another field may hold the condition.
void require_conditions(const Problem& problem) {
  if (problem.fields.size() != 1) return;
  const std::vector<std::string> missing = missing_conditions(problem);
  if (missing.empty()) return;
  throw Error("the inputs do not determine the outputs: " + missing.front(), "[operator]",
              "add the condition to the problem");
}

}  // namespace

SampleMethod sample_method(const OperatorProblem& op) {
  SampleMethod chosen{op.method};
  const FieldGrid grid = refined(grid_of(op), std::max(1, op.refine));
  const auto problem =
      std::make_shared<const Problem>(InputSampler(op, grid).problem_of(op.problem, 0));
  require_conditions(*problem);
  if (const AutoClassical* asked = std::get_if<AutoClassical>(&op.method)) {
    std::vector<std::string> reasons;
    std::optional<Method> found;
    for (const std::string_view name : data_ranking(*problem)) {
      const auto& all = all_methods();
      Method method = std::find_if(all.begin(), all.end(), [&](const auto& e) {
                        return e.name == name;
                      })->options;
      std::visit(
          [&](auto& m) {
            if constexpr (requires { m.tolerance; }) m.tolerance = asked->tolerance;
          },
          method);
      try {
        (void)entry_of(method).prepare(problem, method, 1);
        found = std::move(method);
        break;
      } catch (const Error& e) {
        if (e.kind() != ErrorKind::unsupported) throw;
        reasons.push_back(e.message());
      }
    }
    if (!found) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("no classical method fits: {}", fmt::join(reasons, "; ")), "method");
    }
    chosen.method = *found;
  }
  chosen.gridded = is_gridded(chosen.method, *problem);
  chosen.refine = std::max(1, op.refine);
  return chosen;
}

std::vector<std::string> output_channels(const OperatorProblem& problem) {
  if (problem.source) return problem.source->outputs();
  const Time* time = problem.problem.domain->time();
  std::vector<std::string> names;
  if (time == nullptr) return fields_of(problem);
  for (const double t : times_of(problem)) {
    for (const std::string& f : fields_of(problem)) {
      names.push_back(fmt::format("{}({}={})", f, time->name, t));
    }
  }
  return names;
}

SampleSolver::SampleSolver(const OperatorProblem& op, SampleMethod chosen)
    : problem_(op),
      method_(std::move(chosen.method)),
      inputs_(op, refined(grid_of(op), chosen.refine)) {
  for (const std::string& f : fields_of(op)) fields_.emplace_back(Field(f));
  const FieldGrid grid = grid_of(op);
  const std::vector<double> nodes = grid.positions(), times = times_of(op);
  const std::size_t d = grid.axes.size();
  n_nodes_ = grid.n_points();
  n_times_ = std::max<std::size_t>(1, times.size());
  for (std::size_t t = 0; t < n_times_; ++t) {
    for (std::size_t i = 0; i < n_nodes_; ++i) {
      if (!times.empty()) points_.push_back(times[t]);
      for (std::size_t k = 0; k < d; ++k) points_.push_back(nodes[i * d + k]);
    }
  }
  if (!chosen.gridded) return;
  method_ = on_grid_of(std::move(method_), inputs_.grid());
  prefer_multigrid(method_, inputs_.grid(),
                   std::make_shared<const Problem>(inputs_.problem_of(op.problem, 0)));
}

SampleAnswer SampleSolver::solve(std::uint64_t number, Progress* progress) const {
  const std::string place = fmt::format("sample {}", number);
  StopOnly stop(progress);
  RunOptions options;
  options.threads = 1;
  options.progress = &stop;
  SampleAnswer answer;
  try {
    auto problem = std::make_shared<const Problem>(inputs_.problem_of(problem_.problem, number));
    const auto prepared = entry_of(method_).prepare(std::move(problem), method_, 1);
    PreparedMethod::Answer run = prepared->run(options);
    answer.method = run.solution.method;
    answer.interrupted = run.solution.interrupted || stop.stop_requested();
    if (answer.interrupted) return answer;
    if (!run.outcome.troubles.empty()) throw Error(run.outcome.troubles.front());
    if (!run.outcome.finite) throw Error("its solution is not finite");
    answer.known_error = run.known_error;
    answer.error = run.solution.estimate ? run.solution.estimate->relative_l2
                                         : std::numeric_limits<double>::quiet_NaN();
    const std::size_t F = fields_.size();
    std::vector<double> values(n_times_ * n_nodes_ * F);
    run.solution.model->evaluate(fields_, points_, values);
    answer.out.resize(values.size());
    for (std::size_t t = 0; t < n_times_; ++t) {
      for (std::size_t i = 0; i < n_nodes_; ++i) {
        for (std::size_t f = 0; f < F; ++f) {
          answer.out[(t * F + f) * n_nodes_ + i] = values[(t * n_nodes_ + i) * F + f];
        }
      }
    }
  } catch (const Error& e) {
    if (e.place().starts_with("input '")) throw;
    throw Error(e.kind(), e.message(), place, e.hint());
  }
  if (!std::all_of(answer.out.begin(), answer.out.end(),
                   [](double v) { return std::isfinite(v); })) {
    throw Error("its solution is not finite at some node", place);
  }
  return answer;
}

}  // namespace cauchy::detail
