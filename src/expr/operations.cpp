// Sums, products and powers in canonical form.
//   sum      flat; at most one number; terms c*rest with distinct rests, sorted
//   product  flat; at most one number, first; factors base^exponent with distinct bases, sorted
//   power    no number to a numeric power, integer powers pushed into products and powers
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "expr/node.hpp"
#include "expr/written_form.hpp"

namespace cauchy {
namespace {

using detail::is_integer;
using detail::key;
using detail::Node;
using detail::split_coefficient;

bool less_in_order(const Expr& a, const Expr& b) { return compare(a, b) < 0; }

Expr intern_operation(Kind kind, std::vector<Expr> args) {
  Node n;
  n.kind = kind;
  n.args = std::move(args);
  return Node::intern(std::move(n));
}

/// c * rest, where rest carries no numeric factor of its own.
Expr scaled(double c, const Expr& rest) {
  if (c == 0) return Expr(0);
  if (rest.is_constant(1)) return Expr(c);
  if (c == 1) return rest;
  std::vector<Expr> factors{Expr(c)};
  if (rest.kind() == Kind::mul) {
    factors.insert(factors.end(), rest.args().begin(), rest.args().end());
  } else {
    factors.push_back(rest);
  }
  return intern_operation(Kind::mul, std::move(factors));
}

/// Terms in the order of their first appearance, like terms merged.
class SumBuilder {
 public:
  void add(double c, const Expr& e) {
    if (e.is_constant()) {
      constant_ += c * e.value();
      return;
    }
    if (e.kind() == Kind::add) {
      for (const Expr& term : e.args()) add(c, term);
      return;
    }
    const auto [own, rest] = split_coefficient(e);
    if (rest.kind() == Kind::add) {  // c*(a + b) inside a sum is distributed
      for (const Expr& term : rest.args()) add(c * own, term);
      return;
    }
    const auto [it, fresh] = position_.emplace(key(rest), terms_.size());
    if (fresh) {
      terms_.emplace_back(c * own, rest);
    } else {
      terms_[it->second].first += c * own;
    }
  }

  Expr build() {
    std::erase_if(terms_, [](const auto& t) { return t.first == 0; });
    if (terms_.empty()) return Expr(constant_);
    if (terms_.size() == 1 && constant_ == 0) return scaled(terms_[0].first, terms_[0].second);
    std::sort(terms_.begin(), terms_.end(),
              [](const auto& a, const auto& b) { return less_in_order(a.second, b.second); });
    std::vector<Expr> args;
    args.reserve(terms_.size() + 1);
    for (const auto& [c, rest] : terms_) args.push_back(scaled(c, rest));
    if (constant_ != 0) args.emplace_back(constant_);
    return intern_operation(Kind::add, std::move(args));
  }

 private:
  double constant_ = 0;
  std::vector<std::pair<double, Expr>> terms_;
  std::unordered_map<const Node*, std::size_t> position_;
};

/// The factor is still stored under this base, so it cannot merge with another one.
bool is_power_of(const Expr& factor, const Expr& base) {
  switch (factor.kind()) {
    case Kind::mul:
      return false;
    case Kind::pow:
      return same(factor.args()[0], base);
    case Kind::exp:
      return base.kind() == Kind::named;
    default:
      return same(factor, base);
  }
}

/// Factors base^exponent, equal bases merged; exp(x) counts as e^x.
class ProductBuilder {
 public:
  void multiply(const Expr& e) {
    if (e.is_constant()) {
      constant_ *= e.value();
    } else if (e.kind() == Kind::mul) {
      for (const Expr& factor : e.args()) multiply(factor);
    } else if (e.kind() == Kind::pow) {
      insert(e.args()[0], e.args()[1]);
    } else if (e.kind() == Kind::exp) {
      insert(e_constant(), e.args()[0]);
    } else {
      insert(e, Expr(1));
    }
  }

  Expr build() {
    if (constant_ == 0) return Expr(0);
    std::vector<Expr> factors;
    bool again = false;
    for (const auto& [base, exponents] : factors_) {
      // A single exponent is canonical already; a merged one may fold, vanish or open a product.
      Expr factor = pow(base, exponents.size() == 1 ? exponents.front() : sum(exponents));
      if (factor.is_constant()) {
        constant_ *= factor.value();
        continue;
      }
      again = again || (exponents.size() > 1 && !is_power_of(factor, base));
      factors.push_back(std::move(factor));
    }
    if (again) {
      factors.emplace_back(constant_);
      return product(std::move(factors));
    }
    if (constant_ == 0) return Expr(0);
    if (factors.empty()) return Expr(constant_);
    std::sort(factors.begin(), factors.end(), less_in_order);
    if (constant_ == 1 && factors.size() == 1) return factors.front();
    if (constant_ != 1) factors.insert(factors.begin(), Expr(constant_));
    return intern_operation(Kind::mul, std::move(factors));
  }

 private:
  void insert(const Expr& base, const Expr& exponent) {
    const auto [it, fresh] = position_.emplace(key(base), factors_.size());
    if (fresh) {
      factors_.emplace_back(base, std::vector<Expr>{exponent});
    } else {
      factors_[it->second].second.push_back(exponent);
    }
  }

  double constant_ = 1;
  std::vector<std::pair<Expr, std::vector<Expr>>> factors_;
  std::unordered_map<const Node*, std::size_t> position_;
};

Expr pow_of_numbers(double base, double exponent) {
  if (base == 0 && exponent < 0) {
    throw Error(ErrorKind::unsupported, "division by zero", "[expr]",
                "the divisor is the number 0");
  }
  const double value = std::pow(base, exponent);
  if (!std::isfinite(value)) {
    throw Error(ErrorKind::unsupported,
                fmt::format("({})^({}) is not a finite real number", base, exponent), "[expr]",
                "keep the power real");
  }
  return Expr(value);
}

}  // namespace

Expr sum(std::vector<Expr> terms) {
  if (detail::any_written(terms)) return detail::written_sum(sum(detail::all_plain(terms)), terms);
  SumBuilder builder;
  for (const Expr& t : terms) builder.add(1, t);
  return builder.build();
}

Expr product(std::vector<Expr> factors) {
  if (detail::any_written(factors)) {
    return detail::written_product(product(detail::all_plain(factors)), factors);
  }
  ProductBuilder builder;
  for (const Expr& f : factors) builder.multiply(f);
  return builder.build();
}

Expr pow(const Expr& base, const Expr& exponent) {
  if (base.written() != nullptr || exponent.written() != nullptr) {
    return detail::written_power(pow(plain(base), plain(exponent)), base, exponent);
  }
  if (exponent.is_constant(0)) return Expr(1);
  if (exponent.is_constant(1)) return base;
  if (base.is_constant() && exponent.is_constant()) {
    return pow_of_numbers(base.value(), exponent.value());
  }
  if (base.is_constant(1)) return base;
  if (base.is_constant(0) && exponent.is_constant() && exponent.value() > 0) return base;
  if (base.kind() == Kind::named && base.name() == "e") return exp(exponent);
  if (is_integer(exponent)) {
    if (base.kind() == Kind::pow) return pow(base.args()[0], base.args()[1] * exponent);
    if (base.kind() == Kind::exp) return exp(base.args()[0] * exponent);
    if (base.kind() == Kind::mul) {
      std::vector<Expr> factors;
      for (const Expr& f : base.args()) factors.push_back(pow(f, exponent));
      return product(std::move(factors));
    }
  } else if (exponent.is_constant() && base.kind() == Kind::mul) {
    // A positive number leaves the root; everything else stays together (its sign is unknown).
    const auto [c, rest] = split_coefficient(base);
    if (c > 0 && c != 1) return pow_of_numbers(c, exponent.value()) * pow(rest, exponent);
  }
  return intern_operation(Kind::pow, {base, exponent});
}

Expr operator+(const Expr& a, const Expr& b) { return sum({a, b}); }
Expr operator-(const Expr& a, const Expr& b) {
  if (a.written() != nullptr || b.written() != nullptr) {
    return detail::written_sum(plain(a) - plain(b), std::array{a, -b});
  }
  SumBuilder builder;
  builder.add(1, a);
  builder.add(-1, b);
  return builder.build();
}
Expr operator*(const Expr& a, const Expr& b) { return product({a, b}); }
Expr operator/(const Expr& a, const Expr& b) {
  if (a.written() != nullptr || b.written() != nullptr) {
    return detail::written_product(plain(a) / plain(b), std::array{a, b}, {false, true});
  }
  return detail::chain_product(std::array{a, b}, {false, true});
}
Expr operator-(const Expr& a) { return product({Expr(-1), a}); }
Expr operator+(const Expr& a) { return a; }
Expr sqrt(const Expr& a) { return pow(a, Expr(0.5)); }

}  // namespace cauchy
