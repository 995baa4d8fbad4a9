// Derivatives and energies of weak forms.
#include <array>
#include <cmath>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/written.hpp>

#include "expr/rewrite.hpp"
#include "expr/weak_atoms.hpp"

namespace cauchy {
namespace {

using detail::reduced;
using detail::vanishes;

/// p and q of an argument p*a + q, free of a; empty for others.
struct Line {
  Expr slope, offset;
};
std::optional<Line> line_in(const Expr& e, const Expr& atom) {
  const Expr slope = reduced(partial(e, atom));
  if (depends_on(slope, atom) || vanishes(slope)) return std::nullopt;
  return Line{slope, reduced(e - slope * atom)};
}

/// of f(p*a + q), f by its kind, divided by p.
std::optional<Expr> of_function(const Expr& e, const Expr& atom) {
  if (same(e, atom)) return pow(atom, 2) / 2;
  if (e.args().empty()) return std::nullopt;
  const Expr& inner = e.args()[0];
  if (e.kind() == Kind::pow) {
    const Expr& exponent = e.args()[1];
    if (depends_on(exponent, atom)) return std::nullopt;
    const auto line = line_in(inner, atom);
    if (!line) return std::nullopt;
    if (vanishes(exponent + 1)) return log(abs(inner)) / line->slope;
    return pow(inner, exponent + 1) / (line->slope * (exponent + 1));
  }
  if (e.args().size() != 1) return std::nullopt;
  const auto line = line_in(inner, atom);
  if (!line) return std::nullopt;
  switch (e.kind()) {
    case Kind::exp:
      return e / line->slope;
    case Kind::sin:
      return -cos(inner) / line->slope;
    case Kind::cos:
      return sin(inner) / line->slope;
    case Kind::sinh:
      return cosh(inner) / line->slope;
    case Kind::cosh:
      return sinh(inner) / line->slope;
    default:
      return std::nullopt;
  }
}

/// a * (p*a^2 + q)^r.
std::optional<Expr> of_square(const Expr& power, const Expr& atom) {
  if (power.kind() != Kind::pow || depends_on(power.args()[1], atom)) return std::nullopt;
  const Expr& base = power.args()[0];
  const Expr& r = power.args()[1];
  const Expr slope = reduced(partial(base, atom) / (2 * atom));
  if (depends_on(slope, atom) || vanishes(slope)) return std::nullopt;
  if (vanishes(r + 1)) return log(abs(base)) / (2 * slope);
  return pow(base, r + 1) / (2 * slope * (r + 1));
}

std::optional<Expr> of_term(const Expr& term, const Expr& atom) {
  std::vector<Expr> constant, varying;
  for (const Expr& factor : detail::factors_of(term)) {
    (depends_on(factor, atom) ? varying : constant).push_back(factor);
  }
  const Expr c = product(std::move(constant));
  if (varying.empty()) return c * atom;
  std::optional<Expr> whole;
  if (varying.size() == 1) whole = of_function(varying[0], atom);
  if (varying.size() == 2) {
    for (const std::size_t k : {0u, 1u}) {
      if (!whole && same(varying[k], atom)) whole = of_square(varying[1 - k], atom);
    }
  }
  if (!whole) return std::nullopt;
  return c * *whole;
}

/// W with dW/d(atoms[k]) = slopes[k].
std::optional<Expr> potential(std::span<const Expr> atoms, std::span<const Expr> slopes) {
  Expr w = 0;
  for (std::size_t k = 0; k < atoms.size(); ++k) {
    const Expr rest = reduced(slopes[k] - partial(w, atoms[k]));
    if (vanishes(rest)) continue;
    const auto more = antiderivative(rest, atoms[k]);
    if (!more) return std::nullopt;
    w = reduced(w + *more);
  }
  for (std::size_t k = 0; k < atoms.size(); ++k) {
    if (!vanishes(partial(w, atoms[k]) - slopes[k])) return std::nullopt;
  }
  return w;
}

bool same_forms(const Expr& a, const Expr& b) { return detail::agree(a, b); }

}  // namespace

std::optional<Expr> antiderivative(const Expr& e, const Expr& atom) {
  const auto termwise = [&](const Expr& form) -> std::optional<Expr> {
    Expr whole = 0;
    for (const Expr& term : detail::terms_of(form)) {
      const auto one = of_term(term, atom);
      if (!one) return std::nullopt;
      whole = whole + *one;
    }
    return whole;
  };
  const Expr p = plain(e);
  if (auto found = termwise(p)) return found;
  const auto expanded = detail::Expander(2000, 20'000).expand(p);
  return expanded ? termwise(*expanded) : std::nullopt;
}

bool WeakDerivative::is_zero() const {
  const auto all_zero = [](const std::vector<Expr>& list) {
    for (const Expr& e : list) {
      if (!e.is_constant(0)) return false;
    }
    return true;
  };
  bool zero = source_u.is_constant(0) && rate.is_constant(0) && acceleration.is_constant(0) &&
              all_zero(source_du) && all_zero(flux_u);
  for (const auto& row : flux_du) zero = zero && all_zero(row);
  return zero;
}

WeakDerivative gateaux(const WeakForm& form, const WeakRow& row, const std::string& field) {
  const Field u(field);
  const std::size_t n = form.space.size();
  const auto by = [](const Expr& e, const Expr& atom) { return reduced(partial(e, atom)); };
  WeakDerivative g;
  g.source_u = by(row.source, u);
  for (std::size_t j = 0; j < n; ++j) g.source_du.push_back(by(row.source, d(u, form.space[j])));
  if (form.time) {
    g.rate = by(row.source, d(u, *form.time));
    g.acceleration = by(row.source, d(u, *form.time, *form.time));
  }
  for (std::size_t i = 0; i < n; ++i) {
    g.flux_u.push_back(by(row.flux[i], u));
    g.flux_du.emplace_back();
    for (std::size_t j = 0; j < n; ++j) {
      g.flux_du[i].push_back(by(row.flux[i], d(u, form.space[j])));
    }
  }
  return g;
}

bool is_linear(const WeakForm& form) {
  for (const WeakRow& row : form.rows) {
    if (!is_linear(row.source)) return false;
    for (const Expr& f : row.flux) {
      if (!is_linear(f)) return false;
    }
  }
  return true;
}

bool is_symmetric(const WeakForm& form) {
  const std::size_t n = form.space.size();
  for (std::size_t r = 0; r < form.rows.size(); ++r) {
    for (std::size_t q = 0; q <= r; ++q) {
      const WeakDerivative a = gateaux(form, form.rows[r], form.rows[q].field);
      const WeakDerivative b = gateaux(form, form.rows[q], form.rows[r].field);
      if (!same_forms(a.source_u, b.source_u)) return false;
      for (std::size_t i = 0; i < n; ++i) {
        if (!same_forms(a.source_du[i], b.flux_u[i])) return false;
        if (!same_forms(a.flux_u[i], b.source_du[i])) return false;
        for (std::size_t j = 0; j < n; ++j) {
          if (!same_forms(a.flux_du[i][j], b.flux_du[j][i])) return false;
        }
      }
    }
  }
  return true;
}

std::optional<Expr> energy_density(const WeakForm& form) {
  std::vector<Expr> by, slopes;
  for (const WeakRow& row : form.rows) {
    for (const Expr& atom : field_atoms(std::array{row.source})) {
      for (const auto& [name, order] : atom.index()) {
        if (form.time && name == form.time->name()) return std::nullopt;
      }
    }
    for (std::size_t i = 0; i < form.space.size(); ++i) {
      by.push_back(d(Field(row.field), form.space[i]));
      slopes.push_back(row.flux[i]);
    }
    by.push_back(Field(row.field));
    slopes.push_back(row.source);
  }
  if (!is_symmetric(form)) return std::nullopt;
  return potential(by, slopes);
}

std::optional<Expr> boundary_energy(const WeakForm& form, std::span<const Expr> b) {
  std::vector<Expr> by;
  for (const WeakRow& row : form.rows) by.push_back(Field(row.field));
  return potential(by, b);
}

}  // namespace cauchy
