#include <cauchy/solvers/method.hpp>

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/function_ref.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/solvers/wellposed.hpp>

#include "problem/start_layers.hpp"
#include "solvers/auto_classical/prepared_auto_classical.hpp"
#include "solvers/classical/contradiction.hpp"
#include "solvers/fdm/prepared_fdm.hpp"
#include "solvers/fem/prepared_fem.hpp"
#include "solvers/fvm/prepared_fvm.hpp"
#include "solvers/kansa/prepared_kansa.hpp"
#include "solvers/ode/prepared_ode.hpp"
#include "solvers/pinn/prepared_pinn.hpp"
#include "solvers/recipes/prepared_recipes.hpp"
#include "solvers/spectral/prepared_spectral.hpp"
#include "solvers/trust/add_error_bars.hpp"
#include "solvers/trust/complete_diagnosis.hpp"
#include "solvers/trust/corrected_model.hpp"
#include "solvers/trust/neutral_direction.hpp"
#include "solvers/variational/prepared_variational.hpp"

namespace cauchy {
namespace {

const MethodPlugin& plugin_of(const Method& method) {
  const auto& plugin = std::get<CustomMethod>(method).plugin;
  if (!plugin) throw Error("the method has no plug-in", "[solvers]", "give it one");
  return *plugin;
}

/// A method from outside behind the same entry as those of the table.
const MethodEntry& custom_entry() {
  static const MethodEntry entry = {
      "custom",
      "a plug-in",
      CustomMethod{},
      [](std::shared_ptr<const Problem> problem, const Method& method, int threads) {
        return plugin_of(method).prepare(std::move(problem), threads);
      },
      [](const Checkpoint& c, const Problem& problem, const Method& method, int threads) {
        return plugin_of(method).load(c, problem, threads);
      },
      nullptr};
  return entry;
}

const MethodEntry& method_entry(const Method& method) {
  for (const MethodEntry& entry : all_methods()) {
    if (entry.options.index() == method.index()) return entry;
  }
  return custom_entry();
}

/// Part of a limit in seconds: the rest is for the estimate of the error, the grade and the report.
double share_of_run(double max_seconds) {
  constexpr double rest = 0.8;  // seconds
  return std::clamp(1 - rest / max_seconds, 0.5, 0.85);
}

}  // namespace

CAUCHY_COMPILE_HERE(Method)

const std::vector<MethodEntry>& all_methods() {
  static const std::vector<MethodEntry> all = {
      {"pinn", "physics-informed neural network", Pinn{}, detail::prepare_pinn, detail::load_pinn,
       detail::pinn_training},
      {"auto", "a PINN with settings that follow from the problem", Auto{}, detail::prepare_recipe,
       detail::load_recipe, detail::auto_training},
      {"expert", "a PINN after the expert's guide to training", Expert{}, detail::prepare_recipe,
       detail::load_recipe, detail::expert_training},
      {"ritz", "Deep Ritz: a network that makes the energy smallest", Ritz{}, detail::prepare_ritz,
       detail::load_ritz, detail::pinn_training},
      {"vpinn", "a network that fulfils the weak form for test functions", Vpinn{},
       detail::prepare_vpinn, detail::load_vpinn, detail::pinn_training},
      {"hp_vpinn", "the same with test functions on elements", HpVpinn{}, detail::prepare_hp_vpinn,
       detail::load_hp_vpinn, detail::pinn_training},
      {"fdm", "finite differences", Fdm{}, detail::prepare_fdm, detail::load_fdm, nullptr},
      {"fem", "finite elements", Fem{}, detail::prepare_fem, detail::load_fem, nullptr},
      {"spectral", "Fourier series and Chebyshev polynomials on boxes", Spectral{},
       detail::prepare_spectral, detail::load_spectral, nullptr},
      {"fvm", "finite volumes for balance laws", Fvm{}, detail::prepare_fvm, detail::load_fvm,
       nullptr},
      {"kansa", "meshless collocation with radial basis functions", Kansa{}, detail::prepare_kansa,
       detail::load_kansa, nullptr},
      {"ode", "ordinary differential equations", Ode{}, detail::prepare_ode, detail::load_ode,
       nullptr},
      {"auto-classical", "the classical method that fits the problem", AutoClassical{},
       detail::prepare_auto_classical, detail::load_auto_classical, nullptr},
  };
  return all;
}

Method default_method(const Problem& /*problem*/) { return Auto{}; }

std::string name_of(const Method& method) {
  return std::holds_alternative<CustomMethod>(method) ? plugin_of(method).describe()
                                                      : std::string(method_entry(method).name);
}

void visit_options(CustomMethod& method, OptionVisitor& v) { v.custom("kind", name_of(method)); }

void visit_options(Method& method, OptionVisitor& v) {
  if (!std::holds_alternative<CustomMethod>(method)) {
    v.alternative("kind", "method", method, all_methods(), method_entry(method));
  }
  std::visit([&](auto& settings) { visit_options(settings, v); }, method);
}

Pinn* trial_of(Method& method) noexcept {
  if (Pinn* pinn = std::get_if<Pinn>(&method)) return pinn;
  if (Ritz* ritz = std::get_if<Ritz>(&method)) return &ritz->trial;
  if (Vpinn* vpinn = std::get_if<Vpinn>(&method)) return &vpinn->trial;
  if (HpVpinn* vpinn = std::get_if<HpVpinn>(&method)) return &vpinn->trial;
  return nullptr;
}

std::optional<TrainingSettings> training_settings(Method& method) {
  const MethodEntry& entry = method_entry(method);
  if (entry.training == nullptr) return std::nullopt;
  return entry.training(method);
}

void replace_stages(Method& method, std::vector<Stage> stages) {
  training_settings(method)->stages = std::move(stages);
  if (auto* recipe = std::get_if<Auto>(&method)) recipe->seconds = Auto{}.seconds;
  if (auto* recipe = std::get_if<Expert>(&method)) recipe->steps = Expert{}.steps;
}

std::unique_ptr<PreparedMethod> prepare(const Problem& problem, const Method& method, int threads) {
  check(problem);
  return method_entry(method).prepare(std::make_shared<const Problem>(problem), method, threads);
}

MethodCost estimate_cost(const Problem& problem, const Method& method, int threads) {
  return prepare(problem, method, threads)->cost();
}

std::vector<std::string> warnings_of(const PreparedMethod& prepared) {
  std::vector<std::string> all = facts(prepared.problem()).warnings;
  for (std::string& w : prepared.warnings()) all.push_back(std::move(w));
  return all;
}

void require_fit(const MethodCost& cost) { require_memory(cost.bytes, "the run", cost.less); }

Solution solve(PreparedMethod& prepared, const RunOptions& options) {
  if (options.target_error > 0 && prepared.problem().reference.empty()) {
    throw Error("an error was asked for, but the problem has no reference", "[solvers]",
                "add one, or leave out the target");
  }
  const MethodCost cost = prepared.cost();
  require_fit(cost);
  const RunLimit limit = begin_limit(options);
  const RunOptions inside = within(options, limit);
  try {
    PreparedMethod::Answer answer = prepared.run(
        within(options, limit.timed() ? limit.share(share_of_run(limit.max_seconds())) : limit));
    Solution& solution = answer.solution;
    solution.work = std::max(solution.work, limit.work());
    solution.problem = prepared.problem();
    std::vector<std::string> told, failed;
    // A judge that fails never costs the answer; without its word nothing is confirmed.
    const auto judged = [&failed](const char* what, FunctionRef<void()> judge) {
      try {
        judge();
      } catch (const Error& e) {
        failed.push_back(fmt::format("{} failed: {}", what, e.message()));
      } catch (const std::bad_alloc&) {
        failed.push_back(fmt::format("{} failed: the system gave no more memory", what));
      }
    };
    judged("the comparison with the reference", [&] { solution.error = measure_error(solution); });
    if (solution.training && !solution.training->history.empty()) {
      solution.training->history.back().error = solution.error.relative_l2();
    }
    const auto refute = [&] {
      answer.outcome.refuted.clear();
      if (answer.outcome.finite) answer.outcome.refuted = detail::refutation_of(solution);
    };
    judged("the look at the equations", [&] {
      solution.checks = check_terms(solution);
      refute();
    });
    if (!answer.outcome.refuted.empty()) solution.estimate.reset();  // grids agree on it, if at all
    if (options.estimate && answer.outcome.finite) {
      judged("the estimate of the error", [&] { told = detail::add_error_bars(solution, inside); });
      if (!answer.outcome.refuted.empty()) judged("the look at the equations", refute);  // improved
      judged("the look along neutral directions", [&] { detail::add_neutral_direction(solution); });
    }
    std::vector<std::string> found = std::move(solution.warnings);  // by the run itself
    solution.warnings = facts(prepared.problem()).warnings;
    answer.outcome.method_warnings = prepared.warnings();
    for (const std::string& w : answer.outcome.method_warnings) solution.warnings.push_back(w);
    if (options.estimate) {
      judged("the search for other solutions", [&] {
        for (std::string& doubt : solvability_doubts(prepared.problem())) {
          solution.warnings.push_back(std::move(doubt));
        }
      });
    }
    solution.warnings.insert(solution.warnings.end(), found.begin(), found.end());
    solution.warnings.insert(solution.warnings.end(), failed.begin(), failed.end());
    grade(solution, answer.outcome);
    try {
      detail::complete_diagnosis(solution);
    } catch (const Error& e) {
      told.push_back("the diagnosis of the training failed: " + e.message());
    }
    const detail::StartLayers corners(solution.problem, detail::Lowering(solution.problem));
    if (!corners.empty()) told.push_back(corners.text());
    for (std::string& remark : told) solution.findings.push_back(std::move(remark));
    for (std::string& remark : prepared.remarks()) solution.findings.push_back(std::move(remark));
    if (limit.seconds_decided()) {
      solution.findings.push_back(seconds_decided_text(limit.max_seconds()));
    }
    return std::move(solution);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory,
                fmt::format("the system gave no more memory to the run, which needs about {}",
                            bytes_to_string(cost.bytes)),
                "", cost.less);
  }
}

Solution solve(const Problem& problem, const Method& method, const RunOptions& options) {
  return solve(*prepare(problem, method, options.threads), options);
}

bool is_classical(std::string_view kind) noexcept {
  return std::any_of(all_methods().begin(), all_methods().end(),
                     [&](const MethodEntry& e) { return e.name == kind && e.training == nullptr; });
}

std::shared_ptr<const FieldModel> load_model(std::string_view kind, const Checkpoint& checkpoint,
                                             const Problem& problem, const Method& method,
                                             int threads) {
  if (kind == detail::CorrectedModel::name) {
    return detail::load_corrected(
        checkpoint, std::make_shared<const Problem>(problem),
        [&](const std::string& part, const Checkpoint& own) {
          return load_model(part, own, problem,
                            is_classical(part) ? Method(AutoClassical{}) : method, threads);
        });
  }
  for (const MethodEntry& entry : all_methods()) {
    if (entry.name != kind) continue;
    if (entry.options.index() == method.index()) {
      return entry.load(checkpoint, problem, method, threads);
    }
    const MethodEntry& made_by = method_entry(method);
    if (entry.name == "pinn" && made_by.training == detail::pinn_training) {
      return made_by.load(checkpoint, problem, method, threads);  // trial functions are networks
    }
    if (const auto recipe = expand(method, problem)) {  // the field is of what it stands for
      if (entry.options.index() == Method(recipe->pinn).index()) {
        return entry.load(checkpoint, problem, recipe->pinn, threads);
      }
    }
    if (std::holds_alternative<AutoClassical>(method)) {  // the field is of the method it chose
      return entry.load(checkpoint, problem, entry.options, threads);
    }
  }
  if (!std::holds_alternative<CustomMethod>(method)) {
    throw Error(fmt::format("the answer is a field of kind '{}', which {} does not make", kind,
                            name_of(method)),
                "[solvers]", "name the method that made it");
  }
  return custom_entry().load(checkpoint, problem, method, threads);
}

Solution solve(const Problem& problem) { return solve(problem, default_method(problem)); }

}  // namespace cauchy
