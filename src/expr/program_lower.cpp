// Expressions to values in single-assignment form.
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>

#include "expr/node.hpp"
#include "expr/program_code.hpp"

namespace cauchy::detail {
namespace {

/// Integer powers up to this magnitude become products.
constexpr double max_product_power = 64;

/// scalar * row, each absent when -1; an absent row means 1.
struct TermValue {
  bool negative = false;
  int scalar = -1;
  int row = -1;
};

class Lowering {
 public:
  explicit Lowering(const ProgramSpec& spec) { add_leaves(spec); }

  ValueGraph run(const ProgramSpec& spec) {
    std::vector<Expr> roots = spec.outputs;
    roots.insert(roots.end(), spec.sums.begin(), spec.sums.end());
    const std::vector<Expr> order = postorder_above_leaves(roots);
    count_reciprocals(order, roots);
    for (const Expr& e : order) {
      const int id = node(e);
      of_node_.emplace(key(e), id);
    }
    for (const Expr& e : spec.outputs) graph_.outputs.push_back(of(e));
    for (const Expr& e : spec.sums) add_sum(e);
    return std::move(graph_);
  }

 private:
  void add_leaves(const ProgramSpec& spec) {
    const auto add = [&](const std::vector<Expr>& atoms, ProgramOp op) {
      for (std::size_t i = 0; i < atoms.size(); ++i) {
        Value v;
        v.op = op;
        v.scalar = op == ProgramOp::parameter;
        v.index = static_cast<int>(i);
        if (!of_node_.emplace(key(atoms[i]), append(v)).second) {
          throw Error(fmt::format("'{}' is listed twice among the inputs and parameters",
                                  to_string(atoms[i])),
                      "[expr.program]");
        }
      }
    };
    add(spec.inputs, ProgramOp::input);
    add(spec.parameters, ProgramOp::parameter);
  }

  /// Like postorder(), but nothing below a listed input (the arguments of a data function).
  std::vector<Expr> postorder_above_leaves(const std::vector<Expr>& roots) const {
    std::vector<Expr> order;
    std::unordered_set<const Node*> seen;
    for (const auto& [leaf, id] : of_node_) seen.insert(leaf);
    std::vector<std::pair<Expr, std::size_t>> stack;
    for (const Expr& root : roots) {
      if (!seen.insert(key(root)).second) continue;
      stack.emplace_back(root, 0);
      while (!stack.empty()) {
        auto& [e, next] = stack.back();
        if (next < e.args().size() && e.kind() != Kind::call) {
          const Expr child = e.args()[next++];
          if (seen.insert(key(child)).second) stack.emplace_back(child, 0);
        } else {
          order.push_back(e);
          stack.pop_back();
        }
      }
    }
    return order;
  }

  /// x^-1 that is needed more than once is computed once; else it becomes a division.
  void count_reciprocals(const std::vector<Expr>& order, const std::vector<Expr>& roots) {
    const auto count = [&](const Expr& e) {
      if (e.kind() != Kind::pow || !e.args()[1].is_constant() || e.args()[1].value() >= 0) return;
      ++reciprocal_uses_[is_integer(e.args()[1]) ? key(e.args()[0]) : key(e)];
    };
    for (const Expr& e : order) {
      for (const Expr& a : e.args()) count(a);
    }
    for (const Expr& e : roots) count(e);
  }
  bool reciprocal_is_shared(const Expr& power) const {
    const Expr& base = power.args()[0];
    const auto it = reciprocal_uses_.find(is_integer(power.args()[1]) ? key(base) : key(power));
    return it != reciprocal_uses_.end() && it->second > 1;
  }

  int of(const Expr& e) const { return of_node_.at(key(e)); }
  const Value& at(int id) const { return graph_.values[static_cast<std::size_t>(id)]; }
  bool is_scalar_value(int id) const { return at(id).scalar; }
  bool is_number(int id, double number) const {
    return at(id).op == ProgramOp::constant && at(id).number == number;
  }

  int append(const Value& v) {
    graph_.values.push_back(v);
    return static_cast<int>(graph_.values.size()) - 1;
  }

  int constant(double number) {
    const auto [it, fresh] = constants_.emplace(number, 0);
    if (fresh) {
      Value v;
      v.scalar = true;
      v.number = number;
      it->second = append(v);
    }
    return it->second;
  }

  /// The value of an operation: folded, simplified, or shared with an equal one.
  int emit(ProgramOp op, int a, int b = -1, int c = -1) {
    if (op == ProgramOp::multiply) {
      if (is_number(a, 1)) return b;
      if (is_number(b, 1)) return a;
    }
    if (op == ProgramOp::add || op == ProgramOp::multiply) {
      // One order for equal operations: numbers, other scalars, rows.
      const auto rank = [&](int id) {
        return std::pair(at(id).op == ProgramOp::constant ? 0 : at(id).scalar ? 1 : 2, id);
      };
      if (rank(b) < rank(a)) std::swap(a, b);
    }
    Value v;
    v.op = op;
    v.scalar = true;
    bool numbers = true;
    for (int i = 0; i < arity(op); ++i) {
      const int id = std::array{a, b, c}[static_cast<std::size_t>(i)];
      v.args[i] = id;
      v.scalar = v.scalar && is_scalar_value(id);
      numbers = numbers && at(id).op == ProgramOp::constant;
    }
    if (numbers) {
      const auto number = [&](int id) { return id < 0 ? 0.0 : at(id).number; };
      return constant(apply<double>(op, number(a), number(b), number(c)));
    }
    const auto [it, fresh] = numbering_.emplace(std::array{static_cast<int>(op), a, b, c}, 0);
    if (fresh) it->second = append(v);
    return it->second;
  }

  int node(const Expr& e) {
    switch (e.kind()) {
      case Kind::constant:
      case Kind::named:
        return constant(e.value());
      case Kind::add:
        return sum_of(e);
      case Kind::mul:
        return value_of(product_of(e));
      case Kind::pow:
        return power_of(e);
      case Kind::min:
        return emit(ProgramOp::min, of(e.args()[0]), of(e.args()[1]));
      case Kind::max:
        return emit(ProgramOp::max, of(e.args()[0]), of(e.args()[1]));
      case Kind::mod:
        return emit(ProgramOp::mod, of(e.args()[0]), of(e.args()[1]));
      case Kind::less:
        return emit(ProgramOp::less, of(e.args()[0]), of(e.args()[1]));
      case Kind::less_equal:
        return emit(ProgramOp::less_equal, of(e.args()[0]), of(e.args()[1]));
      case Kind::where:
        return emit(ProgramOp::where, of(e.args()[0]), of(e.args()[1]), of(e.args()[2]));
      default:
        if (e.is_atom() || e.kind() == Kind::call) {
          throw Error(
              fmt::format("'{}' is neither an input nor a parameter of the program", to_string(e)),
              "[expr.program]", "list it in the inputs or parameters");
        }
        return emit(function(e.kind()), of(e.args()[0]));
    }
  }

  static ProgramOp function(Kind kind) {
    static_assert(static_cast<int>(Kind::floor) - static_cast<int>(Kind::exp) ==
                      static_cast<int>(ProgramOp::floor) - static_cast<int>(ProgramOp::exp),
                  "unary functions stand in the same order");
    return static_cast<ProgramOp>(static_cast<int>(kind) - static_cast<int>(Kind::exp) +
                                  static_cast<int>(ProgramOp::exp));
  }

  /// x^k by squaring; the squares are shared.
  int integer_power(int x, int k) {
    if (k == 1) return x;
    const int rest = integer_power(x, k % 2 == 0 ? k / 2 : k - 1);
    return emit(ProgramOp::multiply, rest, k % 2 == 0 ? rest : x);
  }

  /// x^(halves/2), halves > 0.
  int half_integer_power(int x, int halves) {
    const int whole = halves / 2;
    if (halves % 2 == 0) return integer_power(x, whole);
    const int root = emit(ProgramOp::square_root, x);
    return whole == 0 ? root : emit(ProgramOp::multiply, integer_power(x, whole), root);
  }

  /// Twice the exponent when it is a small multiple of 1/2, else 0.
  static int halves_of(const Expr& exponent) {
    const double twice = exponent.is_constant() ? 2 * exponent.value() : 0;
    const bool nice = std::trunc(twice) == twice && std::abs(twice) <= 2 * max_product_power;
    return nice ? static_cast<int>(twice) : 0;
  }

  int power_of(const Expr& e) {
    const int base = of(e.args()[0]);
    const int halves = halves_of(e.args()[1]);
    if (halves == 0) return emit(ProgramOp::power, base, of(e.args()[1]));
    if (halves > 0) return half_integer_power(base, halves);
    const int one = constant(1);
    if (halves % 2 == 0 && reciprocal_is_shared(e)) {
      return integer_power(emit(ProgramOp::divide, one, base), -halves / 2);
    }
    return emit(ProgramOp::divide, one, half_integer_power(base, -halves));
  }

  TermValue product_of(const Expr& e) {
    TermValue term;
    int above = -1, below = -1;
    const auto times = [&](int& product, int factor) {
      product = product < 0 ? factor : emit(ProgramOp::multiply, product, factor);
    };
    for (const Expr& factor : e.args()) {
      const int id = of(factor);
      if (factor.is_constant(-1)) {
        term.negative = true;
      } else if (is_scalar_value(id)) {
        times(term.scalar, id);
      } else if (factor.kind() == Kind::pow && halves_of(factor.args()[1]) < 0 &&
                 !reciprocal_is_shared(factor)) {
        times(below, half_integer_power(of(factor.args()[0]), -halves_of(factor.args()[1])));
      } else {
        times(above, id);
      }
    }
    term.row = above;
    if (below >= 0) {
      if (above < 0 && term.scalar >= 0) {
        term.row = emit(ProgramOp::divide, term.scalar, below);
        term.scalar = -1;
      } else {
        term.row = emit(ProgramOp::divide, above < 0 ? constant(1) : above, below);
      }
    }
    return term;
  }

  int value_of(const TermValue& term) {
    int scalar = term.scalar;
    if (term.negative) {
      scalar = scalar < 0 ? constant(-1) : emit(ProgramOp::multiply, constant(-1), scalar);
    }
    if (scalar < 0) return term.row;
    return term.row < 0 ? scalar : emit(ProgramOp::multiply, scalar, term.row);
  }

  TermValue term_of(const Expr& e) {
    const int id = of(e);
    if (is_scalar_value(id)) return {false, id, -1};
    return e.kind() == Kind::mul ? product_of(e) : TermValue{false, -1, id};
  }

  bool is_plain(const TermValue& t) const {
    return t.scalar < 0 && at(t.row).op != ProgramOp::multiply;
  }

  /// Terms that are not products come first, so that every product can be fused with an addition.
  int sum_of(const Expr& e) {
    std::vector<TermValue> plain, products;
    int total = -1, offset = -1;
    for (const Expr& arg : e.args()) {
      const TermValue term = term_of(arg);
      if (term.row < 0) {
        offset = offset < 0 ? term.scalar : emit(ProgramOp::add, offset, term.scalar);
      } else if (is_plain(term)) {
        plain.push_back(term);
      } else {
        products.push_back(term);
      }
    }
    const auto add_terms = [&](const std::vector<TermValue>& terms, bool negative) {
      for (const TermValue& t : terms) {
        if (t.negative != negative) continue;
        if (total < 0) {
          total = value_of(t);
          continue;
        }
        const int value = t.scalar < 0 ? t.row : emit(ProgramOp::multiply, t.scalar, t.row);
        total = emit(negative ? ProgramOp::subtract : ProgramOp::add, total, value);
      }
    };
    add_terms(plain, false);
    if (offset >= 0) total = total < 0 ? offset : emit(ProgramOp::add, offset, total);
    add_terms(products, false);
    add_terms(plain, true);
    add_terms(products, true);
    return total;
  }

  /// The scalar factor of a sum over the points is taken out of it.
  void add_sum(const Expr& e) {
    TermValue term = term_of(e);
    Value v;
    v.op = ProgramOp::sum;
    v.args[0] = term.row < 0 ? value_of(term) : term.row;
    v.index = static_cast<int>(graph_.sums.size());
    const bool scaled = term.row >= 0 && (term.scalar >= 0 || term.negative);
    term.row = -1;
    graph_.sum_scales.push_back(scaled ? value_of(term) : -1);
    graph_.sums.push_back(append(v));
  }

  struct Hash {
    std::size_t operator()(const std::array<int, 4>& k) const noexcept {
      std::uint64_t h = 0;
      for (const int v : k) {
        h = (h ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(v))) * 0x9e3779b97f4a7c15ULL;
        h ^= h >> 29;
      }
      return static_cast<std::size_t>(h);
    }
  };

  ValueGraph graph_;
  std::unordered_map<const Node*, int> of_node_;
  std::unordered_map<const Node*, int> reciprocal_uses_;
  std::unordered_map<double, int> constants_;
  std::unordered_map<std::array<int, 4>, int, Hash> numbering_;
};

}  // namespace

ValueGraph lower(const ProgramSpec& spec) { return Lowering(spec).run(spec); }

}  // namespace cauchy::detail
