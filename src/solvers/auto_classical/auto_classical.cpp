#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/geometry/mesh_region.hpp>

#include "problem/doubts.hpp"
#include "problem/hamilton_jacobi.hpp"
#include "problem/lowering.hpp"
#include "solvers/auto_classical/prepared_auto_classical.hpp"
#include "solvers/classical/classical_solver.hpp"
#include "solvers/classical/contradiction.hpp"
#include "solvers/trust/neutral_direction.hpp"

namespace cauchy {

void visit_options(AutoClassical& m, OptionVisitor& v) {
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
}

namespace detail {
namespace {

/// What decides which method comes first.
struct Character {
  bool space = false, time = false;
  std::size_t dimension = 0;  // of space
  bool jumps = false;         // coefficients or data that are not smooth
  bool transport = false;     // first order in space, nonlinear or with jumps
  bool shocks = false;        // or edges, that values at points do not show
  bool mesh = false;          // the region comes with cells of its own
};

Character character_of(const Problem& problem) {
  Character c;
  c.time = problem.domain->time() != nullptr;
  const Region* space = problem.domain->space();
  c.space = space != nullptr;
  c.dimension = c.space ? space->dimension() : 0;
  c.mesh = c.space && region_mesh(*space) != nullptr;
  const Lowering lower(problem);
  std::vector<Expr> all;
  bool nonlinear = false;
  int order = 0;
  for (const ProblemEquation& e : problem.equation) {
    all.push_back(lower(e.form.residual()));
    nonlinear = nonlinear || !is_linear(all.back());
    c.jumps = c.jumps || !e.where.empty();
    for (std::size_t k = 0; c.space && k < c.dimension; ++k) {
      order = std::max(order, cauchy::order(all.back(), Coordinate(space->coordinates()[k])));
    }
  }
  for (const Condition& condition : problem.condition) {
    all.push_back(lower(condition.form.residual()));
  }
  for (const Expr& e : postorder(all)) c.jumps = c.jumps || has_jump(e.kind());
  for (const TabulatedFunction& f : problem.functions) {
    c.jumps = c.jumps || f.interpolation != TableInterpolation::cubic;
  }
  if (c.time && c.space && order == 1) {
    c.jumps = c.jumps || !corner_jumps(problem).empty();
    c.transport = nonlinear || c.jumps;
  }
  c.shocks = !lost_shocks(problem).empty() || !lost_kinks(problem).empty();
  if (hamilton_jacobi(problem, lower)) c.transport = false;  // where it is smooth
  return c;
}

std::vector<std::string_view> ranking(const Character& c) {
  if (!c.space) return {"ode"};
  if (c.shocks) return {"fvm"};
  if (c.transport) return {"fvm", "fdm", "spectral"};
  if (c.mesh) return {"fem", "fdm", "kansa", "fvm", "spectral"};
  if (c.jumps) return {"fdm", "fem", "fvm", "ode", "spectral", "kansa"};
  if (c.dimension == 1 && !c.time) return {"ode", "spectral", "fdm", "kansa"};
  return {"spectral", "fdm", "fem", "kansa", "fvm"};
}

/// The entry with a tolerance; every classical method has one.
Method with_tolerance(const MethodEntry& entry, double tolerance) {
  Method method = entry.options;
  std::visit(
      [&](auto& settings) {
        if constexpr (requires { settings.tolerance; }) settings.tolerance = tolerance;
      },
      method);
  return method;
}

class PreparedAutoClassical final : public PreparedMethod {
 public:
  PreparedAutoClassical(const std::shared_ptr<const Problem>& problem, double tolerance,
                        int threads, std::string_view besides = {})
      : PreparedMethod(problem), tolerance_(tolerance) {
    bool interrupted = false;
    for (const std::string_view name : classical_ranking(*problem)) {
      if (name == besides) continue;
      const auto& all = all_methods();
      const auto entry =
          std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.name == name; });
      try {
        candidates_.push_back(entry->prepare(problem, with_tolerance(*entry, tolerance), threads));
        names_.emplace_back(name);
      } catch (const Error& e) {
        const bool late = e.kind() == ErrorKind::interrupted;
        if (!late && e.kind() != ErrorKind::unsupported) throw;
        interrupted = interrupted || late;
        reasons_.push_back(late ? fmt::format("{}: {}", name, e.message()) : e.message());
      }
    }
    if (candidates_.empty()) {
      throw Error(interrupted ? ErrorKind::interrupted : ErrorKind::unsupported,
                  fmt::format("no classical method fits: {}", fmt::join(reasons_, "; ")),
                  "[solvers.auto-classical]", interrupted ? "give it more time" : "use pinn");
    }
    if (tolerance_ == 0) tolerance_ = problem->tolerance.value_or(1e-2);
  }

  [[nodiscard]] MethodCost cost() const override { return candidates_[chosen_]->cost(); }
  [[nodiscard]] std::vector<std::string> warnings() const override {
    return candidates_[chosen_]->warnings();
  }
  [[nodiscard]] std::vector<LevelCost> levels() const override {
    return candidates_[chosen_]->levels();
  }
  [[nodiscard]] std::vector<std::string> remarks() const override {
    std::vector<std::string> all = candidates_[chosen_]->remarks();
    all.insert(all.end(), remarks_.begin(), remarks_.end());
    return all;
  }

  /// The first method whose own estimate meets the tolerance and whose answer passes the checks,
  /// else the one with the best. An answer that is refuted is returned when there is no other.
  ///   error    throws Error (unsupported) when none fits in the time
  [[nodiscard]] Answer run(const RunOptions& options) override {
    const RunLimit limit = begin_limit(options);
    std::optional<Answer> best;
    double best_error = INFINITY;
    remarks_.clear();
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      if (k > 0 && limit.reached()) break;
      const double coarsest = candidates_[k]->cost().nominal();
      if (coarsest > longest_coarsest || !limit.fits(coarsest / rough)) {
        const std::string time = fmt::format("about {:.2g} s on its coarsest grid", coarsest);
        remarks_.push_back(
            limit.reached()
                ? fmt::format("the limit was over before {} began, which takes {}", names_[k], time)
                : fmt::format("{} would take {}", names_[k], time));
        continue;
      }
      // The others may be better.
      const bool last = k + 1 == candidates_.size();
      Answer answer = candidates_[k]->run(within(options, last ? limit : limit.share(0.5)));
      Solution& s = answer.solution;
      const bool sound = answer.outcome.finite && answer.outcome.troubles.empty();
      const std::string refuted = sound ? refutation_of_candidate(s) : "";
      // Unsound below refuted below sound without an estimate.
      double error = !sound ? INFINITY : !refuted.empty() ? error_of_refuted : error_of_unknown;
      if (sound && refuted.empty() && s.estimate && s.estimate->judged() >= 0) {
        error = std::min(s.estimate->judged(), error_of_unknown);
      }
      if (!best || error < best_error) {
        best = std::move(answer);
        best_error = error;
        chosen_ = k;
      }
      if (best_error <= tolerance_ || limit.end() == RunLimit::End::asked) break;
      remarks_.push_back(
          !refuted.empty()
              ? refuted
              : fmt::format("{} did not reach {:.1e}{}", names_[k], tolerance_,
                            error < error_of_unknown ? fmt::format(": {:.1e}", error) : ""));
    }
    if (!best) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("no classical method fits: {}", fmt::join(remarks_, "; ")),
                  "[solvers.auto-classical]", "give it more time");
    }
    best->solution.seconds = limit.seconds();
    best->solution.work = limit.work();
    return std::move(*best);
  }

 private:
  /// Why an answer cannot be right; a candidate is asked what every answer is asked.
  [[nodiscard]] std::string refutation_of_candidate(Solution& s) const {
    s.problem = problem();
    try {
      s.checks = check_terms(s);
      std::string why = contradiction_of(s);
      if (why.empty()) add_neutral_direction(s);
      return why;
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::memory) throw;
      return fmt::format("{} could not be checked: {}", s.method, e.message());
    }
  }

  static constexpr double error_of_unknown = 1e100, error_of_refuted = 1e200;
  static constexpr double rough = 3;               // costs are guessed to this factor
  static constexpr double longest_coarsest = 1e3;  // nominal seconds
  double tolerance_;
  std::vector<std::unique_ptr<PreparedMethod>> candidates_;
  std::vector<std::string> names_, reasons_, remarks_;
  std::size_t chosen_ = 0;
};

}  // namespace

std::vector<std::string_view> classical_ranking(const Problem& problem) {
  return ranking(character_of(problem));
}

std::unique_ptr<PreparedMethod> prepare_auto_classical(std::shared_ptr<const Problem> problem,
                                                       const Method& method, int threads) {
  return std::make_unique<PreparedAutoClassical>(problem, std::get<AutoClassical>(method).tolerance,
                                                 threads);
}

std::unique_ptr<PreparedMethod> prepare_classical_besides(std::shared_ptr<const Problem> problem,
                                                          double tolerance, int threads,
                                                          std::string_view besides) {
  return std::make_unique<PreparedAutoClassical>(problem, tolerance, threads, besides);
}

std::shared_ptr<const FieldModel> load_auto_classical(const Checkpoint& checkpoint,
                                                      const Problem& problem,
                                                      const Method& /*method*/, int /*threads*/) {
  return load_classical("auto-classical", checkpoint, problem);  // load_model asks the chosen one
}

}  // namespace detail
}  // namespace cauchy
