#include <cauchy/expr/analysis.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/expr/written.hpp>

#include "expr/inertia.hpp"
#include "expr/rewrite.hpp"

namespace cauchy {
namespace {

using NodeTest = std::function<bool(const Expr&)>;

bool contains(const Expr& e, const NodeTest& test) {
  const std::vector<Expr> nodes = postorder(std::array{e});
  return std::any_of(nodes.begin(), nodes.end(), test);
}

/// Whether a sign, a floor, a comparison or a condition looks at an unknown: there the expression
/// jumps although all its derivatives may be constant.
bool jumps(const Expr& e, const NodeTest& unknown) {
  std::unordered_set<const void*> active;  // nodes that contain an unknown
  for (const Expr& node : postorder(std::array{e})) {
    bool on = unknown(node);
    for (const Expr& a : node.args()) on = on || active.contains(a.id());
    if (!on) continue;
    active.insert(node.id());
    if (!has_jump(node.kind())) continue;
    if (node.kind() != Kind::where || active.contains(node.args()[0].id())) return true;
  }
  return false;
}

/// expand(), or the expression itself where that would be too large: a question about an expression
/// is not worth the work that a caller of expand() asks for.
Expr try_expand(const Expr& e) {
  constexpr std::size_t max_terms = 2000, max_work = 20'000;
  try {
    return detail::Expander(max_terms, max_work).expand(plain(e)).value_or(e);
  } catch (const Error&) {
    return e;
  }
}

/// Equal forms of e in the order of their cost, one after the other, until `accept` takes one.
bool try_forms(const Expr& e, const std::function<bool(const Expr&)>& accept) {
  if (accept(e)) return true;
  const Expr expanded = try_expand(e);
  return (!same(expanded, e) && accept(expanded)) || accept(simplify(e)) ||
         (!same(expanded, e) && accept(simplify(expanded)));
}

/// The first form of e without unknowns; none: empty.
std::optional<Expr> free_form(const Expr& e, const NodeTest& unknown) {
  std::optional<Expr> found;
  try_forms(e, [&](const Expr& form) {
    if (!contains(form, unknown)) found = form;
    return found.has_value();
  });
  return found;
}

bool is_zero(const Expr& e) {
  return e.is_constant(0) || (!e.is_constant() && !e.is_atom() && try_expand(e).is_constant(0)) ||
         (e.kind() == Kind::add && simplify(e).is_constant(0));
}

/// e = sum_k c_k * atoms_k + rest with c_k free of unknowns; empty when e is not of this form.
/// Vanishing coefficients are left out.
std::optional<std::vector<LinearForm::Entry>> coefficients(const Expr& e,
                                                           const std::vector<Expr>& unknowns,
                                                           const NodeTest& unknown) {
  if (jumps(e, unknown)) return std::nullopt;
  // The summands that hold an unknown: its derivative need not look at the others.
  std::unordered_map<const void*, std::vector<Expr>> holding;
  for (const Expr& summand : detail::terms_of(e)) {
    for (const Expr& node : postorder(std::array{summand})) {
      if (unknown(node)) holding[node.id()].push_back(summand);
    }
  }
  std::vector<LinearForm::Entry> terms;
  for (const Expr& atom : unknowns) {
    std::optional<Expr> c = free_form(partial(sum(holding[atom.id()]), atom), unknown);
    if (!c) return std::nullopt;
    if (!is_zero(*c)) terms.push_back({atom, *std::move(c)});
  }
  return terms;
}

/// What is left of a linear e when all unknowns are zero.
std::optional<Expr> remainder(const Expr& e, const std::vector<Expr>& unknowns,
                              const std::vector<LinearForm::Entry>& terms,
                              const NodeTest& unknown) {
  try {
    std::vector<Replacement> zeros;
    for (const Expr& atom : unknowns) zeros.push_back({atom, Expr(0)});
    return substitute(e, zeros);
  } catch (const Error&) {  // a removable singularity there, as in (u^2 + u)/u
    Expr rest = e;
    for (const auto& [atom, c] : terms) rest -= c * atom;
    return free_form(rest, unknown);
  }
}

bool is_field(const Expr& e) { return e.kind() == Kind::field; }

/// Matrix of the second derivatives at the point; empty when a value is missing or not finite.
std::optional<std::vector<double>> symbol_matrix(const std::vector<LinearForm::Entry>& terms,
                                                 std::span<const Expr> coordinates,
                                                 const Values& values) {
  const std::size_t n = coordinates.size();
  const auto position = [&](const std::string& name) {
    for (std::size_t i = 0; i < n; ++i) {
      if (coordinates[i].name() == name) return i;
    }
    throw Error(fmt::format("a second derivative is by '{}', which is not listed", name),
                "[expr.classify]", "list all coordinates of the equation");
  };
  std::vector<double> a(n * n, 0.0);
  bool known = true;
  for (const auto& [atom, coefficient] : terms) {
    const std::size_t i = position(atom.index().front().first);
    const std::size_t j = position(atom.index().back().first);
    double c = 0;
    try {
      c = evaluate(coefficient, values);
    } catch (const Error&) {  // an atom without a value
      known = false;
    }
    known = known && std::isfinite(c);
    a[i * n + j] += c / 2;
    a[j * n + i] += c / 2;
  }
  if (!known) return std::nullopt;
  return a;
}

void check_coordinates(std::span<const Expr> coordinates) {
  std::unordered_set<const void*> seen;
  for (const Expr& x : coordinates) {
    if (x.kind() != Kind::coordinate || !seen.insert(x.id()).second) {
      throw Error("the list of coordinates must hold distinct coordinates", "[expr.classify]");
    }
  }
}

}  // namespace

std::vector<Expr> atoms(std::span<const Expr> exprs, Kind kind) {
  std::vector<Expr> found;
  for (const Expr& e : postorder(exprs)) {
    if (e.kind() == kind) found.push_back(e);
  }
  std::sort(found.begin(), found.end(),
            [](const Expr& a, const Expr& b) { return compare(a, b) < 0; });
  return found;
}

std::vector<Expr> field_atoms(std::span<const Expr> exprs) { return atoms(exprs, Kind::field); }

int order(const Expr& e) {
  int highest = 0;
  for (const Expr& f : field_atoms(std::array{e})) {
    highest = std::max(highest, total_order(f.index()));
  }
  return highest;
}

int order(const Expr& e, const Expr& coordinate) {
  if (coordinate.kind() != Kind::coordinate) {
    throw Error("the order is asked by a coordinate, got something else", "[expr.order]");
  }
  int highest = 0;
  for (const Expr& f : field_atoms(std::array{e})) {
    for (const auto& [name, n] : f.index()) {
      if (name == coordinate.name()) highest = std::max(highest, n);
    }
  }
  return highest;
}

bool depends_on(const Expr& e, const Expr& atom) {
  const bool whole_field = is_field(atom) && atom.index().empty();
  return contains(e, [&](const Expr& node) {
    return same(node, atom) || (whole_field && is_field(node) && node.name() == atom.name());
  });
}

LinearForm linear_form(const Expr& e) {
  LinearForm result;
  try_forms(e, [&](const Expr& form) {
    const std::vector<Expr> unknowns = field_atoms(std::array{form});
    auto terms = coefficients(form, unknowns, is_field);
    if (!terms) return false;
    std::optional<Expr> rest = remainder(form, unknowns, *terms, is_field);
    if (!rest) return false;
    result = {true, *std::move(terms), *std::move(rest)};
    return true;
  });
  return result;
}

bool is_linear(const Expr& e) { return linear_form(e).linear; }

PrincipalPart principal_part(const Expr& e, const Expr& field) {
  if (!is_field(field) || !field.index().empty()) {
    throw Error("the principal part is asked for a field, got something else",
                "[expr.principal_part]", "give the field itself, not a derivative of it");
  }
  const auto highest_of = [&](const Expr& form) {
    int highest = -1;
    for (const Expr& f : field_atoms(std::array{form})) {
      if (f.name() == field.name()) highest = std::max(highest, total_order(f.index()));
    }
    return highest;
  };
  Expr form = e;
  bool reduced = false;
  while (true) {
    const int highest = highest_of(form);
    if (highest < 0) return {0, true, {}};
    const NodeTest leading = [&](const Expr& node) {
      return is_field(node) && node.name() == field.name() && total_order(node.index()) == highest;
    };
    std::vector<Expr> unknowns = field_atoms(std::array{form});
    std::erase_if(unknowns, [&](const Expr& f) { return !leading(f); });
    std::optional<std::vector<LinearForm::Entry>> terms = coefficients(form, unknowns, leading);
    if (terms && !terms->empty()) return {highest, true, *std::move(terms)};
    if (terms) {  // they cancel: the next lower order leads
      const std::optional<Expr> lower = remainder(form, unknowns, *terms, leading);
      if (lower) {
        form = *lower;
        continue;
      }
    }
    if (reduced) return {highest, false, {}};
    form = simplify(try_expand(form));
    reduced = true;
  }
}

bool has_jump(Kind kind) noexcept {
  return kind == Kind::sign || kind == Kind::floor || kind == Kind::mod || kind == Kind::less ||
         kind == Kind::less_equal || kind == Kind::where;
}

std::string_view to_string(PdeType type) noexcept {
  switch (type) {
    case PdeType::elliptic:
      return "elliptic";
    case PdeType::parabolic:
      return "parabolic";
    case PdeType::hyperbolic:
      return "hyperbolic";
    case PdeType::ultra_hyperbolic:
      return "ultra-hyperbolic";
    case PdeType::degenerate:
      return "degenerate";
    case PdeType::first_order:
      return "first order";
    case PdeType::higher_order:
      return "higher order";
    case PdeType::undetermined:
      return "undetermined";
  }
  return "undetermined";
}

PdeType classify(const Expr& residual, const Expr& field, std::span<const Expr> coordinates,
                 const Values& values) {
  constexpr double zero_tolerance = 1e-12;
  check_coordinates(coordinates);
  const PrincipalPart leading = principal_part(residual, field);
  if (leading.order > 2) return PdeType::higher_order;
  if (leading.order == 1) return PdeType::first_order;
  if (leading.order == 0) return PdeType::degenerate;
  if (!leading.quasilinear) return PdeType::undetermined;
  const auto matrix = symbol_matrix(leading.terms, coordinates, values);
  if (!matrix) return PdeType::undetermined;
  const auto [positive, negative, zero] =
      detail::inertia(*matrix, coordinates.size(), zero_tolerance);
  const int more = std::max(positive, negative);
  const int fewer = std::min(positive, negative);
  if (more == 0) return PdeType::degenerate;
  if (zero > 0) return fewer == 0 ? PdeType::parabolic : PdeType::degenerate;
  if (fewer == 0) return PdeType::elliptic;
  return fewer == 1 ? PdeType::hyperbolic : PdeType::ultra_hyperbolic;
}

}  // namespace cauchy
