#include "solvers/spectral/fourier_form.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/lowering.hpp"
#include "solvers/classical/node_program.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* fourier_place = "[solvers.spectral]";

[[noreturn]] void refuse_fourier(const std::string& why, const std::string& hint = "use fdm") {
  throw Error(ErrorKind::unsupported, why, fourier_place, hint);
}

/// Neither fields nor anything else that changes from point to point.
bool is_plain_number(const Expr& e) {
  const Expr roots[] = {e};
  const std::vector<Expr> nodes = postorder(roots);
  return std::none_of(nodes.begin(), nodes.end(), [](const Expr& n) {
    return n.kind() == Kind::field || n.kind() == Kind::coordinate || n.kind() == Kind::symbol ||
           n.kind() == Kind::call || n.kind() == Kind::parameter;
  });
}

/// Degree in fields and known functions of place; 99 for what is no polynomial in fields.
int fourier_degree(const Expr& e) {
  constexpr int no_polynomial = 99;
  if (is_plain_number(e)) return 0;
  const Expr roots[] = {e};
  if (e.kind() == Kind::field || field_atoms(roots).empty()) return 1;
  int degree = 0;
  if (e.kind() == Kind::add) {
    for (const Expr& a : e.args()) degree = std::max(degree, fourier_degree(a));
  } else if (e.kind() == Kind::mul) {
    for (const Expr& a : e.args()) degree += fourier_degree(a);
  } else if (e.kind() == Kind::pow && e.args()[1].is_constant() && e.args()[1].value() > 0 &&
             e.args()[1].value() <= 16 && std::floor(e.args()[1].value()) == e.args()[1].value()) {
    degree = static_cast<int>(e.args()[1].value()) * fourier_degree(e.args()[0]);
  } else {
    return no_polynomial;
  }
  return std::min(degree, no_polynomial);
}

void read_fourier_box(const Problem& problem, SpectralForm& form) {
  const Domain domain = domain_of(problem);
  form.space = domain.space()->coordinates();
  const Bounds& box = domain.shape()->bounds();
  for (std::size_t k = 0; k < form.space.size(); ++k) {
    form.lower.push_back(box.lower[k]);
    form.length.push_back(box.upper[k] - box.lower[k]);
  }
  if (domain.time() != nullptr) form.time = *domain.time();
  if (form.space.size() > 3) {
    refuse_fourier(
        fmt::format("Fourier series take at most 3 directions, here are {}", form.space.size()),
        "use pinn");
  }
}

/// Columns: what evolves first, by the highest derivative of each field in time.
void read_fourier_columns(const Problem& problem, const std::vector<Expr>& residuals,
                          SpectralForm& form) {
  std::vector<int> highest;
  for (const std::string& field : problem.fields) {
    int order = 0;
    for (const Expr& atom : field_atoms(residuals)) {
      if (atom.name() == field) order = std::max(order, form.time_order(atom));
    }
    highest.push_back(order);
    for (int j = 0; j < order; ++j) form.columns.push_back({field, j});
  }
  form.n_evolved = form.columns.size();
  for (std::size_t f = 0; f < highest.size(); ++f) {
    if (highest[f] == 0) form.columns.push_back({problem.fields[f], 0});
  }
}

/// The column of an atom, and whether it is its rate.
FourierTerm fourier_term_of(const SpectralForm& form, const Expr& atom) {
  FourierTerm term;
  term.orders = form.space_orders(atom);
  const int order = form.time_order(atom);
  for (std::size_t c = 0; c < form.columns.size(); ++c) {
    if (form.columns[c].field != atom.name()) continue;
    if (form.columns[c].time_order == order) {
      term.column = c;
      term.rate = false;
      return term;
    }
    if (c < form.n_evolved && form.columns[c].time_order + 1 == order) {
      term.column = c;  // the rate, unless a later column holds this order itself
      term.rate = true;
    }
  }
  return term;
}

/// rho(x) u_t = ... divided by what stands before the only rate, when that is no number.
Expr solved_for_rate(const Expr& residual, const SpectralForm& form) {
  const Expr roots[] = {residual};
  std::vector<Expr> rates = field_atoms(roots);
  std::erase_if(rates, [&](const Expr& atom) { return !fourier_term_of(form, atom).rate; });
  if (rates.size() != 1) return residual;
  const Expr factor = simplify(partial(residual, rates[0]));
  if (is_plain_number(factor) || depends_on(factor, rates[0])) return residual;
  return rates[0] + substitute(residual, rates[0], 0) / factor;
}

/// The middle of the values of a known coefficient, where it is not small beside their range; 0
/// else. What is left of a positive one is at most as large as that, so that the exponentials of
/// the linear part keep a stiff term stable.
double middle_of(const Problem& problem, const Expr& coefficient) {
  const NodeProgram program(problem, {coefficient}, {}, interior_points(domain_of(problem), 512));
  std::vector<std::vector<double>> values(1, std::vector<double>(program.n_points()));
  program.run({}, values);
  const auto [low, high] = std::minmax_element(values[0].begin(), values[0].end());
  const double middle = (*low + *high) / 2;
  return std::abs(middle) > 0.25 * (*high - *low) ? middle : 0;
}

void read_fourier_row(const Problem& problem, const Expr& residual, std::size_t row,
                      SpectralForm& form) {
  std::vector<Expr> rest;
  for (const Expr& t : additive_terms(residual)) {
    if (is_plain_number(t)) {
      form.constants[row] += evaluate(t);
      continue;
    }
    const LinearForm linear = linear_form(t);
    if (!linear.linear || linear.terms.size() != 1 || !linear.remainder.is_constant(0)) {
      rest.push_back(t);
      continue;
    }
    const auto& [atom, coefficient] = linear.terms[0];
    FourierTerm term = fourier_term_of(form, atom);
    term.row = row;
    if (is_plain_number(coefficient)) {
      term.coefficient = evaluate(coefficient);
    } else {
      if (!term.rate) term.coefficient = middle_of(problem, coefficient);
      rest.push_back((coefficient - term.coefficient) * atom);
    }
    if (term.coefficient != 0) form.terms.push_back(std::move(term));
  }
  form.rest[row] = sum(rest);
  const Expr roots[] = {form.rest[row]};
  for (const Expr& atom : field_atoms(roots)) {
    if (fourier_term_of(form, atom).rate) {
      refuse_fourier(fmt::format("in '{}' the coefficient of {} is not a number",
                                 form.row_names[row], to_string(atom)));
    }
  }
  form.degree = std::max(form.degree, fourier_degree(form.rest[row]));
}

void read_fourier_rows(const Problem& problem, const Lowering& lower, SpectralForm& form) {
  std::vector<Expr> residuals;
  for (const ProblemEquation& e : problem.equation) {
    if (!e.where.empty()) {
      refuse_fourier(
          fmt::format("'{}' holds on a part of space only, Fourier series take one "
                      "equation for all of it",
                      name_of(e)));
    }
    residuals.push_back(lower(e.form.residual()));
    form.row_names.push_back(name_of(e));
  }
  if (residuals.size() != problem.fields.size()) {
    refuse_fourier(
        fmt::format("{} equations for {} fields", residuals.size(), problem.fields.size()),
        "give as many equations as fields, or use pinn");
  }
  read_fourier_columns(problem, residuals, form);
  const std::size_t n = form.columns.size(), equations = residuals.size();
  form.rest.assign(n, Expr(0));
  form.constants.assign(n, 0);
  for (std::size_t i = 0; i < equations; ++i) {
    read_fourier_row(problem, solved_for_rate(residuals[i], form), i, form);
  }
  // The derivative of u in time is the next column.
  std::size_t row = equations;
  for (std::size_t c = 0; c + 1 < form.n_evolved; ++c) {
    if (form.columns[c].field != form.columns[c + 1].field) continue;
    const std::vector<int> none(form.space.size(), 0);
    form.terms.push_back({row, c, 1, none, true});
    form.terms.push_back({row, c + 1, -1, none, false});
    form.row_names.push_back(fmt::format("rate of {}", form.columns[c].field));
    ++row;
  }
}

void read_fourier_initial(const Condition& c, const Expr& residual, std::vector<bool>& given,
                          SpectralForm& form) {
  const LinearForm linear = linear_form(residual);
  if (!linear.linear || linear.terms.size() != 1 || !is_plain_number(linear.terms[0].coefficient) ||
      total_order({linear.terms[0].atom.index()}) != form.time_order(linear.terms[0].atom)) {
    refuse_fourier(
        fmt::format("condition '{}' does not give the values of one field or of its "
                    "derivatives in time",
                    name_of(c)));
  }
  const Expr& atom = linear.terms[0].atom;
  const FourierTerm term = fourier_term_of(form, atom);
  if (term.rate) {
    refuse_fourier(fmt::format("condition '{}' gives {}, which the equations determine", name_of(c),
                               to_string(atom)),
                   "leave it out");
  }
  if (term.column >= form.n_evolved) {
    form.remarks.push_back(
        fmt::format("the initial values of {} are not needed: they follow from "
                    "the other fields",
                    atom.name()));
    return;
  }
  form.initial[term.column] = -linear.remainder / linear.terms[0].coefficient;
  given[term.column] = true;
}

void read_fourier_gauge(const Condition& c, const Lowering& lower, SpectralForm& form) {
  const bool whole = c.kind == Condition::Kind::integral && c.where == "domain";
  const auto value = dirichlet_form({lower(c.form.left), lower(c.form.right)});
  if (!(whole || (c.kind == Condition::Kind::point && !form.time)) || !value ||
      !is_plain_number(value->value)) {
    refuse_fourier(fmt::format("Fourier series have no room for condition '{}'", name_of(c)));
  }
  FourierGauge gauge{value->field};
  if (whole) {
    gauge.mean = evaluate(value->value);
    for (const double l : form.length) gauge.mean /= l;
  } else {
    gauge.value = evaluate(value->value);
    for (const std::string& name : form.space) {
      for (const auto& [coordinate, x] : c.point) {
        if (coordinate == name) gauge.point.push_back(x);
      }
    }
  }
  form.gauges.push_back(std::move(gauge));
}

void read_fourier_conditions(const Problem& problem, const Lowering& lower, SpectralForm& form) {
  form.initial.assign(form.n_evolved, Expr(0));
  std::vector<bool> given(form.n_evolved, false);
  for (const Condition& c : problem.condition) {
    if (c.kind == Condition::Kind::periodic) continue;
    if (c.kind != Condition::Kind::general) {
      read_fourier_gauge(c, lower, form);
      continue;
    }
    const ConditionPlace place = place_of(problem, c);
    if (place.kind == ConditionPlace::Kind::boundary) {
      refuse_fourier(fmt::format("Fourier series have no boundary for condition '{}'", name_of(c)));
    }
    if (place.time != form.time->lower) {
      refuse_fourier(fmt::format("condition '{}' holds at {} = {}, a march in time starts at {}",
                                 name_of(c), form.time->name, place.time, form.time->lower),
                     "use pinn");
    }
    read_fourier_initial(c, lower(c.form.residual()), given, form);
  }
  for (std::size_t c = 0; c < form.n_evolved; ++c) {
    if (!given[c]) {
      const FourierColumn& column = form.columns[c];
      refuse_fourier(fmt::format("there are no initial values of {}",
                                 column.time_order == 0
                                     ? column.field
                                     : to_string(field_derivative(
                                           column.field, {{form.time->name, column.time_order}}))),
                     fmt::format("give a condition at {} = {}", form.time->name, form.time->lower));
    }
  }
}

}  // namespace

std::size_t SpectralForm::column_of(const std::string& field, int time_order) const {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].field == field && columns[c].time_order == time_order) return c;
  }
  throw Error(ErrorKind::not_found, fmt::format("no column of field '{}'", field), fourier_place);
}

std::vector<int> SpectralForm::space_orders(const Expr& atom) const {
  std::vector<int> orders(space.size(), 0);
  for (const auto& [name, order] : atom.index()) {
    for (std::size_t k = 0; k < space.size(); ++k) {
      if (space[k] == name) orders[k] = order;
    }
  }
  return orders;
}

int SpectralForm::time_order(const Expr& atom) const {
  for (const auto& [name, order] : atom.index()) {
    if (time && name == time->name) return order;
  }
  return 0;
}

bool is_periodic(const Problem& problem) {
  if (problem.domain->space() == nullptr) return false;
  const std::vector<std::string> space = problem.domain->space()->coordinates();
  return std::all_of(space.begin(), space.end(), [&](const std::string& name) {
    return std::any_of(problem.condition.begin(), problem.condition.end(), [&](const Condition& c) {
      return c.kind == Condition::Kind::periodic && c.coordinate == name;
    });
  });
}

SpectralForm fourier_form(const Problem& problem) {
  if (!is_periodic(problem)) {
    refuse_fourier("Fourier series need a condition 'periodic' in every direction of space",
                   "use Chebyshev polynomials (spectral on a box without periodic sides) or fdm");
  }
  if (!problem.observation.empty() || !problem.unknowns.empty() || !problem.coefficients.empty()) {
    refuse_fourier("spectral does not fit observations or unknown functions", "use pinn");
  }
  SpectralForm form;
  read_fourier_box(problem, form);
  const Lowering lower(problem);
  read_fourier_rows(problem, lower, form);
  read_fourier_conditions(problem, lower, form);
  return form;
}

}  // namespace cauchy::detail
