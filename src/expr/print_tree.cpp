// One walk over canonical and written forms for all notations.
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/written.hpp>

#include "expr/notation.hpp"
#include "expr/rewrite.hpp"

namespace cauchy::detail {
namespace {

bool is_divisor(const Expr& f) {
  return f.kind() == Kind::pow && f.args()[1].is_constant() && f.args()[1].value() < 0;
}

/// A factor of a product, or a divisor base^exponent.
struct FactorPiece {
  TextPiece piece;
  double exponent = 0;  // of a divisor, positive; 0: not one
};

class TreePrinter {
 public:
  explicit TreePrinter(const Notation& notation) : n_(notation) {}

  /// A part goes as soon as its last user has taken it: memory stays near that of the result.
  TextPiece canonical(const Expr& root) const {
    const std::vector<Expr> order = postorder(std::array{root});
    std::unordered_map<const void*, int> uses;
    for (const Expr& e : order) {
      for (const Expr& a : used_by(e)) ++uses[a.id()];
    }
    std::unordered_map<const void*, TextPiece> pieces;
    std::size_t total = 0;
    const auto of = [&](const Expr& e) -> const TextPiece& { return pieces.at(e.id()); };
    for (const Expr& e : order) {
      TextPiece p = node(e, of);
      total += p.body.size();
      check(total);
      pieces.emplace(e.id(), std::move(p));
      for (const Expr& a : used_by(e)) {
        if (--uses[a.id()] > 0) continue;
        const auto used = pieces.find(a.id());
        total -= used->second.body.size();
        pieces.erase(used);
      }
    }
    return of(root);
  }

  TextPiece written(const Expr& e) {
    const Written* form = e.written();
    if (form == nullptr) return canonical(e);
    if (const auto known = forms_.find(form); known != forms_.end()) return known->second.second;
    TextPiece p = operation(*form);
    check(total_ += p.body.size());
    return forms_.emplace(form, std::pair(e, std::move(p))).first->second.second;
  }

 private:
  void check(std::size_t size) const {
    if (size > n_.signs.max_text) {
      throw Error(
          ErrorKind::unsupported,
          fmt::format("expression is too large to print (more than {} as text)", n_.signs.limit),
          n_.signs.place);
    }
  }

  /// The nodes whose text this node takes: a product writes x^(-2) below the bar from x itself.
  static std::vector<Expr> used_by(const Expr& e) {
    std::vector<Expr> nodes(e.args().begin(), e.args().end());
    if (e.kind() == Kind::mul) {
      for (const Expr& factor : e.args()) {
        if (factor.kind() == Kind::pow) nodes.push_back(factor.args()[0]);
      }
    }
    return nodes;
  }

  template <class Of>
  TextPiece node(const Expr& e, Of of) const {
    switch (e.kind()) {
      case Kind::constant:
        return n_.number(e.value());
      case Kind::field:
        return e.index().empty() ? TextPiece{n_.name(e)} : n_.field_derivative(e);
      case Kind::add:
        return sum_of(parts(e.args(), of));
      case Kind::mul:
        return product_of(e, of, {});
      case Kind::pow:
        return power_of(of(e.args()[0]), e.args()[1], of(e.args()[1]));
      case Kind::call:
        return n_.call(e.name(), e.call_orders(), n_.list(parts(e.args(), of)));
      case Kind::less:
      case Kind::less_equal:
        return comparison(e.kind(), of(e.args()[0]), of(e.args()[1]));
      default:
        if (e.args().empty()) return {n_.name(e)};
        return n_.function(e.kind(), parts(e.args(), of));
    }
  }

  template <class Of>
  static std::vector<TextPiece> parts(std::span<const Expr> args, Of of) {
    std::vector<TextPiece> out;
    for (const Expr& a : args) out.push_back(of(a));
    return out;
  }

  TextPiece comparison(Kind kind, const TextPiece& a, const TextPiece& b) const {
    const auto side = [&](const TextPiece& p) {
      return p.binding > Binding::comparison ? n_.whole(p) : n_.brackets(n_.whole(p));
    };
    const std::string_view sign = kind == Kind::less ? n_.signs.less : n_.signs.less_equal;
    return {fmt::format("{}{}{}", side(a), sign, side(b)), Binding::comparison};
  }

  TextPiece sum_of(std::span<const TextPiece> terms) const {
    TextPiece sum{"", Binding::sum};
    for (const TextPiece& t : terms) {
      const bool bare = t.binding > Binding::comparison;
      if (sum.body.empty()) {
        sum.negative = t.negative && bare;
      } else {
        sum.body += t.negative ? n_.signs.subtract : n_.signs.plus;
      }
      sum.body += bare ? t.body : n_.brackets(n_.whole(t));
    }
    return sum;
  }

  /// A plain product, whose pieces `of` knows, times further factors.
  template <class Of>
  TextPiece product_of(const Expr& e, Of of, std::vector<FactorPiece> further) const {
    std::vector<Expr> factors = factors_of(e);
    double c = 1;
    if (factors.front().is_constant()) {
      c = factors.front().value();
      factors.erase(factors.begin());
    }
    std::stable_sort(factors.begin(), factors.end(), [&](const Expr& a, const Expr& b) {
      return n_.reading_rank(a) < n_.reading_rank(b);
    });
    std::vector<FactorPiece> all;
    for (const Expr& f : factors) {
      if (is_divisor(f)) {
        all.push_back({of(f.args()[0]), -f.args()[1].value()});
      } else {
        all.push_back({of(f)});
      }
    }
    all.insert(all.end(), further.begin(), further.end());
    return product_of(c, all);
  }

  TextPiece product_of(double c, std::span<const FactorPiece> factors) const {
    const bool number = c != 1 && c != -1;
    const auto below_count = static_cast<std::size_t>(std::count_if(
        factors.begin(), factors.end(), [](const FactorPiece& f) { return f.exponent > 0; }));
    const std::size_t above_count = factors.size() - below_count + (number ? 1 : 0);
    // Alone above or below a bar nothing needs brackets.
    const bool bare_above = n_.signs.stacked && below_count > 0 && above_count == 1;
    const bool bare_below = n_.signs.stacked && below_count == 1;
    std::vector<TextPiece> above, below;
    if (number) {
      above.push_back({n_.number(std::abs(c)).body});
      above.back().digit = true;
    }
    for (const auto& [p, exponent] : factors) {
      if (exponent > 0) {
        below.push_back(
            number_power(p, exponent, bare_below ? Binding::comparison : Binding::power));
      } else {
        above.push_back({bare_above ? n_.whole(p) : n_.bracketed(p, Binding::power)});
        above.back().digit = p.digit && p.binding >= Binding::power && !bare_above;
      }
    }
    if (above.empty()) above.push_back({n_.number(1).body});
    const std::string top = n_.side_by_side(above);
    if (below.empty()) return {top, Binding::product, c < 0, above.front().digit};
    return {n_.quotient(top, n_.side_by_side(below), below.size() > 1), Binding::product, c < 0};
  }

  /// base^exponent for a positive number; a base to the power 1 gets brackets below `at_least`.
  TextPiece number_power(const TextPiece& base, double exponent, Binding at_least) const {
    if (exponent == 1) {
      if (at_least == Binding::comparison) return {n_.whole(base), base.binding, false, base.digit};
      return {n_.bracketed(base, at_least), Binding::power, false,
              base.digit && base.binding >= at_least};
    }
    if (std::optional<TextPiece> root = n_.root(base, exponent)) return *std::move(root);
    const TextPiece above = n_.number(exponent);
    if (base.function != Kind::constant && std::trunc(exponent) == exponent) {
      return {n_.function_power(base, above), Binding::power};
    }
    return {n_.power(n_.bracketed(base, Binding::atom), above), Binding::power, false, base.digit};
  }

  TextPiece power_of(const TextPiece& base, const Expr& exponent, const TextPiece& above) const {
    if (exponent.is_constant() && exponent.value() < 0) {
      const Binding alone = n_.signs.stacked ? Binding::comparison : Binding::power;
      return {n_.reciprocal(number_power(base, -exponent.value(), alone).body), Binding::product};
    }
    if (exponent.is_constant()) return number_power(base, exponent.value(), Binding::power);
    return {n_.power(n_.bracketed(base, Binding::atom), above), Binding::power, false, base.digit};
  }

  // --- written forms ---

  std::vector<TextPiece> written_parts(std::span<const Expr> args) {
    return parts(args, [this](const Expr& a) { return written(a); });
  }

  TextPiece operation(const Written& form) {
    switch (form.op) {
      case Written::Op::sum:
        return written_sum(form);
      case Written::Op::product:
        return written_product(form);
      case Written::Op::power:
        return written_power(form);
      case Written::Op::function:
        if (form.function == Kind::less || form.function == Kind::less_equal) {
          return comparison(form.function, written(form.args[0]), written(form.args[1]));
        }
        return n_.function(form.function, written_parts(form.args));
      case Written::Op::call:
        return n_.call(form.name, form.orders, n_.list(written_parts(form.args)));
      case Written::Op::derivative:
        return derivative(form);
      case Written::Op::divergence:
        return divergence(form);
    }
    return {};
  }

  TextPiece times(const Expr& coefficient, std::vector<FactorPiece> factors) const {
    return product_of(
        coefficient, [this](const Expr& e) { return canonical(e); }, std::move(factors));
  }

  /// Sums inside, which are not the first term, keep their brackets.
  TextPiece written_sum(const Written& form) {
    std::vector<TextPiece> terms = written_parts(form.args);
    for (std::size_t i = 1; i < terms.size(); ++i) {
      if (terms[i].binding == Binding::sum) terms[i] = {n_.brackets(n_.whole(terms[i]))};
    }
    return sum_of(terms);
  }

  TextPiece written_power(const Written& form) {
    const TextPiece base = written(form.args[0]), exponent = written(form.args[1]);
    if (n_.signs.stacked || !exponent.negative) return power_of(base, form.args[1], exponent);
    return {n_.power(n_.bracketed(base, Binding::atom), exponent), Binding::power};
  }

  TextPiece written_product(const Written& form) {
    if (!n_.signs.stacked) return chain(form);
    const bool starts_plain = form.args[0].written() == nullptr;
    std::vector<FactorPiece> factors;
    for (std::size_t i = starts_plain ? 1 : 0; i < form.args.size(); ++i) {
      factors.push_back({written(form.args[i]), form.divides[i] ? 1.0 : 0.0});
    }
    return times(starts_plain ? form.args[0] : Expr(1), std::move(factors));
  }

  /// Operands in their order, x/y*d(u^2, x)/3.
  TextPiece chain(const Written& form) {
    const bool minus = form.args[0].is_constant(-1) && !form.divides[1];
    TextPiece out{"", Binding::product, minus};
    for (std::size_t i = minus ? 1 : 0; i < form.args.size(); ++i) {
      const TextPiece p = written(form.args[i]);
      if (i == 0 && p.binding >= Binding::product) {
        out.body = p.body;
        out.negative = p.negative;
        continue;
      }
      if (!out.body.empty()) out.body += form.divides[i] ? n_.signs.over : n_.signs.times;
      out.body += n_.bracketed(p, Binding::power);
    }
    return out;
  }

  TextPiece derivative(const Written& outermost) {
    Steps by;
    const Written* form = &outermost;
    Expr inner;
    for (; form != nullptr && form->op == Written::Op::derivative; form = inner.written()) {
      by.emplace_back(form->coordinates[0].name(), 1);
      inner = form->args[0];
    }
    std::reverse(by.begin(), by.end());
    return n_.derivative(written(inner), collected(by));
  }

  static Steps collected(const Steps& by) {
    Steps steps;
    for (const auto& [name, order] : by) {
      if (!steps.empty() && steps.back().first == name) {
        steps.back().second += order;
      } else {
        steps.emplace_back(name, order);
      }
    }
    return steps;
  }

  TextPiece divergence(const Written& form) {
    if (!n_.is_space(form.coordinates)) {
      std::vector<TextPiece> terms;
      for (std::size_t i = 0; i < form.args.size(); ++i) {
        terms.push_back(n_.derivative(written(form.args[i]), {{form.coordinates[i].name(), 1}}));
      }
      return sum_of(terms);
    }
    const GradientForm g = gradient_form(form.args, form.coordinates);
    if (!g.found) return n_.divergence(n_.vector(written_parts(form.args)));
    const TextPiece potential = written(g.potential);
    if (g.coefficient.is_constant(1)) return n_.laplacian(potential);
    const FactorPiece gradient{n_.gradient(potential)};
    if (g.coefficient.written() == nullptr) {
      return n_.divergence(times(g.coefficient, {gradient}));
    }
    return n_.divergence(times(Expr(1), {{written(g.coefficient)}, gradient}));
  }

  const Notation& n_;
  std::unordered_map<const Written*, std::pair<Expr, TextPiece>> forms_;  // kept alive, its piece
  std::size_t total_ = 0;
};

}  // namespace

std::string Notation::list(std::span<const TextPiece> parts) const {
  std::string out;
  for (const TextPiece& p : parts) {
    if (!out.empty()) out += signs.comma;
    out += whole(p);
  }
  return out;
}

int root_of(double exponent) {
  constexpr double largest = 12;
  const double n = std::round(1 / exponent);
  return n >= 2 && n <= largest && exponent == 1 / n ? static_cast<int>(n) : 0;
}

std::string print_tree(const Expr& e, const Notation& notation) {
  return notation.whole(TreePrinter(notation).canonical(e));
}

std::string print_written(const Expr& e, const Notation& notation) {
  return notation.whole(TreePrinter(notation).written(e));
}

}  // namespace cauchy::detail
