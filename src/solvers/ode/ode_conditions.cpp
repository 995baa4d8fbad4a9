#include "solvers/ode/ode_conditions.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/lowering.hpp"
#include "problem/narrow_sources.hpp"
#include "problem/point_data.hpp"
#include "problem/switches.hpp"

namespace cauchy::detail {

bool OdeConditions::at_one_point() const {
  return std::all_of(all_.begin(), all_.end(),
                     [&](const One& c) { return c.form && c.at == all_.front().at; });
}

double OdeConditions::value(const One& c, std::span<const double> y,
                            std::span<double> by_state) const {
  std::vector<double> out(c.form->n_outputs());
  c.form->run(c.at, y, out);
  std::copy(out.begin() + 1, out.end(), by_state.begin());
  return out[0];
}

std::vector<double> OdeConditions::start(std::string& trouble) const {
  const std::size_t n = system_->size(), m = size();
  Matrix a(m, n), b(m, 1);
  std::vector<double> y;
  for (const double first : {0.0, 1.0, -1.0}) {  // u^3 = 8 says nothing at 0
    y.assign(n, first);
    trouble = "the conditions at the start could not be solved";
    for (int iteration = 0; iteration < 100; ++iteration) {
      for (std::size_t i = 0; i < m; ++i) b(i, 0) = -value(all_[i], y, {&a(i, 0), n});
      const auto step = least_squares(a.view(), b.view());
      if (step.status != Factorization::ok) break;
      if (step.rank < m) {
        trouble = "the conditions do not determine the state at the start";
        break;
      }
      double change = 0, size = 0;
      for (std::size_t j = 0; j < n; ++j) {
        y[j] += step.x(j, 0);
        change = std::max(change, std::abs(step.x(j, 0)));
        size = std::max(size, std::abs(y[j]));
      }
      if (change <= 4e-15 * size) {
        trouble.clear();
        return y;
      }
    }
  }
  return y;
}

namespace {

[[noreturn]] void conditions_refused(const std::string& why, const std::string& instead) {
  throw Error(ErrorKind::unsupported, why, "[solvers.ode]", instead);
}

/// Where known functions of the variable switch.
std::vector<double> jumps_of(const Problem& problem, const std::string& variable,
                             std::span<const Expr> equations, double lower, double upper) {
  return switch_places(equations, lower, upper, [&](const Expr& e) -> Along {
    const auto program =
        std::make_shared<OdeProgram>(problem, variable, std::vector{e}, std::span<const Expr>());
    return [program](double s) {
      double out = 0;
      program->run(s, {}, {&out, 1});
      return out;
    };
  });
}

/// Puts a problem together: integrals become fields, conditions become forms at points.
class OdeReader final {
 public:
  OdeReader(OdeProblem& out, const std::shared_ptr<const Problem>& problem)
      : out_(out), problem_(problem), p_(*problem), lower_(p_) {}

  void read() {
    find_interval();
    fields_ = p_.fields;
    std::vector<Expr> written;
    for (const ProblemEquation& e : p_.equation) {
      if (!e.where.empty()) {
        conditions_refused(
            fmt::format("ode does not take equations on a part of the domain ('{}')", e.where),
            "write where(condition, a, b) in the equation, or use fdm");
      }
      equations_.push_back(lower_(e.form.residual()));
      written.push_back(lower_.written(e.form.left) - lower_.written(e.form.right));
    }
    std::size_t n_integrals = 0;
    for (const Condition& c : p_.condition) {
      if (c.kind == Condition::Kind::integral) add_integral(c, n_integrals++);
    }
    out_.system = std::make_unique<OdeSystem>(problem_, variable_, fields_, equations_);
    out_.jumps = jumps_of(p_, variable_, equations_, out_.lower, out_.upper);
    if (!out_.jumps.empty()) {
      out_.transmission = OdeTransmission::make(*out_.system, written, out_.upper - out_.lower);
    }
    add_nodes_of_sources();
    for (const Condition& c : p_.condition) add(c);
    for (std::size_t i = 0; i < integrals_.size(); ++i) {
      const Field total(fields_[p_.fields.size() + i]);
      add_form(out_.lower, total, "integral");
      add_form(out_.upper, total - integrals_[i], "integral");
    }
    const std::size_t needed = out_.system->n_differential();
    const bool start = std::all_of(
        all_.begin(), all_.end(), [&](const auto& c) { return c.form && c.at == all_.front().at; });
    if (all_.size() < needed ||
        (all_.size() > needed && (!start || needed == out_.system->size()))) {
      conditions_refused(
          fmt::format("the equations need {} conditions, but there are {}", needed, all_.size()),
          "give each field as many conditions as its highest derivative");
    }
    if (!start && needed < out_.system->size()) {
      conditions_refused("ode does not take algebraic equations with conditions at several points",
                         "use pinn");
    }
    out_.conditions = std::make_unique<OdeConditions>(*out_.system, std::move(all_));
  }

 private:
  void find_interval() {
    const Domain domain = domain_of(p_);
    if (domain.space() != nullptr &&
        (domain.time() != nullptr || domain.space()->dimension() > 1)) {
      conditions_refused("ode treats problems in one variable", "use fdm");
    }
    if (domain.time() != nullptr) {
      variable_ = domain.time()->name;
      out_.lower = domain.time()->lower;
      out_.upper = domain.time()->upper;
    } else {
      const ShapePtr shape = domain.shape();
      variable_ = domain.space()->coordinates().front();
      out_.lower = shape->bounds().lower[0];
      out_.upper = shape->bounds().upper[0];
      const double middle = (out_.lower + out_.upper) / 2;
      if (!std::isfinite(middle)) conditions_refused("ode needs a finite interval", "cut it off");
    }
    out_.size = 0;
    for (const auto& [name, size] : p_.sizes) out_.size = std::max(out_.size, size);
  }

  /// Steps end at narrow sources: an integrator passes over them while nothing else happens.
  void add_nodes_of_sources() {
    out_.nodes = source_nodes(narrow_sources(p_), 0, out_.lower, out_.upper);
    std::vector<double>& all = out_.nodes;
    all.insert(all.end(), out_.jumps.begin(), out_.jumps.end());
    std::sort(all.begin(), all.end());
    const double slack = 1e-12 * (out_.upper - out_.lower);
    all.erase(
        std::unique(all.begin(), all.end(), [&](double a, double b) { return b - a <= slack; }),
        all.end());
  }

  void add_integral(const Condition& c, std::size_t index) {
    if (p_.domain->space() == nullptr || c.where != "domain") {
      conditions_refused(fmt::format("ode takes integrals over the domain only ('{}')", name_of(c)),
                         "use pinn");
    }
    fields_.push_back(fmt::format("integral~{}", index));
    equations_.push_back(d(Field(fields_.back()), Coordinate(variable_)) - lower_(c.form.left));
    integrals_.push_back(lower_(c.form.right));
  }

  void add(const Condition& c) {
    const Expr form = c.kind == Condition::Kind::periodic ? Expr(0) : lower_(c.form.residual());
    switch (c.kind) {
      case Condition::Kind::integral:
        return;
      case Condition::Kind::periodic:
        return add_periodic(c);
      case Condition::Kind::point:
        return add_form(given_points(p_, c).values.front(), form, name_of(c));
      case Condition::Kind::general:
      case Condition::Kind::interface:
        break;
    }
    const ConditionPlace place = place_of(p_, c);
    if (place.kind == ConditionPlace::Kind::slice) return add_form(place.time, form, name_of(c));
    const Points points = condition_points(p_, c, 16);
    std::vector<double> known;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double at = points.values[i];
      if (std::find(known.begin(), known.end(), at) != known.end()) continue;
      known.push_back(at);
      const double normal = points.normals.empty() ? 0 : points.normals[i];
      add_form(at, substitute(form, normal_component(variable_), Expr(normal)), name_of(c));
    }
  }

  void add_periodic(const Condition& c) {
    for (const OdeSystem::Chain& chain : out_.system->chains()) {
      if (std::find(p_.fields.begin(), p_.fields.end(), chain.field) == p_.fields.end()) continue;
      for (int j = 0; j < std::min(chain.order, c.order + 1); ++j) {
        all_.push_back(
            {out_.lower, name_of(c), nullptr, chain.first + static_cast<std::size_t>(j)});
      }
    }
  }

  void add_form(double at, const Expr& form, const std::string& name) {
    const double slack = 1e-12 * (out_.upper - out_.lower);
    if (std::abs(at - out_.lower) <= slack) at = out_.lower;
    if (std::abs(at - out_.upper) <= slack) at = out_.upper;
    const std::vector<Expr>& states = out_.system->states();
    const Expr roots[] = {form};
    for (const Expr& atom : field_atoms(roots)) {
      if (std::none_of(states.begin(), states.end(),
                       [&](const Expr& s) { return same(s, atom); })) {
        conditions_refused(fmt::format("condition '{}' holds {}, which is not below the highest "
                                       "derivative of the equations",
                                       name, to_string(atom)),
                           "express it by lower derivatives");
      }
    }
    std::vector<Expr> outputs = {form};
    for (const Expr& s : states) outputs.push_back(partial(form, s));
    all_.push_back(
        {at, name, std::make_shared<OdeProgram>(p_, variable_, std::move(outputs), states), 0});
  }

  OdeProblem& out_;
  std::shared_ptr<const Problem> problem_;
  const Problem& p_;
  Lowering lower_;
  std::string variable_;
  std::vector<std::string> fields_;
  std::vector<Expr> equations_, integrals_;
  std::vector<OdeConditions::One> all_;
};

}  // namespace

bool OdeProblem::jumps_at(double s) const {
  return transmission != nullptr && std::binary_search(jumps.begin(), jumps.end(), s);
}

OdeProblem::OdeProblem(const std::shared_ptr<const Problem>& problem) {
  OdeReader(*this, problem).read();
}

}  // namespace cauchy::detail
