#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/math/lapack.hpp>

#include "problem/doubts.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t samples_per_form = 6, constant_draws = 3;

/// A form with its derivatives by the constants. A zero form is one that solutions make 0.
struct SensitiveForm {
  Expr form;
  bool is_zero = false;
  std::vector<Expr> by_constant;
  Expr pivot, by_pivot;  // the field atom that is chosen so that the form is 0
};

class ConstantRank final {
 public:
  ConstantRank(const Problem& p, std::vector<std::string> names)
      : problem_(p), names_(std::move(names)), rng_(7) {
    for (const auto& [name, value] : p.values()) known_.emplace_back(Parameter(name), value);
    for (const ProblemEquation& e : p.equation) add(e.form.residual(), true);
    for (const Condition& c : p.condition) {
      if (c.kind == Condition::Kind::periodic) continue;
      add(c.form.residual(), c.kind != Condition::Kind::integral);
    }
    for (const Observation& o : p.observation) add(o.quantity, false);
  }

  /// Directions of the constants that change nothing, at some values of theirs; one at most, and
  /// none when there is none at one of the draws.
  struct Free {
    std::vector<std::vector<double>> direction, at;  // by draw
  };
  std::optional<Free> find() {
    Free free;
    for (std::size_t draw = 0; draw < constant_draws; ++draw) {
      std::vector<double> at = draw_constants();
      const std::optional<std::vector<double>> direction = null_direction(at);
      if (!direction) return std::nullopt;
      free.direction.push_back(*direction);
      free.at.push_back(std::move(at));
    }
    return free;
  }

 private:
  void add(const Expr& e, bool is_zero) {
    SensitiveForm f{e, is_zero, {}, {}, {}};
    bool any = false;
    for (const std::string& name : names_) {
      f.by_constant.push_back(partial(e, Parameter(name)));
      any = any || !f.by_constant.back().is_constant(0);
    }
    if (!any) return;
    const Expr roots[] = {e};
    int highest = -1;
    for (const Expr& a : field_atoms(roots)) {
      if (total_order(a.index()) <= highest) continue;
      highest = total_order(a.index());
      f.pivot = a;
    }
    if (highest >= 0) f.by_pivot = partial(e, f.pivot);
    f.is_zero = is_zero && highest >= 0;
    forms_.push_back(std::move(f));
  }

  std::vector<double> draw_constants() {
    std::vector<double> at;
    for (const std::string& name : names_) {
      const auto u = std::find_if(problem_.unknowns.begin(), problem_.unknowns.end(),
                                  [&](const Unknown& k) { return k.name == name; });
      const double r = rng_.uniform(0.5, 2);
      if (u->lower && u->upper) {
        at.push_back(*u->lower + (*u->upper - *u->lower) * r / 2.5);
      } else {
        at.push_back(u->lower ? *u->lower + r : u->upper ? *u->upper - r : r);
      }
    }
    return at;
  }

  /// Numbers for all that stands in a form; the pivot is chosen so that a zero form is 0.
  std::optional<Values> draw_values(const SensitiveForm& f, const std::vector<double>& at) {
    Values values;
    for (const auto& [name, value] : known_) values.set(name, value);
    for (std::size_t i = 0; i < names_.size(); ++i) values.set(Parameter(names_[i]), at[i]);
    std::vector<Expr> roots = f.by_constant;
    roots.push_back(f.form);
    if (f.is_zero) roots.push_back(f.by_pivot);
    for (const Range& r : problem_.domain->ranges()) {
      values.set(Parameter(r.name), rng_.uniform(r.lower, r.upper));
    }
    for (const Kind kind : {Kind::coordinate, Kind::symbol, Kind::call}) {
      for (const Expr& a : atoms(roots, kind)) values.set(a, rng_.uniform(0.2, 1.2));
    }
    for (const Expr& a : field_atoms(roots)) values.set(a, rng_.uniform(0.5, 1.5));
    if (!f.is_zero) return values;
    double pivot = 1;
    for (int k = 0; k < 20; ++k) {
      values.set(f.pivot, pivot);
      const double r = evaluate(f.form, values), slope = evaluate(f.by_pivot, values);
      const double step = r / slope;
      if (!std::isfinite(step)) return std::nullopt;
      if (std::abs(step) <= 1e-13 * std::abs(pivot) || r == 0) return values;
      pivot -= step;
    }
    return std::nullopt;
  }

  std::optional<std::vector<double>> null_direction(const std::vector<double>& at) {
    const std::size_t m = names_.size();
    std::vector<double> rows;
    for (const SensitiveForm& f : forms_) {
      for (std::size_t s = 0; s < samples_per_form; ++s) {
        std::optional<Values> values;
        std::vector<double> row;
        double norm = 0;
        try {
          values = draw_values(f, at);
          if (!values) return std::nullopt;
          for (const Expr& e : f.by_constant) {
            row.push_back(evaluate(e, *values));
            norm += row.back() * row.back();
          }
        } catch (const Error&) {  // a value outside of a function's range: nothing is known
          return std::nullopt;
        }
        if (!std::isfinite(norm)) return std::nullopt;
        for (const double v : row) rows.push_back(norm > 0 ? v / std::sqrt(norm) : 0);
      }
    }
    Matrix a(std::max(rows.size() / m, m), m);
    std::copy(rows.begin(), rows.end(), a.data());
    const Svd<double> s = svd(a);
    if (s.status != Factorization::ok || !(s.values[m - 1] <= 1e-10 * s.values[0])) {
      return std::nullopt;
    }
    std::vector<double> direction;
    for (std::size_t j = 0; j < m; ++j) direction.push_back(s.vt(m - 1, j));
    return direction;
  }

  const Problem& problem_;
  std::vector<std::string> names_;
  Rng rng_;
  std::vector<std::pair<Expr, double>> known_;
  std::vector<SensitiveForm> forms_;
};

/// The ratio of two components, when it is the same in all draws.
std::optional<double> common_ratio(const std::vector<std::pair<double, double>>& pairs) {
  const double ratio = pairs[0].second / pairs[0].first;
  for (const auto& [a, b] : pairs) {
    if (!(std::abs(b / a - ratio) <= 1e-6 * std::abs(ratio))) return std::nullopt;
  }
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

std::string power_text(const std::string& name, double exponent) {
  return exponent == 1 ? name : fmt::format("{}^{}", name, number_to_string(exponent));
}

/// What of two constants stays when they move along their free direction.
std::string invariant_of(const std::string& a, const std::string& b, const ConstantRank::Free& free,
                         std::size_t i, std::size_t j) {
  std::vector<std::pair<double, double>> plain, relative;
  for (std::size_t k = 0; k < free.at.size(); ++k) {
    const auto& v = free.direction[k];
    plain.emplace_back(v[i], v[j]);
    relative.emplace_back(v[i] / free.at[k][i], v[j] / free.at[k][j]);
  }
  const auto rounded = [](double v) { return std::round(1e6 * v) / 1e6; };
  // da : db = 1 : r keeps b - r a; da/a : db/b = 1 : r keeps b / a^r.
  if (const auto r = common_ratio(relative)) {
    const double e = rounded(-*r);
    if (e == -1) return fmt::format("the quotient {}/{}", a, b);
    return fmt::format("the product {}*{}", power_text(a, e), b);
  }
  if (const auto r = common_ratio(plain)) {
    const double e = rounded(-*r);
    if (e == 1) return fmt::format("the sum {} + {}", a, b);
    if (e == -1) return fmt::format("the difference {} - {}", a, b);
    return fmt::format("the sum {}*{} + {}", number_to_string(e), a, b);
  }
  return fmt::format("a combination of {} and {}", a, b);
}

}  // namespace

std::vector<std::string> tied_constants(const Problem& p) {
  std::vector<std::string> names;
  std::vector<Expr> forms;
  for (const ProblemEquation& e : p.equation) forms.push_back(e.form.residual());
  for (const Condition& c : p.condition) forms.push_back(c.form.residual());
  for (const Observation& o : p.observation) forms.push_back(o.quantity);
  for (const Expr& e : atoms(forms, Kind::parameter)) {
    const bool unknown = std::any_of(p.unknowns.begin(), p.unknowns.end(),
                                     [&](const Unknown& u) { return u.name == e.name(); });
    if (unknown) names.push_back(e.name());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() < 2) return {};
  const std::optional<ConstantRank::Free> free = ConstantRank(p, names).find();
  if (!free) return {};
  std::vector<std::size_t> moved;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool moves = std::any_of(free->direction.begin(), free->direction.end(),
                                   [&](const auto& v) { return std::abs(v[i]) > 1e-6; });
    if (moves) moved.push_back(i);
  }
  if (moved.size() < 2) return {};
  const std::string& a = names[moved[0]];
  const std::string& b = names[moved[1]];
  if (moved.size() == 2) {
    return {fmt::format(
        "unknown constants '{}' and '{}' are not determined one by one, only {}: fix one of them",
        a, b, invariant_of(a, b, *free, moved[0], moved[1]))};
  }
  std::vector<std::string> listed;
  for (const std::size_t i : moved) listed.push_back(fmt::format("'{}'", names[i]));
  return {
      fmt::format("unknown constants {} are not determined one by one, only combinations of them: "
                  "fix one of them",
                  fmt::join(listed, ", "))};
}

}  // namespace cauchy::detail
