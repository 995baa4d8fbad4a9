// What a written form tells: gradients inside divergences, summands with their outermost
// derivative.
#include <algorithm>
#include <set>
#include <span>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>

#include "expr/rewrite.hpp"
#include "expr/written_form.hpp"

namespace cauchy {
namespace {

using detail::WrittenOp;

class WrittenComparison {
 public:
  bool operator()(const Expr& a, const Expr& b) {
    const Written *p = a.written(), *q = b.written();
    if (!same(a, b)) return false;
    if (p == q) return true;
    if (p == nullptr || q == nullptr) return false;
    if (equal_.contains({p, q})) return true;
    if (p->op != q->op || p->args.size() != q->args.size() || p->divides != q->divides ||
        p->function != q->function || p->name != q->name || p->orders != q->orders ||
        !std::equal(p->coordinates.begin(), p->coordinates.end(), q->coordinates.begin(),
                    q->coordinates.end(), same)) {
      return false;
    }
    for (std::size_t i = 0; i < p->args.size(); ++i) {
      if (!(*this)(p->args[i], q->args[i])) return false;
    }
    return equal_.insert({p, q}).second;
  }

 private:
  std::set<std::pair<const Written*, const Written*>> equal_;  // known already
};

/// c * d(w, x), read from a term.
struct Slope {
  Expr coefficient, potential;
};

/// The field whose derivative by x this is; 0 for everything else.
Expr lowered(const Expr& factor, const std::string& x) {
  if (factor.kind() != Kind::field) return Expr(0);
  MultiIndex index = factor.index();
  for (auto& [name, order] : index) {
    if (name != x) continue;
    --order;
    return field_derivative(factor.name(), std::move(index));
  }
  return Expr(0);
}

Expr product_without(const std::vector<Expr>& factors, std::size_t i) {
  std::vector<Expr> others = factors;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
  return product(std::move(others));
}

/// Every way to read e as c * d(w, x).
std::vector<Slope> slopes(const Expr& e, const Expr& x) {
  const Written* form = e.written();
  const bool chain = form != nullptr && form->op == WrittenOp::product;
  const std::vector<Expr> operands = chain ? form->args : std::vector{e};
  std::vector<Slope> found;
  // The potential is found in operand i, of which `rest` is left.
  const auto add = [&](std::size_t i, const Expr& rest, const Expr& potential) {
    Expr c = 1;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Expr& factor = k == i ? rest : operands[k];
      c = chain && form->divides[k] ? c / factor : c * factor;
    }
    found.push_back({c, potential});
  };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (chain && form->divides[i]) continue;
    const Written* f = operands[i].written();
    if (f == nullptr) {
      const std::vector<Expr> factors = detail::factors_of(operands[i]);
      for (std::size_t k = 0; k < factors.size(); ++k) {
        const Expr potential = lowered(factors[k], x.name());
        if (!potential.is_constant()) add(i, product_without(factors, k), potential);
      }
    } else if (f->op == WrittenOp::derivative && same(f->coordinates[0], x)) {
      add(i, Expr(1), f->args[0]);
    }
  }
  return found;
}

class SummandList {
 public:
  void add(const Expr& coefficient, const Expr& e) {
    const Written* form = e.written();
    if (form == nullptr) {
      for (const Expr& term : detail::terms_of(e)) add_plain(coefficient * term);
    } else if (form->op == WrittenOp::sum) {
      for (const Expr& term : form->args) add(coefficient, term);
    } else if (form->op == WrittenOp::derivative || form->op == WrittenOp::divergence) {
      push({coefficient, form->args, form->coordinates});
    } else if (form->op == WrittenOp::product) {
      add_product(coefficient, e);
    } else {
      push({coefficient * plain(e), {}, {}});
    }
  }

  std::vector<Summand> take() && { return std::move(list_); }

 private:
  void push(Summand s) {
    constexpr std::size_t most = 100'000;
    if (list_.size() == most) {
      throw Error(ErrorKind::unsupported, "more than 100,000 summands", "[expr.summands]");
    }
    list_.push_back(std::move(s));
  }

  /// The one written factor is opened; several of them have no outermost derivative.
  void add_product(const Expr& coefficient, const Expr& e) {
    const Written& form = *e.written();
    Expr c = coefficient;
    const Expr* inner = nullptr;
    for (std::size_t i = 0; i < form.args.size(); ++i) {
      const Expr factor = plain(form.args[i]);
      if (form.divides[i]) {
        c = c / factor;
      } else if (form.args[i].written() == nullptr) {
        c = c * factor;
      } else if (inner == nullptr) {
        inner = &form.args[i];
      } else {
        return push({coefficient * plain(e), {}, {}});
      }
    }
    if (inner == nullptr) return push({coefficient * plain(e), {}, {}});
    add(c, *inner);
  }

  void add_plain(const Expr& term) {
    const std::vector<Expr> factors = detail::factors_of(term);
    std::size_t n = 0, at = 0;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (factors[i].index().empty()) continue;
      ++n;
      at = i;
    }
    if (n == 0) return add_sum(term, factors);
    if (n != 1) return push({term, {}, {}});
    const std::string& by = factors[at].index().back().first;
    push({product_without(factors, at), {lowered(factors[at], by)}, {Coordinate(by)}});
  }

  /// c*(u_xx + u_yy): the one factor that is a sum with derivatives is opened.
  void add_sum(const Expr& term, const std::vector<Expr>& factors) {
    std::size_t n = 0, at = 0;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const std::vector<Expr> inside = field_atoms(std::span(factors).subspan(i, 1));
      const bool derivative = std::any_of(inside.begin(), inside.end(),
                                          [](const Expr& a) { return !a.index().empty(); });
      if (!derivative) continue;
      ++n;
      at = i;
    }
    if (n != 1 || factors[at].kind() != Kind::add) return push({term, {}, {}});
    const Expr c = product_without(factors, at);
    for (const Expr& inner : detail::terms_of(factors[at])) add_plain(c * inner);
  }

  std::vector<Summand> list_;
};

}  // namespace

bool same_written(const Expr& a, const Expr& b) { return WrittenComparison()(a, b); }

GradientForm gradient_form(const std::vector<Expr>& v, const std::vector<Expr>& coordinates) {
  if (v.empty() || v.size() != coordinates.size()) return {};
  for (const Slope& first : slopes(v[0], coordinates[0])) {
    bool all = true;
    for (std::size_t i = 1; all && i < v.size(); ++i) {
      const std::vector<Slope> others = slopes(v[i], coordinates[i]);
      all = std::any_of(others.begin(), others.end(), [&](const Slope& s) {
        return same_written(s.coefficient, first.coefficient) &&
               same_written(s.potential, first.potential);
      });
    }
    if (all) return {first.coefficient, first.potential, true};
  }
  return {};
}

Expr Summand::value() const {
  if (is_plain()) return coefficient;
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < flux.size(); ++i) terms.push_back(d(plain(flux[i]), by[i]));
  return plain(coefficient * sum(std::move(terms)));
}

std::vector<Summand> summands(const Expr& e) {
  SummandList list;
  list.add(Expr(1), e);
  return std::move(list).take();
}

std::vector<Summand> summands(const Equation& equation) {
  SummandList list;
  list.add(Expr(1), equation.left);
  list.add(Expr(-1), equation.right);
  return std::move(list).take();
}

}  // namespace cauchy
