#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/training/training.hpp>

#include "problem/doubts.hpp"
#include "problem/error_meter.hpp"
#include "solvers/pinn/pinn_assembly.hpp"
#include "solvers/pinn/pinn_intervals.hpp"
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
  PreparedPinn(const std::shared_ptr<const Problem>& problem, const Pinn& method, int threads,
               std::vector<std::string> choices)
      : PreparedMethod(problem),
        problem_(problem),
        pinn_(problem, method),
        threads_(threads),
        choices_(std::move(choices)) {
    check_curriculum();
    if (!method.start.empty()) (void)first_parameters(pinn_);  // what is wrong with it is said now
  }

  [[nodiscard]] MethodCost cost() const override { return cost_of(pinn_, threads_); }

  [[nodiscard]] std::vector<std::string> warnings() const override { return lost_jumps(problem()); }
  [[nodiscard]] std::vector<std::string> remarks() const override {
    std::vector<std::string> all = pinn_.loss.remarks;
    if (!pinn_.method.start.empty()) {
      all.push_back(fmt::format("the network starts from {}", pinn_.method.start));
    }
    return all;
  }

  [[nodiscard]] Answer run(const RunOptions& options) override {
    const CurriculumOptions& curriculum = pinn_.method.rules.curriculum;
    if (std::holds_alternative<WindowCurriculum>(curriculum)) {
      return march(problem_, pinn_.method, options, choices_);
    }
    if (std::holds_alternative<ContinuationCurriculum>(curriculum)) {
      return continue_parameter(problem_, pinn_.method, options, choices_);
    }
    PinnTraining training(pinn_, std::make_shared<Threads>(options.threads));
    TrainingSetup setup = training.setup();
    setup.record.has_reference = !problem().reference.empty();
    setup.record.choices = choices_;
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
    TrainingResult trained = training.train(std::move(theta), setup, options);

    Answer answer{.solution = {}, .outcome = trained.outcome};
    Solution& s = answer.solution;
    s.method = pinn_.describe();
    s.interrupted = trained.interrupted;
    s.n_unknowns = pinn_.graph->n_parameters();
    const std::vector<double> found = pinn_.unknowns(trained.theta);
    for (std::size_t i = 0; i < found.size(); ++i) {
      s.unknowns[problem().unknowns[i].name] = found[i];
    }
    trained.record.trained = training.trained_residuals(trained.theta);
    const bool hurry = options.progress != nullptr && options.progress->stop_requested();
    if (answer.outcome.finite && !hurry) {
      UnknownsKnown known = what_data_say(pinn_, training.loss().executor(), trained.theta);
      s.intervals = std::move(known.intervals);
      s.warnings = std::move(known.doubts);
      for (std::string& text : known.remarks) answer.outcome.troubles.push_back(std::move(text));
    }
    s.model = training.field(std::move(trained.theta));
    s.training = std::move(trained.record);
    s.seconds = trained.seconds;
    return answer;
  }

 private:
  /// What a curriculum of several trainings needs is said before the first one.
  void check_curriculum() const {
    const CurriculumOptions& curriculum = pinn_.method.rules.curriculum;
    if (std::holds_alternative<WindowCurriculum>(curriculum)) expect_windows(problem());
    const auto* continuation = std::get_if<ContinuationCurriculum>(&curriculum);
    if (continuation == nullptr) return;
    const bool known = problem().values().contains(continuation->parameter);
    if (known && !continuation->values.empty()) return;
    throw Error(known ? "a continuation needs the values that come first"
                      : fmt::format("the problem has no number '{}'", continuation->parameter),
                "[method.curriculum]", "name a parameter and give values = [0.1, 0.05]");
  }

  std::shared_ptr<const Problem> problem_;
  PinnAssembly pinn_;
  int threads_;
  std::vector<std::string> choices_;  // of a recipe
};

}  // namespace

std::unique_ptr<PreparedMethod> prepare_pinn(std::shared_ptr<const Problem> problem,
                                             const Method& method, int threads) {
  return prepare_pinn(std::move(problem), std::get<Pinn>(method), threads, {});
}

std::unique_ptr<PreparedMethod> prepare_pinn(std::shared_ptr<const Problem> problem,
                                             const Pinn& pinn, int threads,
                                             std::vector<std::string> choices) {
  return std::make_unique<PreparedPinn>(problem, pinn, threads, std::move(choices));
}

TrainingSettings pinn_training(Method& method) {
  Pinn& pinn = std::get<Pinn>(method);
  return {pinn.stages, pinn.seed, pinn.precision};
}

std::shared_ptr<const FieldModel> load_pinn(const Checkpoint& checkpoint, const Problem& problem,
                                            const Method& method, int threads) {
  if (has_windows(checkpoint)) {
    return load_march(checkpoint, problem, std::get<Pinn>(method), threads);
  }
  const PinnAssembly pinn(std::make_shared<const Problem>(problem), std::get<Pinn>(method));
  std::vector<double> theta = checkpoint.array("theta").values;
  if (theta.size() != pinn.graph->n_parameters()) {
    throw Error(fmt::format("it holds {} parameters, the network has {}", theta.size(),
                            pinn.graph->n_parameters()),
                "[solvers.pinn]", "use the settings of the run that made it");
  }
  const ExecutorOptions options{.threads = threads, .precision = pinn.method.precision};
  return std::make_shared<PinnField>(
      std::make_shared<FieldEvaluator>(pinn.graph, pinn.lower, options,
                                       network_shape(pinn.method.network, *pinn.graph)),
      std::move(theta));
}

}  // namespace cauchy::detail
