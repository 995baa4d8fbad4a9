#include "expr/node.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "expr/written_form.hpp"

namespace cauchy {
namespace detail {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdULL;
  return h ^ (h >> 32);
}

std::uint64_t hash_text(std::uint64_t h, std::string_view text) {
  for (const char c : text) h = mix(h, static_cast<unsigned char>(c));
  return mix(h, text.size());
}

std::uint64_t content_hash(const Node& n) {
  std::uint64_t h = mix(0, static_cast<std::uint64_t>(n.kind));
  h = mix(h, std::bit_cast<std::uint64_t>(n.value));
  h = hash_text(h, n.name);
  for (const auto& [name, order] : n.index) {
    h = mix(hash_text(h, name), static_cast<std::uint64_t>(order));
  }
  for (const int order : n.orders) h = mix(h, static_cast<std::uint64_t>(order));
  for (const Expr& a : n.args) h = mix(h, a.hash());
  return h;
}

bool same_content(const Node& a, const Node& b) {
  if (a.kind != b.kind ||
      std::bit_cast<std::uint64_t>(a.value) != std::bit_cast<std::uint64_t>(b.value) ||
      a.args.size() != b.args.size() || a.name != b.name || a.index != b.index ||
      a.orders != b.orders) {
    return false;
  }
  for (std::size_t i = 0; i < a.args.size(); ++i) {
    if (!same(a.args[i], b.args[i])) return false;
  }
  return true;
}

/// The table of live nodes. It owns nothing: entries leave when their last Expr goes.
class InternTable {
 public:
  static InternTable& instance() {
    // Never destroyed: expressions with static lifetime may outlive every other static object.
    static auto* table = new InternTable;
    return *table;
  }

  std::shared_ptr<const Node> find_or_add(Node content) {
    // Declared before the lock: a held node may turn out to be the last reference, and its release
    // takes the lock again.
    std::vector<std::shared_ptr<const Node>> collisions;
    const std::scoped_lock lock(mutex_);
    const auto [first, last] = live_.equal_range(content.hash);
    for (auto it = first; it != last; ++it) {
      // The content may be read only while the node is held: it may be dying in another thread.
      std::shared_ptr<const Node> held = it->second.node.lock();
      if (!held) continue;
      if (same_content(*held, content)) return held;
      collisions.push_back(std::move(held));
    }
    const std::uint64_t hash = content.hash;
    std::shared_ptr<const Node> fresh(new Node(std::move(content)), &InternTable::release);
    live_.emplace(hash, Entry{fresh, fresh.get()});
    return fresh;
  }

 private:
  struct Entry {
    std::weak_ptr<const Node> node;
    const Node* address;
  };

  static void release(const Node* node) {
    InternTable& table = instance();
    {
      const std::scoped_lock lock(table.mutex_);
      const auto [first, last] = table.live_.equal_range(node->hash);
      for (auto it = first; it != last; ++it) {
        if (it->second.address == node) {
          table.live_.erase(it);
          break;
        }
      }
    }
    delete node;  // outside the lock: the operands release themselves here
  }

  std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, Entry> live_;
};

}  // namespace

Expr Node::intern(Node content) {
  int depth = 0;
  for (Expr& a : content.args) {
    if (a.written() != nullptr) a = noted(std::move(a), nullptr);  // nodes are canonical throughout
    depth = std::max(depth, a.depth() + 1);
  }
  if (depth > Expr::max_depth) {
    throw Error(ErrorKind::unsupported,
                fmt::format("expression is nested deeper than {} levels", Expr::max_depth),
                "[expr]", "build long sums with sum() and products with product()");
  }
  content.depth = depth;
  content.hash = content_hash(content);
  return Expr(InternTable::instance().find_or_add(std::move(content)));
}

ScaledTerm split_coefficient(const Expr& e) {
  if (e.is_constant()) return {e.value(), Expr(1)};
  if (e.kind() == Kind::mul && e.args().front().is_constant()) {
    const auto rest = e.args().subspan(1);
    if (rest.size() == 1) return {e.args().front().value(), rest.front()};
    // The remaining factors are sorted and merged already.
    Node n;
    n.kind = Kind::mul;
    n.args.assign(rest.begin(), rest.end());
    return {e.args().front().value(), Node::intern(std::move(n))};
  }
  return {1, e};
}

bool is_integer(const Expr& e) noexcept {
  return e.is_constant() && std::abs(e.value()) <= 2147483648.0 &&
         std::trunc(e.value()) == e.value();
}

}  // namespace detail

namespace {

Expr intern_constant(double value) {
  if (!std::isfinite(value)) {
    throw Error(ErrorKind::unsupported, fmt::format("a constant must be finite, got {}", value),
                "[expr]", "check for overflow or division by zero among the numbers");
  }
  detail::Node n;
  n.kind = Kind::constant;
  n.value = value == 0 ? 0 : value;  // one zero: -0 and +0 are the same number here
  return detail::Node::intern(std::move(n));
}

Expr intern_atom(Kind kind, std::string_view name) {
  if (name.empty()) throw Error("a name must not be empty", "[expr]");
  detail::Node n;
  n.kind = kind;
  n.name = name;
  return detail::Node::intern(std::move(n));
}

Expr intern_named(std::string_view name, double value) {
  detail::Node n;
  n.kind = Kind::named;
  n.name = name;
  n.value = value;
  return detail::Node::intern(std::move(n));
}

}  // namespace

Expr::Expr() {
  static const Expr zero = intern_constant(0);
  node_ = zero.node_;
}
Expr::Expr(double value) : Expr(intern_constant(value)) {}
Expr::Expr(PiConstant) : Expr(intern_named("pi", pi)) {}

Kind Expr::kind() const noexcept { return node_->kind; }
std::span<const Expr> Expr::args() const noexcept { return node_->args; }
double Expr::value() const noexcept {
  return node_->kind <= Kind::named ? node_->value : std::numeric_limits<double>::quiet_NaN();
}
const std::string& Expr::name() const noexcept { return node_->name; }
const MultiIndex& Expr::index() const noexcept { return node_->index; }
std::span<const int> Expr::call_orders() const noexcept { return node_->orders; }
int Expr::depth() const noexcept { return node_->depth; }
std::uint64_t Expr::hash() const noexcept { return node_->hash; }
bool Expr::is_atom() const noexcept {
  const Kind k = kind();
  return k == Kind::parameter || k == Kind::coordinate || k == Kind::symbol || k == Kind::field;
}

Coordinate::Coordinate(std::string_view name) : Expr(intern_atom(Kind::coordinate, name)) {}
Field::Field(std::string_view name) : Expr(intern_atom(Kind::field, name)) {}
Parameter::Parameter(std::string_view name) : Expr(intern_atom(Kind::parameter, name)) {}
Symbol::Symbol(std::string_view name) : Expr(intern_atom(Kind::symbol, name)) {}

DataFunction::DataFunction(std::string_view name) : name_(name) {
  if (name.empty()) throw Error("a data function needs a name", "[expr]");
}

Expr DataFunction::call(std::vector<Expr> args) const {
  std::vector<int> orders(args.size(), 0);
  return call_derivative(name_, std::move(args), std::move(orders));
}

Expr e_constant() { return intern_named("e", 2.71828182845904523536); }

int total_order(const MultiIndex& index) {
  int total = 0;
  for (const auto& [name, order] : index) total += order;
  return total;
}

Expr field_derivative(std::string_view field, MultiIndex index) {
  MultiIndex merged;
  std::sort(index.begin(), index.end());
  for (auto& [name, order] : index) {
    if (order < 0) {
      throw Error(fmt::format("derivative order of '{}' by '{}' must not be negative, got {}",
                              field, name, order),
                  "[expr]");
    }
    if (order == 0) continue;
    if (!merged.empty() && merged.back().first == name) {
      merged.back().second += order;
    } else {
      merged.emplace_back(std::move(name), order);
    }
  }
  detail::Node n;
  n.kind = Kind::field;
  n.name = field;
  n.index = std::move(merged);
  return detail::Node::intern(std::move(n));
}

Expr call_derivative(std::string_view function, std::vector<Expr> args, std::vector<int> orders) {
  if (args.empty() || args.size() != orders.size()) {
    throw Error(
        fmt::format("data function '{}' needs at least one argument and one order for each, "
                    "got {} and {}",
                    function, args.size(), orders.size()),
        "[expr]");
  }
  detail::Node n;
  n.kind = Kind::call;
  n.name = function;
  n.args = args;
  n.orders = std::move(orders);
  const Expr value = detail::Node::intern(std::move(n));
  return detail::any_written(args) ? detail::written_call(value, args) : value;
}

int compare(const Expr& a, const Expr& b) noexcept {
  if (same(a, b)) return 0;
  const detail::Node& p = detail::Node::of(a);
  const detail::Node& q = detail::Node::of(b);
  if (p.kind != q.kind) return p.kind < q.kind ? -1 : 1;
  if (p.kind == Kind::constant) return p.value < q.value ? -1 : 1;
  if (const int c = p.name.compare(q.name); c != 0) return c < 0 ? -1 : 1;
  if (p.kind == Kind::field) {
    const int dp = total_order(p.index), dq = total_order(q.index);
    if (dp != dq) return dp < dq ? -1 : 1;
    return p.index < q.index ? -1 : 1;
  }
  if (p.args.size() != q.args.size()) return p.args.size() < q.args.size() ? -1 : 1;
  if (p.orders != q.orders) return p.orders < q.orders ? -1 : 1;
  // Equal subgraphs are one node, so the first pair that differs decides: cost is one path down.
  for (std::size_t i = 0; i < p.args.size(); ++i) {
    if (const int c = compare(p.args[i], q.args[i]); c != 0) return c;
  }
  return 0;
}

std::vector<Expr> postorder(std::span<const Expr> roots) {
  std::vector<Expr> order;
  std::unordered_set<const void*> seen;
  std::vector<std::pair<Expr, std::size_t>> stack;  // node and its next operand to visit
  for (const Expr& root : roots) {
    if (!seen.insert(root.id()).second) continue;
    stack.emplace_back(plain(root), 0);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next < node.args().size()) {
        const Expr child = node.args()[next++];
        if (seen.insert(child.id()).second) stack.emplace_back(child, 0);
      } else {
        order.push_back(node);
        stack.pop_back();
      }
    }
  }
  return order;
}

}  // namespace cauchy
