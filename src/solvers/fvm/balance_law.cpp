#include "solvers/fvm/balance_law.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/expr/written.hpp>

namespace cauchy::detail {
namespace {

[[noreturn]] void refuse_law(const std::string& why, const std::string& instead = "fdm") {
  throw Error(ErrorKind::unsupported, "fvm needs a balance law q_t + div F(q) = S: " + why,
              "[solvers.fvm]", fmt::format("use {}", instead));
}

Expr tidy(const Expr& e) { return simplify(expand(plain(e))); }

int order_of(const Expr& e) { return order(e); }

/// The integral over u of an expression that is a polynomial in u; false when it is none.
bool antiderivative(const Expr& e, const Expr& u, Expr& out) {
  std::vector<Expr> derivatives = {expand(e)};
  while (!derivatives.back().is_constant(0)) {
    if (derivatives.size() > 16) return false;
    derivatives.push_back(tidy(partial(derivatives.back(), u)));
  }
  out = Expr(0);
  double factorial = 1;
  for (std::size_t k = 0; k + 1 < derivatives.size(); ++k) {
    factorial *= static_cast<double>(k + 1);
    out =
        out + substitute(derivatives[k], u, Expr(0)) * pow(u, static_cast<int>(k) + 1) / factorial;
  }
  return true;
}

/// What one coordinate contributes to an equation.
class Potential {
 public:
  explicit Potential(std::vector<Expr> fields)
      : fields_(std::move(fields)), slopes_(fields_.size(), Expr(0)) {}

  /// Adds c * d(f, x). What is left over without derivatives goes to `plain_terms`.
  void add(const Expr& c, const Expr& f, const Expr& x, Expr& plain_terms) {
    if (c.is_constant(0)) return;
    const Expr roots[] = {c};
    if (field_atoms(roots).empty()) {
      flux_ = flux_ + c * f;
      const Expr change = d(c, x);
      if (change.is_constant(0)) return;
      // c f_x = (c f)_x - c_x f
      if (order_of(f) == 0) {
        plain_terms = plain_terms - plain(change) * f;
        return;
      }
      if (f.kind() == Kind::field && f.index().size() == 1 && f.index()[0].first == x.name() &&
          f.index()[0].second == 1) {
        add(-plain(change), Field(f.name()), x, plain_terms);
        return;
      }
    } else if (order_of(c) == 0 && order_of(f) == 0) {
      for (std::size_t k = 0; k < fields_.size(); ++k) {
        slopes_[k] = slopes_[k] + c * partial(f, fields_[k]);
      }
      plain_terms = plain_terms + c * partial(f, x);
      return;
    }
    refuse_law(fmt::format("{}*d({}, {}) is not the divergence of a flux", to_string(c),
                           to_string(f), x.name()));
  }

  /// G with d(G, x) = all that was added; explicit x in it goes to `plain_terms`.
  Expr take(const Expr& x, Expr& plain_terms) const {
    Expr g = 0;
    for (std::size_t k = 0; k < fields_.size(); ++k) {
      const Expr rest = tidy(slopes_[k] - partial(g, fields_[k]));
      Expr part;
      if (rest.is_constant(0)) continue;
      if (!antiderivative(rest, fields_[k], part)) refuse(x, k);
      g = g + part;
    }
    for (std::size_t k = 0; k < fields_.size(); ++k) {
      if (!tidy(slopes_[k] - partial(g, fields_[k])).is_constant(0)) refuse(x, k);
    }
    plain_terms = plain_terms - partial(g, x);
    return plain(flux_) + g;
  }

 private:
  void refuse(const Expr& x, std::size_t k) const {
    refuse_law(fmt::format("({})*{}_{} is not the divergence of a flux", to_string(slopes_[k]),
                           fields_[k].name(), x.name()));
  }

  std::vector<Expr> fields_, slopes_;
  Expr flux_ = 0;
};

void read_equation(const Equation& form, BalanceLaw& law) {
  const std::size_t D = law.dimension();
  std::vector<Potential> parts(D + 1, Potential(law.fields));  // time is the last
  std::vector<Expr> by;
  for (const std::string& name : law.space) by.push_back(Coordinate(name));
  by.push_back(Coordinate(law.time));
  Expr rest = 0;
  for (const Summand& s : summands(form)) {
    if (s.is_plain()) rest = rest + s.coefficient;
    for (std::size_t j = 0; j < s.flux.size(); ++j) {
      const auto at =
          std::find_if(by.begin(), by.end(), [&](const Expr& x) { return same(x, s.by[j]); });
      if (at == by.end()) refuse_law("derivatives must be by time and space");
      parts[static_cast<std::size_t>(at - by.begin())].add(plain(s.coefficient), plain(s.flux[j]),
                                                           *at, rest);
    }
  }
  std::vector<Expr> flux;
  for (std::size_t k = 0; k <= D; ++k) flux.push_back(parts[k].take(by[k], rest));
  const std::string text = to_string(form);
  rest = tidy(rest);
  if (order_of(rest) > 0) {
    refuse_law(fmt::format("'{}' has products of derivatives", text));
  }
  const Expr q = tidy(flux.back());
  if (order_of(q) > 0) {
    refuse_law(fmt::format("'{}' has a time derivative of second order", text), "fdm or spectral");
  }
  const Expr q_roots[] = {q};
  if (field_atoms(q_roots).empty()) {
    refuse_law(fmt::format("'{}' has no time derivative", text));
  }
  law.conserved.push_back(q);
  law.source.push_back(-rest);
  for (std::size_t k = 0; k < D; ++k) {
    if (order_of(flux[k]) > 1 || (order_of(flux[k]) > 0 && order(flux[k], by[D]) > 0)) {
      refuse_law(fmt::format("'{}' has derivatives of order {}, above two in space", text,
                             order_of(flux[k]) + 1),
                 "spectral");
    }
    std::vector<Replacement> no_slopes;
    const Expr roots[] = {flux[k]};
    for (const Expr& atom : field_atoms(roots)) {
      if (!atom.index().empty()) no_slopes.push_back({atom, Expr(0)});
    }
    const Expr convection = no_slopes.empty() ? flux[k] : substitute(flux[k], no_slopes);
    law.convection[k].push_back(convection);
    law.diffusion[k].push_back(no_slopes.empty() ? Expr(0) : expand(flux[k] - convection));
    if (!no_slopes.empty()) law.is_diffusive = true;
  }
  if (!law.source.back().is_constant(0)) law.has_source = true;
}

/// Solves q = Q(w) for one field after the other, each from an equation that is linear in it.
void invert(BalanceLaw& law) {
  const std::size_t N = law.size();
  law.inverse.assign(N, Expr());
  std::vector<bool> known(N, false), used(N, false);
  std::vector<Replacement> solved;
  for (std::size_t round = 0; round < N; ++round) {
    bool found = false;
    for (std::size_t i = 0; i < N && !found; ++i) {
      if (used[i]) continue;
      std::size_t open = 0, k = 0;
      for (std::size_t j = 0; j < N; ++j) {
        if (!known[j] && depends_on(law.conserved[i], law.fields[j])) {
          ++open;
          k = j;
        }
      }
      if (open != 1) continue;
      const Expr slope = tidy(partial(law.conserved[i], law.fields[k]));
      if (depends_on(slope, law.fields[k])) continue;
      const Expr rest = substitute(law.conserved[i], law.fields[k], Expr(0));
      law.inverse[k] = simplify(substitute((law.symbols[i] - rest) / slope, solved));
      solved.push_back({law.fields[k], law.inverse[k]});
      known[k] = used[i] = found = true;
    }
    if (!found) {
      refuse_law("what is differentiated by time cannot be solved for the fields one by one",
                 "the conserved quantities as fields");
    }
  }
}

}  // namespace

Expr BalanceLaw::normal_flux(std::size_t i) const {
  std::vector<Expr> terms;
  for (std::size_t k = 0; k < dimension(); ++k) {
    terms.push_back(normal_component(space[k]) * convection[k][i]);
  }
  return sum(std::move(terms));
}

std::vector<Expr> BalanceLaw::field_rates() const {
  std::vector<Expr> rates, q_rates;
  for (std::size_t i = 0; i < size(); ++i) {
    Expr rate = source[i];
    for (std::size_t k = 0; k < dimension(); ++k) {
      rate = rate - plain(d(convection[k][i], Coordinate(space[k])));
    }
    q_rates.push_back(rate);
  }
  for (std::size_t k = 0; k < size(); ++k) {
    std::vector<Expr> terms;
    for (std::size_t i = 0; i < size(); ++i) terms.push_back(slope[k][i] * q_rates[i]);
    rates.push_back(tidy(sum(std::move(terms))));
  }
  return rates;
}

BalanceLaw read_balance_law(const Problem& problem, const Lowering& lower) {
  const Domain& domain = *problem.domain;
  if (domain.time() == nullptr) refuse_law("the problem is steady");
  if (domain.space() == nullptr) refuse_law("the problem has no space", "ode");
  if (domain.space()->dimension() > 2) {
    throw Error(ErrorKind::unsupported, "fvm has cells in one and two dimensions", "[solvers.fvm]",
                "use fdm");
  }
  if (!problem.unknowns.empty() || !problem.coefficients.empty() || !problem.observation.empty()) {
    throw Error(ErrorKind::unsupported, "fvm solves forward problems: nothing may be unknown",
                "[solvers.fvm]", "use pinn");
  }
  BalanceLaw law;
  law.space = domain.space()->coordinates();
  law.time = domain.time()->name;
  for (const std::string& f : problem.fields) law.fields.push_back(Field(f));
  const std::size_t N = law.size();
  if (problem.equation.size() != N) {
    refuse_law(fmt::format("{} fields need as many equations, got {}", N, problem.equation.size()));
  }
  law.convection.resize(law.dimension());
  law.diffusion.resize(law.dimension());
  for (const ProblemEquation& e : problem.equation) {
    if (!e.where.empty()) refuse_law("an equation holds in a part of the domain only");
    read_equation({lower.written(e.form.left), lower.written(e.form.right)}, law);
  }
  for (std::size_t i = 0; i < N; ++i) law.symbols.push_back(Symbol(fmt::format("q{}", i)));
  for (const Expr& q : law.conserved) {
    if (!partial(q, Coordinate(law.time)).is_constant(0)) {
      refuse_law("what is differentiated by time holds the time itself");
    }
  }
  invert(law);
  law.is_plain = true;
  std::vector<Replacement> back;
  for (std::size_t i = 0; i < N; ++i) {
    back.push_back({law.symbols[i], law.conserved[i]});
    law.is_plain = law.is_plain && same(law.conserved[i], law.fields[i]);
  }
  for (std::size_t k = 0; k < N; ++k) {
    std::vector<Expr>& row = law.slope.emplace_back();
    for (std::size_t i = 0; i < N; ++i) {
      row.push_back(tidy(substitute(partial(law.inverse[k], law.symbols[i]), back)));
    }
  }
  return law;
}

}  // namespace cauchy::detail
