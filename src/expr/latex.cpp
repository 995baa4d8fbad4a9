#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/print.hpp>
#include <cauchy/expr/written.hpp>

#include "expr/latex_names.hpp"
#include "expr/notation.hpp"

namespace cauchy {
namespace {

using detail::Binding;
using detail::name_text;
using detail::script;
using detail::split_name;
using detail::TextPiece;

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
    case Kind::mod:
      return "\\operatorname{mod}";
    case Kind::min:
      return "\\min";
    case Kind::max:
      return "\\max";
    default:
      return {};
  }
}

std::string partial(const std::string& by, int order) {
  std::string out = fmt::format("\\partial_{}", script(by));
  if (order > 1) out += fmt::format("^{}", script(std::to_string(order)));
  return out + ' ';
}

class LatexNotation final : public detail::Notation {
 public:
  LatexNotation()
      : Notation({.minus = "-",
                  .plus = " + ",
                  .subtract = " - ",
                  .less = " < ",
                  .less_equal = " \\le ",
                  .comma = ", ",
                  .stacked = true,
                  .max_text = 16u << 20,
                  .limit = "16 MB",
                  .place = "[expr.latex]"}) {}

  TextPiece number(double value) const override {
    const std::string digits = number_to_string(std::abs(value));
    const std::size_t e = digits.find('e');
    if (e == std::string::npos) return {digits, Binding::atom, value < 0};
    const std::string mantissa = digits.substr(0, e);
    const std::string power =
        fmt::format("10^{}", script(std::to_string(std::stoi(digits.substr(e + 1)))));
    if (mantissa == "1") return {power, Binding::power, value < 0};
    return {fmt::format("{} \\cdot {}", mantissa, power), Binding::product, value < 0};
  }

  std::string name(const Expr& atom) const override {
    if (atom.kind() == Kind::named) return atom.name() == "e" ? "e" : "\\pi";
    return name_text(atom.name());
  }

  TextPiece field_derivative(const Expr& e) const override {
    constexpr int longest_suffix = 8;
    if (total_order(e.index()) > longest_suffix) {
      std::string out;
      for (const auto& [name, order] : e.index()) out += partial(name_text(name), order);
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
    return {fmt::format("{}_{}", base, script(suffix))};
  }

  TextPiece call(const std::string& function, std::span<const int> orders,
                 const std::string& arguments) const override {
    std::string operators;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      if (orders[i] > 0) operators += partial(std::to_string(i + 1), orders[i]);
    }
    return {operators + name_text(function) + brackets(arguments), Binding::power};
  }

  TextPiece function(Kind kind, std::span<const TextPiece> args) const override {
    switch (kind) {
      case Kind::exp:
        return {fmt::format("e^{}", script(whole(args[0]))), Binding::power};
      case Kind::abs:
        return {fmt::format("\\left|{}\\right|", whole(args[0]))};
      case Kind::floor:
        return {fmt::format("\\left\\lfloor {}\\right\\rfloor", whole(args[0]))};
      case Kind::where:
        return cases(args);
      default:
        break;
    }
    std::string arguments = list(args);
    TextPiece p{fmt::format("{}{}", function_command(kind), brackets(arguments)), Binding::power};
    if (detail::takes_power(kind)) {
      p.function = kind;
      p.arguments = std::move(arguments);
    }
    return p;
  }

  /// Round brackets, growing ones around tall text.
  std::string brackets(const std::string& text) const override {
    for (const char* tall : {"\\frac", "\\sqrt", "\\begin", "\\left", "^"}) {
      if (text.find(tall) != std::string::npos) return fmt::format("\\left({}\\right)", text);
    }
    return fmt::format("({})", text);
  }

  /// A factor that starts with a digit needs a dot before it.
  std::string side_by_side(std::span<const TextPiece> factors) const override {
    std::string out;
    for (const TextPiece& f : factors) {
      const bool digit = f.body.front() >= '0' && f.body.front() <= '9';
      if (!out.empty()) out += digit ? " \\cdot " : " ";
      out += f.body;
    }
    return out;
  }

  std::string quotient(const std::string& above, const std::string& below,
                       bool /*many*/) const override {
    return fmt::format("\\frac{{{}}}{{{}}}", above, below);
  }

  std::string power(const std::string& base, const TextPiece& exponent) const override {
    return fmt::format("{}^{}", base, script(whole(exponent)));
  }

  std::string function_power(const TextPiece& base, const TextPiece& exponent) const override {
    return power(std::string(function_command(base.function)), exponent) + brackets(base.arguments);
  }

  std::optional<TextPiece> root(const TextPiece& base, double exponent) const override {
    const int n = detail::root_of(exponent);
    if (n == 0) return std::nullopt;
    const std::string index = n == 2 ? "" : fmt::format("[{}]", n);
    return TextPiece{fmt::format("\\sqrt{}{{{}}}", index, whole(base)), Binding::power};
  }

  /// Derivatives stand behind plain factors, v u_y, and sums behind both.
  int reading_rank(const Expr& factor) const override {
    const Expr& base = factor.kind() == Kind::pow ? factor.args()[0] : factor;
    if (base.kind() == Kind::add) return 2;
    return base.kind() == Kind::field && !base.index().empty() ? 1 : 0;
  }

  TextPiece derivative(const TextPiece& e, const detail::Steps& by) const override {
    std::string operators;
    for (const auto& [name, order] : by) operators = partial(name_text(name), order) + operators;
    return {operators + brackets(whole(e)), Binding::power};
  }

  TextPiece gradient(const TextPiece& potential) const override {
    return applied("\\nabla ", potential);
  }
  TextPiece laplacian(const TextPiece& e) const override { return applied("\\Delta ", e); }
  TextPiece divergence(const TextPiece& flux) const override {
    return applied("\\nabla \\cdot ", flux);
  }
  TextPiece vector(std::span<const TextPiece> components) const override {
    return {brackets(list(components))};
  }

 private:
  TextPiece applied(std::string_view symbol, const TextPiece& e) const {
    return {fmt::format("{}{}", symbol, bracketed(e, Binding::atom)), Binding::power};
  }

  TextPiece cases(std::span<const TextPiece> args) const {
    const std::string condition = args[0].binding == Binding::comparison
                                      ? whole(args[0])
                                      : bracketed(args[0], Binding::sum) + " \\ne 0";
    return {fmt::format("\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} "
                        "\\end{{cases}}",
                        whole(args[1]), condition, whole(args[2])),
            Binding::product};
  }
};

}  // namespace

std::string to_latex(const Expr& e) { return detail::print_tree(e, LatexNotation()); }

std::string written_to_latex(const Expr& e) { return detail::print_written(e, LatexNotation()); }

std::string to_latex(const Equation& equation) {
  return fmt::format("{} = {}", written_to_latex(equation.left), written_to_latex(equation.right));
}

}  // namespace cauchy
