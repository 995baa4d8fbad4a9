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
#include <cauchy/base/work.hpp>
#include <cauchy/expr/written.hpp>

#include "expr/rewrite.hpp"
#include "expr/rules.hpp"

namespace cauchy {
namespace {

using detail::key;
using detail::Node;
using detail::RewriteBudget;

std::size_t operations_of(const Node* e) {
  switch (e->kind) {
    case Kind::add:
    case Kind::mul:
      return e->args.size() - 1;
    case Kind::pow: {
      if (!detail::is_integer(e->args[1])) return 1;
      const double n = e->args[1].value();
      const auto bits = static_cast<std::uint64_t>(std::abs(n));
      return static_cast<std::size_t>(std::bit_width(bits) + std::popcount(bits)) - 2 +
             (n < 0 ? 1 : 0);
    }
    default:
      return e->args.empty() ? 0 : 1;
  }
}

bool better(const ExprCost& a, const ExprCost& b) {
  return a.nodes <= b.nodes && a.operations <= b.operations &&
         (a.nodes < b.nodes || a.operations < b.operations);
}

/// The nodes of a graph that is being rewritten, with the number of their uses. It tells what a
/// replacement saves and adds when parts are shared with the rest of the graph.
class UseCounts {
 public:
  explicit UseCounts(const Expr& root) { acquire(root); }

  [[nodiscard]] int uses(const Expr& e) const {
    const auto it = uses_.find(key(e));
    return it == uses_.end() ? 0 : it->second;
  }

  /// `image` is `e` with new operands, which took over the uses of the old ones already.
  void rename(const Expr& e, const Expr& image) {
    keep(image);
    uses_[key(image)] += uses(e);
  }

  /// All users of `e` now use `image`.
  void replace(const Expr& e, const Expr& image) {
    const int n = uses(e);
    acquire(image);
    uses_[key(image)] += n - 1;
    uses_[key(e)] = 1;
    release(e);
  }

  /// Cost of the nodes that only `e` needs; `freed` receives them. Empty without enough work.
  std::optional<ExprCost> freed_by(const Expr& e, std::unordered_set<const Node*>& freed,
                                   RewriteBudget& work) const {
    ExprCost total;
    std::unordered_map<const Node*, int> dropped;
    std::vector<const Node*> stack{key(e)};
    freed.insert(key(e));
    while (!stack.empty()) {
      const Node* node = stack.back();
      stack.pop_back();
      if (!work.spend(1 + node->args.size())) return std::nullopt;
      ++total.nodes;
      total.operations += operations_of(node);
      for (const Expr& a : node->args) {
        if (++dropped[key(a)] == uses(a) && freed.insert(key(a)).second) stack.push_back(key(a));
      }
    }
    return total;
  }

  /// Cost of the nodes of `e` that are not there once those of `freed` are gone.
  std::optional<ExprCost> added_by(const Expr& e, const std::unordered_set<const Node*>& freed,
                                   RewriteBudget& work) const {
    ExprCost total;
    std::unordered_set<const Node*> seen;
    std::vector<Expr> stack{e};
    while (!stack.empty()) {
      const Expr node = stack.back();
      stack.pop_back();
      if (!work.spend(1)) return std::nullopt;
      if (!seen.insert(key(node)).second) continue;
      if (uses(node) > 0 && !freed.contains(key(node))) continue;
      ++total.nodes;
      total.operations += operations_of(key(node));
      for (const Expr& a : node.args()) stack.push_back(a);
    }
    return total;
  }

 private:
  void keep(const Expr& e) {
    if (uses_.emplace(key(e), 0).second) alive_.push_back(e);
  }
  void acquire(const Expr& e) {
    std::vector<Expr> stack{e};
    while (!stack.empty()) {
      const Expr node = stack.back();
      stack.pop_back();
      keep(node);
      if (++uses_[key(node)] > 1) continue;
      for (const Expr& a : node.args()) stack.push_back(a);
    }
  }
  void release(const Expr& e) {
    std::vector<Expr> stack{e};
    while (!stack.empty()) {
      const Expr node = stack.back();
      stack.pop_back();
      int& n = uses_[key(node)];
      if (n == 0 || --n > 0) continue;
      for (const Expr& a : node.args()) stack.push_back(a);
    }
  }

  std::unordered_map<const Node*, int> uses_;
  std::vector<Expr> alive_;  // addresses stay valid as keys
};

/// What the passes of one round share.
struct Round {
  static constexpr std::size_t most_visits = 2'000'000;

  Round() = default;
  ~Round() { count_work(WorkKind::pieces, static_cast<double>(most_visits - work.left())); }
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  RewriteBudget work{most_visits};
  detail::Expander expander{500, 10'000};
};

/// One bottom-up pass. Nodes of `frozen` are rebuilt from their new operands, no more.
class Pass {
 public:
  Pass(const Expr& root, Round& round, std::unordered_set<const Node*> frozen)
      : root_(root), round_(round), frozen_(std::move(frozen)), graph_(root) {}

  Expr run() {
    std::unordered_map<const Node*, Expr> result;
    for (const Expr& e : postorder(std::array{root_})) {
      Expr image = e;
      if (!e.args().empty()) {
        std::vector<Expr> args;
        for (const Expr& a : e.args()) args.push_back(result.at(key(a)));
        try {
          image = detail::rebuild(e, std::move(args));
        } catch (const Error& error) {
          if (error.kind() != ErrorKind::unsupported) throw;
          image = e;  // a divisor turned out to be 0: leave this part as it was written
        }
        if (!same(image, e)) graph_.rename(e, image);
        if (!frozen_.contains(key(e))) {
          const Expr improved = improve(image);
          if (!same(improved, image)) {
            touched_.push_back(e);
            graph_.replace(image, improved);
            image = improved;
          }
        }
      }
      result.emplace(key(e), std::move(image));
    }
    return result.at(key(root_));
  }

  /// The nodes of the graph at which a rewrite was made.
  [[nodiscard]] const std::vector<Expr>& touched() const noexcept { return touched_; }

 private:
  /// The cheapest of the rewritten forms of a node, or the node.
  Expr improve(const Expr& e) {
    Expr best = e;
    std::unordered_set<const Node*> freed;
    const std::optional<ExprCost> own_cost = graph_.freed_by(e, freed, round_.work);
    if (!own_cost) return e;
    ExprCost best_cost = *own_cost;
    const auto consider = [&](const std::function<std::optional<Expr>()>& make) {
      std::optional<Expr> candidate;
      try {
        candidate = make();
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::unsupported) throw;
        return;  // a number overflowed on the way
      }
      if (!candidate || same(*candidate, best)) return;
      const std::optional<ExprCost> c = graph_.added_by(*candidate, freed, round_.work);
      if (!c || !better(*c, best_cost)) return;
      best = *std::move(candidate);
      best_cost = *c;
    };
    if (e.kind() == Kind::add) {
      consider([&] { return detail::apply_squares(best); });
      consider([&] { return detail::factor_sum(best, round_.work); });
    } else if (e.kind() == Kind::mul) {
      consider([&] { return detail::apply_product_rules(best); });
    } else {
      consider([&] { return detail::apply_function_rules(best); });
    }
    consider([&] { return expanded(e, *own_cost); });
    return best;
  }

  std::optional<Expr> expanded(const Expr& e, const ExprCost& own_cost) {
    const bool power = e.kind() == Kind::pow && detail::is_integer(e.args()[1]);
    if (e.kind() != Kind::add && e.kind() != Kind::mul && !power) return std::nullopt;
    const std::optional<Expr> flat = round_.expander.expand(e);
    if (!flat || same(*flat, e)) return std::nullopt;
    // More terms than there are operations now: too far from a gain to look for factors.
    if (flat->args().size() > own_cost.operations + 1) return std::nullopt;
    return detail::factor_sum(detail::apply_squares(*flat), round_.work);
  }

  const Expr root_;
  Round& round_;
  const std::unordered_set<const Node*> frozen_;
  UseCounts graph_;
  std::vector<Expr> touched_;
};

/// Rewrites that pay alone may not pay together when they break shared subexpressions. This finds
/// a subset that pays: halves of the rewritten nodes are frozen in turn, within a few trials.
std::optional<Expr> salvage(const Expr& e, const ExprCost& e_cost, const std::vector<Expr>& touched,
                            Round& round) {
  int trials = 16;
  std::unordered_set<const Node*> frozen;
  for (const Expr& t : touched) frozen.insert(key(t));
  std::optional<Expr> best;
  ExprCost best_cost = e_cost;
  const std::function<void(std::size_t, std::size_t)> thaw = [&](std::size_t lo, std::size_t hi) {
    if (trials-- <= 0 || !round.work.spend(8 * e_cost.nodes)) return;
    for (std::size_t i = lo; i < hi; ++i) frozen.erase(key(touched[i]));
    const Expr candidate = Pass(e, round, frozen).run();
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
    total.operations += operations_of(key(node));
  }
  return total;
}

Expr simplify(const Expr& e) {
  Expr best = plain(e);
  ExprCost best_cost = cost(best);
  while (true) {  // the cost falls in every round
    Round round;
    Pass pass(best, round, {});
    std::optional<Expr> candidate = pass.run();
    if (same(*candidate, best)) return best;
    if (!better(cost(*candidate), best_cost)) {
      candidate = salvage(best, best_cost, pass.touched(), round);
      if (!candidate) return best;
    }
    best = *std::move(candidate);
    best_cost = cost(best);
  }
}

}  // namespace cauchy
