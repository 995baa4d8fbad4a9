// Deep Ritz: the energy of a problem as terms of a loss.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/weak_problem.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/sampling/measure.hpp>
#include <cauchy/sampling/quadrature_points.hpp>

#include "expr/inertia.hpp"
#include "problem/point_data.hpp"
#include "solvers/pinn/pinn_graph.hpp"
#include "solvers/variational/mesh_points.hpp"
#include "solvers/variational/prepared_variational.hpp"
#include "solvers/variational/trial.hpp"

namespace cauchy::detail {
namespace {

using WeakRole = WeakCondition::Role;

constexpr std::string_view no_energy = "ritz needs an energy";

[[noreturn]] void refuse_ritz(std::string_view why, std::string_view fix) {
  throw Error(ErrorKind::unsupported, fmt::format("{}: {}", no_energy, why), "[solvers.ritz]",
              std::string(fix));
}

/// The weak form of a problem that has an energy, or why there is none.
WeakProblem energetic(const Problem& problem) {
  const Domain& domain = *problem.domain;
  if (domain.time() != nullptr) {
    refuse_ritz("the problem has a time, and what evolves is not the minimum of a functional",
                "use vpinn or pinn");
  }
  if (!problem.unknowns.empty() || !problem.coefficients.empty()) {
    refuse_ritz("its minimum over an unknown constant or coefficient says nothing of them",
                "use vpinn or pinn");
  }
  if (!problem.observation.empty()) {
    refuse_ritz("observations stand in none", "use vpinn or pinn");
  }
  for (const ProblemEquation& e : problem.equation) {
    if (!e.weight.is_constant(1)) {
      refuse_ritz(
          fmt::format("equation '{}' has a weight, and an energy is one for all", name_of(e)),
          "leave the weight out");
    }
  }
  if (domain.shape_varies()) refuse_ritz("the shape depends on a range", "use pinn");
  const WeakProblem weak = weak_problem(problem);
  if (!weak.form.auxiliary.empty()) {
    refuse_ritz("equations of this order have a mixed form, which is a saddle point",
                "use pinn or vpinn with parts = 0");
  }
  for (std::size_t i = 0; i < weak.form.fields.size(); ++i) {
    if (!weak.form.multiplier[i]) continue;
    refuse_ritz(
        fmt::format("'{}' is a multiplier, and the form a saddle point", weak.form.fields[i]),
        "use vpinn or pinn");
  }
  if (!weak.symmetric) {
    refuse_ritz("the weak form is not symmetric, so that it is the derivative of none",
                "use vpinn or pinn");
  }
  if (!weak.energy) {
    refuse_ritz("the weak form has no antiderivative among the known functions",
                "use vpinn or pinn");
  }
  for (const WeakCondition& c : weak.conditions) {
    const Condition& condition = problem.condition[c.condition];
    if (c.role == WeakRole::point || c.role == WeakRole::integral) {
      refuse_ritz(fmt::format("condition '{}' stands in none", name_of(condition)),
                  "use vpinn or pinn");
    }
    const bool weighted = c.role == WeakRole::natural && !condition.weight.is_constant(1);
    if (weighted) {
      refuse_ritz(fmt::format("condition '{}' is natural and has a weight", name_of(condition)),
                  "leave the weight out");
    }
  }
  return weak;
}

/// The derivatives of all fields by space, in the order of the rows.
std::vector<Expr> slopes_of(const WeakForm& form) {
  std::vector<Expr> all;
  for (const WeakRow& row : form.rows) {
    for (const Expr& x : form.space) all.push_back(d(Field(row.field), x));
  }
  return all;
}

/// Smallest and largest eigenvalue of a matrix of second derivatives of the energy over points of
/// the domain; none where it depends on the fields.
std::optional<std::pair<double, double>> energy_curvatures(const Problem& problem,
                                                           const WeakProblem& weak,
                                                           const std::vector<Expr>& by) {
  const std::size_t n = by.size();
  std::vector<Expr> second(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    const Expr slope = partial(*weak.energy, by[i]);
    for (std::size_t j = 0; j < n; ++j) second[i * n + j] = partial(slope, by[j]);
  }
  if (!field_atoms(second).empty() || !data_of(second).empty()) return std::nullopt;
  double least = INFINITY, most = -INFINITY;
  const Points points = interior_points(domain_of(problem), 64);
  for (std::size_t p = 0; p < points.size(); ++p) {
    Values at;
    for (std::size_t k = 0; k < points.columns.size(); ++k) {
      at.set(Coordinate(points.columns[k]), points.row(p)[k]);
    }
    std::vector<double> numbers;
    for (const Expr& e : second) numbers.push_back(evaluate(e, at));
    const std::vector<double> values = symmetric_eigenvalues(std::move(numbers), n);
    least = std::min(least, values.front());
    most = std::max(most, values.back());
  }
  return std::pair(least, most);
}

/// Makes the terms of an energy.
class RitzBuilder final {
 public:
  RitzBuilder(std::shared_ptr<const Problem> problem, const Ritz& method)
      : method_(method), given_(std::move(problem)), weak_(energetic(*given_)) {
    if (!(method.penalty > 0) || !std::isfinite(method.penalty)) {
      throw Error(fmt::format("the penalty must be positive, got {}", method.penalty),
                  "[solvers.ritz]");
    }
    check_sign();
    problem_ = decide_built_in() ? std::make_shared<const Problem>(with_built_in()) : given_;
    domain_.emplace(domain_of(*problem_));
    std::vector<double> middle;
    for (const Range& r : domain_->ranges()) {
      ranges_ *= r.upper - r.lower;
      middle.push_back((r.lower + r.upper) / 2);
    }
    measure_ = measure(*domain_->shape(middle)).value;
    if (method.trial.scale) {
      const Sizes sizes = characteristic_sizes(*problem_, Lowering(*problem_), true);
      scale_ = residual_size(*weak_.energy, *problem_, sizes) * measure_;
    }
  }

  VariationalNetwork build() {
    VariationalNetwork out{
        .name = "ritz", .pinn = {problem_, method_.trial}, .fingerprint = fingerprint()};
    PinnAssembly& pinn = out.pinn;
    loss_.remarks = std::move(pinn.loss.remarks);
    add_volume();
    if (method_.trial.stages.empty()) pinn.stages = stages(pinn.graph->n_parameters());
    std::vector<std::string> places;
    for (const WeakCondition& c : weak_.conditions) {
      if (c.role != WeakRole::natural) continue;
      const std::string where = part_of(*problem_, c).where;
      if (std::find(places.begin(), places.end(), where) == places.end()) places.push_back(where);
    }
    for (const std::string& where : places) add_natural(where);
    if (method_.essential == Essential::nitsche) {
      for (const WeakCondition& c : weak_.conditions) {
        const bool built_in = problem_->condition[c.condition].hard;
        if (c.role == WeakRole::essential && !built_in) add_nitsche(c);
      }
    }
    for (PinnTerm& term : pinn.loss.terms) {
      if (term.kind != PointSource::Kind::equation) keep_condition(std::move(term));
    }
    if (built_in_) {
      loss_.remarks.emplace_back("the values on the boundary are built into the network");
    }
    if (!convex_) {
      loss_.remarks.emplace_back(
          "the energy is not convex in the fields: where it has no minimum the training runs away");
    }
    const PinnTerm& energy = loss_.terms.front();
    const bool stays = !energy.redrawn || method_.trial.points.redraw == 0;
    if (stays && domain_->ranges().empty() && energy.term.data.empty()) {
      out.energy = {.density = *weak_.energy, .unit = scale_, .measure = measure_};
    }
    pinn.loss = std::move(loss_);
    return out;
  }

 private:
  [[nodiscard]] std::string fingerprint() const {
    return fmt::format("{} {} {}\n", static_cast<int>(method_.essential), method_.penalty,
                       static_cast<int>(method_.quadrature));
  }

  /// Nodes that stay where they are suit quasi-Newton methods; points that are drawn anew do not,
  /// and without that a network learns to be steep between them.
  [[nodiscard]] std::vector<Stage> stages(std::size_t n_parameters) const {
    if (loss_.terms.front().redrawn && method_.trial.points.redraw > 0) {
      constexpr std::uint64_t steps = 5000;
      Stage stage{SoapOptions{.learning_rate = 5e-3}, steps};
      stage.schedule = {.shape = ScheduleShape::cosine, .steps = steps};
      return {stage};
    }
    std::vector<Stage> all = default_stages(n_parameters, method_.trial.precision);
    all.front().steps = 1000;
    return all;
  }

  /// A minimum needs an energy that is not negative in the gradients.
  void check_sign() {
    if (const auto found = energy_curvatures(*given_, weak_, slopes_of(weak_.form))) {
      if (!(found->first >= -1e-12 * std::abs(found->second)) || !(found->second > 0)) {
        refuse_ritz(fmt::format("that of the equations is not bounded from below: its second "
                                "derivative by the gradient has the eigenvalue {:.3g}",
                                found->first),
                    "use vpinn or pinn");
      }
    }
    std::vector<Expr> fields;
    for (const WeakRow& row : weak_.form.rows) fields.push_back(Field(row.field));
    if (const auto found = energy_curvatures(*given_, weak_, fields)) convex_ = found->first >= 0;
  }

  [[nodiscard]] Problem with_built_in() const {
    Problem changed = *given_;
    for (const WeakCondition& c : weak_.conditions) {
      if (c.role == WeakRole::essential) changed.condition[c.condition].hard = true;
    }
    return changed;
  }

  bool decide_built_in() {
    const bool any = std::any_of(weak_.conditions.begin(), weak_.conditions.end(),
                                 [](const auto& c) { return c.role == WeakRole::essential; });
    if (!any || method_.essential == Essential::penalty ||
        method_.essential == Essential::nitsche) {
      return false;
    }
    const Problem changed = with_built_in();
    try {
      const Lowering lower(changed);
      const Sizes sizes = characteristic_sizes(changed, lower, method_.trial.scale);
      for (const std::string& field : changed.fields) (void)hard_form(changed, lower, sizes, field);
    } catch (const Error&) {
      if (method_.essential == Essential::hard) throw;
      return false;
    }
    return built_in_ = true;
  }

  static std::size_t order_for(std::size_t n, std::size_t dimension) {
    const double root = std::pow(static_cast<double>(n), 1 / static_cast<double>(dimension));
    return static_cast<std::size_t>(std::max(2.0, std::round(root)));
  }

  /// A box with slits: a rule for the box does not see them.
  [[nodiscard]] bool is_slit() const {
    if (domain_->space() == nullptr || !domain_->ranges().empty()) return false;
    const ShapePtr shape = domain_->shape();
    const Bounds& box = shape->bounds();
    double volume = 1;
    for (std::size_t k = 0; k < shape->dimension(); ++k) volume *= box.upper[k] - box.lower[k];
    return std::abs(shape->measure() - volume) <= 1e-12 * volume &&
           shape->pieces().size() > 2 * shape->dimension();
  }

  /// Nodes of the rule for the domain; none for means over points.
  [[nodiscard]] std::optional<Points> energy_nodes() const {
    const std::size_t n = method_.trial.points.interior, D = domain_->dimension();
    const EnergyRule rule = method_.quadrature;
    if (rule == EnergyRule::mesh) return mesh_points(*domain_, n);
    if (rule == EnergyRule::gauss) return gauss_points(*domain_, order_for(n, D));
    if (rule == EnergyRule::random || D > 3) return std::nullopt;
    if (is_slit()) return std::nullopt;
    try {
      return gauss_points(*domain_, order_for(n, D));
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::unsupported) throw;
    }
    return std::nullopt;
  }

  void add_volume() {
    PinnTerm term;
    term.kind = PointSource::Kind::equation;
    term.term.name = "energy";
    term.term.form = TermForm::identity;
    term.term.residuals = {*weak_.energy / scale_};
    if (const auto nodes = energy_nodes()) {
      given_nodes(*nodes, term);
      loss_.remarks.push_back(
          fmt::format("the energy is integrated by Gauss quadrature at {} points", nodes->size()));
    } else {
      term.n = method_.trial.points.interior;
      term.term.weight = measure_;  // times the mean over the points
      term.draw = [domain = *domain_](std::size_t n, const SamplerOptions& options) {
        return interior_points(domain, n, options);
      };
      loss_.remarks.push_back(
          fmt::format("the energy is the mean over {} points{}", term.n,
                      method_.trial.points.redraw > 0 ? ", drawn anew while training" : ""));
    }
    finish(std::move(term));
  }

  /// Weights of a rule over the ranges too become those of a mean over the ranges.
  void given_nodes(const Points& nodes, PinnTerm& term) const {
    Groups all{.offsets = {0, nodes.size()}, .points = {}, .weights = nodes.weights};
    for (std::size_t p = 0; p < nodes.size(); ++p) {
      all.points.push_back(p);
      all.weights[p] /= ranges_;
    }
    term.n = nodes.size();
    term.redrawn = false;
    term.groups = std::move(all);
    term.draw = [nodes](std::size_t, const SamplerOptions&) { return nodes; };
  }

  void finish(PinnTerm term) {
    term.parts = {{term.term.name, 1}};
    term.term.data = data_of(term.term.residuals);
    loss_.terms.push_back(std::move(term));
  }

  /// Nodes on a part of the boundary; points of equal weight where it has no Gauss rule.
  [[nodiscard]] Points boundary_nodes(const Condition& condition) const {
    const std::size_t n = method_.trial.points.boundary, D = domain_->dimension();
    const std::string where = place_of(*problem_, condition).boundary;
    try {
      return boundary_gauss_points(*domain_, where, order_for(n, std::max<std::size_t>(2, D) - 1));
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::unsupported) throw;
    }
    Points points = condition_points(*problem_, condition, n);
    const double total = ranges_ * boundary_measure(*domain_, where).value;
    points.weights.assign(points.size(), total / static_cast<double>(points.size()));
    return points;
  }

  void add_boundary(const Condition& condition, const Expr& density, std::string name) {
    PinnTerm term;
    term.term.name = std::move(name);
    term.term.form = TermForm::identity;
    term.term.residuals = {density / scale_};
    given_nodes(boundary_nodes(condition), term);
    finish(std::move(term));
  }

  /// All natural conditions of a part together: their values may hold several fields.
  void add_natural(const std::string& where) {
    std::vector<Expr> values(weak_.form.rows.size(), Expr(0));
    std::optional<Condition> condition;
    for (const WeakCondition& c : weak_.conditions) {
      if (c.role != WeakRole::natural) continue;
      const Condition of = part_of(*problem_, c);
      if (of.where != where) continue;
      natural_.push_back(name_of(problem_->condition[c.condition]));
      values[c.row] += c.value;
      condition = of;
    }
    const auto density = boundary_energy(weak_.form, values);
    if (!density) {
      refuse_ritz(fmt::format("the conditions on '{}' belong to none", where), "use vpinn or pinn");
    }
    if (!density->is_constant(0)) add_boundary(*condition, *density, "energy on " + where);
  }

  void add_nitsche(const WeakCondition& c) {
    const Condition& condition = problem_->condition[c.condition];
    const WeakRow& row = weak_.form.rows[c.row];
    const Expr density = -natural_flux(weak_.form, row) * (Field(row.field) - c.value);
    add_boundary(condition, density, "flux of " + name_of(condition));
  }

  /// A term of conditions on one part of the boundary: without the natural ones, and the others as
  /// penalty * int (u - g)^2 in units of the energy.
  void keep_condition(PinnTerm term) {
    std::string where;
    for (std::size_t k = term.parts.size(); k-- > 0;) {
      const std::string& name = term.parts[k].first;
      const auto at = static_cast<std::ptrdiff_t>(k);
      if (std::find(natural_.begin(), natural_.end(), name) != natural_.end()) {
        term.term.residuals.erase(term.term.residuals.begin() + at);
        term.parts.erase(term.parts.begin() + at);
        continue;
      }
      for (const Condition& c : problem_->condition) {
        if (name_of(c) == name) where = place_of(*problem_, c).boundary;
      }
      term.term.residuals[k] = term.term.residuals[k] * term.parts[k].second;
      term.parts[k].second = 1;
    }
    if (term.parts.empty()) return;
    term.size = 1;
    const bool mean = problem_->convention == LossConvention::risk;
    term.term.weight *=
        method_.penalty / scale_ * (mean ? boundary_measure(*domain_, where).value : 1);
    term.term.data = data_of(term.term.residuals);
    loss_.terms.push_back(std::move(term));
  }

  const Ritz& method_;
  std::shared_ptr<const Problem> given_, problem_;  // problem_: with conditions built in
  WeakProblem weak_;
  std::optional<Domain> domain_;
  bool built_in_ = false, convex_ = true;
  double ranges_ = 1, measure_ = 1, scale_ = 1;
  std::vector<std::string> natural_;  // names of conditions that stand in the energy
  PinnLoss loss_;
};

}  // namespace

VariationalNetwork variational_network(std::shared_ptr<const Problem> problem, const Ritz& method) {
  check_trial(method.trial, "ritz", true);
  return RitzBuilder(std::move(problem), method).build();
}

}  // namespace cauchy::detail
