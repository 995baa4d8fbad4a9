#include "operators/symmetries.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>

namespace cauchy::detail {
namespace {

constexpr int symmetry_draws = 6;
constexpr double symmetry_tolerance = 1e-9;

/// A map with a shift of one axis: (T x)_k = sign_k x_axis[k] + offset_k.
struct AffineMap {
  GridSymmetry map;
  std::vector<double> offset;
  [[nodiscard]] double sign(std::size_t k) const { return map.flipped[k] ? -1 : 1; }
};

/// Derivative orders along the axes of space, and those by anything else (time).
struct Orders {
  std::vector<int> space;
  MultiIndex other;
  friend auto operator<=>(const Orders&, const Orders&) = default;
};

/// Functions of random values: all derivatives of fields and inputs at one point T x, and what they
/// are for the functions that are carried over, at x.
class RandomJets final {
 public:
  RandomJets(const OperatorProblem& problem, const FieldGrid& grid, Rng rng)
      : problem_(problem), grid_(grid), rng_(rng) {
    for (std::size_t k = 0; k < grid.axes.size(); ++k) {
      x_.push_back(rng_.uniform(grid.axes[k].lower, grid.axes[k].upper));
    }
    if (const auto* time = problem.problem.domain->time()) {
      time_ = std::pair(time->name, rng_.uniform(time->lower, time->upper));
    }
  }

  /// The residual at x of what is carried over (`carried`), or at T x of the functions themselves;
  /// none where it holds something that is not understood.
  [[nodiscard]] std::optional<double> residual(const Expr& e, const AffineMap& t, bool carried) {
    Values values;
    const Expr roots[] = {e};
    for (const auto& [name, value] : problem_.problem.values()) values.set(Parameter(name), value);
    for (std::size_t k = 0; k < x_.size(); ++k) {
      const double there = t.sign(k) * x_[t.map.axis[k]] + t.offset[k];
      values.set(Coordinate(grid_.axes[k].name), carried ? x_[k] : there);
      values.set(Symbol("n_" + grid_.axes[k].name), derivative("n ", unit(k), t, carried));
    }
    if (time_) values.set(Coordinate(time_->first), time_->second);
    for (const Expr& u : field_atoms(roots)) {
      Orders orders{std::vector<int>(x_.size(), 0), {}};
      for (const auto& [name, n] : u.index()) {
        const std::size_t k = axis_named(name);
        if (k < x_.size()) {
          orders.space[k] = n;
        } else {
          orders.other.emplace_back(name, n);
        }
      }
      values.set(u, derivative(u.name(), orders, t, carried));
    }
    for (const Expr& call : atoms(roots, Kind::call)) {
      const std::optional<Orders> orders = of_input(call);
      if (!orders) return std::nullopt;
      values.set(call, derivative(call.name(), *orders, t, carried));
    }
    for (const Expr& s : atoms(roots, Kind::symbol)) {
      if (values.find(s) == nullptr) return std::nullopt;
    }
    for (const Expr& p : atoms(roots, Kind::parameter)) {
      if (values.find(p) == nullptr) return std::nullopt;
    }
    for (const Expr& c : atoms(roots, Kind::coordinate)) {
      if (values.find(c) == nullptr) return std::nullopt;
    }
    return evaluate(e, values);
  }

 private:
  [[nodiscard]] std::size_t axis_named(const std::string& name) const {
    std::size_t k = 0;
    while (k < grid_.axes.size() && grid_.axes[k].name != name) ++k;
    return k;
  }
  [[nodiscard]] Orders unit(std::size_t k) const {
    Orders o{std::vector<int>(x_.size(), 0), {}};
    o.space[k] = 1;
    return o;
  }
  /// The orders of a call of an input function at the coordinates themselves, all of them.
  [[nodiscard]] std::optional<Orders> of_input(const Expr& call) const {
    const bool known = std::ranges::any_of(
        problem_.inputs, [&](const InputFunction& input) { return input.name == call.name(); });
    if (!known || call.args().size() != x_.size()) return std::nullopt;
    Orders o{std::vector<int>(x_.size(), 0), {}};
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const Expr& argument = call.args()[i];
      if (argument.kind() != Kind::coordinate) return std::nullopt;
      const std::size_t k = axis_named(argument.name());
      if (k == x_.size()) return std::nullopt;
      o.space[k] = call.call_orders().empty() ? 0 : call.call_orders()[i];
    }
    return o;
  }

  /// With v(x) = u(T x): the derivative of v by x_j is that of u by the k with axis[k] = j, times
  /// the sign of k.
  [[nodiscard]] double derivative(const std::string& name, const Orders& orders, const AffineMap& t,
                                  bool carried) {
    if (!carried) return number(name, orders);
    Orders there{std::vector<int>(x_.size(), 0), orders.other};
    double factor = 1;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      const int n = orders.space[t.map.axis[k]];
      there.space[k] = n;
      if (n % 2 == 1) factor *= t.sign(k);
    }
    return factor * number(name, there);
  }
  [[nodiscard]] double number(const std::string& name, const Orders& orders) {
    const auto [found, is_new] = numbers_.try_emplace(std::pair(name, orders), 0.0);
    if (is_new) found->second = rng_.uniform(0.5, 1.5);
    return found->second;
  }

  const OperatorProblem& problem_;
  const FieldGrid& grid_;
  Rng rng_;
  std::vector<double> x_;
  std::optional<std::pair<std::string, double>> time_;
  std::map<std::pair<std::string, Orders>, double> numbers_;
};

/// Whether every form of a set at T x is one of the set at x, each one met once.
bool carries_over(const std::vector<Expr>& forms, const OperatorProblem& problem,
                  const FieldGrid& grid, const AffineMap& t) {
  const std::size_t n = forms.size();
  // agree[i][j]: bit 0: form i of the carried is form j, bit 1: its negative.
  std::vector<std::vector<int>> agree(n, std::vector<int>(n, 3));
  for (int draw = 0; draw < symmetry_draws; ++draw) {
    RandomJets jets(problem, grid, Rng(20).split(static_cast<std::uint64_t>(draw)));
    std::vector<double> here, there;
    for (const Expr& form : forms) {
      const auto a = jets.residual(form, t, true), b = jets.residual(form, t, false);
      if (!a || !b || !std::isfinite(*a) || !std::isfinite(*b)) return false;
      here.push_back(*a);
      there.push_back(*b);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const double bound = symmetry_tolerance * (std::abs(here[i]) + std::abs(there[j]));
        if (!(std::abs(here[i] - there[j]) <= bound)) agree[i][j] &= ~1;
        if (!(std::abs(here[i] + there[j]) <= bound)) agree[i][j] &= ~2;
      }
    }
  }
  std::vector<bool> met(n, false);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t j = 0;
    while (j < n && (met[j] || agree[i][j] == 0)) ++j;
    if (j == n) return false;
    met[j] = true;
  }
  return true;
}

/// The forms that must be carried over, one list for each place; none: there is something that is
/// not understood.
std::optional<std::vector<std::vector<Expr>>> forms_of(const Problem& p) {
  if (p.equation.empty() || !p.unknowns.empty() || !p.coefficients.empty()) return std::nullopt;
  std::vector<std::vector<Expr>> all(1);
  for (const ProblemEquation& e : p.equation) {
    if (!e.where.empty()) return std::nullopt;
    all[0].push_back(e.form.residual());
  }
  std::map<std::pair<bool, double>, std::vector<Expr>> conditions;
  for (const Condition& c : p.condition) {
    if (c.kind == Condition::Kind::periodic) continue;
    if (c.kind != Condition::Kind::general) return std::nullopt;
    const ConditionPlace place = place_of(p, c);
    const bool slice = place.kind == ConditionPlace::Kind::slice;
    if (!slice && c.where != "boundary") return std::nullopt;
    conditions[{slice, slice ? place.time : 0}].push_back(c.form.residual());
  }
  for (auto& [place, forms] : conditions) all.push_back(std::move(forms));
  return all;
}

AffineMap affine(const GridSymmetry& map, const FieldGrid& grid) {
  AffineMap t{map, std::vector<double>(map.axis.size(), 0)};
  for (std::size_t k = 0; k < map.axis.size(); ++k) {
    if (map.flipped[k]) t.offset[k] = grid.axes[k].lower + grid.axes[k].upper;
  }
  return t;
}

/// Whether the nodes lie on the box of the problem: only then its conditions are at their ends.
bool is_box_of(const OperatorProblem& problem, const FieldGrid& grid) {
  if (!problem.problem.domain || problem.grid.size() != grid.axes.size()) return false;
  FieldGrid box;
  try {
    box = grid_of(problem);
  } catch (const Error&) {
    return false;  // no box
  }
  for (std::size_t k = 0; k < grid.axes.size(); ++k) {
    FieldGrid::Axis axis = box.axes[k];
    axis.n = grid.axes[k].n;
    if (!(axis == grid.axes[k])) return false;
  }
  return true;
}

bool same_box(const FieldGrid::Axis& a, const FieldGrid::Axis& b) {
  return a.n == b.n && a.lower == b.lower && a.upper == b.upper && a.periodic == b.periodic;
}

}  // namespace

bool GridSymmetry::identity() const {
  for (std::size_t k = 0; k < axis.size(); ++k) {
    if (axis[k] != k || flipped[k]) return false;
  }
  return true;
}

bool Symmetries::any() const {
  return maps.size() > 1 || std::ranges::find(shifts, true) != shifts.end();
}

std::string Symmetries::describe(const FieldGrid& grid) const {
  std::vector<std::string> words;
  for (const GridSymmetry& m : maps) {
    const auto ordered = std::ranges::is_sorted(m.axis);
    const auto n = std::ranges::count(m.flipped, true);
    for (std::size_t k = 0; k < m.axis.size(); ++k) {
      if (ordered && n == 1 && m.flipped[k]) words.push_back("flips of " + grid.axes[k].name);
    }
  }
  if (std::ranges::any_of(maps, [](const auto& m) { return !std::ranges::is_sorted(m.axis); })) {
    words.emplace_back("exchange of axes");
  }
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    if (shifts[k]) words.push_back("shifts along " + grid.axes[k].name);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

Symmetries symmetries_of(const OperatorProblem& problem, const FieldGrid& grid) {
  const std::size_t d = grid.axes.size();
  Symmetries found;
  found.shifts.assign(d, false);
  GridSymmetry map{std::vector<std::size_t>(d), std::vector<bool>(d, false)};
  std::iota(map.axis.begin(), map.axis.end(), std::size_t{0});
  found.maps.push_back(map);
  const SampleSource* const source = problem.source.get();
  if (grid.is_cloud() || (source == nullptr && !is_box_of(problem, grid))) return found;
  const auto forms =
      source != nullptr ? decltype(forms_of(problem.problem)){} : forms_of(problem.problem);
  if (source == nullptr && !forms) return found;
  const auto holds = [&](const AffineMap& t) {
    if (source != nullptr) return source->is_symmetric(t.map.axis, t.map.flipped);
    return std::ranges::all_of(
        *forms, [&](const auto& list) { return carries_over(list, problem, grid, t); });
  };
  for (std::size_t k = 0; k < d; ++k) {
    if (!grid.axes[k].periodic || source != nullptr) continue;
    AffineMap t = affine(map, grid);
    t.offset[k] = 0.37 * (grid.axes[k].upper - grid.axes[k].lower);
    found.shifts[k] = holds(t);
  }
  do {
    bool fits = true;
    for (std::size_t k = 0; k < d; ++k) fits &= same_box(grid.axes[k], grid.axes[map.axis[k]]);
    for (std::size_t bits = 0; fits && bits < (std::size_t{1} << d); ++bits) {
      for (std::size_t k = 0; k < d; ++k) map.flipped[k] = ((bits >> k) & 1) != 0;
      if (!map.identity() && holds(affine(map, grid))) found.maps.push_back(map);
    }
  } while (std::next_permutation(map.axis.begin(), map.axis.end()));
  for (const GridSymmetry& m : found.maps) {
    if (source == nullptr) break;
    std::vector<std::int32_t> picks = source->carried_outputs(m.axis, m.flipped);
    if (!picks.empty()) found.outputs.push_back(std::move(picks));
  }
  return found;
}

void carry_outputs(const Symmetries& symmetries, std::size_t m,
                   const std::vector<std::size_t>& picks, std::span<const double> from,
                   std::span<double> to) {
  if (symmetries.outputs.empty()) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      to[i] = from[i / picks.size() * picks.size() + picks[i % picks.size()]];
    }
    return;
  }
  const std::vector<std::int32_t>& signed_picks = symmetries.outputs[m];
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int32_t k = signed_picks[i];
    const double v = k == 0 ? 0 : from[static_cast<std::size_t>(std::abs(k)) - 1];
    to[i] = k < 0 ? -v : v;
  }
}

void symmetry_picks(const GridSymmetry& map, const std::vector<std::size_t>& shift,
                    const FieldGrid& grid, std::vector<std::size_t>& picks) {
  const std::size_t d = grid.axes.size();
  picks.resize(grid.n_points());
  std::array<std::size_t, 3> at{};  // no allocation: this is part of every step
  for (std::size_t& pick : picks) {
    pick = 0;
    for (std::size_t k = 0; k < d; ++k) {
      const auto n = static_cast<std::size_t>(grid.axes[k].n);
      std::size_t i = at[map.axis[k]] + shift[k];
      if (grid.axes[k].periodic) {
        i %= n;
        if (map.flipped[k]) i = (n - i) % n;
      } else if (map.flipped[k]) {
        i = n - 1 - i;
      }
      pick = pick * n + i;
    }
    for (std::size_t k = d; k-- > 0;) {
      if (++at[k] < static_cast<std::size_t>(grid.axes[k].n)) break;
      at[k] = 0;
    }
  }
}

}  // namespace cauchy::detail
