#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/solvers/decompose.hpp>
#include <cauchy/solvers/recipes.hpp>

#include "problem/initial_layers.hpp"
#include "solvers/pinn/pinn_assembly.hpp"
#include "solvers/pinn/pinn_features.hpp"
#include "solvers/recipes/prepared_recipes.hpp"
#include "solvers/recipes/problem_character.hpp"

namespace cauchy {
namespace {

// Of windows along a line: half waves in each (twice as many with the overlaps), random features
// for them, and weights in all that one dense least-squares problem can have.
constexpr double turns_per_window = 6;
constexpr int line_features = 36;
constexpr double most_line_weights = 4000;

class AutoRecipe final {
 public:
  AutoRecipe(const Auto& recipe, const Problem& problem)
      : recipe_(recipe), problem_(problem), facts_(detail::character_of_problem(problem)) {}

  /// For settings that were changed afterwards.
  [[nodiscard]] std::vector<Stage> stages_of(const Pinn& changed) {
    made_.pinn = changed;
    made_.pinn.stages.clear();
    choose_stages();
    return std::move(made_.pinn.stages);
  }

  Expanded make() {
    made_.pinn.seed = recipe_.seed;
    made_.pinn.precision = recipe_.precision;
    choose_pieces();
    choose_network();
    choose_points();
    choose_layers();
    choose_rules();
    choose_stages();
    choose_features();
    return std::move(made_);
  }

 private:
  template <class... Args>
  void why(fmt::format_string<Args...> text, Args&&... args) {
    made_.why.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  [[nodiscard]] bool alone() const { return facts_.time && !facts_.space && facts_.dimension == 1; }
  [[nodiscard]] bool many_parts() const { return facts_.parts > 3; }
  [[nodiscard]] bool in_windows() const { return facts_.marches; }

  [[nodiscard]] double space_dimension() const {
    return static_cast<double>(problem_.domain->space()->dimension());
  }
  /// Solutions turn from part to part: a half wave over their mean distance h, with n h^d the box
  /// [-1, 1]^d of n parts, has the wave number pi / h.
  [[nodiscard]] double wave_number_of_parts() const {
    return pi / 2 * std::pow(static_cast<double>(facts_.parts), 1 / space_dimension());
  }
  /// Residuals are in units of fields that vary over the half width of the domain. Such waves make
  /// those of derivatives of order m k^m times as large, in equations as in conditions.
  [[nodiscard]] double condition_weight() const {
    constexpr double plain = 10, most = 2e4;
    if (!many_parts()) return plain;
    const double excess = 2.0 * (facts_.order - facts_.condition_order);
    return std::round(std::clamp(plain * std::pow(wave_number_of_parts(), excess), plain, most));
  }

  /// What a line has so many of that no network learns them: half waves of data, or of free
  /// solutions.
  [[nodiscard]] double turns() const { return std::max(facts_.waves, facts_.rates); }
  /// Windows of random features, found by one linear least-squares problem.
  [[nodiscard]] bool one_solution() const {
    constexpr double fewest = 30;
    return facts_.space && facts_.dimension == 1 && facts_.linear && !facts_.inverse &&
           made_.pinn.decompose.empty() && turns() > fewest &&
           line_windows() * (line_features + 1.0) * static_cast<double>(facts_.fields) <=
               most_line_weights;
  }
  [[nodiscard]] double line_windows() const { return std::ceil(turns() / turns_per_window); }

  /// Features that reach beyond the wave numbers of the answer, three for every half wave.
  void choose_line_windows() {
    Windows windows{.windows = {static_cast<int>(line_windows())}};
    const double covered = (1 + windows.overlap) * turns() / line_windows();
    Elm features{.features = line_features, .seed = recipe_.seed};
    features.scale = 1.5 * pi * covered / 2;
    windows.inner = {features};
    why("{}: the answer turns about {:.0f} times, and the problem is linear", describe(windows),
        turns());
    made_.pinn.network = windows;
  }

  void choose_network() {
    if (one_solution()) return choose_line_windows();
    Mlp net{.width = 32, .depth = 3};
    if (alone() && in_windows()) {
      net = {.width = 20, .depth = 1};
      why("a network of {} x {}: short windows of one variable", net.width, net.depth);
    } else if (in_windows() && facts_.dimension == 2) {
      net.width = facts_.fields > 2 ? 28 : 20;
      why("a network of {} x {} tanh for every window of time", net.width, net.depth);
    } else if (!made_.pinn.decompose.empty()) {
      net.width = 20;
      why("a network of {} x {} tanh for every piece", net.width, net.depth);
    } else if (facts_.waves > 6 && !many_parts()) {
      net.activation = Activation::sin;
      why("sines, {} x {}: the data cross the domain in {:.0f} half waves", net.width, net.depth,
          facts_.waves);
    } else {
      why("a network of {} x {} tanh for {} coordinates and {} field{}", net.width, net.depth,
          facts_.dimension, facts_.fields, facts_.fields == 1 ? "" : "s");
    }
    if (many_parts() && !in_windows()) {
      net.fourier = 16;
      net.fourier_scale = wave_number_of_parts() / std::sqrt(space_dimension());  // per component
      why("16 Fourier features of scale {:.2g}: the boundary has {} parts more than a box",
          net.fourier_scale, facts_.parts);
    }
    made_.pinn.network = net;
  }

  /// Smooth answers of linear problems are combinations of waves, found without training; where
  /// they are not smooth after all, at corners and layers, residuals say so.
  void choose_features() {
    constexpr double most_weights = 4000;
    constexpr std::size_t most_dimensions = 3;
    Pinn& pinn = made_.pinn;
    if (!facts_.linear) return choose_nonlinear_features();
    const double few = facts_.dimension < 3 ? 400 : 1200, many = facts_.dimension < 3 ? 1200 : 2400;
    const bool simple = facts_.smooth && !facts_.inverse;
    if (!simple || !facts_.space || facts_.dimension > most_dimensions || one_solution() ||
        !recipe_.stages.empty() || recipe_.precision != Precision::f64) {
      return;
    }
    const auto pieces = static_cast<double>(1 + pinn.decompose.size());
    const double most = most_weights / (static_cast<double>(facts_.fields) * pieces) - 1;
    if (most < few) return;
    pinn.features.counts = {few};
    if (recipe_.seconds > 0) pinn.features.goal = 1e-11;
    if (most >= 1.5 * few) pinn.features.counts.push_back(std::floor(std::min(many, most)));
    try {
      detail::expect_features(std::make_shared<const Problem>(problem_), pinn);
    } catch (const Error&) {
      pinn.features = {};  // a condition is not linear
      return;
    }
    why("{} random features are tried first: the problem is linear, its data are smooth",
        fmt::join(pinn.features.counts, " or "));
  }

  /// Every step is a least-squares problem of its own, so that weights are fewer.
  void choose_nonlinear_features() {
    constexpr double few = 400, least = 200, most_weights = 800;
    Pinn& pinn = made_.pinn;
    if (!facts_.smooth || facts_.inverse || !facts_.space || facts_.dimension > 2 || in_windows() ||
        facts_.viscosity != 0 || !recipe_.stages.empty() || recipe_.precision != Precision::f64) {
      return;
    }
    const auto pieces = static_cast<double>(1 + pinn.decompose.size());
    const double most = std::floor(most_weights / (static_cast<double>(facts_.fields) * pieces));
    if (most < least) return;
    pinn.features.counts = {std::min(few, most)};
    if (most > few) pinn.features.counts.push_back(most);
    if (recipe_.seconds > 0) pinn.features.goal = 1e-11;
    try {
      detail::expect_features(std::make_shared<const Problem>(problem_), pinn);
    } catch (const Error&) {
      pinn.features = {};
      return;
    }
    why("{} random features are tried first, by Gauss-Newton steps: the data are smooth",
        fmt::join(pinn.features.counts, " or "));
  }

  void choose_pieces() {
    constexpr std::size_t most_cuts = 4;
    if (in_windows() || facts_.inverse) return;
    std::vector<std::string> cuts = suggested_cuts(problem_);
    if (cuts.empty() || cuts.size() > most_cuts) return;
    why("pieces with networks of their own on both sides of {}: the answer has a kink there",
        fmt::join(cuts, " and "));
    made_.pinn.decompose = std::move(cuts);
  }

  void choose_points() {
    PinnPoints& p = made_.pinn.points;
    if (alone() && in_windows()) {
      p.interior = 48;
      return;
    }
    const std::size_t d = facts_.dimension;
    p.interior = d <= 1 ? 400 : 4000;
    if (in_windows() && d == 2) p.interior = facts_.waves > 6 ? 2000 : 1500;
    if (one_solution()) {
      p.interior = static_cast<std::size_t>(2 * line_windows()) * line_features;
    }
    p.boundary = p.initial = d <= 2 ? 300 : 900;
    if (many_parts()) p.boundary = 2000;
    why("{} points for the equations, {} for each condition", p.interior, p.boundary);
    if (in_windows() && d == 2) {
      p.initial = p.interior;
      why("{} at the start of windows: they need no derivatives and cost little", p.initial);
    }
  }

  /// Points and steps cannot make up for a layer that is infinitely thin at the start.
  void choose_layers() {
    const std::vector<detail::InitialLayer> layers =
        detail::initial_layers(problem_, detail::Lowering(problem_));
    made_.pinn.initial_layers = !layers.empty();
    for (const detail::InitialLayer& layer : layers) {
      why("beside the network {}, as diffusion widens it: data disagree at the start",
          detail::describe(layer, problem_.domain->space()->coordinates()[0]));
    }
  }

  void choose_rules() {
    Pinn& pinn = made_.pinn;
    const bool patient = recipe_.seconds > 0;
    pinn.goal = patient ? 1e-10 : 1e-7;
    if (in_windows()) {
      WindowCurriculum windows;
      windows.goal = alone() ? (patient ? 1e-12 : 1e-9) : (patient ? 1e-9 : 1e-6);
      windows.accept = alone() ? (patient ? 2e-7 : 1e-6) : 1e-3;
      windows.give_up = alone() ? 1e-3 : 0.03;
      windows.first = alone() ? 0.05 : (facts_.dimension == 2 ? 0.25 : 1);
      windows.shortest = alone() ? 1e-9 : 2e-3;
      if (!alone() && facts_.turnovers * windows.first > 10) {
        windows.first = std::max(10 / facts_.turnovers, 0.02);
        why("the first window is short: fields change {:.0f} times on the way", facts_.turnovers);
      }
      pinn.rules.curriculum = windows;
      why("windows of time, halved where a network does not manage: an initial value problem");
    }
    if (facts_.viscosity != 0) {
      ContinuationCurriculum vanishing{.parameter = "viscosity", .values = {0.5, 0.1, 0.02}};
      for (double& value : vanishing.values) value *= facts_.viscosity;
      pinn.rules.curriculum = vanishing;
      why("a viscosity that vanishes: the equation has several solutions with kinks");
    }
    if (!alone()) {
      pinn.condition_weight = condition_weight();
      why("conditions weigh {} times as much: errors enter there", pinn.condition_weight);
    }
    if (facts_.space && !facts_.inverse && !one_solution()) {
      ResidualPoints points;
      if (in_windows() && facts_.dimension == 2) {
        points.growth = 3;
        points.most = 4 * pinn.points.interior;
      }
      pinn.rules.point_scheme = points;
      why("points move to where residuals are large, every 500 steps");
      if (points.growth > 0) {
        why("twice as many, up to {}, where residuals between them are {:.0f} times those on them",
            points.most, points.growth);
      }
    }
  }

  void choose_stages() {
    Pinn& pinn = made_.pinn;
    const double seconds = recipe_.seconds > 0 ? recipe_.seconds : suggested_seconds();
    const bool small_windows = alone() && in_windows();
    if (recipe_.stages.empty() && small_windows) {
      pinn.stages = {{LevenbergMarquardtOptions{}, 200}};
      why("Levenberg-Marquardt: the parameters are few");
    } else if (!recipe_.stages.empty()) {
      pinn.stages = recipe_.stages;
    }
    auto* windows = std::get_if<WindowCurriculum>(&pinn.rules.curriculum);
    if (small_windows && windows != nullptr) {
      // Stages that never get there would halve their windows for ever.
      constexpr double windows_per_second = 2;
      double steps = 0;
      for (const Stage& stage : pinn.stages) steps += static_cast<double>(stage.steps);
      windows->budget =
          static_cast<std::uint64_t>(std::min(seconds * windows_per_second * steps, 1e15));
    }
    if (!pinn.stages.empty()) return;
    const detail::PinnAssembly assembly(std::make_shared<const Problem>(problem_), pinn);
    if (entry_of(assembly.stages.front().method).kind == OptimizerKind::least_squares) {
      pinn.stages = assembly.stages;
      why("least squares, {} steps of {}: the network is linear in its weights",
          pinn.stages.front().steps, entry_of(pinn.stages.front().method).name);
      return;
    }
    const std::uint64_t steps = steps_in(assembly, seconds / trainings());
    const std::uint64_t first = std::min<std::uint64_t>(in_windows() ? 500 : 1000, steps / 5);
    pinn.stages = {{AdamOptions{.learning_rate = 2e-3}, first}, {QuasiNewtonOptions{}, steps}};
    if (windows != nullptr) windows->budget = steps;
    why("{} steps of SSBroyden after {} of Adam: about {:.0f} s on two cores", steps, first,
        seconds);
  }

  [[nodiscard]] double suggested_seconds() const {
    if (alone()) return 30;
    return facts_.dimension >= 3 || facts_.fields >= 3 ? 100 : 60;
  }

  /// How many times the stages are gone through.
  [[nodiscard]] double trainings() const {
    const auto* easier = std::get_if<ContinuationCurriculum>(&made_.pinn.rules.curriculum);
    return easier == nullptr ? 1 : 1 + easier->share * static_cast<double>(easier->values.size());
  }

  /// Steps of SSBroyden that take this long.
  [[nodiscard]] static std::uint64_t steps_in(const detail::PinnAssembly& pinn, double seconds) {
    constexpr int threads = 2;
    const Work step = detail::work_of_step(pinn, QuasiNewtonOptions{});
    return static_cast<std::uint64_t>(
        std::clamp(seconds / nominal_seconds(step, threads), 500.0, 200'000.0));
  }

  const Auto& recipe_;
  const Problem& problem_;
  detail::ProblemCharacter facts_;
  Expanded made_;
};

}  // namespace

Expanded expand(const Auto& recipe, const Problem& problem) {
  detail::check_recipe(recipe);
  return AutoRecipe(recipe, problem).make();
}

std::vector<Stage> stages_of(const Auto& recipe, const Problem& problem, const Pinn& changed) {
  return AutoRecipe(recipe, problem).stages_of(changed);
}

}  // namespace cauchy
