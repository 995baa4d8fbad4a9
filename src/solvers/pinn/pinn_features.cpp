#include "solvers/pinn/pinn_features.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>

#include "math/dense_work.hpp"
#include "problem/lowering.hpp"
#include "solvers/pinn/pinn_inputs.hpp"

namespace cauchy::detail {
namespace {

/// Of a problem that is not linear: damped Gauss-Newton steps. They are cheap beside the search for
/// the scale, and geodesic acceleration holds them up where the curvature is that of the problem.
std::vector<Stage> feature_stages(bool linear) {
  constexpr std::uint64_t steps = 40;
  if (linear) return {};  // one solution
  return {{LevenbergMarquardtOptions{.acceleration = false}, steps}};
}

/// The method with random features in place of its network: least squares on fixed points, three
/// rows of the equations for every feature.
Pinn with_features(const Pinn& method, const Elm& elm, bool linear = true) {
  Pinn made = method;
  made.network = elm;
  made.features = {};
  made.stages = feature_stages(linear);
  made.rules = {};
  made.start = {};
  made.goal = 0;
  made.contraction = 0;
  made.diagnose = false;
  made.last_layer = LastLayerStart::random;
  const auto n = static_cast<std::size_t>(elm.features);
  made.points.interior = 3 * n;
  made.points.boundary = std::min(made.points.boundary, n);
  made.points.initial = std::min(made.points.initial, n);
  made.points.redraw = made.points.batch = 0;
  return made;
}

/// Whether the weights of few features are the solution of one linear least-squares problem.
bool is_least_squares(const PinnAssembly& pinn) {
  return entry_of(pinn.stages.front().method).name == "gauss_newton";
}

constexpr std::size_t most_feature_weights = 4000;  // of a dense matrix

}  // namespace

void expect_features(const std::shared_ptr<const Problem>& problem, const Pinn& method) {
  if (method.features.counts.empty()) return;
  const auto refuse = [](const char* reason) {
    throw Error(ErrorKind::unsupported, reason, "[method.features]", "leave them out");
  };
  const CurriculumOptions& curriculum = method.rules.curriculum;
  if (std::holds_alternative<ContinuationCurriculum>(curriculum) ||
      std::holds_alternative<GridCurriculum>(curriculum)) {
    refuse("random features are tried once, and this curriculum makes several trainings");
  }
  if (std::holds_alternative<WindowCurriculum>(curriculum) && problem->domain->space() == nullptr) {
    refuse("random features are not tried on windows of a problem in time alone");
  }
  if (!problem->unknowns.empty() || !problem->coefficients.empty()) {
    refuse("random features have no unknown constants and coefficients");
  }
  const PinnAssembly few(problem, with_features(method, Elm{.features = 4}));
  if (!is_least_squares(few) && std::holds_alternative<WindowCurriculum>(curriculum)) {
    refuse(
        "random features of windows are found by linear least squares, and the problem is not "
        "linear");
  }
}

Work search_work(const Problem& problem, const Pinn& method) {
  Work work;
  if (method.features.counts.empty()) return work;
  const Lowering lower(problem);
  const bool linear =
      std::all_of(problem.equation.begin(), problem.equation.end(),
                  [&](const ProblemEquation& e) { return is_linear(lower(e.form.residual())); });
  double trials = 5;
  for (const double count : method.features.counts) {
    const Pinn made = with_features(method, Elm{.features = static_cast<int>(count)});
    const double columns = count * static_cast<double>(problem.fields.size());
    double rows = static_cast<double>(made.points.interior * problem.equation.size());
    rows += static_cast<double>(made.points.boundary * problem.condition.size());
    const auto size = static_cast<std::size_t>(columns);
    Work trial;
    if (linear) {
      // Factors, and those of the triangle with pivots.
      trial += dense_work(2 * rows * columns * columns, size, speed_of_reflections);
      trial += least_squares_work(columns, size, false);
    } else {
      constexpr double steps = 20, solutions = 4;  // for some dampings each
      trial.add(WorkKind::dense,
                steps * (rows * columns * columns + solutions * std::pow(columns, 3) / 3));
    }
    work += trial.times(trials);
    trials = 2;
  }
  return work;
}

std::optional<FeatureAnswer> FeatureSearch::try_one(const std::shared_ptr<const Problem>& problem,
                                                    const HandedStart& start,
                                                    const RunOptions& options,
                                                    const Elm& network) const {
  if (options.limit.end() == RunLimit::End::asked) return std::nullopt;
  FeatureAnswer answer;
  answer.network = network;
  answer.pinn = std::make_unique<const PinnAssembly>(
      problem, with_features(method_, answer.network, linear_), start);
  if (answer.pinn->graph->n_parameters() > most_feature_weights) return std::nullopt;
  answer.training = std::make_unique<PinnTraining>(*answer.pinn, pool_);
  RunOptions alone = options;
  alone.progress = nullptr;
  alone.checkpoint.clear();
  alone.on_history = {};
  alone.target_error = 0;
  TrainingSetup setup = answer.training->setup();
  if (!linear_) {
    constexpr std::uint64_t early = 15;
    constexpr double lost = 0.3;  // of the terms: nothing has been solved by then
    setup.finished_every = 5;
    setup.finished = [&](std::span<const double> theta, std::uint64_t step) {
      const double residual = answer.training->fresh_residual(theta);
      return residual <= method_.features.goal || (step >= early && !(residual <= lost));
    };
  }
  answer.trained = answer.training->train(answer.training->first_parameters(), setup, alone);
  answer.residual = answer.training->fresh_residual(answer.trained.theta);
  if (!answer.trained.outcome.finite || !std::isfinite(answer.residual)) return std::nullopt;
  return answer;
}

/// The trials of one search.
class FeatureSearch::Trials final {
 public:
  Trials(FeatureSearch& search, const std::shared_ptr<const Problem>& problem,
         const HandedStart& start, const RunOptions& options)
      : search_(search), problem_(problem), start_(start), options_(options) {
    const PinnAssembly one(problem, with_features(search.method_, Elm{.features = 1}), start);
    search.linear_ = is_least_squares(one);
    const PinnInputs inputs(*one.problem, search.method_.periodic, one.sizes);
    for (const Sizes::Axis& axis : one.sizes.axes) {
      rows_.push_back(inputs.rows({axis.name}).size());
      names_.push_back(axis.name);
    }
    n_ = static_cast<int>(inputs.rows().size());
  }

  [[nodiscard]] std::size_t n_axes() const noexcept { return rows_.size(); }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] bool done() const { return best && best->residual <= rule().goal; }
  [[nodiscard]] const FeatureTrial& rule() const { return search_.method_.features; }
  [[nodiscard]] double seconds() const { return options_.limit.seconds(); }

  /// Whether features of this shape are clearly better than the best, which they then are.
  bool improves(double count, const Shape& shape) {
    constexpr double worth = 0.7;
    search_.late_ = options_.limit.end() == RunLimit::End::seconds;
    if (search_.late_ && best) return false;
    Elm elm{.features = static_cast<int>(count), .seed = search_.method_.seed};
    elm.scale = shape.factor * automatic_scale(elm, n_);
    const bool even =
        std::all_of(shape.stretch.begin(), shape.stretch.end(), [](double s) { return s == 1; });
    for (std::size_t i = 0; i < rows_.size() && !even; ++i) {
      elm.stretch.insert(elm.stretch.end(), rows_[i], shape.stretch[i]);
    }
    auto made = search_.try_one(problem_, start_, options_, elm);
    if (!made || (best && made->residual > worth * best->residual)) return false;
    best = std::move(made);
    search_.shape_ = shape;
    return true;
  }

  /// Looks along one number of the shape, up by factors of 2 or else down. Features that turn too
  /// slowly solve nothing, and twice as fast ones may neither: up there, two misses do not count.
  void look(double count, const std::function<double&(Shape&)>& number, double least, double most) {
    constexpr double step = 2, nothing = 0.1;
    const auto walk = [&](double by, int misses) {
      bool moved = false;
      for (Shape next = search_.shape_; !done();) {
        const double to = number(next) *= by;
        if (to < least || to > most) break;
        if (improves(count, next)) {
          moved = true;
        } else if (--misses < 0 || !(best->residual > nothing)) {
          break;
        }
      }
      return moved;
    };
    if (!walk(step, 2)) (void)walk(1 / step, 0);
  }

  std::optional<FeatureAnswer> best;

 private:
  FeatureSearch& search_;
  const std::shared_ptr<const Problem>& problem_;
  const HandedStart& start_;
  const RunOptions& options_;
  std::vector<std::size_t> rows_;  // of the coordinates
  std::vector<std::string> names_;
  int n_ = 0;
};

std::optional<FeatureAnswer> FeatureSearch::operator()(
    const std::shared_ptr<const Problem>& problem, const HandedStart& start,
    const RunOptions& run) {
  constexpr double hopeless = 1e4, as_good = 3;
  const RunOptions options = within(run, begin_limit(run));
  if (options.limit.end() == RunLimit::End::asked) return std::nullopt;
  Trials trials(*this, problem, start, options);
  const FeatureTrial& rule = method_.features;
  shape_.stretch.resize(trials.n_axes(), 1.0);
  reached_.resize(rule.counts.size(), 0.0);
  if (const Time* time = problem->domain->time()) {
    // Fields turn as fast in a shorter window: less often in it.
    const double length = time->upper - time->lower;
    for (std::size_t i = 0; i < trials.n_axes() && length_ > 0; ++i) {
      if (trials.names()[i] == time->name) shape_.stretch[i] *= length / length_;
    }
    length_ = length;
  }
  for (std::size_t k = first_; k < rule.counts.size(); ++k) {
    const double count = rule.counts[k];
    const bool better = trials.improves(count, shape_);
    const bool known =
        better && trials.best->residual <= std::min(as_good * reached_[k], rule.accept);
    if (trials.best && !known) {
      trials.look(
          count, [](Shape& s) -> double& { return s.factor; }, 1.0 / 8, 32);
      // Trials on a plane are cheap; others are made where they may decide.
      const double r = trials.best->residual;
      const bool cheap = linear_ && trials.n_axes() == 2;
      const bool worth =
          cheap ? r <= 0.3 : r <= hopeless * rule.accept && (linear_ || r > rule.accept);
      const std::size_t n = k == 0 && worth && trials.n_axes() > 1 ? trials.n_axes() : 0;
      for (std::size_t i = 0; i < n; ++i) {
        trials.look(
            count, [i](Shape& s) -> double& { return s.stretch[i]; }, 1.0 / 64, 4);
      }
    }
    if (!trials.best) break;
    reached_[k] = trials.best->residual;
    if (trials.done() || trials.best->residual > hopeless * rule.accept) break;
    // What is not good enough here will not be in the next window.
    if (k + 1 < rule.counts.size() && k == first_ && trials.best->residual > rule.accept)
      first_ = k + 1;
  }
  const double spent = trials.seconds();
  seconds_ += spent;
  if (trials.best) trials.best->trained.seconds = spent;
  return std::move(trials.best);
}

std::string describe(const FeatureAnswer& answer) {
  const Elm& elm = answer.network;
  std::string scale = fmt::format("{:.3g}", elm.scale);
  if (!elm.stretch.empty()) scale += fmt::format(" x ({:.3g})", fmt::join(elm.stretch, ", "));
  return fmt::format("{} of scale {}: residual {:.1e}", cauchy::describe(elm), scale,
                     answer.residual);
}

void save_features(Checkpoint& checkpoint, const std::string& prefix, const Network& network) {
  const auto* elm = std::get_if<Elm>(&network);
  if (elm == nullptr) return;
  checkpoint.numbers[prefix + "features/count"] = static_cast<std::uint64_t>(elm->features);
  checkpoint.numbers[prefix + "features/seed"] = elm->seed;
  std::vector<double> scales{elm->scale};
  scales.insert(scales.end(), elm->stretch.begin(), elm->stretch.end());
  checkpoint.arrays[prefix + "features/scale"] = Array::list(std::move(scales));
}

std::optional<Elm> load_features(const Checkpoint& checkpoint, const std::string& prefix) {
  if (!checkpoint.numbers.contains(prefix + "features/count")) return std::nullopt;
  const std::uint64_t count = checkpoint.number(prefix + "features/count");
  const std::vector<double>& scale = checkpoint.array(prefix + "features/scale").values;
  constexpr std::uint64_t most = 1'000'000;
  const bool sound =
      std::all_of(scale.begin(), scale.end(), [](double s) { return s >= 0 && std::isfinite(s); });
  if (count == 0 || count > most || scale.empty() || !sound) {
    throw Error(ErrorKind::file, "the random features in it are damaged", "[solvers.pinn]",
                "start the run anew");
  }
  return Elm{.features = static_cast<int>(count),
             .scale = scale[0],
             .stretch = {scale.begin() + 1, scale.end()},
             .seed = checkpoint.number(prefix + "features/seed")};
}

}  // namespace cauchy::detail
