// Written forms of the operations. Collecting goes no further than what leaves every bit of the
// canonical form when the operations are carried out again: plain operands at the beginning, and a
// sum or product that another one begins with.
#include "expr/written_form.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/vector.hpp>

#include "expr/node.hpp"

namespace cauchy {
namespace detail {
namespace {

Expr noted(const Expr& value, Written form) {
  for (const Expr& a : form.args) {
    if (a.written() != nullptr) form.depth = std::max(form.depth, a.written()->depth + 1);
  }
  if (form.depth > Written::max_depth || value.is_constant()) return plain(value);
  return Node::noted(value, std::make_shared<const Written>(std::move(form)));
}

bool is_op(const Expr& e, WrittenOp op) { return e.written() != nullptr && e.written()->op == op; }

/// The operands of one product, from left to right.
struct Chain {
  std::vector<Expr> args;
  std::vector<bool> divides;

  void push(const Expr& e, bool divide) {
    args.push_back(e);
    divides.push_back(divide);
  }
  void clear() {
    args.clear();
    divides.clear();
  }
  void take(const Expr& e, bool divide) {
    if (e.is_constant(1)) return;
    if (!divide && args.size() == 1 && args[0].is_constant(1)) clear();
    const bool splice = !divide && is_op(e, WrittenOp::product);
    if (splice && args.empty()) {
      args = e.written()->args;
      divides = e.written()->divides;
    } else if (splice && args.size() == 1 && args[0].is_constant(-1)) {  // a sign goes inside
      const Written& p = *e.written();
      args = p.args;
      divides = p.divides;
      if (p.args[0].written() == nullptr) {
        args[0] = -args[0];
        if (args[0].is_constant(1) && !divides[1]) {
          args.erase(args.begin());
          divides.erase(divides.begin());
        }
      } else {
        args.insert(args.begin(), Expr(-1));
        divides.insert(divides.begin(), false);
      }
    } else if (divide && args.empty()) {
      push(Expr(1), false);
      take(e, true);
    } else if (args.size() == 1 && args[0].written() == nullptr && e.written() == nullptr) {
      args[0] = divide ? args[0] / e : args[0] * e;
    } else {
      push(e, divide);
    }
  }
};

}  // namespace

bool any_written(std::span<const Expr> operands) noexcept {
  return std::any_of(operands.begin(), operands.end(),
                     [](const Expr& e) { return e.written() != nullptr; });
}

std::vector<Expr> all_plain(std::span<const Expr> operands) {
  std::vector<Expr> out;
  for (const Expr& e : operands) out.push_back(plain(e));
  return out;
}

Expr written_sum(const Expr& value, std::span<const Expr> terms) {
  std::vector<Expr> all;
  for (const Expr& term : terms) {
    if (all.empty() && is_op(term, WrittenOp::sum)) {
      all = term.written()->args;
    } else if (!term.is_constant(0)) {
      all.push_back(term);
    }
  }
  const auto first =
      std::find_if(all.begin(), all.end(), [](const Expr& e) { return e.written() != nullptr; });
  std::vector<Expr> args;
  if (first - all.begin() > 1) {
    args.push_back(sum({all.begin(), first}));
    if (args[0].is_constant(0)) args.clear();
  } else {
    args.assign(all.begin(), first);
  }
  args.insert(args.end(), first, all.end());
  if (args.size() == 1 && same(value, args[0])) return Node::noted(value, Node::note(args[0]));
  if (args.size() == 1) args.insert(args.begin(), Expr(0));  // 0 + 2*(a + b) is 2*a + 2*b
  return noted(value, {.op = WrittenOp::sum, .args = std::move(args)});
}

Expr written_product(const Expr& value, std::span<const Expr> operands,
                     const std::vector<bool>& divides) {
  Chain chain;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    chain.take(operands[i], !divides.empty() && divides[i]);
  }
  if (chain.args.size() == 1) return Node::noted(value, Node::note(chain.args[0]));
  return noted(value, {.op = WrittenOp::product,
                       .args = std::move(chain.args),
                       .divides = std::move(chain.divides)});
}

Expr written_power(const Expr& value, const Expr& base, const Expr& exponent) {
  if (exponent.is_constant(1)) return Node::noted(value, Node::note(base));
  if (base.kind() == Kind::named && base.name() == "e") {
    return written_function(value, Kind::exp, std::array{exponent});
  }
  return noted(value, {.op = WrittenOp::power, .args = {base, exponent}});
}

Expr written_function(const Expr& value, Kind kind, std::span<const Expr> args) {
  Written form{.op = WrittenOp::function, .args = {args.begin(), args.end()}};
  form.function = kind;
  return noted(value, std::move(form));
}

Expr written_call(const Expr& value, std::span<const Expr> args) {
  Written form{.op = WrittenOp::call, .args = {args.begin(), args.end()}};
  form.name = value.name();
  form.orders.assign(value.call_orders().begin(), value.call_orders().end());
  return noted(value, std::move(form));
}

Expr written_derivative(const Expr& value, const Expr& e, const Expr& x) {
  if (e.args().empty() && e.written() == nullptr) return value;
  return noted(value, {.op = WrittenOp::derivative, .args = {e}, .coordinates = {x}});
}

Expr written_divergence(const Expr& value, std::span<const Expr> components,
                        std::span<const Expr> coordinates) {
  return noted(value, {.op = WrittenOp::divergence,
                       .args = {components.begin(), components.end()},
                       .coordinates = {coordinates.begin(), coordinates.end()}});
}

namespace {

/// The operation of a written form on other operands.
Expr operate(const Written& form, std::span<const Expr> args) {
  switch (form.op) {
    case WrittenOp::sum:
      return sum({args.begin(), args.end()});
    case WrittenOp::product:
      return written_product(chain_product(all_plain(args), form.divides), args, form.divides);
    case WrittenOp::power:
      return pow(args[0], args[1]);
    case WrittenOp::function:
      return apply_function(form.function, args);
    case WrittenOp::call:
      return call_derivative(form.name, {args.begin(), args.end()}, form.orders);
    case WrittenOp::derivative:
      return d(args[0], form.coordinates[0]);
    case WrittenOp::divergence:
      return div(Vector(std::vector(args.begin(), args.end())), form.coordinates);
  }
  return Expr(0);
}

/// Rebuilds a written form from images of its plain operands; shared parts once.
template <class Leaf>
class Replay {
 public:
  explicit Replay(Leaf leaf) : leaf_(std::move(leaf)) {}

  Expr operator()(const Expr& e) {
    if (e.written() == nullptr) return leaf_(e);
    if (const auto known = images_.find(e.written()); known != images_.end()) return known->second;
    std::vector<Expr> args;
    for (const Expr& a : e.written()->args) args.push_back((*this)(a));
    return images_.emplace(e.written(), operate(*e.written(), args)).first->second;
  }

 private:
  Leaf leaf_;
  std::unordered_map<const Written*, Expr> images_;
};

/// Calls see(form) for every operation of a written form, shared ones once.
template <class See>
void for_each_form(const Expr& e, std::unordered_map<const Written*, bool>& seen, See see) {
  if (e.written() == nullptr || !seen.emplace(e.written(), true).second) return;
  see(*e.written());
  for (const Expr& a : e.written()->args) for_each_form(a, seen, see);
}

}  // namespace

Expr chain_product(std::span<const Expr> operands, const std::vector<bool>& divides) {
  double coefficient = 1;
  std::vector<Expr> factors{Expr(1)};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto [c, rest] = split_coefficient(operands[i]);
    if (divides[i] && c == 0) {
      throw Error(ErrorKind::unsupported, "division by zero", "[expr]",
                  "the divisor is the number 0");
    }
    coefficient = divides[i] ? coefficient / c : coefficient * c;
    factors.push_back(divides[i] ? pow(rest, Expr(-1)) : rest);
  }
  factors.front() = Expr(coefficient);
  return product(std::move(factors));
}

namespace {

/// Whether a replacement may be made before or after the derivatives are carried out.
bool commutes(const Replacement& r, const std::vector<Expr>& differentiated_by) {
  if (r.from.kind() == Kind::field && r.from.index().empty()) return true;
  if (r.from.kind() != Kind::parameter && r.from.kind() != Kind::symbol) return false;
  const std::vector<Expr> nodes = postorder(std::array{r.to});
  return std::none_of(nodes.begin(), nodes.end(), [&](const Expr& node) {
    return node.kind() == Kind::field ||
           std::any_of(differentiated_by.begin(), differentiated_by.end(),
                       [&](const Expr& x) { return same(x, node); });
  });
}

}  // namespace

std::vector<Expr> plain_operands(const Expr& e) {
  if (e.written() == nullptr) return {e};
  std::vector<Expr> operands;
  std::unordered_map<const Written*, bool> seen;
  for_each_form(e, seen, [&](const Written& form) {
    operands.insert(operands.end(), form.coordinates.begin(), form.coordinates.end());
    for (const Expr& a : form.args) {
      if (a.written() == nullptr) operands.push_back(a);
    }
  });
  return operands;
}

Expr substitute_written(const Expr& value, const Expr& e,
                        std::span<const Replacement> replacements) {
  std::vector<Expr> by;
  std::unordered_map<const Written*, bool> seen;
  for_each_form(e, seen, [&](const Written& form) {
    by.insert(by.end(), form.coordinates.begin(), form.coordinates.end());
  });
  for (const Replacement& r : replacements) {
    if (!commutes(r, by)) return plain(value);
  }
  try {
    const Expr image = Replay([&](const Expr& leaf) { return substitute(leaf, replacements); })(e);
    return Node::noted(value, Node::note(image));
  } catch (const Error& error) {  // d(u + log(a), x) for a = -1 has a value, but no such form
    if (error.kind() != ErrorKind::unsupported) throw;
    return plain(value);
  }
}

}  // namespace detail

Expr plain(const Expr& e) { return detail::Node::noted(e, nullptr); }

Expr expand_derivatives(const Expr& e) {
  return plain(detail::Replay([](const Expr& leaf) { return leaf; })(e));
}

}  // namespace cauchy
