#include <cauchy/report/mathml.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>

#include "report/mathml_names.hpp"

namespace cauchy {
namespace {

using detail::split_mathml_name;

constexpr std::size_t max_text = 4u << 20;
constexpr std::string_view apply = "<mo>&#x2061;</mo>", times = "<mo>&#x2062;</mo>";

/// How tightly the outermost operation binds.
enum class Binding { comparison, sum, product, power, atom };

/// Elements side by side; a minus sign in front is kept apart so that sums can turn it into theirs.
struct Part {
  std::string body;
  Binding binding = Binding::atom;
  bool negative = false;
  bool digit = false;  // starts with a number

  [[nodiscard]] std::string whole() const { return negative ? "<mo>&#x2212;</mo>" + body : body; }
};

std::string row(std::string_view content) { return fmt::format("<mrow>{}</mrow>", content); }

/// Round brackets, growing ones around tall content only.
std::string brackets(std::string_view content) {
  for (const char* tall : {"<mfrac>", "<msqrt>", "<mroot>", "<mtable>"}) {
    if (content.find(tall) != std::string_view::npos) {
      return fmt::format("<mrow><mo>(</mo>{}<mo>)</mo></mrow>", content);
    }
  }
  return fmt::format("<mrow><mo stretchy=\"false\">(</mo>{}<mo stretchy=\"false\">)</mo></mrow>",
                     content);
}

/// p/q for numbers such as 1/3, whose decimals do not end.
std::string small_fraction(double value) {
  for (const int q : {3, 6, 7, 9, 11, 12, 13}) {
    const double p = std::round(value * q);
    if (p != 0 && std::abs(p) < 1000 && p / q == value) {
      return fmt::format("<mfrac><mn>{:.0f}</mn><mn>{}</mn></mfrac>", p, q);
    }
  }
  return {};
}

Part number(double value) {
  if (!std::isfinite(value)) {
    if (std::isnan(value)) return {"<mi>NaN</mi>"};
    return {"<mi>&#x221E;</mi>", Binding::atom, value < 0};
  }
  const std::string digits = number_to_string(std::abs(value));
  if (digits.size() > 10) {
    const std::string fraction = small_fraction(std::abs(value));
    if (!fraction.empty()) return {fraction, Binding::product, value < 0};
  }
  const std::size_t e = digits.find('e');
  if (e == std::string::npos) {
    return {fmt::format("<mn>{}</mn>", digits), Binding::atom, value < 0, true};
  }
  const int exponent = std::stoi(digits.substr(e + 1));
  const std::string power =
      fmt::format("<msup><mn>10</mn>{}</msup>", row(number(static_cast<double>(exponent)).whole()));
  const std::string mantissa = digits.substr(0, e);
  if (mantissa == "1") return {power, Binding::power, value < 0, true};
  return {fmt::format("<mn>{}</mn><mo>&#xD7;</mo>{}", mantissa, power), Binding::product, value < 0,
          true};
}

std::string_view function_text(Kind kind) {
  switch (kind) {
    case Kind::asin:
      return "arcsin";
    case Kind::acos:
      return "arccos";
    case Kind::atan:
      return "arctan";
    default:
      return function_name(kind);
  }
}

/// Functions whose power is written between name and argument, sin^2(x).
bool takes_power(Kind kind) { return kind >= Kind::log && kind <= Kind::erf; }

bool is_divisor(const Expr& f) {
  return f.kind() == Kind::pow && f.args()[1].is_constant() && f.args()[1].value() < 0;
}

/// Constants before functions, fields and derivatives, sums last: nu sin(x) v u_y (1 + x).
int reading_rank(const Expr& factor) {
  const Expr& base = factor.kind() == Kind::pow ? factor.args()[0] : factor;
  switch (base.kind()) {
    case Kind::named:
    case Kind::parameter:
      return 0;
    case Kind::field:
      return base.index().empty() ? 2 : 3;
    case Kind::add:
      return 4;
    default:
      return 1;
  }
}

std::string partial(std::string_view by, int order) {
  if (order == 1) return fmt::format("<msub><mo>&#x2202;</mo>{}</msub>", by);
  return fmt::format("<msubsup><mo>&#x2202;</mo>{}<mn>{}</mn></msubsup>", by, order);
}

Part derivative(const Expr& e) {
  constexpr int longest_suffix = 8;
  if (e.index().empty()) return {name_to_mathml(e.name())};
  if (total_order(e.index()) > longest_suffix) {
    std::string out;
    for (const auto& [name, order] : e.index()) out += partial(name_to_mathml(name), order);
    return {out + name_to_mathml(e.name()), Binding::power};
  }
  const bool letters = std::all_of(e.index().begin(), e.index().end(),
                                   [](const auto& by) { return by.first.size() == 1; });
  std::string suffix;
  for (const auto& [name, order] : e.index()) {
    for (int i = 0; i < order; ++i) {
      if (!letters && !suffix.empty()) suffix += "<mspace width=\"0.15em\"/>";
      suffix += name_to_mathml(name);
    }
  }
  const auto [base, subscript] = split_mathml_name(e.name());
  if (!subscript.empty()) suffix = fmt::format("{}<mo>,</mo>{}", subscript, suffix);
  return {fmt::format("<msub>{}{}</msub>", base, row(suffix))};
}

class MathPrinter {
 public:
  std::string print(const Expr& root) {
    std::size_t total = 0;
    for (const Expr& e : postorder(std::array{root})) {
      Part part = node(e);
      total += part.body.size();
      if (total > max_text) {
        throw Error("expression is too large to print (more than 4 MB as text)", "[report.mathml]");
      }
      parts_.emplace(e.id(), std::move(part));
    }
    return row(of(root).whole());
  }

 private:
  const Part& of(const Expr& e) const { return parts_.at(e.id()); }

  std::string bracketed(const Expr& e, Binding at_least) const {
    const Part& p = of(e);
    return p.binding >= at_least && !p.negative ? p.body : brackets(p.whole());
  }

  Part node(const Expr& e) const {
    switch (e.kind()) {
      case Kind::constant:
        return number(e.value());
      case Kind::named:
        return {e.name() == "e" ? "<mi>e</mi>" : "<mi>&#x3C0;</mi>"};
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
        return exponential(e);
      case Kind::abs:
        return {fmt::format("<mrow><mo>|</mo>{}<mo>|</mo></mrow>", of(e.args()[0]).whole())};
      case Kind::less:
        return comparison(e, "&lt;");
      case Kind::less_equal:
        return comparison(e, "&#x2264;");
      case Kind::where:
        return cases(e);
      default:
        if (e.args().empty()) return {name_to_mathml(e.name())};
        return {fmt::format("<mi>{}</mi>{}{}", function_text(e.kind()), apply, brackets(list(e))),
                Binding::power};
    }
  }

  std::string list(const Expr& e) const {
    std::string out;
    for (const Expr& a : e.args()) {
      if (!out.empty()) out += "<mo>,</mo>";
      out += of(a).whole();
    }
    return out;
  }

  /// e^x, but exp(x) where x is tall.
  Part exponential(const Expr& e) const {
    const std::string x = of(e.args()[0]).whole();
    if (x.find("<mfrac>") == std::string::npos && x.find("<mtable>") == std::string::npos) {
      return {fmt::format("<msup><mi>e</mi>{}</msup>", row(x)), Binding::power};
    }
    return {fmt::format("<mi>exp</mi>{}{}", apply, brackets(x)), Binding::power};
  }

  Part call(const Expr& e) const {
    std::string operators;
    for (std::size_t i = 0; i < e.call_orders().size(); ++i) {
      const int order = e.call_orders()[i];
      if (order > 0) operators += partial(fmt::format("<mn>{}</mn>", i + 1), order);
    }
    return {operators + name_to_mathml(e.name()) + std::string(apply) + brackets(list(e)),
            Binding::power};
  }

  Part comparison(const Expr& e, std::string_view symbol) const {
    const auto side = [&](const Expr& a) {
      return of(a).binding > Binding::comparison ? of(a).whole() : brackets(of(a).whole());
    };
    return {fmt::format("{}<mo>{}</mo>{}", side(e.args()[0]), symbol, side(e.args()[1])),
            Binding::comparison};
  }

  Part cases(const Expr& e) const {
    const auto args = e.args();
    const bool plain = args[0].kind() == Kind::less || args[0].kind() == Kind::less_equal;
    const std::string condition =
        plain ? of(args[0]).whole()
              : fmt::format("{}<mo>&#x2260;</mo><mn>0</mn>", bracketed(args[0], Binding::sum));
    constexpr std::string_view cell = "<mtd style=\"text-align:left\">";
    return {fmt::format("<mrow><mo>{{</mo><mtable><mtr>{0}{1}</mtd>{0}<mtext>if&#xA0;</mtext>{2}"
                        "</mtd></mtr><mtr>{0}{3}</mtd>{0}<mtext>otherwise</mtext></mtd></mtr>"
                        "</mtable></mrow>",
                        cell, of(args[1]).whole(), condition, of(args[2]).whole()),
            Binding::product};
  }

  Part add(const Expr& e) const {
    Part sum{"", Binding::sum};
    for (const Expr& term : e.args()) {
      const Part& t = of(term);
      const bool bare = t.binding > Binding::comparison;
      if (sum.body.empty()) {
        sum.negative = t.negative && bare;
      } else {
        sum.body += t.negative ? "<mo>&#x2212;</mo>" : "<mo>+</mo>";
      }
      sum.body += bare ? t.body : brackets(t.whole());
    }
    return sum;
  }

  struct Factor {
    std::string body;
    bool digit = false;
  };

  /// Factors side by side. A factor that starts with a digit needs a dot before it.
  static std::string side_by_side(std::span<const Factor> factors) {
    std::string out;
    for (const Factor& f : factors) {
      if (!out.empty()) out += f.digit ? "<mo>&#x22C5;</mo>" : times;
      out += f.body;
    }
    return out;
  }

  Part mul(const Expr& e) const {
    const bool has_number = e.args().front().is_constant();
    const double c = has_number ? e.args().front().value() : 1;
    std::vector<Expr> factors(e.args().begin() + (has_number ? 1 : 0), e.args().end());
    std::stable_sort(factors.begin(), factors.end(), [](const Expr& a, const Expr& b) {
      return reading_rank(a) < reading_rank(b);
    });
    std::vector<Factor> above, below;
    const Expr *only_above = nullptr, *only_below = nullptr;
    if (c != 1 && c != -1) above.push_back({number(std::abs(c)).body, true});
    for (const Expr& f : factors) {
      if (is_divisor(f)) {
        only_below = &f;
        below.push_back(power_of(f.args()[0], -f.args()[1].value(), Binding::power));
      } else {
        only_above = &f;
        above.push_back(
            {bracketed(f, Binding::power), of(f).digit && of(f).binding >= Binding::power});
      }
    }
    // Alone above or below the bar nothing needs brackets.
    if (below.size() == 1) {
      below[0] =
          power_of(only_below->args()[0], -only_below->args()[1].value(), Binding::comparison);
    }
    if (above.size() == 1 && only_above != nullptr && !below.empty()) {
      above[0] = {of(*only_above).whole(), false};
    }
    const bool digit = !above.empty() && above.front().digit && below.empty();
    const std::string top = above.empty() ? "<mn>1</mn>" : side_by_side(above);
    if (below.empty()) return {top, Binding::product, c < 0, digit};
    return {fmt::format("<mfrac>{}{}</mfrac>", row(top), row(side_by_side(below))),
            Binding::product, c < 0};
  }

  /// base^exponent for a positive number; a base to the power 1 gets brackets below `at_least`.
  Factor power_of(const Expr& base, double exponent, Binding at_least) const {
    constexpr double largest_root = 12;
    const Part& b = of(base);
    if (exponent == 1) {
      if (at_least == Binding::comparison) return {b.whole(), b.digit};
      return {bracketed(base, at_least), b.digit && b.binding >= at_least};
    }
    if (exponent == 0.5) return {fmt::format("<msqrt>{}</msqrt>", row(b.whole()))};
    const double root = std::round(1 / exponent);
    if (root > 2 && root <= largest_root && exponent == 1 / root) {
      return {fmt::format("<mroot>{}<mn>{}</mn></mroot>", row(b.whole()), number_to_string(root))};
    }
    const std::string above = row(number(exponent).whole());
    if (takes_power(base.kind()) && std::trunc(exponent) == exponent) {
      return {fmt::format("<msup><mi>{}</mi>{}</msup>{}{}", function_text(base.kind()), above,
                          apply, brackets(list(base)))};
    }
    return {fmt::format("<msup>{}{}</msup>", row(bracketed(base, Binding::atom)), above), b.digit};
  }

  Part power(const Expr& e) const {
    const Expr& base = e.args()[0];
    const Expr& exponent = e.args()[1];
    if (!exponent.is_constant()) {
      return {fmt::format("<msup>{}{}</msup>", row(bracketed(base, Binding::atom)),
                          row(of(exponent).whole())),
              Binding::power, false, of(base).digit};
    }
    if (is_divisor(e)) {
      const std::string below = power_of(base, -exponent.value(), Binding::comparison).body;
      return {fmt::format("<mfrac><mn>1</mn>{}</mfrac>", row(below)), Binding::product};
    }
    Factor f = power_of(base, exponent.value(), Binding::power);
    return {std::move(f.body), Binding::power, false, f.digit};
  }

  std::unordered_map<const void*, Part> parts_;
};

}  // namespace

std::string to_mathml(const Expr& e) { return MathPrinter().print(e); }

std::string to_mathml(const Equation& equation) {
  return row(fmt::format("{}<mo>=</mo>{}", to_mathml(equation.left), to_mathml(equation.right)));
}

std::string to_mathml(double value) { return row(number(value).whole()); }

std::string in_math(std::string_view content, MathStyle style) {
  return fmt::format("<math{}>{}</math>", style == MathStyle::display ? " display=\"block\"" : "",
                     content);
}

}  // namespace cauchy
