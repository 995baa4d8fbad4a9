#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/training/training.hpp>

#include "problem/doubts.hpp"
#include "problem/error_meter.hpp"
#include "solvers/pinn/pinn_assembly.hpp"
#include "solvers/pinn/pinn_field.hpp"
#include "solvers/pinn/pinn_intervals.hpp"
#include "solvers/pinn/prepared_pinn.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t rough_points = 2'000;  // of the errors in the history

/// Distances of points from the boundary of their shape.
std::vector<double> distances(const Problem& problem, const Points& points) {
  const Domain domain = domain_of(problem);
  const std::size_t space = domain.space_column(), ranges = domain.ranges().size();
  ShapePtr shape = domain.shape_varies() ? nullptr : domain.shape({});
  std::vector<double> all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::span<const double> row = points.row(i);
    if (domain.shape_varies()) shape = domain.shape(row.last(ranges));
    all.push_back(std::max(0.0, shape->distance(&row[space])));
  }
  return all;
}

class PreparedPinn final : public PreparedMethod {
 public:
  PreparedPinn(const std::shared_ptr<const Problem>& problem, const Pinn& method, int threads,
               std::vector<std::string> choices)
      : PreparedMethod(problem),
        pinn_(problem, method),
        threads_(threads),
        choices_(std::move(choices)) {}

  [[nodiscard]] MethodCost cost() const override { return cost_of(pinn_, threads_); }

  [[nodiscard]] std::vector<std::string> warnings() const override { return lost_jumps(problem()); }
  [[nodiscard]] std::vector<std::string> remarks() const override { return pinn_.loss.remarks; }

  [[nodiscard]] Answer run(const RunOptions& options) override {
    const Pinn& method = pinn_.method;
    const ExecutorOptions executor_options{.precision = method.precision,
                                           .pool = std::make_shared<Threads>(options.threads)};
    const std::unique_ptr<Executor> executor =
        make_executor(pinn_.graph, engine_terms(pinn_.loss), executor_options);
    TrainingLoss loss(*executor);
    const Time* time = problem().domain->time();
    TrainingPoints points(sources(*executor),
                          {method.points.sampler, method.seed, method.points.redraw,
                           method.points.batch, time == nullptr ? "" : time->name});
    const auto evaluator =
        std::make_shared<FieldEvaluator>(pinn_.graph, pinn_.lower, executor_options);
    std::optional<ErrorMeter> meter, rough_meter;
    TrainingSetup setup{pinn_.stages,          method.rules,        pinn_.graph->parameters(),
                        executor_options.pool, pinn_.fingerprint(), first_record()};
    setup.unknowns = [&](std::span<const double> theta) { return pinn_.unknowns(theta); };
    if (setup.record.has_reference) {
      setup.error = [&](std::span<const double> theta) {
        if (!meter) meter.emplace(problem());
        return meter->largest(PinnField(evaluator, {theta.begin(), theta.end()}));
      };
      setup.rough_error = [&](std::span<const double> theta) {
        if (!rough_meter) rough_meter.emplace(problem(), rough_points);
        return rough_meter->largest(PinnField(evaluator, {theta.begin(), theta.end()}));
      };
    }
    TrainingResult trained =
        train(loss, points,
              initial_parameters(pinn_.graph->parameters(), Rng(method.seed), method.initialize),
              setup, options);

    Answer answer{.solution = {}, .outcome = trained.outcome};
    Solution& s = answer.solution;
    s.method = pinn_.describe();
    s.interrupted = trained.interrupted;
    s.n_unknowns = pinn_.graph->n_parameters();
    const std::vector<double> found = pinn_.unknowns(trained.theta);
    for (std::size_t i = 0; i < found.size(); ++i) {
      s.unknowns[problem().unknowns[i].name] = found[i];
    }
    trained.record.trained = trained_residuals(*executor, trained.theta);
    const bool hurry = options.progress != nullptr && options.progress->stop_requested();
    if (answer.outcome.finite && !hurry) {
      UnknownsKnown known = what_data_say(pinn_, *executor, trained.theta);
      s.intervals = std::move(known.intervals);
      s.warnings = std::move(known.doubts);
      for (std::string& text : known.remarks) answer.outcome.troubles.push_back(std::move(text));
    }
    s.model = std::make_shared<PinnField>(evaluator, std::move(trained.theta));
    s.training = std::move(trained.record);
    s.seconds = trained.seconds;
    return answer;
  }

 private:
  std::vector<PointSource> sources(Executor& executor) const {
    std::vector<PointSource> sources;
    for (std::size_t i = 0; i < pinn_.loss.terms.size(); ++i) {
      const PinnTerm& term = pinn_.loss.terms[i];
      PointSource source{.name = term.term.name,
                         .n = term.n,
                         .redrawn = term.redrawn,
                         .divisible = !term.groups,
                         .kind = term.kind,
                         .draw = term.draw,
                         .use = {}};
      source.noise = term.noise;
      if (!term.weights.empty()) source.weights = [&term](const Points&) { return term.weights; };
      source.use = [this, &executor, &term, i](const Points& points,
                                               std::span<const std::size_t> rows) {
        set_term_points(executor, i, problem(), term, points, rows);
      };
      source.weigh = [&executor, i](std::span<const double> weights) {
        if (!weights.empty()) return executor.set_weights(i, weights);
        executor.set_weights(i, std::vector<double>(executor.n_groups(i), 1.0));
      };
      if (problem().domain->space() != nullptr) {
        source.distance = [this](const Points& points) { return distances(problem(), points); };
      }
      sources.push_back(std::move(source));
    }
    return sources;
  }

  /// Root mean squares on the training points, in the units of the equations and conditions.
  std::map<std::string, double> trained_residuals(Executor& executor,
                                                  std::span<const double> theta) const {
    std::map<std::string, double> all;
    for (std::size_t i = 0; i < pinn_.loss.terms.size(); ++i) {
      const PinnTerm& term = pinn_.loss.terms[i];
      if (term.groups) continue;  // what an integrand is at a point says nothing
      const std::size_t m = term.parts.size(), n = executor.n_residuals(i) / m;
      std::vector<double> r(n * m);
      executor.residuals(i, theta, r);
      for (std::size_t k = 0; k < m; ++k) {
        double sum = 0;
        for (std::size_t p = 0; p < n; ++p) sum += r[p * m + k] * r[p * m + k];
        all[term.parts[k].first] = term.parts[k].second * std::sqrt(sum / static_cast<double>(n));
      }
    }
    return all;
  }

  TrainingRecord first_record() const {
    TrainingRecord record;
    for (const PinnTerm& t : pinn_.loss.terms) record.term_names.push_back(t.term.name);
    for (const Unknown& u : problem().unknowns) record.unknown_names.push_back(u.name);
    record.has_reference = !problem().reference.empty();
    record.choices = choices_;
    if (!pinn_.method.scale) return record;
    for (const auto& axis : pinn_.sizes.axes) record.scales[axis.name] = axis.half;
    for (const auto& [name, size] : pinn_.sizes.fields) record.scales[name] = size;
    for (const PinnTerm& t : pinn_.loss.terms) {
      if (!t.groups) record.scales[t.term.name] = t.size;
    }
    return record;
  }

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
  const PinnAssembly pinn(std::make_shared<const Problem>(problem), std::get<Pinn>(method));
  std::vector<double> theta = checkpoint.array("theta").values;
  if (theta.size() != pinn.graph->n_parameters()) {
    throw Error(fmt::format("it holds {} parameters, the network has {}", theta.size(),
                            pinn.graph->n_parameters()),
                "[solvers.pinn]", "use the settings of the run that made it");
  }
  const ExecutorOptions options{.threads = threads, .precision = pinn.method.precision};
  return std::make_shared<PinnField>(
      std::make_shared<FieldEvaluator>(pinn.graph, pinn.lower, options), std::move(theta));
}

}  // namespace cauchy::detail
