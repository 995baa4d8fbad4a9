// Bottom-up passes of local rewrites. A rewrite stands only if it makes its own subgraph cheaper,
// and a pass only if it makes the whole graph cheaper, so that the loop over passes ends, nothing
// ever grows, and the result is a fixed point.
#include <cauchy/expr/simplify.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <unordered_set>

#include <cauchy/base/error.hpp>

#include "expr/rewrite.hpp"
#include "expr/rules.hpp"

namespace cauchy {
namespace {

using detail::key;
using detail::Node;

std::size_t operations_of(const Expr& e) {
  switch (e.kind()) {
    case Kind::add:
    case Kind::mul:
      return e.args().size() - 1;
    case Kind::pow: {
      if (!detail::is_integer(e.args()[1])) return 1;
      const double n = e.args()[1].value();
      const auto bits = static_cast<std::uint64_t>(std::abs(n));
      return static_cast<std::size_t>(std::bit_width(bits) + std::popcount(bits)) - 2 +
             (n < 0 ? 1 : 0);
    }
    default:
      return e.args().empty() ? 0 : 1;
  }
}

bool better(const ExprCost& a, const ExprCost& b) {
  return a.nodes <= b.nodes && a.operations <= b.operations &&
         (a.nodes < b.nodes || a.operations < b.operations);
}

/// One bottom-up pass. Nodes of `frozen` are rebuilt from their new operands, no more.
class Pass {
 public:
  Pass(detail::Expander& expander, std::unordered_set<const Node*> frozen)
      : expander_(expander), frozen_(std::move(frozen)) {}

  Expr run(const Expr& root) {
    std::unordered_map<const Node*, Expr> result;
    for (const Expr& e : postorder(std::array{root})) {
      Expr image = e;
      if (!e.args().empty()) {
        std::vector<Expr> args;
        for (const Expr& a : e.args()) args.push_back(result.at(key(a)));
        try {
          image = detail::rebuild(e, std::move(args));
        } catch (const Error&) {
          image = e;  // a divisor turned out to be 0: leave this part as it was written
        }
        if (!frozen_.contains(key(e))) {
          const Expr improved = improve(image);
          if (!same(improved, image)) touched_.push_back(e);
          image = improved;
        }
      }
      result.emplace(key(e), std::move(image));
    }
    return result.at(key(root));
  }

  /// The nodes of the graph at which a rewrite was made.
  [[nodiscard]] const std::vector<Expr>& touched() const noexcept { return touched_; }

 private:
  Expr improve(const Expr& e) {
    Expr best = e;
    std::optional<ExprCost> best_cost;
    const auto consider = [&](const std::function<std::optional<Expr>()>& make) {
      std::optional<Expr> candidate;
      try {
        candidate = make();
      } catch (const Error&) {
        return;  // a number overflowed on the way
      }
      if (!candidate || same(*candidate, best)) return;
      if (!best_cost) best_cost = bounded_cost(best);
      const std::optional<ExprCost> c = bounded_cost(*candidate);
      if (!c || !best_cost || !better(*c, *best_cost)) return;
      best = *std::move(candidate);
      best_cost = c;
    };
    switch (e.kind()) {
      case Kind::add:
        consider([&] { return detail::apply_squares(best); });
        consider([&] { return detail::factor_sum(best); });
        consider([&] { return expanded(e); });
        break;
      case Kind::mul:
        consider([&] { return detail::apply_product_rules(best); });
        consider([&] { return expanded(e); });
        break;
      default:
        consider([&] { return detail::apply_function_rules(best); });
        consider([&] { return expanded(e); });
    }
    return best;
  }

  std::optional<Expr> expanded(const Expr& e) {
    const bool power = e.kind() == Kind::pow && detail::is_integer(e.args()[1]);
    if (e.kind() != Kind::add && e.kind() != Kind::mul && !power) return std::nullopt;
    const std::optional<ExprCost> now = bounded_cost(e);
    if (!now) return std::nullopt;
    const std::optional<Expr> flat = expander_.expand(e);
    // More terms than there are operations now: too far from a gain to look for factors.
    if (!flat || same(*flat, e) || flat->args().size() > now->operations + 1) return std::nullopt;
    return detail::factor_sum(detail::apply_squares(*flat));
  }

  std::optional<ExprCost> bounded_cost(const Expr& root) {
    constexpr std::size_t max_nodes = 20'000;
    ExprCost total;
    std::vector<Expr> stack{root};
    std::unordered_set<const Node*> seen{key(root)};
    while (!stack.empty()) {
      const Expr e = stack.back();
      stack.pop_back();
      if (work_left_ == 0 || ++total.nodes > max_nodes) return std::nullopt;
      --work_left_;
      total.operations += operations_of(e);
      for (const Expr& a : e.args()) {
        if (seen.insert(key(a)).second) stack.push_back(a);
      }
    }
    return total;
  }

  detail::Expander& expander_;
  const std::unordered_set<const Node*> frozen_;
  std::vector<Expr> touched_;
  std::size_t work_left_ = 300'000;  // node visits for costs
};

/// Rewrites that pay alone may not pay together when they break shared subexpressions. This finds
/// a subset that pays: halves of the rewritten nodes are frozen in turn, within a few trials.
std::optional<Expr> salvage(const Expr& e, const ExprCost& e_cost, const std::vector<Expr>& touched,
                            detail::Expander& expander) {
  int trials = 16;
  std::unordered_set<const Node*> frozen;
  for (const Expr& t : touched) frozen.insert(key(t));
  std::optional<Expr> best;
  ExprCost best_cost = e_cost;
  const std::function<void(std::size_t, std::size_t)> thaw = [&](std::size_t lo, std::size_t hi) {
    if (trials-- <= 0) return;
    for (std::size_t i = lo; i < hi; ++i) frozen.erase(key(touched[i]));
    const Expr candidate = Pass(expander, frozen).run(e);
    if (const ExprCost c = cost(candidate); better(c, best_cost)) {
      best = candidate;
      best_cost = c;
      return;
    }
    for (std::size_t i = lo; i < hi; ++i) frozen.insert(key(touched[i]));
    if (hi - lo == 1) return;
    const std::size_t middle = lo + (hi - lo) / 2;
    thaw(lo, middle);
    thaw(middle, hi);
  };
  if (touched.size() > 1) {
    thaw(0, touched.size() / 2);
    thaw(touched.size() / 2, touched.size());
  }
  return best;
}

}  // namespace

ExprCost cost(const Expr& e) {
  ExprCost total;
  for (const Expr& node : postorder(std::array{e})) {
    ++total.nodes;
    total.operations += operations_of(node);
  }
  return total;
}

Expr simplify(const Expr& e) {
  Expr best = e;
  ExprCost best_cost = cost(best);
  while (true) {  // the cost falls in every round
    detail::Expander expander(500, 10'000);
    Pass pass(expander, {});
    std::optional<Expr> candidate = pass.run(best);
    if (same(*candidate, best)) return best;
    if (!better(cost(*candidate), best_cost)) {
      candidate = salvage(best, best_cost, pass.touched(), expander);
      if (!candidate) return best;
    }
    best = *std::move(candidate);
    best_cost = cost(best);
  }
}

}  // namespace cauchy
