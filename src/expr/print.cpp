#include <cauchy/expr/print.hpp>

#include <array>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/parse.hpp>

#include "expr/node.hpp"

namespace cauchy {
namespace {

constexpr std::size_t max_text = 16u << 20;

/// How tightly the outermost operation of a text binds.
enum class Binding { comparison, sum, product, power, atom };

struct Text {
  std::string text;
  Binding binding;
  bool negative = false;  // starts with a minus sign
};

/// Names that would be read as something else than a derivative.
bool reads_as_name(const std::string& name, const std::set<std::string>& occurring,
                   const Context* context) {
  return occurring.contains(name) || (context != nullptr && context->declares(name));
}

class Printer {
 public:
  Printer(const Expr& root, const Context* context) : context_(context) {
    order_ = postorder(std::array{root});
    for (const Expr& e : order_) {
      if (!e.name().empty()) names_.insert(e.name());
    }
  }

  std::string print() {
    std::size_t total = 0;
    for (const Expr& e : order_) {
      Text t = node(e);
      total += t.text.size();
      if (total > max_text) {
        throw Error("expression is too large to print (more than 16 MB as text)", "[expr.print]");
      }
      texts_.emplace(e.id(), std::move(t));
    }
    return texts_.at(order_.back().id()).text;
  }

 private:
  const Text& of(const Expr& e) const { return texts_.at(e.id()); }

  std::string bracketed(const Expr& e, Binding at_least) const {
    const Text& t = of(e);
    const bool plain = t.binding >= at_least && !t.negative;
    return plain ? t.text : "(" + t.text + ")";
  }

  Text node(const Expr& e) const {
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
    for (const Expr& a : e.args()) out += (out.empty() ? "" : ", ") + of(a).text;
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
    std::string compact = e.name() + "_" + suffix;
    if (short_names && !reads_as_name(compact, names_, context_)) return compact;
    std::string out = "d(" + e.name();
    for (const auto& [name, order] : e.index()) {
      out += ", " + name;
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

  Text comparison(const Expr& e, std::string_view symbol) const {
    return {bracketed_side(e.args()[0]) + std::string(symbol) + bracketed_side(e.args()[1]),
            Binding::comparison};
  }
  std::string bracketed_side(const Expr& e) const {
    const Text& t = of(e);
    return t.binding > Binding::comparison ? t.text : "(" + t.text + ")";
  }

  Text add(const Expr& e) const {
    std::string out;
    for (const Expr& term : e.args()) {
      const Text& t = of(term);
      const std::string body = t.binding == Binding::comparison ? "(" + t.text + ")" : t.text;
      if (out.empty()) {
        out = body;
      } else if (t.negative) {
        out += " - " + body.substr(1);
      } else {
        out += " + " + body;
      }
    }
    return {out, Binding::sum, out.front() == '-'};
  }

  Text mul(const Expr& e) const {
    const auto [c, rest] = detail::split_coefficient(e);
    const auto factors = e.args().subspan(e.args().front().is_constant() ? 1 : 0);
    std::string above = c == 1 || c == -1 ? "" : number_to_string(std::abs(c));
    std::string below;
    int n_below = 0;
    for (const Expr& f : factors) {
      if (f.kind() == Kind::pow && f.args()[1].is_constant() && f.args()[1].value() < 0) {
        below += (below.empty() ? "" : "*") + positive_power(f);
        ++n_below;
      } else {
        above += (above.empty() ? "" : "*") + bracketed(f, Binding::power);
      }
    }
    if (above.empty()) above = "1";
    if (n_below == 1) above += "/" + below;
    if (n_below > 1) above += "/(" + below + ")";
    return {(c < 0 ? "-" : "") + above, Binding::product, c < 0};
  }

  /// base^(-exponent) of a power with a negative number as exponent, to stand below a bar.
  std::string positive_power(const Expr& e) const {
    return power_text(e.args()[0], -e.args()[1].value());
  }

  std::string power_text(const Expr& base, double exponent) const {
    if (exponent == 1) return bracketed(base, Binding::power);
    if (exponent == 0.5) return "sqrt(" + of(base).text + ")";
    return bracketed(base, Binding::atom) + "^" + number_to_string(exponent);
  }

  Text power(const Expr& e) const {
    const Expr& base = e.args()[0];
    const Expr& exponent = e.args()[1];
    if (!exponent.is_constant()) {
      return {bracketed(base, Binding::atom) + "^" + bracketed(exponent, Binding::atom),
              Binding::power};
    }
    if (exponent.value() < 0) return {"1/" + positive_power(e), Binding::product};
    const std::string text = power_text(base, exponent.value());
    return {text, exponent.value() == 0.5 ? Binding::atom : Binding::power};
  }

  const Context* context_;
  std::vector<Expr> order_;
  std::set<std::string> names_;
  std::unordered_map<const void*, Text> texts_;
};

}  // namespace

std::string number_to_string(double value) { return fmt::format("{}", value); }

std::string to_string(const Expr& e, const Context* context) { return Printer(e, context).print(); }

std::string to_string(const Equation& equation, const Context* context) {
  return to_string(equation.left, context) + " = " + to_string(equation.right, context);
}

}  // namespace cauchy
