#include <cauchy/expr/print.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <cauchy/expr/parse.hpp>

#include "expr/builtin.hpp"
#include "expr/notation.hpp"
#include "expr/written_form.hpp"

namespace cauchy {
namespace {

using detail::Binding;
using detail::TextPiece;

/// The text that parse() reads.
class TextNotation final : public detail::Notation {
 public:
  TextNotation(const Expr& root, const Context* context)
      : Notation({.minus = "-",
                  .plus = " + ",
                  .subtract = " - ",
                  .less = " < ",
                  .less_equal = " <= ",
                  .comma = ", ",
                  .times = "*",
                  .over = "/",
                  .stacked = false,
                  .max_text = 16u << 20,
                  .limit = "16 MB",
                  .place = "[expr.print]"}),
        context_(context) {
    std::set<std::string> coordinates;
    std::vector<Expr> roots = detail::plain_operands(root);
    roots.push_back(root);
    for (const Expr& e : postorder(roots)) {
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

  TextPiece number(double value) const override {
    return {number_to_string(std::abs(value)), Binding::atom, value < 0};
  }

  std::string name(const Expr& atom) const override {
    return atom.kind() == Kind::named && atom.name() == "e" ? "exp(1)" : atom.name();
  }

  TextPiece field_derivative(const Expr& e) const override {
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
      return {std::move(compact)};
    }
    return derivative({e.name()}, {e.index().begin(), e.index().end()});
  }

  TextPiece call(const std::string& function, std::span<const int> orders,
                 const std::string& arguments) const override {
    std::string positions;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      for (int k = 0; k < orders[i]; ++k) {
        positions += fmt::format("{}{}", positions.empty() ? "" : ",", i + 1);
      }
    }
    if (positions.empty()) return {fmt::format("{}({})", function, arguments)};
    return {fmt::format("D[{}]({})({})", positions, function, arguments)};
  }

  TextPiece function(Kind kind, std::span<const TextPiece> args) const override {
    return {fmt::format("{}({})", function_name(kind), list(args))};
  }

  std::string brackets(const std::string& content) const override {
    return fmt::format("({})", content);
  }

  std::string side_by_side(std::span<const TextPiece> factors) const override {
    std::string out;
    for (const TextPiece& f : factors) out += fmt::format("{}{}", out.empty() ? "" : "*", f.body);
    return out;
  }

  std::string quotient(const std::string& above, const std::string& below,
                       bool many) const override {
    return fmt::format("{}/{}", above, many ? brackets(below) : below);
  }

  std::string power(const std::string& base, const TextPiece& exponent) const override {
    return fmt::format("{}^{}", base, bracketed(exponent, Binding::atom));
  }

  std::string function_power(const TextPiece& base, const TextPiece& exponent) const override {
    return power(base.body, exponent);
  }

  std::optional<TextPiece> root(const TextPiece& base, double exponent) const override {
    if (exponent != 0.5) return std::nullopt;
    return TextPiece{fmt::format("sqrt({})", whole(base))};
  }

  TextPiece derivative(const TextPiece& e, const detail::Steps& by) const override {
    std::string out = fmt::format("d({}", whole(e));
    for (const auto& [name, order] : by) {
      out += fmt::format(", {}", name);
      if (order > 1) out += fmt::format(", {}", order);
    }
    return {out + ")"};
  }

  TextPiece gradient(const TextPiece& potential) const override {
    return applied("grad", potential);
  }
  TextPiece laplacian(const TextPiece& e) const override { return applied("laplacian", e); }
  TextPiece divergence(const TextPiece& flux) const override { return applied("div", flux); }
  TextPiece vector(std::span<const TextPiece> components) const override {
    return {fmt::format("[{}]", list(components))};
  }
  bool is_space(std::span<const Expr> coordinates) const override {
    if (context_ == nullptr) return true;
    return std::equal(coordinates.begin(), coordinates.end(), context_->space().begin(),
                      context_->space().end(),
                      [](const Expr& x, const std::string& name) { return x.name() == name; });
  }

 private:
  TextPiece applied(std::string_view name, const TextPiece& e) const {
    return {fmt::format("{}({})", name, whole(e))};
  }

  const Context* context_;
  std::set<std::string> names_;           // of the atoms, functions and coordinates
  std::vector<std::string> coordinates_;  // that a suffix may be made of
};

}  // namespace

std::string number_to_string(double value) { return fmt::format("{}", value); }

std::string to_string(const Expr& e, const Context* context) {
  return detail::print_tree(e, TextNotation(plain(e), context));
}

std::string written_to_string(const Expr& e, const Context* context) {
  return detail::print_written(e, TextNotation(e, context));
}

std::string to_string(const Equation& equation, const Context* context) {
  return written_to_string(equation.left, context) + " = " +
         written_to_string(equation.right, context);
}

}  // namespace cauchy
