#include <cauchy/engine/residual_form.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/print.hpp>

namespace cauchy {
namespace {

using Orders = JetSpec::Orders;

int position(std::string_view name, std::span<const std::string> names) {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

int require(std::string_view kind, std::string_view name, std::span<const std::string> names,
            std::string_view term) {
  const int i = position(name, names);
  if (i >= 0) return i;
  const std::string near = nearest_name(name, {names.begin(), names.end()});
  throw Error(fmt::format("unknown {} '{}' in a residual", kind, name),
              fmt::format("term '{}'", term),
              near.empty() ? fmt::format("{}s are: {}", kind, fmt::join(names, ", "))
                           : fmt::format("did you mean '{}'?", near));
}

/// The terms of a sum as numbers times the rest: 2*a + b is {a: 2, b: 1}.
std::map<const void*, std::pair<Expr, double>> terms_of(const Expr& e) {
  std::map<const void*, std::pair<Expr, double>> result;
  const std::vector<Expr> terms = e.kind() == Kind::add
                                      ? std::vector<Expr>(e.args().begin(), e.args().end())
                                      : std::vector<Expr>{e};
  for (const Expr& term : terms) {
    double coefficient = 1;
    if (term.is_constant()) coefficient = term.value();
    if (term.kind() == Kind::mul) {
      for (const Expr& factor : term.args()) {
        if (factor.is_constant()) coefficient *= factor.value();
      }
    }
    const Expr rest = term / coefficient;
    result.emplace(rest.id(), std::pair(rest, coefficient));
  }
  return result;
}

/// The constant c with p = c * q for p and q not 0, if it can be seen: p / q is a number, or the
/// terms of the two sums are the same with coefficients of one ratio.
std::optional<double> constant_ratio(const Expr& p, const Expr& q) {
  if (p.is_constant(0) || q.is_constant(0)) return std::nullopt;
  const Expr quotient = p / q;
  if (quotient.is_constant()) return quotient.value();
  const auto p_terms = terms_of(p), q_terms = terms_of(q);
  if (p_terms.size() != q_terms.size()) return std::nullopt;
  std::optional<double> ratio;
  for (const auto& [id, term] : p_terms) {
    const auto it = q_terms.find(id);
    if (it == q_terms.end()) return std::nullopt;
    const double r = term.second / it->second.second;
    if (ratio && *ratio != r) return std::nullopt;
    ratio = r;
  }
  return ratio;
}

struct Needed {
  std::vector<std::map<Orders, Expr>> by_field;  ///< derivative -> atom, per field
  std::set<Orders> all;
};

bool below(const Orders& a, const Orders& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
  }
  return a != b;
}

/// Atoms that decide a jump: those inside functions with jumps, and conditions of where(). Partial
/// derivatives do not see a jump, so they say nothing about how such an atom enters.
std::set<const void*> atoms_of_jumps(std::span<const Expr> residuals) {
  std::vector<Expr> decisions;
  for (const Expr& e : postorder(residuals)) {
    if (!has_jump(e.kind())) continue;
    const auto deciding = e.kind() == Kind::where ? e.args().first(1) : e.args();
    decisions.insert(decisions.end(), deciding.begin(), deciding.end());
  }
  std::set<const void*> result;
  for (const Expr& e : postorder(decisions)) result.insert(e.id());
  return result;
}

/// Groups of maximal derivatives with fixed ratios of their partial derivatives everywhere.
std::vector<std::vector<JetSpec::Part>> find_combinations(std::span<const Expr> residuals,
                                                          const Needed& needed) {
  std::vector<Orders> maximal;
  const std::set<const void*> jumps = atoms_of_jumps(residuals);
  for (const Orders& a : needed.all) {
    const bool covered = std::any_of(needed.all.begin(), needed.all.end(),
                                     [&](const Orders& b) { return below(a, b); });
    const bool decides = std::any_of(needed.by_field.begin(), needed.by_field.end(),
                                     [&](const std::map<Orders, Expr>& atoms) {
                                       const auto it = atoms.find(a);
                                       return it != atoms.end() && jumps.contains(it->second.id());
                                     });
    if (decides) continue;
    if (!covered && std::any_of(a.begin(), a.end(), [](int k) { return k > 0; })) {
      maximal.push_back(a);
    }
  }
  if (maximal.size() < 2) return {};
  // Lowest order first, then in the order of the coordinates: u_t leads u_t - nu*(u_xx + u_yy).
  std::sort(maximal.begin(), maximal.end(), [](const Orders& a, const Orders& b) {
    const int order_a = std::accumulate(a.begin(), a.end(), 0);
    const int order_b = std::accumulate(b.begin(), b.end(), 0);
    return order_a != order_b ? order_a < order_b : a > b;
  });
  std::vector<std::vector<JetSpec::Part>> groups;
  std::vector<bool> used(maximal.size(), false);
  // dr/d(atom) of every residual, by every field's atom of this derivative; 0 where it is absent.
  std::map<Orders, std::vector<Expr>> slopes;
  for (const Orders& a : maximal) {
    for (const auto& atoms : needed.by_field) {
      const auto it = atoms.find(a);
      for (const Expr& r : residuals) {
        slopes[a].push_back(it == atoms.end() ? Expr(0) : partial(r, it->second));
      }
    }
  }
  for (std::size_t i = 0; i < maximal.size(); ++i) {
    if (used[i]) continue;
    std::vector<JetSpec::Part> group{{1.0, maximal[i]}};
    for (std::size_t j = i + 1; j < maximal.size(); ++j) {
      if (used[j]) continue;
      std::optional<double> c;
      bool fixed = true;
      const auto &p = slopes.at(maximal[j]), &q = slopes.at(maximal[i]);
      for (std::size_t k = 0; k < p.size() && fixed; ++k) {
        if (p[k].is_constant(0) && q[k].is_constant(0)) continue;
        const auto ratio = constant_ratio(p[k], q[k]);
        fixed = ratio && (!c || *c == *ratio);
        c = ratio;
      }
      if (fixed && c) {
        group.push_back({*c, maximal[j]});
        used[j] = true;
      }
    }
    if (group.size() > 1) groups.push_back(std::move(group));
  }
  return groups;
}

constexpr std::size_t max_derivatives = 4000;  // of all fields; pairs of them are compared

}  // namespace

ResidualForm residual_form(std::span<const Expr> residuals,
                           std::span<const std::string> coordinates,
                           std::span<const std::string> fields, bool collapse,
                           std::string_view term, std::span<const Expr> data) {
  const auto is_data = [&](const Expr& e) {
    return std::any_of(data.begin(), data.end(), [&](const Expr& a) { return same(a, e); });
  };
  Needed needed;
  needed.by_field.resize(fields.size());
  for (const Expr& e : postorder(residuals)) {
    if (e.kind() == Kind::coordinate) require("coordinate", e.name(), coordinates, term);
    if (e.kind() == Kind::symbol && !is_data(e)) {
      throw Error(fmt::format("'{}' is not a field, coordinate or parameter", e.name()),
                  fmt::format("term '{}'", term));
    }
    if (e.kind() == Kind::call && !is_data(e)) {
      throw Error(fmt::format("data function '{}' has no values here", e.name()),
                  fmt::format("term '{}'", term), "list its call in the data of the term");
    }
    if (e.kind() != Kind::field) continue;
    const int f = require("field", e.name(), fields, term);
    Orders orders(coordinates.size(), 0);
    for (const auto& [name, order] : e.index()) {
      orders[static_cast<std::size_t>(require("coordinate", name, coordinates, term))] = order;
    }
    needed.by_field[static_cast<std::size_t>(f)].emplace(orders, e);
    needed.all.insert(orders);
    if (needed.all.size() > max_derivatives) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("it holds more than {} different derivatives", max_derivatives),
                  fmt::format("term '{}'", term),
                  "lower its order by fields for inner derivatives");
    }
  }

  const auto combinations =
      collapse ? find_combinations(residuals, needed) : std::vector<std::vector<JetSpec::Part>>{};
  std::set<Orders> combined;
  for (const auto& group : combinations) {
    for (const auto& part : group) combined.insert(part.orders);
  }
  std::vector<Orders> wanted;
  for (const Orders& a : needed.all) {
    if (!combined.contains(a)) wanted.push_back(a);
  }
  ResidualForm form{JetSpec(static_cast<int>(coordinates.size()), wanted, combinations),
                    {residuals.begin(), residuals.end()},
                    {}};

  // A residual depends on a group only through sum_i c_i a_i, so the first member may stand for the
  // combination and the others may vanish.
  std::vector<Replacement> replacements;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const auto& atoms = needed.by_field[f];
    for (int i = 0; i < form.jets.size(); ++i) {
      const auto& component = form.jets.component(i);
      if (!component.collapsed()) {
        const auto it = atoms.find(component.parts[0].orders);
        if (it != atoms.end()) form.rows.push_back({it->second, static_cast<int>(f), i});
        continue;
      }
      const auto lead = atoms.find(component.parts[0].orders);
      if (lead == atoms.end()) continue;
      const Symbol symbol(fmt::format("~{}~{}", fields[f], i));
      replacements.push_back({lead->second, symbol});
      for (std::size_t k = 1; k < component.parts.size(); ++k) {
        replacements.push_back({atoms.at(component.parts[k].orders), Expr(0)});
      }
      form.rows.push_back({symbol, static_cast<int>(f), i});
    }
  }
  for (Expr& r : form.residuals) r = substitute(r, replacements);
  return form;
}

}  // namespace cauchy
