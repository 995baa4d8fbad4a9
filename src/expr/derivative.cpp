#include <cauchy/expr/derivative.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "expr/node.hpp"
#include "expr/rewrite.hpp"
#include "expr/written_form.hpp"

namespace cauchy {
namespace {

using detail::key;
using detail::Node;

using Memo = std::unordered_map<const Node*, Expr>;

Expr call_partial(const Expr& e, std::size_t argument) {
  std::vector<int> orders(e.call_orders().begin(), e.call_orders().end());
  ++orders[argument];
  return call_derivative(e.name(), {e.args().begin(), e.args().end()}, std::move(orders));
}

/// d(node)/d(args[i]); the operands are held fixed.
Expr local_partial(const Expr& e, std::size_t i) {
  const auto args = e.args();
  const Expr& a = args[0];
  switch (e.kind()) {
    case Kind::add:
      return Expr(1);
    case Kind::mul: {
      std::vector<Expr> others;
      for (std::size_t j = 0; j < args.size(); ++j) {
        if (j != i) others.push_back(args[j]);
      }
      return product(std::move(others));
    }
    case Kind::pow:
      if (i == 0) return args[1] * pow(a, args[1] - Expr(1));
      return a.is_constant(0) ? Expr(0) : e * log(a);  // 0^x is constant where it is finite
    case Kind::exp:
      return e;
    case Kind::log:
      return pow(a, Expr(-1));
    case Kind::sin:
      return cos(a);
    case Kind::cos:
      return -sin(a);
    case Kind::tan:
      return Expr(1) + pow(e, Expr(2));
    case Kind::asin:
      return pow(Expr(1) - pow(a, Expr(2)), Expr(-0.5));
    case Kind::acos:
      return -pow(Expr(1) - pow(a, Expr(2)), Expr(-0.5));
    case Kind::atan:
      return pow(Expr(1) + pow(a, Expr(2)), Expr(-1));
    case Kind::sinh:
      return cosh(a);
    case Kind::cosh:
      return sinh(a);
    case Kind::tanh:
      return Expr(1) - pow(e, Expr(2));
    case Kind::erf:
      return Expr(2) * pow(Expr(pi), Expr(-0.5)) * exp(-pow(a, Expr(2)));
    case Kind::abs:
      return sign(a);
    case Kind::min:
    case Kind::max: {
      const Expr first = e.kind() == Kind::min ? a < args[1] : args[1] < a;
      return where(first, Expr(i == 0), Expr(i == 1));
    }
    case Kind::mod:
      return i == 0 ? Expr(1) : -floor(a / args[1]);
    case Kind::where:
      return i == 0 ? Expr(0) : where(a, Expr(i == 1), Expr(i == 2));
    case Kind::call:
      return call_partial(e, i);
    default:  // sign, floor and comparisons are piecewise constant; atoms have no operands
      return Expr(0);
  }
}

/// Derivative of a node from the derivatives of its operands.
Expr chain_rule(const Expr& e, const Memo& derivative) {
  const auto args = e.args();
  if (e.kind() == Kind::where) {
    return where(args[0], derivative.at(key(args[1])), derivative.at(key(args[2])));
  }
  if (e.kind() == Kind::min || e.kind() == Kind::max) {
    const Expr first = e.kind() == Kind::min ? args[0] < args[1] : args[1] < args[0];
    return where(first, derivative.at(key(args[0])), derivative.at(key(args[1])));
  }
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Expr& inner = derivative.at(key(args[i]));
    if (!inner.is_constant(0)) terms.push_back(local_partial(e, i) * inner);
  }
  return sum(std::move(terms));
}

/// Operands in a derivative, before sharing: the product rule is quadratic in the number of
/// factors. About two seconds of work.
constexpr std::size_t max_derivative_size = 5'000'000;

template <class AtomRule>
Expr forward_derivative(const Expr& root, const std::string& by, AtomRule atom_rule) {
  Memo derivative;
  std::size_t size = 0;
  for (const Expr& e : postorder(std::array{root})) {
    const std::size_t n = e.args().size();
    size += e.kind() == Kind::mul ? n * n : n;
    for (const Expr& a : e.args()) size += derivative.at(key(a)).args().size();
    if (size > max_derivative_size) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("the derivative by '{}' would have more than {} operands", by,
                              max_derivative_size),
                  "[expr.d]",
                  "differentiate a smaller expression, or write the derivative yourself");
    }
    derivative.emplace(key(e), atom_rule(e, derivative));
  }
  return derivative.at(key(root));
}

Expr total_derivative_of_atom(const Expr& e, const Expr& x) {
  if (e.kind() == Kind::field) {
    MultiIndex index = e.index();
    index.emplace_back(x.name(), 1);
    return field_derivative(e.name(), std::move(index));
  }
  return Expr(same(e, x) ? 1 : 0);
}

}  // namespace

Expr d(const Expr& e, const Expr& x) {
  if (x.kind() != Kind::coordinate) {
    throw Error("a derivative is taken by a coordinate, got something else", "[expr.d]",
                "use partial() for the derivative by another atom");
  }
  const Expr value = forward_derivative(e, x.name(), [&](const Expr& node, const Memo& derivative) {
    return node.args().empty() ? total_derivative_of_atom(node, x) : chain_rule(node, derivative);
  });
  return detail::written_derivative(value, e, x);
}

Expr d_n(const Expr& e, const Expr& x, int n) {
  if (n < 0)
    throw Error(fmt::format("derivative order must not be negative, got {}", n), "[expr.d]");
  Expr result = e;
  for (int i = 0; i < n; ++i) result = d(result, x);
  return result;
}

Expr partial(const Expr& e, const Expr& atom) {
  if (!atom.is_atom() && atom.kind() != Kind::call) {
    throw Error("a partial derivative is taken by an atom, got an operation", "[expr.partial]",
                "substitute a Symbol for the operation first");
  }
  return forward_derivative(e, atom.name(), [&](const Expr& node, const Memo& derivative) {
    if (same(node, atom)) return Expr(1);
    return node.args().empty() ? Expr(0) : chain_rule(node, derivative);
  });
}

namespace {

/// where(c, a, 0) or where(c, 0, b): zero unless a branch is taken.
bool is_guarded(const Expr& e) {
  return e.kind() == Kind::where && (e.args()[1].is_constant(0) || e.args()[2].is_constant(0));
}

/// a * b, with the conditions of both kept outermost: the slope of a branch that is not taken may
/// be infinite or NaN (the root of a negative number), and 0 * NaN would spoil the gradient.
Expr guarded_product(const Expr& a, const Expr& b) {
  const auto into = [](const Expr& guard, const Expr& factor) {
    const auto branch = [&](const Expr& e) {
      return e.is_constant(0) ? e : guarded_product(e, factor);
    };
    return where(guard.args()[0], branch(guard.args()[1]), branch(guard.args()[2]));
  };
  if (is_guarded(b)) return into(b, a);
  if (is_guarded(a)) return into(a, b);
  if (a.kind() == Kind::add && std::any_of(a.args().begin(), a.args().end(), is_guarded)) {
    std::vector<Expr> terms;
    for (const Expr& term : a.args()) terms.push_back(guarded_product(term, b));
    return sum(std::move(terms));
  }
  return a * b;
}

}  // namespace

std::vector<Expr> adjoint(std::span<const Expr> outputs, std::span<const Expr> seeds,
                          std::span<const Expr> inputs) {
  if (outputs.size() != seeds.size()) {
    throw Error(fmt::format("adjoint needs one seed per output, got {} outputs and {} seeds",
                            outputs.size(), seeds.size()),
                "[expr.adjoint]");
  }
  const std::vector<Expr> order = postorder(outputs);
  std::unordered_map<const Node*, std::vector<Expr>> contributions;
  // Only nodes that depend on an input carry an adjoint.
  std::unordered_map<const Node*, bool> active;
  for (const Expr& x : inputs) active[key(x)] = true;
  for (const Expr& e : order) {
    bool on = active[key(e)];
    for (const Expr& a : e.args()) on = on || active[key(a)];
    active[key(e)] = on;
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    contributions[key(outputs[k])].push_back(seeds[k]);
  }
  std::unordered_map<const Node*, Expr> result;
  for (const Expr& x : inputs) result.emplace(key(x), Expr(0));
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Expr& e = *it;
    const auto found = contributions.find(key(e));
    if (found == contributions.end() || !active[key(e)]) continue;
    const Expr bar = sum(std::move(found->second));
    contributions.erase(found);
    if (const auto input = result.find(key(e)); input != result.end()) {
      input->second = bar;
      continue;  // an input is held fixed: nothing below it
    }
    const auto args = e.args();
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!active[key(args[i])]) continue;
      const Expr local = local_partial(e, i);
      if (!local.is_constant(0)) contributions[key(args[i])].push_back(guarded_product(bar, local));
    }
  }
  std::vector<Expr> gradients;
  for (const Expr& x : inputs) gradients.push_back(result.at(key(x)));
  return gradients;
}

Expr substitute(const Expr& root, std::span<const Replacement> replacements) {
  if (root.written() != nullptr) {
    return detail::substitute_written(substitute(plain(root), replacements), root, replacements);
  }
  Memo direct;
  std::unordered_map<std::string, Expr> fields;
  for (const auto& [from, to] : replacements) {
    direct.emplace(key(from), to);
    if (from.kind() == Kind::field && from.index().empty()) fields.emplace(from.name(), to);
  }
  Memo result;
  for (const Expr& e : postorder(std::array{root})) {
    Expr image = e;
    if (const auto it = direct.find(key(e)); it != direct.end()) {
      image = it->second;
    } else if (e.kind() == Kind::field && fields.contains(e.name())) {
      image = fields.at(e.name());
      for (const auto& [name, order] : e.index())
        image = plain(d_n(image, Coordinate(name), order));
    } else if (!e.args().empty()) {
      std::vector<Expr> args;
      bool changed = false;
      for (const Expr& a : e.args()) {
        args.push_back(result.at(key(a)));
        changed = changed || !same(args.back(), a);
      }
      if (changed) image = detail::rebuild(e, std::move(args));
    }
    result.emplace(key(e), std::move(image));
  }
  return result.at(key(root));
}

Expr substitute(const Expr& e, const Expr& from, const Expr& to) {
  return substitute(e, std::array{Replacement{from, to}});
}

}  // namespace cauchy
