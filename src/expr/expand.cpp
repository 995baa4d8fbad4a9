#include <array>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/expr/written.hpp>

#include "expr/rewrite.hpp"

namespace cauchy {
namespace detail {
namespace {

bool is_power_of_sum(const Expr& e) {
  return e.kind() == Kind::pow && e.args()[0].kind() == Kind::add && is_integer(e.args()[1]) &&
         e.args()[1].value() >= 2 && e.args()[1].value() <= Expander::max_exponent;
}

bool is_expandable(const Expr& e) {
  if (e.kind() != Kind::mul) return is_power_of_sum(e);
  for (const Expr& f : e.args()) {
    if (f.kind() == Kind::add || is_power_of_sum(f)) return true;
  }
  return false;
}

}  // namespace

Expr rebuild(const Expr& e, std::vector<Expr> args) {
  switch (e.kind()) {
    case Kind::add:
      return sum(std::move(args));
    case Kind::mul:
      return product(std::move(args));
    case Kind::pow:
      return pow(args[0], args[1]);
    case Kind::call:
      return call_derivative(e.name(), std::move(args),
                             {e.call_orders().begin(), e.call_orders().end()});
    default:
      return apply_function(e.kind(), args);
  }
}

Power split_power(const Expr& factor) {
  if (factor.kind() == Kind::pow && factor.args()[1].is_constant()) {
    return {factor.args()[0], factor.args()[1].value()};
  }
  return {factor, 1};
}

std::vector<Expr> factors_of(const Expr& e) {
  if (e.kind() != Kind::mul) return {e};
  return {e.args().begin(), e.args().end()};
}

std::vector<Expr> terms_of(const Expr& e) {
  if (e.kind() != Kind::add) return {e};
  return {e.args().begin(), e.args().end()};
}

std::optional<Expr> Expander::expand(const Expr& root) {
  // Depth first, and not below nodes that are known: calls on growing graphs share their work.
  std::vector<std::pair<Expr, std::size_t>> stack{{root, 0}};
  while (!stack.empty()) {
    auto& [e, next] = stack.back();
    if (next == 0 && memo_.contains(key(e))) {
      stack.pop_back();
    } else if (next < e.args().size()) {
      const Expr child = e.args()[next++];
      stack.emplace_back(child, 0);
    } else {
      memo_.emplace(key(e), std::pair(e, expand_node(e)));
      stack.pop_back();
    }
  }
  return memo_.at(key(root)).second;
}

std::optional<Expr> Expander::expand_node(const Expr& e) {
  if (e.args().empty()) return e;
  std::vector<Expr> args;
  for (const Expr& a : e.args()) {
    const std::optional<Expr>& image = memo_.at(key(a)).second;
    if (!image) return std::nullopt;
    args.push_back(*image);
  }
  try {
    return top(rebuild(e, std::move(args)), 0);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    return e;  // a number overflowed or a divisor became 0: this node stays as it is
  }
}

/// Expands the outermost operations; the operands are expanded already.
std::optional<Expr> Expander::top(const Expr& e, int depth) {
  // Products of fractional powers may open a new sum, sqrt(x+1)*sqrt(x+1); each level has fewer.
  constexpr int max_depth = 8;
  if (depth > max_depth) return e;
  if (e.kind() == Kind::add) {
    std::vector<Expr> terms;
    bool changed = false;
    for (const Expr& t : e.args()) {
      if (!is_expandable(t)) {
        terms.push_back(t);
        continue;
      }
      std::optional<Expr> image = top(t, depth + 1);
      if (!image) return std::nullopt;
      changed = changed || !same(*image, t);
      terms.push_back(*std::move(image));
    }
    return changed ? top(sum(std::move(terms)), depth + 1) : e;
  }
  if (!is_expandable(e)) return e;
  std::vector<Expr> plain;
  std::vector<Expr> sums;
  for (const Expr& f : factors_of(e)) {
    const auto [base, exponent] = split_power(f);
    if (f.kind() == Kind::add) {
      sums.push_back(f);
    } else if (is_power_of_sum(f)) {
      sums.insert(sums.end(), static_cast<std::size_t>(exponent), base);
    } else {
      plain.push_back(f);
    }
  }
  std::optional<Expr> result = product(std::move(plain));
  for (const Expr& s : sums) {
    result = multiply(*result, s);
    if (!result) return std::nullopt;
  }
  return top(*result, depth + 1);
}

std::optional<Expr> Expander::multiply(const Expr& a, const Expr& b) {
  const std::vector<Expr> left = terms_of(a);
  const std::vector<Expr> right = terms_of(b);
  const std::size_t n = left.size() * right.size();
  if (n > max_terms_ || n > work_left_) return std::nullopt;
  work_left_ -= n;
  std::vector<Expr> terms;
  terms.reserve(n);
  for (const Expr& p : left) {
    for (const Expr& q : right) terms.push_back(p * q);
  }
  return sum(std::move(terms));
}

}  // namespace detail

Expr expand(const Expr& e) {
  constexpr std::size_t max_terms = 100'000;
  constexpr std::size_t max_work = 10'000'000;
  std::optional<Expr> result = detail::Expander(max_terms, max_work).expand(plain(e));
  if (!result) {
    throw Error(ErrorKind::unsupported,
                fmt::format("expanding would make a product of more than {} terms", max_terms),
                "[expr.expand]", "simplify() leaves such products alone");
  }
  return *std::move(result);
}

}  // namespace cauchy
