#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/expr/expr.hpp>

namespace cauchy::detail {

/// How tightly the outermost operation of a printed part binds.
enum class Binding { comparison, sum, product, power, atom };

/// A printed part of an expression. A minus sign in front is kept apart, so that sums can turn it
/// into theirs.
struct TextPiece {
  std::string body = {};
  Binding binding = Binding::atom;
  bool negative = false;
  bool digit = false;              // starts with a number
  Kind function = Kind::constant;  // one whose power stands behind its name, sin^2(x)
  std::string arguments = {};      // of that function
};

/// The derivative by coordinates, innermost first, each with its order.
using Steps = std::vector<std::pair<std::string, int>>;

/// Signs that notations differ in, and the longest text that is printed.
struct Signs {
  std::string_view minus;           // in front
  std::string_view plus, subtract;  // between terms
  std::string_view less, less_equal, comma;
  std::string_view times = {}, over = {};  // between operands in one line
  bool stacked;  // quotients are fractions with a bar: nothing alone above or below needs brackets
  std::size_t max_text;
  std::string_view limit, place;  // of the message when a text is longer
};

/// A way to write mathematics. print_tree() walks over an expression, decides on signs, brackets,
/// order and quotients, and calls these for the parts.
class Notation {
 public:
  explicit Notation(const Signs& own) : signs(own) {}
  virtual ~Notation() = default;
  Notation(const Notation&) = delete;
  Notation& operator=(const Notation&) = delete;

  [[nodiscard]] virtual TextPiece number(double value) const = 0;
  /// pi, e, and atoms that are no derivatives.
  [[nodiscard]] virtual std::string name(const Expr& atom) const = 0;
  /// A derivative of a field.
  [[nodiscard]] virtual TextPiece field_derivative(const Expr& e) const = 0;
  [[nodiscard]] virtual TextPiece call(const std::string& function, std::span<const int> orders,
                                       const std::string& arguments) const = 0;
  [[nodiscard]] virtual TextPiece function(Kind kind, std::span<const TextPiece> args) const = 0;
  [[nodiscard]] virtual std::string brackets(const std::string& content) const = 0;
  /// Factors of a product, at least one.
  [[nodiscard]] virtual std::string side_by_side(std::span<const TextPiece> factors) const = 0;
  /// `many`: the divisor has several factors.
  [[nodiscard]] virtual std::string quotient(const std::string& above, const std::string& below,
                                             bool many) const = 0;
  /// 1/below.
  [[nodiscard]] virtual std::string reciprocal(const std::string& below) const {
    return quotient(number(1).body, below, false);
  }
  [[nodiscard]] virtual std::string power(const std::string& base,
                                          const TextPiece& exponent) const = 0;
  /// sin^2(x) of a piece with a function.
  [[nodiscard]] virtual std::string function_power(const TextPiece& base,
                                                   const TextPiece& exponent) const = 0;
  /// base^exponent as a root, where that is usual.
  [[nodiscard]] virtual std::optional<TextPiece> root(const TextPiece& base,
                                                      double exponent) const = 0;
  /// Factors of lower rank stand before others, each kind in canonical order.
  [[nodiscard]] virtual int reading_rank(const Expr& /*factor*/) const { return 0; }

  // --- written forms ---

  [[nodiscard]] virtual TextPiece derivative(const TextPiece& e, const Steps& by) const = 0;
  [[nodiscard]] virtual TextPiece gradient(const TextPiece& potential) const = 0;
  [[nodiscard]] virtual TextPiece laplacian(const TextPiece& e) const = 0;
  /// Of a vector written as one piece, a*grad(u).
  [[nodiscard]] virtual TextPiece divergence(const TextPiece& flux) const = 0;
  /// A vector by its components.
  [[nodiscard]] virtual TextPiece vector(std::span<const TextPiece> components) const = 0;
  /// A divergence by these coordinates can be told from the sum of its derivatives.
  [[nodiscard]] virtual bool is_space(std::span<const Expr> /*coordinates*/) const { return true; }

  // --- helpers ---

  [[nodiscard]] std::string whole(const TextPiece& p) const {
    return p.negative ? std::string(signs.minus) + p.body : p.body;
  }
  /// In brackets when it binds weaker than this, or starts with a minus sign.
  [[nodiscard]] std::string bracketed(const TextPiece& p, Binding at_least) const {
    return p.binding >= at_least && !p.negative ? p.body : brackets(whole(p));
  }
  [[nodiscard]] std::string list(std::span<const TextPiece> parts) const;

  const Signs signs;
};

/// Functions whose power is written between name and argument, sin^2(x).
[[nodiscard]] inline bool takes_power(Kind kind) { return kind >= Kind::log && kind <= Kind::erf; }

/// n where a power is an n-th root, exponent = 1/n with n from 2 to 12; else 0.
[[nodiscard]] int root_of(double exponent);

/// The canonical form of an expression.
///   error    throws Error when the text would be longer than the notation allows
[[nodiscard]] std::string print_tree(const Expr& e, const Notation& notation);
/// The form as it was written.
[[nodiscard]] std::string print_written(const Expr& e, const Notation& notation);

}  // namespace cauchy::detail
