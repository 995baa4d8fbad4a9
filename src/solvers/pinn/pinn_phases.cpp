#include "solvers/pinn/pinn_phases.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/error_meter.hpp"
#include "problem/lowering.hpp"
#include "solvers/pinn/glued_training.hpp"
#include "solvers/pinn/pinn_march.hpp"
#include "solvers/pinn/pinn_training.hpp"

namespace cauchy::detail {
namespace {

/// The artificial parameter of ContinuationCurriculum, unless the problem has one of this name.
constexpr const char* artificial = "viscosity";

bool is_artificial(const Problem& problem, const ContinuationCurriculum& rule) {
  return rule.parameter == artificial && !problem.values().contains(artificial);
}

Problem with_parameter(Problem problem, const std::string& name, double value) {
  for (ProblemParameter& p : problem.parameters) {
    if (p.name == name) p.value = value;
  }
  return problem;
}

/// F = value k laplacian(u) for F = 0, k the quotient of the sizes of both sides.
Problem with_viscosity(Problem problem, double value) {
  const Lowering lower(problem);
  const Sizes sizes = characteristic_sizes(problem, lower, true);
  Expr laplacian = 0;
  for (const std::string& axis : problem.domain->space()->coordinates()) {
    laplacian += field_derivative(problem.fields.front(), {{axis, 2}});
  }
  const double of_laplacian = residual_size(laplacian, problem, sizes);
  for (ProblemEquation& e : problem.equation) {
    const double k = residual_size(lower(e.form.residual()), problem, sizes) / of_laplacian;
    e.name = name_of(e);
    e.form.right += value * k * laplacian;
  }
  return problem;
}

Problem with_value(const Problem& problem, const ContinuationCurriculum& rule, double value) {
  return is_artificial(problem, rule) ? with_viscosity(problem, value)
                                      : with_parameter(problem, rule.parameter, value);
}

}  // namespace

void expect_continuation(const Problem& problem, const ContinuationCurriculum& rule) {
  constexpr const char* place = "[method.curriculum]";
  if (is_artificial(problem, rule)) {
    if (problem.all_fields().size() != 1 || problem.domain->space() == nullptr) {
      throw Error("a viscosity belongs to one field in space", place,
                  "give the problem a parameter, and name it");
    }
  } else if (!problem.values().contains(rule.parameter)) {
    throw Error(fmt::format("the problem has no number '{}'", rule.parameter), place,
                "name a parameter and give values = [0.1, 0.05]");
  }
  if (rule.values.empty()) {
    throw Error("a continuation needs the values that come first", place,
                "name a parameter and give values = [0.1, 0.05]");
  }
}

PreparedMethod::Answer continue_parameter(const std::shared_ptr<const Problem>& problem,
                                          const Pinn& method, const RunOptions& options,
                                          const std::vector<std::string>& choices) {
  const auto& rule = std::get<ContinuationCurriculum>(method.rules.curriculum);
  const std::size_t last = rule.values.size();
  Phases phases{.key = "continuation", .n_before = last, .share = rule.share};
  phases.task = [&](std::size_t phase) {
    return std::pair(phase == last ? problem
                                   : std::make_shared<const Problem>(
                                         with_value(*problem, rule, rule.values[phase])),
                     method);
  };
  phases.name = [&](std::size_t phase) {
    const double own = is_artificial(*problem, rule) ? 0 : problem->values().at(rule.parameter);
    const double value = phase == last ? own : rule.values[phase];
    return fmt::format("{} = {:.4g}", rule.parameter, value);
  };
  return train_phases(problem, method, options, choices, phases);
}

PreparedMethod::Answer train_phases(const std::shared_ptr<const Problem>& problem,
                                    const Pinn& method, const RunOptions& options,
                                    const std::vector<std::string>& choices, const Phases& phases) {
  const auto pool = std::make_shared<Threads>(options.threads);
  const std::size_t last = phases.n_before;
  const std::string number = phases.key + "/phase";
  std::size_t first = 0;
  if (!options.checkpoint.empty() && std::filesystem::exists(options.checkpoint)) {
    const Checkpoint saved = load_checkpoint(options.checkpoint);
    first = saved.number(number);
    if (first > last) {
      throw Error(ErrorKind::file, "the checkpoint is damaged", options.checkpoint.string(),
                  "remove it, or choose another folder");
    }
    if (phases.restore) phases.restore(saved, first);
  }
  std::vector<double> theta;
  PreparedMethod::Answer answer;
  std::optional<GluedTraining> glue;
  for (std::size_t phase = first; phase <= last; ++phase) {
    const bool final_phase = phase == last;
    auto [task, settings] = phases.task(phase);
    if (!final_phase) {
      if (settings.stages.empty()) settings.stages = default_stages(1, method.precision);
      for (Stage& s : settings.stages) {
        const double steps = phases.share * static_cast<double>(s.steps);
        s.steps = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(steps));
      }
    }
    const PinnAssembly pinn(task, settings);
    PinnTraining training(pinn, pool);
    TrainingSetup setup = training.setup();
    setup.fresh = phase != first;  // only the first one may be a resumed training
    setup.fingerprint += fmt::format("phase {}\n", phase);
    setup.record.choices = choices;
    setup.save_more = [&, phase](Checkpoint& c) {
      c.numbers[number] = phase;
      if (phases.save) phases.save(c);
    };
    if (!glue) {
      glue.emplace(setup.record, options);
      if (first > 0) glue->restore(load_checkpoint(options.checkpoint));
    }
    if (theta.empty()) theta = training.first_parameters();
    std::optional<ErrorMeter> meter;
    if (task == problem && !problem->reference.empty()) {
      setup.record.has_reference = glue->record().has_reference = true;
      const auto error = [&](std::span<const double> x) {
        if (!meter) meter.emplace(*problem);
        return meter->largest(*training.field({x.begin(), x.end()}));
      };
      setup.error = setup.rough_error = error;
    }
    if (final_phase && method.goal > 0) {
      setup.finished = [&](std::span<const double> x, std::uint64_t) {
        return training.fresh_residual(x) <= method.goal;
      };
    }
    std::vector<std::size_t> same(pinn.loss.terms.size());
    for (std::size_t i = 0; i < same.size(); ++i) same[i] = i;
    const std::string what = phases.name(phase);
    TrainingResult trained = glue->train(
        [&](const TrainingSetup& s, const RunOptions& o) { return training.train(theta, s, o); },
        setup, same, what);
    theta = trained.theta;
    glue->note(fmt::format("{}: residual {:.1e} on fresh points after {} steps", what,
                           training.fresh_residual(theta), trained.record.steps));
    if (!final_phase && !trained.interrupted) {
      if (phases.hand_on) theta = phases.hand_on(pinn, trained, phase + 1);
      continue;
    }
    answer.outcome = trained.outcome;
    Solution& s = answer.solution;
    s.method = pinn.describe();
    s.interrupted = trained.interrupted;
    s.n_unknowns = pinn.graph->n_parameters();
    const std::vector<double> found = pinn.unknowns(theta);
    for (std::size_t i = 0; i < found.size(); ++i) s.unknowns[problem->unknowns[i].name] = found[i];
    TrainingRecord& record = glue->record();
    record.trained = training.trained_residuals(theta);
    record.points = trained.record.points;
    record.parameters = theta;
    s.model = training.field(theta);
    s.training = std::move(record);
    s.seconds = glue->seconds();
    if (options.progress != nullptr) {
      const ProgressValue values[] = {{"loss", s.training->loss()}};
      options.progress->finish({s.training->steps, s.training->steps, s.seconds, values, {}});
    }
    break;
  }
  return answer;
}

}  // namespace cauchy::detail
