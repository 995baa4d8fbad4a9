#include <cauchy/report/mathml.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/print.hpp>

#include "expr/notation.hpp"
#include "report/mathml_names.hpp"

namespace cauchy {
namespace {

using detail::Binding;
using detail::split_mathml_name;
using detail::TextPiece;

constexpr std::string_view apply = "<mo>&#x2061;</mo>", times = "<mo>&#x2062;</mo>";
constexpr std::string_view minus_sign = "<mo>&#x2212;</mo>";

std::string row(std::string_view content) { return fmt::format("<mrow>{}</mrow>", content); }

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

TextPiece number_piece(double value) {
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
  const std::string power = fmt::format("<msup><mn>10</mn><mrow>{}<mn>{}</mn></mrow></msup>",
                                        exponent < 0 ? minus_sign : "", std::abs(exponent));
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

std::string partial(std::string_view by, int order) {
  if (order == 1) return fmt::format("<msub><mo>&#x2202;</mo>{}</msub>", by);
  return fmt::format("<msubsup><mo>&#x2202;</mo>{}<mn>{}</mn></msubsup>", by, order);
}

class MathmlNotation final : public detail::Notation {
 public:
  MathmlNotation()
      : Notation({.minus = minus_sign,
                  .plus = "<mo>+</mo>",
                  .subtract = minus_sign,
                  .less = "<mo>&lt;</mo>",
                  .less_equal = "<mo>&#x2264;</mo>",
                  .comma = "<mo>,</mo>",
                  .stacked = true,
                  .max_text = 4u << 20,
                  .limit = "4 MB",
                  .place = "[report.mathml]"}) {}

  TextPiece number(double value) const override { return number_piece(value); }

  std::string name(const Expr& atom) const override {
    if (atom.kind() == Kind::named) return atom.name() == "e" ? "<mi>e</mi>" : "<mi>&#x3C0;</mi>";
    return name_to_mathml(atom.name());
  }

  TextPiece field_derivative(const Expr& e) const override {
    constexpr int longest_suffix = 8;
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

  TextPiece call(const std::string& function, std::span<const int> orders,
                 const std::string& arguments) const override {
    std::string operators;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      if (orders[i] > 0) operators += partial(fmt::format("<mn>{}</mn>", i + 1), orders[i]);
    }
    return {operators + name_to_mathml(function) + std::string(apply) + brackets(arguments),
            Binding::power};
  }

  TextPiece function(Kind kind, std::span<const TextPiece> args) const override {
    switch (kind) {
      case Kind::exp:
        return exponential(whole(args[0]));
      case Kind::abs:
        return {fmt::format("<mrow><mo>|</mo>{}<mo>|</mo></mrow>", whole(args[0]))};
      case Kind::floor:
        return {fmt::format("<mrow><mo>&#x230A;</mo>{}<mo>&#x230B;</mo></mrow>", whole(args[0]))};
      case Kind::where:
        return cases(args);
      default:
        break;
    }
    std::string arguments = list(args);
    TextPiece p{fmt::format("<mi>{}</mi>{}{}", function_text(kind), apply, brackets(arguments)),
                Binding::power};
    if (detail::takes_power(kind)) {
      p.function = kind;
      p.arguments = std::move(arguments);
    }
    return p;
  }

  /// Round brackets, growing ones around tall content only.
  std::string brackets(const std::string& content) const override {
    for (const char* tall : {"<mfrac>", "<msqrt>", "<mroot>", "<mtable>"}) {
      if (content.find(tall) != std::string::npos) {
        return fmt::format("<mrow><mo>(</mo>{}<mo>)</mo></mrow>", content);
      }
    }
    return fmt::format("<mrow><mo stretchy=\"false\">(</mo>{}<mo stretchy=\"false\">)</mo></mrow>",
                       content);
  }

  /// A factor that starts with a digit needs a dot before it.
  std::string side_by_side(std::span<const TextPiece> factors) const override {
    std::string out;
    for (const TextPiece& f : factors) {
      if (!out.empty()) out += f.digit ? "<mo>&#x22C5;</mo>" : times;
      out += f.body;
    }
    return out;
  }

  std::string quotient(const std::string& above, const std::string& below,
                       bool /*many*/) const override {
    return fmt::format("<mfrac>{}{}</mfrac>", row(above), row(below));
  }

  std::string reciprocal(const std::string& below) const override {
    return fmt::format("<mfrac><mn>1</mn>{}</mfrac>", row(below));
  }

  std::string power(const std::string& base, const TextPiece& exponent) const override {
    return fmt::format("<msup>{}{}</msup>", row(base), row(whole(exponent)));
  }

  std::string function_power(const TextPiece& base, const TextPiece& exponent) const override {
    return fmt::format("<msup><mi>{}</mi>{}</msup>{}{}", function_text(base.function),
                       row(whole(exponent)), apply, brackets(base.arguments));
  }

  std::optional<TextPiece> root(const TextPiece& base, double exponent) const override {
    const int n = detail::root_of(exponent);
    if (n == 0) return std::nullopt;
    const std::string content = row(whole(base));
    return TextPiece{n == 2 ? fmt::format("<msqrt>{}</msqrt>", content)
                            : fmt::format("<mroot>{}<mn>{}</mn></mroot>", content, n),
                     Binding::power};
  }

  /// Constants before functions, fields and derivatives, sums last: nu sin(x) v u_y (1 + x).
  int reading_rank(const Expr& factor) const override {
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

  TextPiece derivative(const TextPiece& e, const detail::Steps& by) const override {
    std::string operators;
    for (const auto& [name, order] : by) {
      operators = partial(name_to_mathml(name), order) + operators;
    }
    return {operators + brackets(whole(e)), Binding::power};
  }

  TextPiece gradient(const TextPiece& potential) const override {
    return applied("<mo>&#x2207;</mo>", potential);
  }
  TextPiece laplacian(const TextPiece& e) const override { return applied("<mo>&#x2206;</mo>", e); }
  TextPiece divergence(const TextPiece& flux) const override {
    return applied("<mo>&#x2207;</mo><mo>&#x22C5;</mo>", flux);
  }
  TextPiece vector(std::span<const TextPiece> components) const override {
    return {brackets(list(components))};
  }

 private:
  TextPiece applied(std::string_view symbol, const TextPiece& e) const {
    return {fmt::format("{}{}", symbol, bracketed(e, Binding::atom)), Binding::power};
  }

  /// e^x, but exp(x) where x is tall.
  TextPiece exponential(const std::string& x) const {
    if (x.find("<mfrac>") == std::string::npos && x.find("<mtable>") == std::string::npos) {
      return {fmt::format("<msup><mi>e</mi>{}</msup>", row(x)), Binding::power};
    }
    return {fmt::format("<mi>exp</mi>{}{}", apply, brackets(x)), Binding::power};
  }

  TextPiece cases(std::span<const TextPiece> args) const {
    const std::string condition =
        args[0].binding == Binding::comparison
            ? whole(args[0])
            : bracketed(args[0], Binding::sum) + "<mo>&#x2260;</mo><mn>0</mn>";
    constexpr std::string_view cell = "<mtd style=\"text-align:left\">";
    return {fmt::format("<mrow><mo>{{</mo><mtable><mtr>{0}{1}</mtd>{0}<mtext>if&#xA0;</mtext>{2}"
                        "</mtd></mtr><mtr>{0}{3}</mtd>{0}<mtext>otherwise</mtext></mtd></mtr>"
                        "</mtable></mrow>",
                        cell, whole(args[1]), condition, whole(args[2])),
            Binding::product};
  }
};

}  // namespace

std::string to_mathml(const Expr& e) { return row(detail::print_tree(e, MathmlNotation())); }

std::string written_to_mathml(const Expr& e) {
  return row(detail::print_written(e, MathmlNotation()));
}

std::string to_mathml(const Equation& equation) {
  return row(fmt::format("{}<mo>=</mo>{}", written_to_mathml(equation.left),
                         written_to_mathml(equation.right)));
}

std::string to_mathml(double value) { return row(MathmlNotation().whole(number_piece(value))); }

std::string in_math(std::string_view content, MathStyle style) {
  return fmt::format("<math{}>{}</math>", style == MathStyle::display ? " display=\"block\"" : "",
                     content);
}

}  // namespace cauchy
