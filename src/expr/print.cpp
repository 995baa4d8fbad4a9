#include <cauchy/expr/print.hpp>

#include <array>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/parse.hpp>

#include "expr/builtin.hpp"
#include "expr/node.hpp"
#include "expr/text_piece.hpp"

namespace cauchy {
namespace {

using detail::Binding;
using detail::TextPiece;

class Printer {
 public:
  Printer(const Expr& root, const Context* context) : context_(context) {
    order_ = postorder(std::array{root});
    std::set<std::string> coordinates;
    for (const Expr& e : order_) {
      if (!e.name().empty()) names_.insert(e.name());
      if (e.kind() == Kind::coordinate) coordinates.insert(e.name());
      for (const auto& [name, order] : e.index()) coordinates.insert(name);
    }
    if (context != nullptr) {
      coordinates.insert(context->coordinates().begin(), context->coordinates().end());
    }
    names_.insert(coordinates.begin(), coordinates.end());
    coordinates_.assign(coordinates.begin(), coordinates.end());
  }

  std::string print() {
    // A text goes as soon as its last user has taken it: memory stays near that of the result.
    std::unordered_map<const void*, int> uses;
    for (const Expr& e : order_) {
      for (const Expr& a : used_by(e)) ++uses[a.id()];
    }
    std::size_t total = 0;
    for (const Expr& e : order_) {
      TextPiece t = node(e);
      total += t.text.size();
      if (total > detail::max_printed_text) {
        throw Error("expression is too large to print (more than 16 MB as text)", "[expr.print]");
      }
      texts_.emplace(e.id(), std::move(t));
      for (const Expr& a : used_by(e)) {
        if (--uses[a.id()] > 0) continue;
        const auto used = texts_.find(a.id());
        total -= used->second.text.size();
        texts_.erase(used);
      }
    }
    return texts_.at(order_.back().id()).text;
  }

 private:
  /// The nodes whose text this node takes: a product writes x^(-2) below the bar from x itself.
  static std::vector<Expr> used_by(const Expr& e) {
    std::vector<Expr> nodes(e.args().begin(), e.args().end());
    if (e.kind() != Kind::mul) return nodes;
    for (const Expr& factor : e.args()) {
      if (factor.kind() == Kind::pow) nodes.push_back(factor.args()[0]);
    }
    return nodes;
  }

  const TextPiece& of(const Expr& e) const { return texts_.at(e.id()); }

  std::string bracketed(const Expr& e, Binding at_least) const {
    const TextPiece& t = of(e);
    const bool plain = t.binding >= at_least && !t.negative;
    return plain ? t.text : fmt::format("({})", t.text);
  }

  TextPiece node(const Expr& e) const {
    switch (e.kind()) {
      case Kind::constant:
        return {number_to_string(e.value()), Binding::atom, e.value() < 0};
      case Kind::named:
        return {e.name() == "e" ? "exp(1)" : e.name(), Binding::atom};
      case Kind::field:
        return {derivative(e), Binding::atom};
      case Kind::call:
        return {call(e), Binding::atom};
      case Kind::add:
        return add(e);
      case Kind::mul:
        return mul(e);
      case Kind::pow:
        return power(e);
      case Kind::less:
        return comparison(e, " < ");
      case Kind::less_equal:
        return comparison(e, " <= ");
      default:
        if (e.args().empty()) return {e.name(), Binding::atom};
        return {fmt::format("{}({})", function_name(e.kind()), list(e)), Binding::atom};
    }
  }

  std::string list(const Expr& e) const {
    std::string out;
    for (const Expr& a : e.args()) out += fmt::format("{}{}", out.empty() ? "" : ", ", of(a).text);
    return out;
  }

  std::string derivative(const Expr& e) const {
    if (e.index().empty()) return e.name();
    std::string suffix;
    bool short_names = e.name().find('_') == std::string::npos;
    for (const auto& [name, order] : e.index()) {
      short_names = short_names && name.size() == 1 && order <= 8;
      for (int i = 0; i < order && i <= 8; ++i) suffix += name;
    }
    std::string compact = fmt::format("{}_{}", e.name(), suffix);
    const bool declared =
        names_.contains(compact) || (context_ != nullptr && context_->declares(compact));
    if (short_names && !declared && detail::read_suffix(suffix, coordinates_).count == 1) {
      return compact;
    }
    std::string out = fmt::format("d({}", e.name());
    for (const auto& [name, order] : e.index()) {
      out += fmt::format(", {}", name);
      if (order > 1) out += fmt::format(", {}", order);
    }
    return out + ")";
  }

  std::string call(const Expr& e) const {
    std::string orders;
    for (std::size_t i = 0; i < e.call_orders().size(); ++i) {
      for (int k = 0; k < e.call_orders()[i]; ++k) {
        orders += fmt::format("{}{}", orders.empty() ? "" : ",", i + 1);
      }
    }
    if (orders.empty()) return fmt::format("{}({})", e.name(), list(e));
    return fmt::format("D[{}]({})({})", orders, e.name(), list(e));
  }

  TextPiece comparison(const Expr& e, std::string_view symbol) const {
    return {bracketed_side(e.args()[0]) + std::string(symbol) + bracketed_side(e.args()[1]),
            Binding::comparison};
  }
  std::string bracketed_side(const Expr& e) const {
    const TextPiece& t = of(e);
    return t.binding > Binding::comparison ? t.text : fmt::format("({})", t.text);
  }

  TextPiece add(const Expr& e) const {
    std::string out;
    for (const Expr& term : e.args()) {
      const TextPiece& t = of(term);
      const std::string body =
          t.binding == Binding::comparison ? fmt::format("({})", t.text) : t.text;
      if (out.empty()) {
        out = body;
      } else if (t.negative) {
        out += fmt::format(" - {}", body.substr(1));
      } else {
        out += fmt::format(" + {}", body);
      }
    }
    return {out, Binding::sum, out.front() == '-'};
  }

  TextPiece mul(const Expr& e) const {
    const auto [c, rest] = detail::split_coefficient(e);
    const auto factors = e.args().subspan(e.args().front().is_constant() ? 1 : 0);
    std::vector<std::string> above, below;
    if (c != 1 && c != -1) above.push_back(number_to_string(std::abs(c)));
    for (const Expr& f : factors) {
      const bool divides =
          f.kind() == Kind::pow && f.args()[1].is_constant() && f.args()[1].value() < 0;
      if (divides) {
        below.push_back(positive_power(f));
      } else {
        above.push_back(bracketed(f, Binding::power));
      }
    }
    if (above.empty()) above.emplace_back("1");
    const std::string_view bar = below.empty() ? "" : below.size() == 1 ? "/" : "/(";
    return {fmt::format("{}{}{}{}{}", c < 0 ? "-" : "", fmt::join(above, "*"), bar,
                        fmt::join(below, "*"), below.size() > 1 ? ")" : ""),
            Binding::product, c < 0};
  }

  /// base^(-exponent) of a power with a negative number as exponent, to stand below a bar.
  std::string positive_power(const Expr& e) const {
    return power_text(e.args()[0], -e.args()[1].value());
  }

  std::string power_text(const Expr& base, double exponent) const {
    if (exponent == 1) return bracketed(base, Binding::power);
    if (exponent == 0.5) return fmt::format("sqrt({})", of(base).text);
    return fmt::format("{}^{}", bracketed(base, Binding::atom), number_to_string(exponent));
  }

  TextPiece power(const Expr& e) const {
    const Expr& base = e.args()[0];
    const Expr& exponent = e.args()[1];
    if (!exponent.is_constant()) {
      return {
          fmt::format("{}^{}", bracketed(base, Binding::atom), bracketed(exponent, Binding::atom)),
          Binding::power};
    }
    if (exponent.value() < 0) return {fmt::format("1/{}", positive_power(e)), Binding::product};
    const std::string text = power_text(base, exponent.value());
    return {text, exponent.value() == 0.5 ? Binding::atom : Binding::power};
  }

  const Context* context_;
  std::vector<Expr> order_;
  std::set<std::string> names_;           // of the atoms, functions and coordinates
  std::vector<std::string> coordinates_;  // that a suffix may be made of
  std::unordered_map<const void*, TextPiece> texts_;
};

}  // namespace

std::string number_to_string(double value) { return fmt::format("{}", value); }

std::string to_string(const Expr& e, const Context* context) { return Printer(e, context).print(); }

std::string to_string(const Equation& equation, const Context* context) {
  return to_string(equation.left, context) + " = " + to_string(equation.right, context);
}

}  // namespace cauchy
