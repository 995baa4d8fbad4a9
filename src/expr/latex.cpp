#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>

#include "expr/latex_names.hpp"
#include "expr/text_piece.hpp"

namespace cauchy {
namespace {

using detail::Binding;
using detail::name_text;
using detail::script;
using detail::split_name;
using detail::TextPiece;

/// Round brackets, growing ones around tall text.
std::string brackets(const std::string& text) {
  for (const char* tall : {"\\frac", "\\sqrt", "\\begin", "\\left", "^"}) {
    if (text.find(tall) != std::string::npos) return fmt::format("\\left({}\\right)", text);
  }
  return fmt::format("({})", text);
}

TextPiece number(double value) {
  const std::string digits = number_to_string(value);
  const std::size_t e = digits.find('e');
  if (e == std::string::npos) return {digits, Binding::atom, value < 0};
  const std::string mantissa = digits.substr(0, e);
  const std::string power =
      fmt::format("10^{}", script(std::to_string(std::stoi(digits.substr(e + 1)))));
  if (mantissa == "1") return {power, Binding::power};
  if (mantissa == "-1") return {fmt::format("-{}", power), Binding::power, true};
  return {fmt::format("{} \\cdot {}", mantissa, power), Binding::product, value < 0};
}

std::string_view function_command(Kind kind) {
  switch (kind) {
    case Kind::asin:
      return "\\arcsin";
    case Kind::acos:
      return "\\arccos";
    case Kind::atan:
      return "\\arctan";
    case Kind::erf:
      return "\\operatorname{erf}";
    case Kind::sign:
      return "\\operatorname{sign}";
    case Kind::log:
      return "\\log";
    case Kind::sin:
      return "\\sin";
    case Kind::cos:
      return "\\cos";
    case Kind::tan:
      return "\\tan";
    case Kind::sinh:
      return "\\sinh";
    case Kind::cosh:
      return "\\cosh";
    case Kind::tanh:
      return "\\tanh";
    case Kind::min:
      return "\\min";
    case Kind::max:
      return "\\max";
    default:
      return {};
  }
}

/// Functions whose power is written between name and argument, sin^2(x).
bool takes_power(Kind kind) { return kind >= Kind::log && kind <= Kind::erf; }

class LatexPrinter {
 public:
  std::string print(const Expr& root) {
    std::size_t total = 0;
    for (const Expr& e : postorder(std::array{root})) {
      TextPiece t = node(e);
      total += t.text.size();
      if (total > detail::max_printed_text) {
        throw Error("expression is too large to print (more than 16 MB as text)", "[expr.latex]");
      }
      texts_.emplace(e.id(), std::move(t));
    }
    return of(root).text;
  }

 private:
  const TextPiece& of(const Expr& e) const { return texts_.at(e.id()); }

  std::string bracketed(const Expr& e, Binding at_least) const {
    const TextPiece& t = of(e);
    return t.binding >= at_least && !t.negative ? t.text : brackets(t.text);
  }

  TextPiece node(const Expr& e) const {
    switch (e.kind()) {
      case Kind::constant:
        return number(e.value());
      case Kind::named:
        return {e.name() == "e" ? "e" : "\\pi", Binding::atom};
      case Kind::field:
        return derivative(e);
      case Kind::call:
        return call(e);
      case Kind::add:
        return add(e);
      case Kind::mul:
        return mul(e);
      case Kind::pow:
        return power(e);
      case Kind::exp:
        return {fmt::format("e^{}", script(of(e.args()[0]).text)), Binding::power};
      case Kind::abs:
        return {fmt::format("\\left|{}\\right|", of(e.args()[0]).text), Binding::atom};
      case Kind::less:
        return comparison(e, "<");
      case Kind::less_equal:
        return comparison(e, "\\le");
      case Kind::where:
        return cases(e);
      default:
        if (e.args().empty()) return {name_text(e.name()), Binding::atom};
        return {fmt::format("{}{}", function_command(e.kind()), brackets(list(e))), Binding::power};
    }
  }

  std::string list(const Expr& e) const {
    std::string out;
    for (const Expr& a : e.args()) {
      if (!out.empty()) out += ", ";
      out += of(a).text;
    }
    return out;
  }

  static TextPiece derivative(const Expr& e) {
    constexpr int longest_suffix = 8;
    if (e.index().empty()) return {name_text(e.name()), Binding::atom};
    if (total_order(e.index()) > longest_suffix) {
      std::string out;
      for (const auto& [name, order] : e.index()) {
        out += fmt::format("\\partial_{}", script(name_text(name)));
        if (order > 1) out += fmt::format("^{}", script(std::to_string(order)));
        out += ' ';
      }
      return {out + name_text(e.name()), Binding::power};
    }
    std::string suffix;
    bool letters = true;
    for (const auto& [name, order] : e.index()) letters = letters && name_text(name).size() == 1;
    for (const auto& [name, order] : e.index()) {
      for (int i = 0; i < order; ++i) {
        if (!letters && !suffix.empty()) suffix += ' ';
        suffix += name_text(name);
      }
    }
    const auto [base, subscript] = split_name(e.name());
    if (!subscript.empty()) suffix = fmt::format("{},{}", subscript, suffix);
    return {fmt::format("{}_{}", base, script(suffix)), Binding::atom};
  }

  TextPiece call(const Expr& e) const {
    std::string operators;
    for (std::size_t i = 0; i < e.call_orders().size(); ++i) {
      const int order = e.call_orders()[i];
      if (order == 0) continue;
      operators += fmt::format("\\partial_{}", script(std::to_string(i + 1)));
      if (order > 1) operators += fmt::format("^{}", script(std::to_string(order)));
      operators += ' ';
    }
    return {fmt::format("{}{}{}", operators, name_text(e.name()), brackets(list(e))),
            Binding::power};
  }

  TextPiece comparison(const Expr& e, std::string_view symbol) const {
    const auto side = [&](const Expr& a) {
      return of(a).binding > Binding::comparison ? of(a).text : brackets(of(a).text);
    };
    return {fmt::format("{} {} {}", side(e.args()[0]), symbol, side(e.args()[1])),
            Binding::comparison};
  }

  TextPiece cases(const Expr& e) const {
    const auto args = e.args();
    const bool plain = args[0].kind() == Kind::less || args[0].kind() == Kind::less_equal;
    const std::string condition =
        plain ? of(args[0]).text : fmt::format("{} \\ne 0", bracketed(args[0], Binding::sum));
    return {fmt::format("\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} "
                        "\\end{{cases}}",
                        of(args[1]).text, condition, of(args[2]).text),
            Binding::product};
  }

  TextPiece add(const Expr& e) const {
    std::string out;
    for (const Expr& term : e.args()) {
      const TextPiece& t = of(term);
      const std::string body = t.binding == Binding::comparison ? brackets(t.text) : t.text;
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

  /// Factors side by side. A factor that starts with a digit needs a dot before it.
  static void append_factor(std::string& out, const std::string& factor) {
    if (!out.empty()) out += (factor.front() >= '0' && factor.front() <= '9') ? " \\cdot " : " ";
    out += factor;
  }

  /// Derivatives stand behind plain factors, v u_y, and sums behind both.
  static int reading_rank(const Expr& factor) {
    const Expr& base = factor.kind() == Kind::pow ? factor.args()[0] : factor;
    if (base.kind() == Kind::add) return 2;
    return base.kind() == Kind::field && !base.index().empty() ? 1 : 0;
  }

  TextPiece mul(const Expr& e) const {
    const bool has_number = e.args().front().is_constant();
    const double c = has_number ? e.args().front().value() : 1;
    std::vector<Expr> factors(e.args().begin() + (has_number ? 1 : 0), e.args().end());
    std::stable_sort(factors.begin(), factors.end(), [](const Expr& a, const Expr& b) {
      return reading_rank(a) < reading_rank(b);
    });
    std::vector<std::string> above, below;
    const Expr* only_above = nullptr;
    if (c != 1 && c != -1) above.push_back(number(std::abs(c)).text);
    for (const Expr& f : factors) {
      if (is_divisor(f)) {
        below.push_back(power_text(f.args()[0], -f.args()[1].value(), Binding::power));
      } else {
        only_above = &f;
        above.push_back(bracketed(f, Binding::power));
      }
    }
    if (below.size() == 1) below[0] = lone_divisor(factors);
    // Alone above the bar nothing needs brackets.
    if (above.size() == 1 && only_above != nullptr && !below.empty())
      above[0] = of(*only_above).text;
    std::string top, bottom;
    for (const std::string& f : above) append_factor(top, f);
    for (const std::string& f : below) append_factor(bottom, f);
    if (top.empty()) top = "1";
    const std::string body = below.empty() ? top : fmt::format("\\frac{{{}}}{{{}}}", top, bottom);
    return {fmt::format("{}{}", c < 0 ? "-" : "", body), Binding::product, c < 0};
  }

  static bool is_divisor(const Expr& f) {
    return f.kind() == Kind::pow && f.args()[1].is_constant() && f.args()[1].value() < 0;
  }

  /// The only divisor among the factors, alone below the bar.
  std::string lone_divisor(std::span<const Expr> factors) const {
    for (const Expr& f : factors) {
      if (is_divisor(f)) {
        return power_text(f.args()[0], -f.args()[1].value(), Binding::comparison);
      }
    }
    return {};
  }

  /// base^exponent for a positive number; a base to the power 1 gets brackets below `at_least`.
  std::string power_text(const Expr& base, double exponent, Binding at_least) const {
    constexpr double largest_root = 12;
    if (exponent == 1) {
      return at_least == Binding::comparison ? of(base).text : bracketed(base, at_least);
    }
    if (exponent == 0.5) return fmt::format("\\sqrt{{{}}}", of(base).text);
    const double root = std::round(1 / exponent);
    if (root > 2 && root <= largest_root && exponent == 1 / root) {
      return fmt::format("\\sqrt[{}]{{{}}}", number_to_string(root), of(base).text);
    }
    const std::string above = script(number(exponent).text);
    if (takes_power(base.kind()) && std::trunc(exponent) == exponent) {
      return fmt::format("{}^{}{}", function_command(base.kind()), above, brackets(list(base)));
    }
    return fmt::format("{}^{}", bracketed(base, Binding::atom), above);
  }

  TextPiece power(const Expr& e) const {
    const Expr& base = e.args()[0];
    const Expr& exponent = e.args()[1];
    if (!exponent.is_constant()) {
      return {fmt::format("{}^{}", bracketed(base, Binding::atom), script(of(exponent).text)),
              Binding::power};
    }
    if (is_divisor(e)) {
      const std::string below = power_text(base, -exponent.value(), Binding::comparison);
      return {fmt::format("\\frac{{1}}{{{}}}", below), Binding::product};
    }
    return {power_text(base, exponent.value(), Binding::power), Binding::power};
  }

  std::unordered_map<const void*, TextPiece> texts_;
};

}  // namespace

std::string to_latex(const Expr& e) { return LatexPrinter().print(e); }

std::string to_latex(const Equation& equation) {
  return fmt::format("{} = {}", to_latex(equation.left), to_latex(equation.right));
}

}  // namespace cauchy
