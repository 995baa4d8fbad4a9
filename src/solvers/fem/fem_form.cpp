#include "solvers/fem/fem_form.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/place.hpp>

namespace cauchy::detail {
namespace {

[[noreturn]] void refuse_fem(const std::string& why, const std::string& hint) {
  throw Error(ErrorKind::unsupported, why, "[solvers.fem]", hint);
}

bool diffuses(const WeakDerivative& g) {
  for (std::size_t i = 0; i < g.flux_du.size(); ++i) {
    for (const Expr& e : g.flux_du[i]) {
      if (!e.is_constant(0)) return true;
    }
  }
  return false;
}

/// u_tt becomes the rate of a field that is u_t.
void lower_time(FemForm& form) {
  WeakForm& weak = form.weak.form;
  if (!weak.time) return;
  const std::string& t = weak.time->name();
  const std::size_t n = weak.rows.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Field u(weak.fields[k]);
    const Expr second = d(u, *weak.time, *weak.time);
    bool found = false;
    for (const WeakRow& row : weak.rows) found = found || depends_on(row.source, second);
    if (!found) continue;
    const std::string name = fmt::format("rate_of_{}", weak.fields[k]);
    const Field rate(name);
    for (WeakRow& row : weak.rows) {
      row.source = substitute(row.source, second, d(rate, *weak.time));
    }
    // The new row gives u, its own old row the rate.
    WeakRow own = weak.rows[k];
    own.field = name;
    WeakRow link = own;
    link.field = weak.fields[k];
    link.test = own.test + "_rate";
    link.source = d(u, *weak.time) - rate;
    link.flux.assign(weak.space.size(), Expr(0));
    weak.rows[k] = link;
    weak.rows.push_back(own);
    weak.fields.push_back(name);
    weak.multiplier.push_back(false);
    form.rate_of.push_back(static_cast<int>(k));
    // Natural conditions belong to the row with the flux, initial rates to the new field.
    for (WeakCondition& c : form.weak.conditions) {
      if (c.row != k) continue;
      if (c.role == WeakCondition::Role::natural) c.row = weak.rows.size() - 1;
      if (c.role == WeakCondition::Role::initial && c.rate == 1) {
        c.row = weak.rows.size() - 1;
        c.rate = 0;
      }
    }
  }
  for (const WeakRow& row : weak.rows) {
    std::vector<Expr> parts = row.flux;
    for (const Expr& f : parts) {
      for (const Expr& atom : field_atoms(std::array{f})) {
        for (const auto& [name, order] : atom.index()) {
          if (name == t) refuse_fem("fluxes hold derivatives by time", "use fdm or pinn");
        }
      }
    }
    for (const Expr& atom : field_atoms(std::array{row.source})) {
      int in_time = 0, in_all = total_order(atom.index());
      for (const auto& [name, order] : atom.index()) in_time += name == t ? order : 0;
      if (in_time > 1 || (in_time == 1 && in_all > 1)) {
        refuse_fem("derivatives by time stand with others", "use fdm or pinn");
      }
    }
  }
}

}  // namespace

bool FemForm::is_flow() const {
  return std::any_of(weak.form.multiplier.begin(), weak.form.multiplier.end(),
                     [](bool m) { return m; });
}

FemForm fem_form(const Problem& problem) {
  const Domain domain = domain_of(problem);
  if (domain.space() == nullptr) refuse_fem("fem needs a region of space", "use ode");
  if (domain.space()->dimension() > 3) {
    refuse_fem(fmt::format("fem has 1 to 3 dimensions of space, this problem has {}",
                           domain.space()->dimension()),
               "use pinn");
  }
  if (!problem.observation.empty()) refuse_fem("fem does not fit observations", "use pinn");
  FemForm form;
  form.weak = weak_problem(problem);
  WeakForm& weak = form.weak.form;
  form.in_time = domain.time() != nullptr;
  form.rate_of.assign(weak.fields.size(), -1);
  // Elements that are continuous need fields with slopes that matter, or rates, or multipliers.
  for (std::size_t r = 0; r < weak.rows.size(); ++r) {
    const WeakDerivative own = gateaux(weak, weak.rows[r], weak.fields[r]);
    bool fluxes = false;
    for (std::size_t q = 0; q < weak.rows.size(); ++q) {
      fluxes = fluxes || diffuses(gateaux(weak, weak.rows[r], weak.fields[q]));
    }
    const bool rate = !own.rate.is_constant(0) || !own.acceleration.is_constant(0);
    if (!fluxes && !rate && !weak.multiplier[r]) {
      refuse_fem(fmt::format("the equation of '{}' has no second derivatives in space and none in "
                             "time: a mixed form of first order",
                             weak.fields[r]),
                 "write it as one equation of second order, or use fdm or fvm");
    }
    if (rate && !fluxes && !weak.multiplier[r]) {
      bool slopes = false;
      for (std::size_t q = 0; q < weak.rows.size(); ++q) {
        const WeakDerivative g = gateaux(weak, weak.rows[r], weak.fields[q]);
        for (const Expr& e : g.source_du) slopes = slopes || !e.is_constant(0);
        for (const Expr& e : g.flux_u) slopes = slopes || !e.is_constant(0);
      }
      if (slopes) {
        refuse_fem(fmt::format("the equation of '{}' is a transport equation without diffusion",
                               weak.fields[r]),
                   "use fvm");
      }
    }
  }
  const std::vector<std::string>& space = domain.space()->coordinates();
  for (const WeakCondition& c : form.weak.conditions) {
    const Condition& condition = problem.condition[c.condition];
    switch (c.role) {
      case WeakCondition::Role::periodic: {
        const auto at = std::find(space.begin(), space.end(), condition.coordinate);
        if (at == space.end()) refuse_fem("a problem that is periodic in time", "use pinn");
        form.periodic.push_back(static_cast<std::size_t>(at - space.begin()));
        break;
      }
      case WeakCondition::Role::essential:
      case WeakCondition::Role::natural:
        if (form.in_time && Boundary(domain, place_of(problem, condition).boundary)
                                .depends_on(domain.time()->name)) {
          refuse_fem(fmt::format("condition '{}' holds on a part of the boundary that changes with "
                                 "time",
                                 name_of(condition)),
                     "use fdm or pinn");
        }
        break;
      default:
        break;
    }
  }
  lower_time(form);
  form.fields = weak.fields;
  form.lower.assign(form.fields.size(), 0);
  for (std::size_t k = 0; k < form.fields.size(); ++k) form.lower[k] = weak.multiplier[k] ? 1 : 0;
  form.spd = form.weak.symmetric && weak.auxiliary.empty() && !form.is_flow() && !form.in_time;
  return form;
}

}  // namespace cauchy::detail
