// The weak form of equations: Green's identity on what was written as a divergence.
#include <cauchy/expr/weak_form.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/written.hpp>

#include "expr/weak_atoms.hpp"

namespace cauchy {
namespace {

using detail::agree;
using detail::reduced;
using detail::space_order;
using detail::vanishes;

[[noreturn]] void no_weak_form(const std::string& why, const std::string& hint) {
  throw Error(ErrorKind::unsupported, "there is no weak form: " + why, "[expr.weak_form]", hint);
}

/// Names for test functions that nothing else has.
std::vector<std::string> test_names(std::span<const Equation> equations,
                                    const std::vector<std::string>& fields) {
  std::vector<Expr> all;
  for (const Equation& e : equations) all.push_back(plain(e.residual()));
  std::vector<std::string> used(fields.begin(), fields.end());
  for (const Expr& e : postorder(all)) {
    if (!e.name().empty()) used.push_back(e.name());
  }
  const auto is_free = [&](const std::string& name) {
    return std::find(used.begin(), used.end(), name) == used.end();
  };
  for (const std::string letter : {"v", "w", "z", "phi", "test"}) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      names.push_back(fields.size() == 1 ? letter : fmt::format("{}{}", letter, k + 1));
    }
    if (std::all_of(names.begin(), names.end(), is_free)) return names;
  }
  std::vector<std::string> names;
  for (const std::string& f : fields) names.push_back("test_of_" + f);
  return names;
}

/// Which equation tests which field: the one that moves it. Score of equation e for field f.
int score(const Expr& residual, const std::string& field, const Space& space,
          const std::optional<Expr>& time) {
  int pure = 0, second = 0, in_time = 0, occurs = 0;
  for (const Expr& atom : field_atoms(std::array{residual})) {
    if (atom.name() != field) continue;
    occurs = 1;
    const int order = space_order(atom, space);
    if (order >= 2) second = 2;
    for (const auto& [name, n] : atom.index()) {
      if (time && name == time->name()) in_time = 3;
      const bool along_space = std::any_of(
          space.begin(), space.end(), [&name = name](const Expr& x) { return x.name() == name; });
      if (along_space && n >= 2 && n == order) pure += 4;
    }
  }
  return pure + second + in_time + occurs;
}

/// equation[k] belongs to field k: the assignment with the largest sum of scores, the first one of
/// equals.
std::vector<std::size_t> assignment(const std::vector<std::vector<int>>& scores) {
  const std::size_t n = scores.size();
  std::vector<std::size_t> order(n), best;
  std::iota(order.begin(), order.end(), std::size_t{0});
  constexpr std::size_t most_fields = 7;  // 5,040 orders
  if (n > most_fields) return order;
  int most = -1;
  do {
    int total = 0;
    for (std::size_t f = 0; f < n; ++f) total += scores[order[f]][f];
    if (total > most) {
      most = total;
      best = order;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

/// The sign of an expression at the point of the options, fields at some generic values; 0 where it
/// is not known.
int sign_at(const Expr& e, const Values& at) {
  if (e.is_constant()) return e.value() > 0 ? 1 : e.value() < 0 ? -1 : 0;
  Values values = at;
  double generic = 0.7;
  for (const Expr& node : postorder(std::array{e})) {
    if (node.kind() == Kind::symbol) return 0;
    if (node.kind() == Kind::field) {
      values.set(node, generic);
      generic *= 0.8;
    } else if (node.kind() == Kind::call) {
      if (at.find_function(node.name()) == nullptr) values.set(node, 1);
    } else if (node.kind() == Kind::coordinate || node.kind() == Kind::parameter) {
      if (at.find(node) == nullptr) return 0;
    }
  }
  const double value = evaluate(e, values);
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/// Derives the rows one equation after the other.
class Derivation {
 public:
  Derivation(const Space& space, const std::optional<Expr>& time, const WeakOptions& options)
      : space_(space), time_(time), options_(options) {}

  struct Parts {
    Expr source = 0;
    std::vector<Expr> flux;
  };

  /// `low`: whether a flux without derivatives is integrated by parts.
  template <class Low>
  Parts derive(const std::vector<Summand>& all, std::size_t equation, const Low& low,
               std::vector<WeakForm::MixedTerm>& mixed) {
    Parts p;
    p.flux.assign(space_.size(), Expr(0));
    for (const Summand& s : all) {
      if (s.is_plain() || !along_space(s) || !by_parts(s, low)) {
        p.source = p.source + s.value();
        continue;
      }
      const Expr c = plain(s.coefficient);
      for (std::size_t k = 0; k < s.flux.size(); ++k) {
        const std::size_t i = index_of(s.by[k]);
        const Expr f = plain(s.flux[k]);
        const std::optional<std::size_t> j = other_direction(s, f, i);
        if (!j) {
          add(p, c, f, i, Expr(1));
          continue;
        }
        // c*u_xy: d(c*u_y, x) and d(c*u_x, y).
        const std::size_t first = std::min(i, *j), second = std::max(i, *j);
        const Expr atom = plain(d(f, space_[i]));
        const std::size_t at = mixed.size();
        const Expr share = at < options_.shares.size() ? options_.shares[at] : Expr(0.5);
        mixed.push_back({equation, atom, share});
        add(p, c, lowered(atom, space_[first]), first, share);
        add(p, c, lowered(atom, space_[second]), second, 1 - share);
      }
    }
    p.source = reduced(p.source);
    for (Expr& f : p.flux) f = reduced(f);
    return p;
  }

 private:
  /// int share c d(f, x_i) v = -int share f (c v)_{x_i} + boundary.
  void add(Parts& p, const Expr& c, const Expr& f, std::size_t i, const Expr& share) {
    for (const Expr& e : postorder(std::vector{c})) {
      if (!has_jump(e.kind()) || !depends_on(e, space_[i])) continue;
      no_weak_form(fmt::format("the factor '{}' of the derivative of '{}' by {} jumps",
                               to_string(c), to_string(f), space_[i].name()),
                   "divide the equation by it, write d(flux, x) or div(a*grad(u)) if it is the "
                   "coefficient of a flux, or use fdm");
    }
    p.flux[i] = p.flux[i] - share * c * f;
    p.source = p.source - share * f * plain(d(c, space_[i]));
  }

  [[nodiscard]] std::size_t index_of(const Expr& x) const {
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (same(space_[i], x)) return i;
    }
    return space_.size();
  }
  [[nodiscard]] bool along_space(const Summand& s) const {
    return std::all_of(s.by.begin(), s.by.end(),
                       [&](const Expr& x) { return index_of(x) < space_.size(); });
  }
  template <class Low>
  [[nodiscard]] bool by_parts(const Summand& s, const Low& low) const {
    return std::any_of(s.flux.begin(), s.flux.end(), [&](const Expr& f) {
      return space_order(plain(f), space_) >= 1 || low(plain(f));
    });
  }
  /// A flux u_x by y of a plain term c*u_xy: the direction x.
  [[nodiscard]] std::optional<std::size_t> other_direction(const Summand& s, const Expr& f,
                                                           std::size_t i) const {
    if (s.flux.size() != 1 || f.kind() != Kind::field || space_order(f, space_) != 1) return {};
    for (std::size_t j = 0; j < space_.size(); ++j) {
      if (j == i) continue;
      for (const auto& [name, n] : f.index()) {
        if (name == space_[j].name()) return j;
      }
    }
    return {};
  }
  [[nodiscard]] static Expr lowered(const Expr& atom, const Expr& x) {
    MultiIndex index = atom.index();
    for (auto& [name, n] : index) {
      if (name == x.name()) --n;
    }
    std::erase_if(index, [](const auto& by) { return by.second == 0; });
    return field_derivative(atom.name(), std::move(index));
  }

  const Space& space_;
  const std::optional<Expr>& time_;
  const WeakOptions& options_;
};

/// Turns the sign of rows: positive diffusion, else positive rates, else symmetry with the rows of
/// the other fields.
void turn_signs(WeakForm& form, const Values& at) {
  const auto turn = [](WeakRow& row) {
    row.source = reduced(-row.source);
    for (Expr& f : row.flux) f = reduced(-f);
  };
  std::vector<bool> settled(form.rows.size(), false);
  for (std::size_t r = 0; r < form.rows.size(); ++r) {
    WeakRow& row = form.rows[r];
    const WeakDerivative g = gateaux(form, row, row.field);
    Expr trace = 0;
    for (std::size_t i = 0; i < form.space.size(); ++i) trace = trace + g.flux_du[i][i];
    int sign = 0;
    for (const Expr& e : {trace, g.acceleration, g.rate, g.source_u}) {
      if (vanishes(e)) continue;
      sign = sign_at(e, at);
      settled[r] = true;
      break;
    }
    if (sign < 0) turn(row);
  }
  // A row without its own field, r, and the row q that holds this field: of g(q, r) and g(r, q),
  // the first pair that is not zero decides.
  for (std::size_t r = 0; r < form.rows.size(); ++r) {
    if (settled[r]) continue;
    bool decided = false;
    for (std::size_t q = 0; q < form.rows.size() && !decided; ++q) {
      if (q == r) continue;
      const WeakDerivative a = gateaux(form, form.rows[q], form.rows[r].field);
      const WeakDerivative b = gateaux(form, form.rows[r], form.rows[q].field);
      for (std::size_t i = 0; i < form.space.size() && !decided; ++i) {
        for (const auto& [s, t] :
             {std::pair{a.flux_u[i], b.source_du[i]}, std::pair{a.source_du[i], b.flux_u[i]},
              std::pair{a.flux_du[i][i], b.flux_du[i][i]}}) {
          const int one = sign_at(s, at), other = sign_at(t, at);
          if (one * other == 0) continue;
          if (one != other) turn(form.rows[r]);
          decided = true;
          break;
        }
      }
    }
  }
}

void require_first_order(const WeakForm& form, const WeakRow& row, const Equation& equation) {
  std::vector<Expr> parts = row.flux;
  parts.push_back(row.source);
  for (const Expr& part : parts) {
    const int order = space_order(part, form.space);
    if (order < 2) continue;
    const std::string text = to_string(equation);
    const int whole = space_order(plain(equation.residual()), form.space);
    if (whole > 2) {
      no_weak_form(fmt::format("'{}' has derivatives of order {} in space, and only "
                               "laplacian(laplacian(u)) is split into two equations",
                               text, whole),
                   "use spectral, fdm or pinn");
    }
    no_weak_form(
        fmt::format("'{}' has second derivatives that stand in no divergence", text),
        "write them as d(flux, x) or div(a*grad(u)) if they are, d(u_x^2/2, x) for u_x*u_xx; "
        "else use fdm, kansa or pinn");
  }
}

}  // namespace

std::size_t WeakForm::row_of(const std::string& field) const {
  const auto at = std::find(fields.begin(), fields.end(), field);
  if (at == fields.end()) {
    throw Error(ErrorKind::not_found, fmt::format("there is no field '{}'", field),
                "[expr.weak_form]");
  }
  return static_cast<std::size_t>(at - fields.begin());
}

WeakForm weak_form(std::span<const Equation> equations, std::span<const std::string> fields,
                   const Space& space, const std::optional<Expr>& time,
                   const WeakOptions& options) {
  if (equations.size() != fields.size()) {
    no_weak_form(fmt::format("it needs as many equations as fields, got {} and {}",
                             equations.size(), fields.size()),
                 "use pinn");
  }
  if (space.empty()) no_weak_form("there is no space", "use ode");
  WeakForm form;
  form.space = space;
  form.time = time;
  form.fields.assign(fields.begin(), fields.end());

  detail::LoweredOrder lowered = detail::lower_order(equations, fields, space);
  form.auxiliary = lowered.auxiliary;
  for (const AuxiliaryField& a : form.auxiliary) form.fields.push_back(a.name);

  const std::size_t n = lowered.summands.size();
  std::vector<std::vector<int>> scores(n);
  std::vector<std::size_t> equation_of(n);
  for (std::size_t e = 0; e < equations.size(); ++e) {
    const Expr residual = plain(equations[e].residual());
    for (const std::string& f : fields) scores[e].push_back(score(residual, f, space, time));
  }
  const std::vector<std::size_t> chosen =
      assignment({scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(equations.size())});
  for (std::size_t f = 0; f < n; ++f) equation_of[f] = f < chosen.size() ? chosen[f] : f;

  for (std::size_t f = 0; f < n; ++f) {
    form.multiplier.push_back(f < fields.size() && scores[equation_of[f]][f] == 0);
  }
  const std::vector<std::string> tests = test_names(equations, form.fields);
  Derivation derivation(space, form.time, options);
  std::vector<Derivation::Parts> parts(n);
  for (std::size_t e = 0; e < n; ++e) {  // in the order of the equations: so are mixed terms
    const auto low = [&](const Expr& flux) {
      if (options.convective) return true;
      for (std::size_t f = 0; f < fields.size(); ++f) {
        if (form.multiplier[f] && equation_of[f] != e && depends_on(flux, Field(fields[f]))) {
          return true;
        }
      }
      return false;
    };
    parts[e] = derivation.derive(lowered.summands[e], e, low, form.mixed);
  }
  for (std::size_t f = 0; f < n; ++f) {
    Derivation::Parts& p = parts[equation_of[f]];
    form.rows.push_back({tests[f], form.fields[f], p.source, p.flux, equation_of[f]});
    if (f < fields.size()) require_first_order(form, form.rows.back(), equations[equation_of[f]]);
  }
  turn_signs(form, options.at);
  detail::scale_auxiliary_rows(form);
  return form;
}

Expr integrand(const WeakForm& form, const WeakRow& row) {
  const Field v(row.test);
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < form.space.size(); ++i) {
    terms.push_back(row.flux[i] * d(v, form.space[i]));
  }
  terms.push_back(row.source * v);
  return sum(std::move(terms));
}

Expr natural_flux(const WeakForm& form, const WeakRow& row) {
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < form.space.size(); ++i) {
    terms.push_back(row.flux[i] * Symbol("n_" + form.space[i].name()));
  }
  return sum(std::move(terms));
}

std::optional<Expr> reduced_flux(const WeakForm& form, const Expr& flux,
                                 std::span<const Expr> residuals) {
  const auto slopes = [&](const Expr& e) {
    std::vector<Expr> found = field_atoms(std::array{e});
    std::erase_if(found, [&](const Expr& a) { return space_order(a, form.space) == 0; });
    return found;
  };
  Expr q = reduced(flux);
  if (slopes(q).empty()) return q;
  // One condition after the other: the multiple that takes the first slope away.
  std::vector<bool> used(residuals.size(), false);
  for (std::size_t round = 0; round < residuals.size(); ++round) {
    std::optional<std::size_t> take;
    Expr rest;
    for (std::size_t k = 0; k < residuals.size(); ++k) {
      if (used[k]) continue;
      for (const Expr& atom : slopes(q)) {
        const Expr slope = partial(residuals[k], atom);
        if (vanishes(slope)) continue;
        const Expr multiple = reduced(partial(q, atom) / slope);
        Expr left = reduced(q - multiple * residuals[k]);
        for (const Expr& a : slopes(left)) {  // what only rounding has left of a slope
          if (agree(partial(q, a), multiple * partial(residuals[k], a))) {
            left = reduced(substitute(left, a, 0));
          }
        }
        const bool fewer = slopes(left).size() < slopes(q).size();
        if (slopes(left).empty()) return left;
        if (fewer && !take) {
          take = k;
          rest = left;
        }
      }
    }
    if (!take) return std::nullopt;
    used[*take] = true;
    q = rest;
  }
  return std::nullopt;
}

std::string to_string(const WeakForm& form, const WeakRow& row) {
  const Field v(row.test);
  const Expr source = reduced(row.source * v);
  const Expr fluxes = reduced(integrand(form, row) - row.source * v);
  if (source.is_constant(0) || fluxes.is_constant(0)) return to_string(fluxes + source);
  const std::string behind = to_string(source);
  return to_string(fluxes) + (behind.front() == '-' ? " - " + behind.substr(1) : " + " + behind);
}

std::string to_latex(const WeakForm& form, const WeakRow& row) {
  const GradientForm g = gradient_form(row.flux, form.space);
  const Field v(row.test);
  if (!g.found || form.space.size() < 2) return to_latex(reduced(integrand(form, row)));
  // c grad(w).grad(v) stands for a symbol of its own.
  const Symbol dot("GRADIENTS");
  std::string text = to_latex(reduced(g.coefficient) * dot + row.source * v);
  const std::string name = to_latex(dot);
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return to_latex(reduced(integrand(form, row)));
  return text.replace(
      at, name.size(),
      fmt::format("\\nabla {} \\cdot \\nabla {}", to_latex(g.potential), to_latex(v)));
}

}  // namespace cauchy
