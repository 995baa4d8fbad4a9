#include "problem/flux_balance.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/boundary_cover.hpp"
#include "problem/point_data.hpp"
#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

bool is_free_of_fields(const Expr& e) {
  const Expr roots[] = {e};
  return field_atoms(roots).empty();
}

/// div F + s = 0 as F.n, with the symbols of the normal, and s.
struct Balance {
  Expr outflow = 0, source = 0;
};

std::optional<Balance> balance_of(const Equation& form) {
  Balance b;
  for (const Summand& s : summands(form)) {
    if (is_free_of_fields(s.value())) {
      b.source += s.value();
      continue;
    }
    const Expr roots[] = {s.coefficient};
    if (s.is_plain() || !atoms(roots, Kind::coordinate).empty() || !field_atoms(roots).empty()) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < s.flux.size(); ++i) {
      b.outflow += s.coefficient * plain(s.flux[i]) * normal_component(s.by[i].name());
    }
  }
  return b;
}

/// Integrals of the two, and of their moduli.
struct Totals {
  double sum = 0, size = 0;
  bool gauss = true;
};

class FluxBalance final {
 public:
  FluxBalance(const Problem& p, Balance balance)
      : p_(p),
        evaluator_(p),
        space_(Domain(*p.domain->space()).with(p.values())),
        balance_(std::move(balance)) {}

  std::optional<std::string> gap(const std::string& field) {
    const LinearForm flux = linear_form(evaluator_.lower()(balance_.outflow));
    if (!flux.linear) return std::nullopt;
    Totals boundary;
    for (const Condition& c : p_.condition) {
      if (c.kind == Condition::Kind::periodic) continue;  // what leaves on one end comes back
      if (c.kind != Condition::Kind::general || !depends_on(c.form.residual(), Field(field))) {
        return std::nullopt;
      }
      if (!add_outflow(flux, c, boundary)) return std::nullopt;
    }
    Totals inside;
    const IntegralRule rule = integral_rule(space_, "domain", 10'000);
    const Expr source[] = {evaluator_.lower()(balance_.source)};
    add(rule, evaluator_(source, rule.points)[0], inside);
    const double gap = std::abs(boundary.sum + inside.sum), size = boundary.size + inside.size;
    // Equally weighted points are good to a few percent at best.
    if (!(gap > (boundary.gauss && inside.gauss ? 1e-3 : 5e-2) * size)) return std::nullopt;
    return fmt::format(
        "the data of '{}' do not balance: {:.3g} flows out through the boundary, "
        "sources inside give {:.3g}; there is no solution",
        field, boundary.sum, -inside.sum);
  }

 private:
  static void add(const IntegralRule& rule, const std::vector<double>& values, Totals& to) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      to.sum += rule.points.weights[i] * values[i];
      to.size += rule.points.weights[i] * std::abs(values[i]);
    }
    to.gauss = to.gauss && rule.gauss;
  }

  /// False when the condition does not prescribe the flux.
  bool add_outflow(const LinearForm& flux, const Condition& c, Totals& to) const {
    const LinearForm form = linear_form(evaluator_.lower()(c.form.residual()));
    if (!form.linear || form.terms.size() != flux.terms.size()) return false;
    std::vector<Expr> all;  // coefficients of the condition, of the flux, remainders
    for (const auto& t : form.terms) all.push_back(t.coefficient);
    for (std::size_t k = 0; k < flux.terms.size(); ++k) {
      if (!same(form.terms[k].atom, flux.terms[k].atom)) return false;
      all.push_back(flux.terms[k].coefficient);
    }
    all.push_back(form.remainder);
    all.push_back(flux.remainder);
    const IntegralRule rule = integral_rule(space_, place_of(p_, c).boundary, 2000);
    const auto values = evaluator_(all, rule.points);
    const std::size_t K = flux.terms.size();
    std::vector<double> outflow(rule.points.size());
    for (std::size_t i = 0; i < outflow.size(); ++i) {
      double cd = 0, dd = 0, cc = 0;
      for (std::size_t k = 0; k < K; ++k) {
        cd += values[k][i] * values[K + k][i];
        dd += values[K + k][i] * values[K + k][i];
        cc += values[k][i] * values[k][i];
      }
      // Parallel: condition = share * flux + remainder.
      if (!(cd * cd >= (1 - 1e-9) * cc * dd) || !(dd > 0) || !(cc > 0)) return false;
      outflow[i] = values[2 * K + 1][i] - values[2 * K][i] * dd / cd;
    }
    add(rule, outflow, to);
    return true;
  }

  const Problem& p_;
  PointEvaluator evaluator_;
  Domain space_;
  Balance balance_;
};

}  // namespace

std::optional<std::string> flux_imbalance(const Problem& p, const std::string& field) {
  const Domain domain = domain_of(p);
  if (p.fields.size() != 1 || p.equation.size() != 1 || !p.equation[0].where.empty()) {
    return std::nullopt;
  }
  if (domain.space() == nullptr || domain.time() != nullptr || !domain.ranges().empty()) {
    return std::nullopt;
  }
  std::optional<Balance> balance = balance_of(p.equation[0].form);
  if (!balance || p.condition.empty()) return std::nullopt;
  const Points points = boundary_points(domain, "boundary", 64);
  const std::vector<int> found = conditions_at(p, field, points);
  if (!std::all_of(found.begin(), found.end(), [](int n) { return n > 0; })) return std::nullopt;
  return FluxBalance(p, *std::move(balance)).gap(field);
}

}  // namespace cauchy::detail
