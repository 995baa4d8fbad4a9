#include "expr/rules.hpp"

#include <cmath>
#include <optional>
#include <unordered_map>

#include "expr/rewrite.hpp"

namespace cauchy::detail {
namespace {

bool is_whole(double v) { return std::trunc(v) == v; }
bool is_even(double v) { return is_whole(v / 2); }

Expr without(const std::vector<Expr>& list, std::size_t i, std::size_t j) {
  std::vector<Expr> rest;
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (k != i && k != j) rest.push_back(list[k]);
  }
  return product(std::move(rest));
}

/// f(a)^2 = s1 + s2 g(a)^2 for the pairs of circular and hyperbolic functions.
struct Square {
  Kind f, g;
  double s1, s2;
};
constexpr Square squares[] = {{Kind::sin, Kind::cos, 1, -1},
                              {Kind::cos, Kind::sin, 1, -1},
                              {Kind::cosh, Kind::sinh, 1, 1},
                              {Kind::sinh, Kind::cosh, -1, 1}};

/// The terms of a sum as rest -> coefficient; the number stands under rest 1.
struct TermTable {
  std::vector<ScaledTerm> terms;
  std::unordered_map<const Node*, std::size_t> position;

  explicit TermTable(const Expr& sum_of_terms) {
    for (const Expr& t : terms_of(sum_of_terms)) {
      ScaledTerm term = split_coefficient(t);
      position.emplace(key(term.rest), terms.size());
      terms.push_back(std::move(term));
    }
  }
  /// Where the unused term with this rest stands.
  [[nodiscard]] std::optional<std::size_t> find(const Expr& rest,
                                                const std::vector<bool>& used) const {
    const auto it = position.find(key(rest));
    if (it == position.end() || used[it->second]) return std::nullopt;
    return it->second;
  }
};

/// One identity for the term c R f(a)^2, if it removes a term: R f^2 = s1 R + s2 R g^2. What it
/// adds to the sum goes to `changes`; the terms that take part are marked as used.
void replace_square(const TermTable& table, std::size_t k, std::vector<bool>& used,
                    std::vector<Expr>& changes) {
  const auto& [c, term] = table.terms[k];
  const std::vector<Expr> factors = factors_of(term);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const auto [base, exponent] = split_power(factors[i]);
    if (exponent < 2 || !is_whole(exponent)) continue;
    for (const Square& s : squares) {
      if (base.kind() != s.f) continue;
      const Expr rest = without(factors, i, i) * pow(base, Expr(exponent - 2));
      const Expr partner = rest * pow(apply_function(s.g, base.args()), Expr(2));
      const std::optional<std::size_t> at_rest = table.find(rest, used);
      const std::optional<std::size_t> at_partner = table.find(partner, used);
      const bool rest_vanishes = at_rest && table.terms[*at_rest].coefficient + s.s1 * c == 0;
      const bool partner_vanishes =
          at_partner && table.terms[*at_partner].coefficient + s.s2 * c == 0;
      if (!rest_vanishes && !partner_vanishes && !(at_rest && at_partner)) continue;
      changes.insert(changes.end(),
                     {Expr(-c) * term, Expr(s.s1 * c) * rest, Expr(s.s2 * c) * partner});
      used[k] = true;
      if (at_rest) used[*at_rest] = true;
      if (at_partner) used[*at_partner] = true;
      return;
    }
  }
}

/// The powers of one base among the terms of a sum, of one sign of the exponent.
struct Occurrences {
  Expr base;
  double exponent;  // the one nearest to 0
  std::vector<std::size_t> terms;
};

std::optional<Occurrences> most_frequent_factor(const std::vector<Expr>& terms) {
  std::vector<Occurrences> found;
  std::unordered_map<const Node*, std::size_t> above, below;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (const Expr& f : factors_of(terms[i])) {
      if (f.is_constant()) continue;
      const auto [base, exponent] = split_power(f);
      auto& position = exponent > 0 ? above : below;
      const auto [it, fresh] = position.emplace(key(base), found.size());
      if (fresh) found.push_back({base, exponent, {}});
      Occurrences& o = found[it->second];
      if (std::abs(exponent) < std::abs(o.exponent)) o.exponent = exponent;
      o.terms.push_back(i);
    }
  }
  const Occurrences* best = nullptr;
  for (const Occurrences& o : found) {
    if (o.terms.size() > 1 && (best == nullptr || o.terms.size() > best->terms.size())) best = &o;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

/// The number c > 0 when all terms have coefficients c or -c, -c when all of them are; else 1.
double common_number(const std::vector<Expr>& terms) {
  const double first = split_coefficient(terms.front()).coefficient;
  bool all_negative = true;
  for (const Expr& t : terms) {
    const double c = split_coefficient(t).coefficient;
    if (std::abs(c) != std::abs(first)) return 1;
    all_negative = all_negative && c < 0;
  }
  return all_negative ? first : std::abs(first);
}

Expr factor_terms(const Expr& e, int depth, RewriteBudget& work) {
  constexpr int max_nesting = 64;
  constexpr std::size_t units_per_term = 8;  // a term is taken apart and built again
  if (e.kind() != Kind::add || depth > max_nesting) return e;
  std::size_t units = units_per_term * e.args().size();
  for (const Expr& t : e.args()) units += t.args().size() > 8 ? 8 * t.args().size() : 0;
  if (!work.spend(units)) return e;
  const std::vector<Expr> terms = terms_of(e);
  if (const double c = common_number(terms); c != 1) {
    std::vector<Expr> scaled;
    for (const Expr& t : terms) {
      const auto [own, rest] = split_coefficient(t);
      scaled.push_back(Expr(own / c) * rest);  // exactly 1 or -1
    }
    return Expr(c) * factor_terms(sum(std::move(scaled)), depth + 1, work);
  }
  const std::optional<Occurrences> common = most_frequent_factor(terms);
  if (!common) return e;
  const Expr factor = pow(common->base, Expr(common->exponent));
  const Expr inverse = pow(common->base, Expr(-common->exponent));
  std::vector<Expr> inside, outside;
  std::size_t next = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (next < common->terms.size() && common->terms[next] == i) {
      inside.push_back(terms[i] * inverse);
      ++next;
    } else {
      outside.push_back(terms[i]);
    }
  }
  return factor * factor_terms(sum(std::move(inside)), depth + 1, work) +
         factor_terms(sum(std::move(outside)), depth + 1, work);
}

struct Quotient {
  Kind above, below, result;  // above/below = result
};
constexpr Quotient quotients[] = {{Kind::sin, Kind::cos, Kind::tan},
                                  {Kind::sinh, Kind::cosh, Kind::tanh}};

/// The product of two factors as one simpler factor.
std::optional<Expr> merge(const Expr& p, const Expr& q) {
  const auto [a, m] = split_power(p);
  const auto [b, n] = split_power(q);
  const auto same_argument = [x = a, y = b] { return same(x.args()[0], y.args()[0]); };
  for (const auto& [above, below, result] : quotients) {
    if (a.kind() == above && b.kind() == below && same_argument() && m == -n && is_whole(m)) {
      return pow(apply_function(result, a.args()), Expr(m));
    }
    if (a.kind() == result && b.kind() == below && same_argument() && m == n && is_whole(m)) {
      return pow(apply_function(above, a.args()), Expr(m));
    }
  }
  if (a.kind() == Kind::abs && b.kind() == Kind::abs && m == n && is_whole(m)) {
    return pow(abs(a.args()[0] * b.args()[0]), Expr(m));
  }
  if (a.kind() == Kind::sign && m == 1 && n == 1) {
    if (b.kind() == Kind::abs && same_argument()) return b.args()[0];
    if (same(a.args()[0], b)) return abs(b);
  }
  return std::nullopt;
}

bool never_negative(const Expr& e) {
  if (e.is_constant()) return e.value() >= 0;
  switch (e.kind()) {
    case Kind::named:
    case Kind::exp:
    case Kind::cosh:
    case Kind::abs:
    case Kind::acos:
    case Kind::less:
    case Kind::less_equal:
      return true;
    case Kind::pow:
      if (!e.args()[1].is_constant()) return false;
      return is_even(e.args()[1].value()) || !is_whole(e.args()[1].value()) ||
             never_negative(e.args()[0]);
    case Kind::add:
    case Kind::mul:
      for (const Expr& a : e.args()) {
        if (!never_negative(a)) return false;
      }
      return true;
    default:
      return false;
  }
}

Expr power_of_power(const Expr& e) {
  const Expr& base = e.args()[0];
  const Expr& b = e.args()[1];
  if (base.kind() == Kind::exp) return exp(base.args()[0] * b);
  if (base.kind() == Kind::abs && b.is_constant() && is_even(b.value())) {
    return pow(base.args()[0], b);
  }
  if (base.kind() != Kind::pow || !base.args()[1].is_constant()) return e;
  const Expr& x = base.args()[0];
  const Expr& a = base.args()[1];
  if (!b.is_constant()) {
    // x^a with a fractional is finite for x >= 0 only, where the exponents multiply.
    return is_whole(a.value()) && !never_negative(x) ? e : pow(x, a * b);
  }
  // Odd and fractional a: a finite result needs x >= 0. Even a: the sign of x is lost.
  return pow(is_even(a.value()) && !never_negative(x) ? abs(x) : x, a * b);
}

}  // namespace

Expr apply_squares(const Expr& e) {
  Expr result = e;
  while (result.kind() == Kind::add) {  // every round removes a term
    const TermTable table(result);
    std::vector<bool> used(table.terms.size(), false);
    std::vector<Expr> changes{result};
    for (std::size_t k = 0; k < table.terms.size(); ++k) {
      if (!used[k]) replace_square(table, k, used, changes);
    }
    if (changes.size() == 1) break;
    result = sum(std::move(changes));
  }
  return result;
}

Expr factor_sum(const Expr& e, RewriteBudget& work) { return factor_terms(e, 0, work); }

Expr apply_product_rules(const Expr& e) {
  constexpr std::size_t max_factors = 64;
  if (e.kind() != Kind::mul || e.args().size() > max_factors) return e;
  const std::vector<Expr> factors = factors_of(e);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t j = 0; j < factors.size(); ++j) {
      if (i == j) continue;
      if (const std::optional<Expr> merged = merge(factors[i], factors[j])) {
        return apply_product_rules(*merged * without(factors, i, j));
      }
    }
  }
  return e;
}

Expr apply_function_rules(const Expr& e) {
  if (e.kind() == Kind::pow) return power_of_power(e);
  if (e.kind() == Kind::abs && never_negative(e.args()[0])) return e.args()[0];
  if (e.kind() == Kind::exp) {
    const Expr& a = e.args()[0];
    if (a.kind() == Kind::mul) {
      const std::vector<Expr> factors = factors_of(a);
      for (std::size_t i = 0; i < factors.size(); ++i) {
        if (factors[i].kind() == Kind::log) {
          return pow(factors[i].args()[0], without(factors, i, i));
        }
      }
    }
  }
  return e;
}

}  // namespace cauchy::detail
