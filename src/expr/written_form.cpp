// Written forms of the operations. A written sum has no sums among its operands and no two plain
// ones side by side; a written product is a plain coefficient, then factors and divisors that are
// written and no products themselves. So a text that is read back gives the same form.
#include "expr/written_form.hpp"

#include <algorithm>
#include <array>
#include <optional>
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

/// The note of `form` on `value`. A note never fails an expression that has a canonical form: where
/// the numbers of the plain operands leave the range of double, it is not taken.
template <class Make>
Expr annotated(const Expr& value, Make make) {
  try {
    return make();
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return plain(value);
  }
}

bool is_op(const Expr& e, WrittenOp op) { return e.written() != nullptr && e.written()->op == op; }

/// The factors and divisors of one product.
struct Factors {
  Expr coefficient{1};
  std::vector<Expr> above, below;

  void take(const Expr& e, bool divide) {
    if (e.written() == nullptr) {
      coefficient = divide ? coefficient / e : coefficient * e;
    } else if (is_op(e, WrittenOp::product)) {
      const Written& p = *e.written();
      coefficient = divide ? coefficient / p.args[0] : coefficient * p.args[0];
      const std::size_t first_below = p.args.size() - p.n_divisors;
      for (std::size_t i = 1; i < p.args.size(); ++i) {
        ((i >= first_below) == divide ? above : below).push_back(p.args[i]);
      }
    } else {
      (divide ? below : above).push_back(e);
    }
  }

  Expr build(const Expr& value) {
    if (coefficient.is_constant(1) && above.size() == 1 && below.empty()) {
      return Node::noted(value, Node::note(above[0]));
    }
    Written form{.op = WrittenOp::product, .args = {coefficient}};
    form.args.insert(form.args.end(), above.begin(), above.end());
    form.args.insert(form.args.end(), below.begin(), below.end());
    form.n_divisors = below.size();
    return noted(value, std::move(form));
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
  return annotated(value, [&] {
    std::vector<Expr> args, run;  // run: plain terms side by side
    const auto close = [&] {
      if (run.empty()) return;
      Expr total = sum(std::move(run));
      if (!total.is_constant(0)) args.push_back(std::move(total));
      run.clear();
    };
    const auto take = [&](const Expr& term) {
      if (term.written() == nullptr) {
        run.push_back(term);
      } else {
        close();
        args.push_back(term);
      }
    };
    for (const Expr& term : terms) {
      if (is_op(term, WrittenOp::sum)) {
        for (const Expr& inner : term.written()->args) take(inner);
      } else {
        take(term);
      }
    }
    close();
    if (args.size() == 1) return Node::noted(value, Node::note(args[0]));
    return noted(value, {.op = WrittenOp::sum, .args = std::move(args)});
  });
}

Expr written_product(const Expr& value, std::span<const Expr> factors,
                     std::span<const Expr> divisors) {
  return annotated(value, [&] {
    Factors all;
    for (const Expr& f : factors) all.take(f, false);
    for (const Expr& f : divisors) all.take(f, true);
    return all.build(value);
  });
}

Expr written_power(const Expr& value, const Expr& base, const Expr& exponent) {
  return annotated(value, [&]() -> Expr {
    if (exponent.is_constant(1)) return Node::noted(value, Node::note(base));
    if (exponent.is_constant() && exponent.value() < 0) {  // 1/base^n
      const Expr positive = pow(base, -exponent);
      return written_product(value, {}, std::array{positive});
    }
    if (base.kind() == Kind::named && base.name() == "e") {
      return written_function(value, Kind::exp, std::array{exponent});
    }
    return noted(value, {.op = WrittenOp::power, .args = {base, exponent}});
  });
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
    case WrittenOp::product: {
      const std::size_t above = args.size() - form.n_divisors;
      Expr result = product({args.begin(), args.begin() + static_cast<std::ptrdiff_t>(above)});
      for (const Expr& divisor : args.subspan(above)) result = result / divisor;
      return result;
    }
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
  return annotated(value, [&] {
    const Expr image = Replay([&](const Expr& leaf) { return substitute(leaf, replacements); })(e);
    return Node::noted(value, Node::note(image));
  });
}

}  // namespace detail

Expr plain(const Expr& e) { return detail::Node::noted(e, nullptr); }

Expr expand_derivatives(const Expr& e) {
  return plain(detail::Replay([](const Expr& leaf) { return leaf; })(e));
}

}  // namespace cauchy
