#include "solvers/pinn/pinn_features.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

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

std::optional<FeatureAnswer> FeatureSearch::try_one(const std::shared_ptr<const Problem>& problem,
                                                    const HandedStart& start,
                                                    const RunOptions& options,
                                                    const Elm& network) const {
  const bool stopped = options.progress != nullptr && options.progress->stop_requested();
  if (stopped) return std::nullopt;
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

std::optional<FeatureAnswer> FeatureSearch::operator()(
    const std::shared_ptr<const Problem>& problem, const HandedStart& start,
    const RunOptions& options) {
  constexpr double step = 2, least = 1.0 / 8, most = 32, worth = 0.7, hopeless = 1e4;
  const FeatureTrial& rule = method_.features;
  const double before = seconds_;
  const auto begin = std::chrono::steady_clock::now();
  const PinnAssembly one(problem, with_features(method_, Elm{.features = 1}), start);
  linear_ = is_least_squares(one);
  const auto n =
      static_cast<int>(PinnInputs(*one.problem, method_.periodic, one.sizes).rows().size());
  std::optional<FeatureAnswer> best;
  for (const double count : rule.counts) {
    const double known = factor_;
    const auto better = [&](double factor) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      const bool late = options.max_seconds > 0 && spent.count() >= options.max_seconds;
      if (factor < least || factor > most || late) return false;
      Elm elm{.features = static_cast<int>(count), .seed = method_.seed};
      elm.scale = factor * automatic_scale(elm, n);
      auto made = try_one(problem, start, options, elm);
      const bool improves = made && !(best && made->residual > worth * best->residual);
      if (improves) {
        best = std::move(made);
        factor_ = factor;
      }
      return improves && best->residual > rule.goal;
    };
    bool goes_on = better(known);
    for (double f = known * step; goes_on; f *= step) goes_on = better(f);
    goes_on = factor_ == known && best && best->residual > rule.goal;
    for (double f = known / step; goes_on; f /= step) goes_on = better(f);
    if (!best || best->residual <= rule.goal || best->residual > hopeless * rule.accept) break;
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (best) best->trained.seconds = seconds_ - before;
  return best;
}

std::string describe(const FeatureAnswer& answer) {
  return fmt::format("{} of scale {:.3g}: residual {:.1e}", cauchy::describe(answer.network),
                     answer.network.scale, answer.residual);
}

void save_features(Checkpoint& checkpoint, const std::string& prefix, const Network& network) {
  const auto* elm = std::get_if<Elm>(&network);
  if (elm == nullptr) return;
  checkpoint.numbers[prefix + "features/count"] = static_cast<std::uint64_t>(elm->features);
  checkpoint.numbers[prefix + "features/seed"] = elm->seed;
  checkpoint.arrays[prefix + "features/scale"] = Array::list({elm->scale});
}

std::optional<Elm> load_features(const Checkpoint& checkpoint, const std::string& prefix) {
  if (!checkpoint.numbers.contains(prefix + "features/count")) return std::nullopt;
  const std::uint64_t count = checkpoint.number(prefix + "features/count");
  const std::vector<double>& scale = checkpoint.array(prefix + "features/scale").values;
  constexpr std::uint64_t most = 1'000'000;
  if (count == 0 || count > most || scale.size() != 1 || !(scale[0] >= 0) ||
      !std::isfinite(scale[0])) {
    throw Error(ErrorKind::file, "the random features in it are damaged", "[solvers.pinn]",
                "start the run anew");
  }
  return Elm{.features = static_cast<int>(count),
             .scale = scale[0],
             .seed = checkpoint.number(prefix + "features/seed")};
}

}  // namespace cauchy::detail
