#include "solvers/variational/prepared_variational.hpp"

#include <optional>

#include <fmt/format.h>

#include <cauchy/base/threads.hpp>

#include "problem/doubts.hpp"
#include "problem/error_meter.hpp"
#include "solvers/pinn/pinn_start.hpp"
#include "solvers/pinn/pinn_training.hpp"
#include "solvers/pinn/prepared_pinn.hpp"

namespace cauchy::detail {
namespace {

// Of the errors against the reference: the one asked for, and those in the history.
constexpr std::size_t all_error_points = 20'000, rough_error_points = 2'000;

class PreparedVariational final : public PreparedMethod {
 public:
  PreparedVariational(std::shared_ptr<const Problem> problem, VariationalNetwork network,
                      int threads)
      : PreparedMethod(std::move(problem)), network_(std::move(network)), threads_(threads) {
    check_rules(network_.pinn);
    // What is wrong with the start is said now.
    if (!network_.pinn.method.start.empty()) (void)first_parameters(network_.pinn);
  }

  [[nodiscard]] MethodCost cost() const override {
    MethodCost cost = cost_of(network_.pinn, threads_);
    cost.method = description();
    return cost;
  }
  [[nodiscard]] std::vector<std::string> warnings() const override {
    return network_.strong ? lost_jumps(problem()) : std::vector<std::string>();
  }
  [[nodiscard]] std::vector<std::string> remarks() const override {
    std::vector<std::string> all = network_.pinn.loss.remarks;
    const std::string& start = network_.pinn.method.start;
    if (!start.empty()) all.push_back(fmt::format("the network starts from {}", start));
    return all;
  }

  [[nodiscard]] Answer run(const RunOptions& options) override {
    const PinnAssembly& pinn = network_.pinn;
    PinnTraining training(pinn, std::make_shared<Threads>(options.threads));
    TrainingSetup setup = training.setup();
    setup.fingerprint = network_.name + "\n" + network_.fingerprint + setup.fingerprint;
    setup.record.has_reference = !problem().reference.empty();
    std::optional<ErrorMeter> meter, rough_meter;
    const auto watch = [&](std::optional<ErrorMeter>& with, std::size_t n) {
      return [this, &training, &with, n](std::span<const double> theta) {
        if (!with) with.emplace(problem(), n);
        return with->largest(*training.field({theta.begin(), theta.end()}));
      };
    };
    if (setup.record.has_reference) {
      setup.error = watch(meter, all_error_points);
      setup.rough_error = watch(rough_meter, rough_error_points);
    }
    std::vector<double> theta = training.first_parameters();
    if (!training.start_text().empty()) {
      setup.record.events.push_back({.text = training.start_text()});
    }
    TrainingResult trained = training.train(std::move(theta), setup, options);
    Answer answer{.solution = {}, .outcome = trained.outcome};
    Solution& s = answer.solution;
    s.method = description();
    s.interrupted = trained.interrupted;
    s.n_unknowns = pinn.graph->n_parameters();
    const std::vector<double> found = pinn.unknowns(trained.theta);
    for (std::size_t i = 0; i < found.size(); ++i) {
      s.unknowns[problem().unknowns[i].name] = found[i];
    }
    trained.record.trained = training.trained_residuals(trained.theta);
    std::vector<double> losses(pinn.loss.terms.size());
    if (network_.energy) training.loss().parts_at(trained.theta, losses, {});
    s.model = training.field(std::move(trained.theta));
    if (network_.energy) {
      const double at_nodes = losses.front() * network_.energy->unit;
      if (auto warning =
              false_minimum(problem(), *network_.energy, *s.model, at_nodes, pinn.method.seed)) {
        s.warnings.push_back(std::move(*warning));
      }
    }
    s.training = std::move(trained.record);
    s.seconds = trained.seconds;
    return answer;
  }

 private:
  [[nodiscard]] std::string description() const {
    return fmt::format("{}, {}, {} parameters", network_.name,
                       describe(network_.pinn.method.network), network_.pinn.graph->n_parameters());
  }

  VariationalNetwork network_;
  int threads_;
};

template <class Settings>
std::unique_ptr<PreparedMethod> prepare_as(std::shared_ptr<const Problem> problem,
                                           const Method& method, int threads) {
  VariationalNetwork network = variational_network(problem, std::get<Settings>(method));
  return std::make_unique<PreparedVariational>(std::move(problem), std::move(network), threads);
}

/// Fields are those of a PINN, with the conditions that the method has built in.
template <class Settings>
std::shared_ptr<const FieldModel> load_as(const Checkpoint& checkpoint, const Problem& problem,
                                          const Method& method, int threads) {
  const auto& settings = std::get<Settings>(method);
  const VariationalNetwork network =
      variational_network(std::make_shared<const Problem>(problem), settings);
  return load_pinn(checkpoint, *network.pinn.problem, settings.trial, threads);
}

}  // namespace

std::unique_ptr<PreparedMethod> prepare_ritz(std::shared_ptr<const Problem> problem,
                                             const Method& method, int threads) {
  return prepare_as<Ritz>(std::move(problem), method, threads);
}
std::unique_ptr<PreparedMethod> prepare_vpinn(std::shared_ptr<const Problem> problem,
                                              const Method& method, int threads) {
  return prepare_as<Vpinn>(std::move(problem), method, threads);
}
std::unique_ptr<PreparedMethod> prepare_hp_vpinn(std::shared_ptr<const Problem> problem,
                                                 const Method& method, int threads) {
  return prepare_as<HpVpinn>(std::move(problem), method, threads);
}

std::shared_ptr<const FieldModel> load_ritz(const Checkpoint& checkpoint, const Problem& problem,
                                            const Method& method, int threads) {
  return load_as<Ritz>(checkpoint, problem, method, threads);
}
std::shared_ptr<const FieldModel> load_vpinn(const Checkpoint& checkpoint, const Problem& problem,
                                             const Method& method, int threads) {
  return load_as<Vpinn>(checkpoint, problem, method, threads);
}
std::shared_ptr<const FieldModel> load_hp_vpinn(const Checkpoint& checkpoint,
                                                const Problem& problem, const Method& method,
                                                int threads) {
  return load_as<HpVpinn>(checkpoint, problem, method, threads);
}

}  // namespace cauchy::detail
