#include <cauchy/solvers/ode.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/ode/collocation.hpp"
#include "solvers/ode/initial_value.hpp"
#include "solvers/ode/prepared_ode.hpp"

namespace cauchy {
namespace {

const Words<OdeIntegrator>& ode_integrators() {
  static const Words<OdeIntegrator> words = {
      {"auto", OdeIntegrator::automatic}, {"dopri5", OdeIntegrator::dopri5},
      {"dop853", OdeIntegrator::dop853},  {"cvode", OdeIntegrator::cvode},
      {"ida", OdeIntegrator::ida},        {"collocation", OdeIntegrator::collocation}};
  return words;
}

}  // namespace

void visit_options(Ode& m, OptionVisitor& v) {
  v.word("integrator", m.integrator, ode_integrators());
  v.number("tolerance", m.tolerance, NumberRange::not_negative);
}

namespace detail {
namespace {

/// Levels are tolerances: 1e-4, 1e-5, ..., to which errors are about proportional. With a few long
/// steps that is not exact, so only the root of the factor of 10 is taken for granted.
class OdeSolver final : public ClassicalSolver {
 public:
  OdeSolver(std::shared_ptr<const Problem> problem, OdeIntegrator integrator)
      : problem_(std::move(problem)), ode_(problem_), integrator_(integrator) {
    const auto refuse = [](const char* why, const char* instead) {
      throw Error(ErrorKind::unsupported, why, "[solvers.ode]", instead);
    };
    const bool start = ode_.conditions->at_one_point();
    if (integrator == OdeIntegrator::automatic && !start) integrator_ = OdeIntegrator::collocation;
    const bool collocation = integrator_ == OdeIntegrator::collocation;
    if (!collocation && !start) {
      refuse("conditions at several points are no initial value problem",
             "take integrator = \"collocation\"");
    }
    if (collocation && ode_.system->n_differential() < ode_.system->size()) {
      refuse("collocation does not take algebraic equations", "take integrator = \"ida\"");
    }
    const bool any_form =
        collocation || integrator_ == OdeIntegrator::ida || integrator_ == OdeIntegrator::automatic;
    if (!any_form && !ode_.system->is_explicit()) {
      refuse("the equations cannot be solved for the highest derivatives",
             "take integrator = \"ida\"");
    }
  }

  [[nodiscard]] int levels() const override { return 11; }
  [[nodiscard]] int coarser() const override { return 1; }
  /// The error falls with the tolerance, but not evenly: half as fast is believed.
  [[nodiscard]] double order() const override { return 0.5 * std::log2(10.0); }
  [[nodiscard]] MethodCost cost(int level) const override {
    MethodCost cost;
    cost.method = fmt::format("ode, tolerance {:.0e}", tolerance_of(level));
    const double steps = 100 * std::pow(10.0, level / 6.0);  // between the orders 5 and 8
    cost.unknowns = static_cast<std::size_t>(steps) * ode_.system->size();
    cost.bytes = 64.0 * steps * static_cast<double>(ode_.system->size());
    cost.work.add(WorkKind::formulas, 1e3 * steps * static_cast<double>(ode_.system->size()));
    return cost;
  }

  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override {
    const bool collocation = integrator_ == OdeIntegrator::collocation;
    // Steps of an integration take less time than to look at the clock thrice.
    const StopAsked stop = [&, calls = 0](double) mutable {
      if (!collocation && ++calls % 64 != 0) return false;
      return options.limit.reached();
    };
    const double tolerance = tolerance_of(level);
    OdeNodes found =
        collocation
            ? solve_collocation(ode_, static_cast<std::size_t>(cells_at(16, std::min(level, 6))),
                                tolerance, stop)
            : solve_initial_value(ode_, integrator_, tolerance, stop);
    ClassicalAnswer answer;
    answer.method = fmt::format("ode, {}, tolerance {:.0e}, {} {}", found.method, tolerance,
                                found.steps, collocation ? "intervals" : "steps");
    answer.n_unknowns = found.steps * ode_.system->size();
    answer.interrupted = found.interrupted;
    answer.remarks = std::move(found.remarks);
    if (!found.trouble.empty()) {
      answer.finite = false;
      answer.troubles.push_back(std::move(found.trouble));
    }
    if (!answer.troubles.empty() || answer.interrupted) return answer;
    answer.model = field_of(std::move(found));
    return answer;
  }

 private:
  static double tolerance_of(int level) { return std::pow(10.0, -4 - level); }

  [[nodiscard]] std::shared_ptr<const FieldModel> field_of(OdeNodes found) const {
    std::vector<OdeField::Place> places;
    for (const OdeSystem::Chain& c : ode_.system->chains()) {
      if (places.size() == problem_->fields.size()) break;  // integrals follow
      places.push_back({c.field, c.first, static_cast<std::size_t>(std::max(c.order, 1))});
    }
    return std::make_shared<OdeField>(problem_, ode_.system->variable(), std::move(places),
                                      std::move(found.cubics));
  }

  std::shared_ptr<const Problem> problem_;
  OdeProblem ode_;
  OdeIntegrator integrator_;
};

}  // namespace

std::unique_ptr<PreparedMethod> prepare_ode(std::shared_ptr<const Problem> problem,
                                            const Method& method, int threads) {
  const Ode& options = std::get<Ode>(method);
  return prepare_classical(
      "ode", std::move(problem),
      [integrator = options.integrator](std::shared_ptr<const Problem> p) {
        return std::make_unique<OdeSolver>(std::move(p), integrator);
      },
      {.level = -1, .tolerance = options.tolerance}, threads);
}

std::shared_ptr<const FieldModel> load_ode(const Checkpoint& checkpoint, const Problem& problem,
                                           const Method& /*method*/, int /*threads*/) {
  return load_classical("ode", checkpoint, problem, OdeField::load);
}

}  // namespace detail
}  // namespace cauchy
