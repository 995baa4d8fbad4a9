#include "problem/lowering.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "expr/rewrite.hpp"

namespace cauchy::detail {

Lowering::Lowering(const Problem& problem) {
  for (const auto& [name, value] : problem.values()) {
    replacements_.emplace_back(Parameter(name), Expr(value));
  }
  if (problem.domain) {
    for (const Range& r : problem.domain->ranges()) {
      replacements_.emplace_back(Parameter(r.name), Coordinate(r.name));
    }
  }
  for (const Unknown& u : problem.unknowns) {
    Free f{u.name, u.initial, Parameter(u.name)};
    if (u.lower || u.upper) {
      f.name = u.name + "~";
      const Expr s = Parameter(f.name);
      if (u.lower && u.upper) {
        const double share = (u.initial - *u.lower) / (*u.upper - *u.lower);
        f.initial = std::log(share / (1 - share));
        f.value = *u.lower + (*u.upper - *u.lower) / (1 + exp(-s));
      } else if (u.lower) {
        f.initial = std::log(u.initial - *u.lower);
        f.value = *u.lower + exp(s);
      } else {
        f.initial = std::log(*u.upper - u.initial);
        f.value = *u.upper - exp(s);
      }
      replacements_.emplace_back(Parameter(u.name), f.value);
    }
    free_.push_back(std::move(f));
  }
  for (const auto& [from, to] : replacements_) position_.emplace(from.id(), position_.size());
}

Expr Lowering::operator()(const Expr& e) const { return written(plain(e)); }

Expr Lowering::written(const Expr& e) const {
  std::vector<Replacement> list;
  if (e.written() != nullptr) {
    for (const auto& [from, to] : replacements_) list.push_back({from, to});
    return substitute(e, list);
  }
  // Of many parameters an expression holds a few.
  const Expr roots[] = {e};
  for (const Expr& atom : atoms(roots, Kind::parameter)) {
    const auto it = position_.find(atom.id());
    if (it == position_.end()) continue;
    list.push_back({replacements_[it->second].first, replacements_[it->second].second});
  }
  return list.empty() ? e : substitute(e, list);
}

// --- sizes ---

namespace {

/// The coordinates of each point as values.
std::vector<Values> values_of(const Points& points) {
  std::vector<Values> all(points.size());
  for (std::size_t k = 0; k < points.columns.size(); ++k) {
    const Coordinate x(points.columns[k]);
    for (std::size_t i = 0; i < points.size(); ++i) all[i].set(x, points.row(i)[k]);
  }
  return all;
}

/// The value of an expression without fields; none when something is not known.
std::optional<double> value_at(const Expr& e, const Values& values) {
  try {
    const double v = evaluate(e, values);
    return std::isfinite(v) ? std::optional(v) : std::nullopt;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    return std::nullopt;
  }
}

void grow_size(double& size, const std::optional<double>& value) {
  if (value) size = std::max(size, std::abs(*value));
}

}  // namespace

Sizes characteristic_sizes(const Problem& problem, const Lowering& lower, bool scale) {
  const Domain domain = domain_of(problem);
  Sizes sizes;
  for (const std::string& name : problem.coordinates()) sizes.axes.push_back({name});
  for (const std::string& name : problem.all_fields()) sizes.fields[name] = 1;
  if (!scale) return sizes;
  // The box around all points of the domain.
  const auto set = [&](std::size_t k, double low, double high) {
    sizes.axes[k].center = (low + high) / 2;
    sizes.axes[k].half = (high - low) / 2;
  };
  if (domain.time() != nullptr) set(0, domain.time()->lower, domain.time()->upper);
  if (domain.space() != nullptr) {
    const std::size_t first = domain.space_column(), d = domain.space()->dimension();
    const Points points = interior_points(domain, 256);
    for (std::size_t k = 0; k < d; ++k) {
      double low = INFINITY, high = -INFINITY;
      for (std::size_t i = 0; i < points.size(); ++i) {
        low = std::min(low, points.row(i)[first + k]);
        high = std::max(high, points.row(i)[first + k]);
      }
      if (!domain.shape_varies()) {
        low = domain.shape()->bounds().lower[k];
        high = domain.shape()->bounds().upper[k];
      }
      set(first + k, low, high);
    }
  }
  for (std::size_t r = 0; r < domain.ranges().size(); ++r) {
    const Range& range = domain.ranges()[r];
    set(sizes.axes.size() - domain.ranges().size() + r, range.lower, range.upper);
  }
  const Points inside = equation_points(problem, {}, 64);
  // Fields: what the problem says, else what conditions and observations show.
  std::map<std::string, double> seen;
  for (const Condition& c : problem.condition) {
    const auto form = dirichlet_form(c.form);
    if (c.kind != Condition::Kind::general || !form) continue;
    const Expr value = lower(form->value);
    double here = 0, elsewhere = 0;
    for (const Values& x : values_of(condition_points(problem, c, 64))) {
      grow_size(here, value_at(value, x));
    }
    for (const Values& x : values_of(inside)) grow_size(elsewhere, value_at(value, x));
    // sin(pi*x) at x = 1 is a zero, not a size of 1e-16.
    if (here > 1e-10 * elsewhere) grow_size(seen[form->field], here);
  }
  for (const Observation& o : problem.observation) {
    if (o.quantity.kind() != Kind::field || !o.quantity.index().empty()) continue;
    for (const double v : o.table.column(o.column)) grow_size(seen[o.quantity.name()], v);
  }
  for (const auto& [name, size] : seen) {
    if (size > 0) sizes.fields[name] = size;
  }
  for (const auto& [name, size] : problem.sizes) sizes.fields[name] = size;
  return sizes;
}

std::vector<Expr> known_functions(const Expr& e) {
  std::vector<Expr> found, open{e};
  while (!open.empty()) {
    const Expr node = open.back();
    open.pop_back();
    const Expr roots[] = {node};
    if (node.is_atom() && node.kind() != Kind::call) continue;
    const bool known = field_atoms(roots).empty() && atoms(roots, Kind::symbol).empty();
    if (!known) {
      for (const Expr& a : node.args()) open.push_back(a);
    } else if (!atoms(roots, Kind::coordinate).empty()) {
      found.push_back(node);
    }
  }
  return found;
}

std::vector<Expr> additive_terms(const Expr& e) {
  // Brackets of known functions stay closed: (x - x^2)^8 is one term, its powers are far larger.
  std::vector<Replacement> closed, open;
  for (const Expr& f : known_functions(e)) {
    closed.push_back({f, Symbol(fmt::format("known {}", closed.size()))});
    open.push_back({closed.back().to, f});
  }
  Expr sum = substitute(e, closed);
  // A product of many brackets stays one term: nobody looks at thousands of them.
  constexpr std::size_t max_terms = 2'000, max_work = 50'000;
  if (std::optional<Expr> open_sum = Expander(max_terms, max_work).expand(plain(sum))) {
    sum = *std::move(open_sum);
  }
  std::vector<Expr> terms{sum};
  if (sum.kind() == Kind::add) terms.assign(sum.args().begin(), sum.args().end());
  for (Expr& t : terms) t = substitute(t, open);
  return terms;
}

double residual_size(const Expr& residual, const Problem& problem, const Sizes& sizes) {
  const std::vector<Values> points = values_of(interior_points(domain_of(problem), 32));
  const std::vector<Expr> summands = additive_terms(residual);
  const Expr roots[] = {residual};
  std::unordered_map<const void*, Replacement> fields;
  for (const Expr& atom : field_atoms(roots)) {
    const bool varies = !atom.index().empty() && !sizes.variations.empty();
    double size = (varies ? sizes.variations : sizes.fields).at(atom.name());
    for (const auto& [name, order] : atom.index()) {
      for (const Sizes::Axis& axis : sizes.axes) {
        if (axis.name == name) size /= std::pow(axis.half, order);
      }
    }
    fields.emplace(atom.id(), Replacement{atom, Expr(size)});
  }
  double largest = 0;
  for (const Expr& term : summands) {
    std::vector<Replacement> here;
    const Expr term_roots[] = {term};
    for (const Expr& atom : field_atoms(term_roots)) here.push_back(fields.at(atom.id()));
    if (!sizes.variations.empty()) {
      for (const Expr& normal : atoms(term_roots, Kind::symbol)) here.push_back({normal, Expr(1)});
    }
    Expr e;
    try {
      e = substitute(term, here);
    } catch (const Error& error) {  // log(u - 50) with u = 1
      if (error.kind() != ErrorKind::unsupported) throw;
      continue;
    }
    double sum = 0;
    std::size_t n = 0;
    for (const Values& x : points) {
      if (const auto v = value_at(e, x)) {
        sum += *v * *v;
        ++n;
      }
    }
    if (n > 0) largest = std::max(largest, std::sqrt(sum / static_cast<double>(n)));
  }
  return largest > 0 && std::isfinite(largest) ? largest : 1;
}

}  // namespace cauchy::detail
