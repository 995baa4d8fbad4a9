#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/solvers/decompose.hpp>
#include <cauchy/training/training.hpp>

#include "problem/doubts.hpp"
#include "problem/error_meter.hpp"
#include "solvers/pinn/pinn_assembly.hpp"
#include "solvers/pinn/pinn_features.hpp"
#include "solvers/pinn/pinn_intervals.hpp"
#include "solvers/pinn/pinn_kan.hpp"
#include "solvers/pinn/pinn_march.hpp"
#include "solvers/pinn/pinn_start.hpp"
#include "solvers/pinn/pinn_training.hpp"
#include "solvers/pinn/prepared_pinn.hpp"

namespace cauchy::detail {
namespace {

// Of the errors against the reference: the one asked for, and those in the history.
constexpr std::size_t all_points = 20'000, rough_points = 2'000;

class PreparedPinn final : public PreparedMethod {
 public:
  /// The interfaces between pieces belong to the problem that is solved, checked and graded.
  PreparedPinn(const std::shared_ptr<const Problem>& problem, const Pinn& method, int threads,
               std::optional<Expanded> recipe)
      : PreparedMethod(with_interfaces(problem, method.decompose)),
        problem_(with_interfaces(problem, method.decompose)),
        pinn_(problem_, with_grids_of_start(method)),
        threads_(threads),
        recipe_(std::move(recipe)) {
    check_rules(pinn_);
    check_curriculum();
    expect_features(problem_, method);
    if (!method.start.empty()) (void)first_parameters(pinn_);  // what is wrong with it is said now
  }

  [[nodiscard]] MethodCost cost() const override {
    MethodCost cost = cost_of(pinn_, threads_);
    cost.training->search = search_work(problem(), pinn_.method);
    cost.work += cost.training->search;
    return cost;
  }

  [[nodiscard]] std::vector<std::string> warnings() const override {
    // Where every surface of jumps is a cut, conditions between pieces hold what points do not
    // show.
    const std::vector<std::string>& cuts = pinn_.method.decompose;
    const std::vector<std::string> needed =
        cuts.empty() ? std::vector<std::string>() : suggested_cuts(problem());
    const bool all_cut =
        !needed.empty() && std::all_of(needed.begin(), needed.end(), [&](const std::string& cut) {
          return std::find(cuts.begin(), cuts.end(), cut) != cuts.end();
        });
    std::vector<std::string> lost = all_cut ? std::vector<std::string>() : lost_jumps(problem());
    for (std::string& shock : lost_shocks(problem())) lost.push_back(std::move(shock));
    for (std::string& kink : lost_kinks(problem())) lost.push_back(std::move(kink));
    return lost;
  }
  [[nodiscard]] std::vector<std::string> remarks() const override {
    std::vector<std::string> all = pinn_.loss.remarks;
    if (!pinn_.method.start.empty()) {
      all.push_back(fmt::format("the network starts from {}", pinn_.method.start));
    }
    return all;
  }

  [[nodiscard]] std::optional<Expanded> expanded() const override { return recipe_; }

  [[nodiscard]] Answer run(const RunOptions& options) override {
    const std::vector<std::string> choices = recipe_ ? recipe_->why : std::vector<std::string>();
    const CurriculumOptions& curriculum = pinn_.method.rules.curriculum;
    if (std::holds_alternative<WindowCurriculum>(curriculum)) {
      return march(problem_, repeated(), options, choices);
    }
    if (std::holds_alternative<GridCurriculum>(curriculum)) {
      return refine_grids(problem_, repeated(), options, choices);
    }
    if (std::holds_alternative<ContinuationCurriculum>(curriculum)) {
      return continue_parameter(problem_, repeated(), options, choices);
    }
    const auto pool = std::make_shared<Threads>(options.threads);
    std::vector<TrainingEvent> events;
    const RunLimit limit = begin_limit(options);
    const RunOptions rest = within(options, limit);
    FeatureSearch search(pinn_.method, pool);
    // A training that was interrupted has been begun for good reasons.
    const bool resumed = std::filesystem::exists(options.checkpoint);
    std::optional<FeatureAnswer> found;
    if (!pinn_.method.features.counts.empty() && !resumed) {
      found = search(problem_, {}, rest);
      if (found) {
        const bool taken = found->residual <= pinn_.method.features.accept;
        events.push_back({.text = fmt::format("{}{}", detail::describe(*found),
                                              taken ? "" : ", the network is trained")});
        if (taken) {
          Answer answer = answer_of(*found, std::move(events), choices);
          finish_progress(answer.solution, options);
          return answer;
        }
      }
    }
    PinnTraining training(pinn_, pool);
    TrainingSetup setup = training.setup();
    setup.record.has_reference = !problem().reference.empty();
    setup.record.choices = choices;
    setup.record.events = std::move(events);
    std::optional<ErrorMeter> meter, rough_meter;
    const auto watch = [&](std::optional<ErrorMeter>& with, std::size_t n) {
      return [this, &training, &with, n](std::span<const double> theta) {
        if (!with) with.emplace(problem(), n);
        return with->largest(*training.field({theta.begin(), theta.end()}));
      };
    };
    if (setup.record.has_reference) {
      setup.error = watch(meter, all_points);
      setup.rough_error = watch(rough_meter, rough_points);
    }
    if (pinn_.method.goal > 0) {
      setup.finished = [&](std::span<const double> theta, std::uint64_t) {
        return training.fresh_residual(theta) <= pinn_.method.goal;
      };
    }
    std::vector<double> theta = training.first_parameters();
    if (!training.start_text().empty()) {
      setup.record.events.push_back({.text = training.start_text()});
    }
    TrainingResult trained = training.train(std::move(theta), setup, rest);
    trained.seconds += search.seconds();
    if (!pinn_.method.features.counts.empty()) {
      if (resumed) found = search(problem_, {}, rest);  // to the same end
      if (found && beats(*found, training.fresh_residual(trained.theta), trained)) {
        Answer answer = answer_of(*found, std::move(trained.record.events), choices);
        answer.solution.seconds = trained.seconds;
        answer.solution.interrupted = trained.interrupted;
        return answer;
      }
    }

    const std::vector<double> unknowns = pinn_.unknowns(trained.theta);
    UnknownsKnown known;
    const bool hurry = limit.end() == RunLimit::End::asked;
    if (trained.outcome.finite && !hurry) {
      known = what_data_say(pinn_, training.loss().executor(), trained.theta, limit);
    }
    Answer answer = answer_of(pinn_, training, std::move(trained));
    Solution& s = answer.solution;
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      s.unknowns[problem().unknowns[i].name] = unknowns[i];
    }
    s.intervals = std::move(known.intervals);
    s.warnings = std::move(known.doubts);
    for (std::string& text : known.remarks) answer.outcome.troubles.push_back(std::move(text));
    return answer;
  }

 private:
  static Answer answer_of(const PinnAssembly& pinn, PinnTraining& training,
                          TrainingResult trained) {
    Answer answer{.solution = {}, .outcome = trained.outcome};
    Solution& s = answer.solution;
    s.method = pinn.describe();
    s.interrupted = trained.interrupted;
    s.n_unknowns = pinn.graph->n_parameters();
    trained.record.trained = training.trained_residuals(trained.theta);
    s.model = training.field(std::move(trained.theta));
    s.training = std::move(trained.record);
    s.seconds = trained.seconds;
    return answer;
  }

  /// Whether random features that were not good enough are far better than the network after all;
  /// if so, it is told.
  static bool beats(const FeatureAnswer& features, double of_network, TrainingResult& trained) {
    constexpr double far = 0.1;
    if (!(features.residual < far * of_network) && trained.outcome.finite) return false;
    trained.record.events.push_back(
        {trained.record.steps, trained.seconds,
         fmt::format("the network has a residual of {:.1e}: the random features are the answer",
                     of_network)});
    return true;
  }

  Answer answer_of(FeatureAnswer& found, std::vector<TrainingEvent> events,
                   const std::vector<std::string>& choices) const {
    Answer answer = answer_of(*found.pinn, *found.training, std::move(found.trained));
    TrainingRecord& record = *answer.solution.training;
    record.has_reference = !problem().reference.empty();
    record.choices = choices;
    record.events = std::move(events);
    if (pinn_.method.diagnose) {
      record.events.push_back(
          {.text = "the answer is a least-squares solution: there was no training to diagnose"});
    }
    return answer;
  }

  static void finish_progress(const Solution& s, const RunOptions& options) {
    if (options.progress == nullptr) return;
    const ProgressValue values[] = {{"loss", s.training->loss()}};
    options.progress->finish({s.training->steps, s.training->steps, s.seconds, values, {}});
  }

  /// The settings of several trainings in succession, which shorten the stages of one: but for a
  /// network that is linear in its weights, whose step is the whole solution.
  [[nodiscard]] Pinn repeated() const {
    Pinn method = pinn_.method;
    const OptimizerKind kind = entry_of(pinn_.stages.front().method).kind;
    if (kind == OptimizerKind::least_squares) method.stages = pinn_.stages;
    return method;
  }

  /// What a curriculum of several trainings needs is said before the first one.
  void check_curriculum() const {
    const CurriculumOptions& curriculum = pinn_.method.rules.curriculum;
    if (auto* windows = std::get_if<WindowCurriculum>(&curriculum)) {
      expect_windows(problem(), *windows);
    }
    if (std::holds_alternative<GridCurriculum>(curriculum)) expect_grids(problem(), pinn_.method);
    if (const auto* continuation = std::get_if<ContinuationCurriculum>(&curriculum)) {
      expect_continuation(problem(), *continuation);
    }
  }

  std::shared_ptr<const Problem> problem_;
  PinnAssembly pinn_;
  int threads_;
  std::optional<Expanded> recipe_;
};

}  // namespace

std::unique_ptr<PreparedMethod> prepare_pinn(std::shared_ptr<const Problem> problem,
                                             const Method& method, int threads) {
  return std::make_unique<PreparedPinn>(problem, std::get<Pinn>(method), threads, std::nullopt);
}

std::unique_ptr<PreparedMethod> prepare_pinn(std::shared_ptr<const Problem> problem,
                                             Expanded recipe, int threads) {
  const Pinn pinn = recipe.pinn;
  return std::make_unique<PreparedPinn>(problem, pinn, threads, std::move(recipe));
}

TrainingSettings pinn_training(Method& method) {
  Pinn& pinn = *trial_of(method);
  return {pinn.stages, pinn.seed, pinn.precision};
}

std::shared_ptr<const FieldModel> load_pinn(const Checkpoint& checkpoint, const Problem& problem,
                                            const Method& method, int threads) {
  if (has_windows(checkpoint)) {
    return load_march(checkpoint, problem, std::get<Pinn>(method), threads);
  }
  Pinn settings = std::get<Pinn>(method);
  load_grids(checkpoint, settings.network);
  const bool tried = !settings.features.counts.empty();
  if (const auto features = load_features(checkpoint, ""); tried && features) {
    settings.network = *features;
  }
  const PinnAssembly pinn(std::make_shared<const Problem>(problem), settings);
  std::vector<double> theta = checkpoint.array("theta").values;
  if (theta.size() != pinn.graph->n_parameters()) {
    throw Error(fmt::format("it holds {} parameters, the network has {}", theta.size(),
                            pinn.graph->n_parameters()),
                "[solvers.pinn]", "use the settings of the run that made it");
  }
  return std::make_shared<PinnField>(pinn.evaluator({.threads = threads}), std::move(theta));
}

}  // namespace cauchy::detail
