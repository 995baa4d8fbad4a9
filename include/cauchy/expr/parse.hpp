#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// The names that a text may use. Declared names win over derivatives (a field named u_x). The
/// names of functions, pi, e, inf, nan, and, or, not are reserved (D is not: only D[ is special).
class Context final {
 public:
  /// Each throws Error when the name is not an identifier, is reserved or is declared already.
  /// A space coordinate takes part in grad, div, curl and laplacian; time does not.
  Context& add_space(std::string_view name);
  Context& add_time(std::string_view name);
  Context& add_field(std::string_view name);
  Context& add_parameter(std::string_view name);
  Context& add_function(std::string_view name, int arity);
  /// The same; the name alone stands for the function of these arguments: a for a(x, y).
  Context& add_function(std::string_view name, const std::vector<Expr>& usual);
  /// A named expression; the parser puts the value in its place.
  Context& add_definition(std::string_view name, const Expr& value);

  [[nodiscard]] const std::vector<std::string>& space() const noexcept { return space_; }
  [[nodiscard]] const std::vector<std::string>& coordinates() const noexcept {
    return coordinates_;
  }
  [[nodiscard]] const std::vector<std::string>& fields() const noexcept { return fields_; }
  [[nodiscard]] const std::vector<std::string>& parameters() const noexcept { return parameters_; }
  [[nodiscard]] bool declares(std::string_view name) const noexcept;
  /// The atom or definition with this name, or a function of its usual arguments; null when there
  /// is none.
  [[nodiscard]] const Expr* find(std::string_view name) const noexcept;
  /// Number of arguments of a declared data function; 0 when there is none of this name.
  [[nodiscard]] int arity(std::string_view function) const noexcept;
  /// Every declared name, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  void declare(std::string_view name);
  std::vector<std::string> space_, coordinates_, fields_, parameters_;
  std::map<std::string, Expr, std::less<>> values_;
  std::map<std::string, int, std::less<>> functions_;
};

/// Where a text stands, for error messages "name:line:column"; columns count characters from 1.
struct TextPlace {
  std::string name = "expression";
  int line = 1;
  int column = 1;
};

/// Reads one expression.
///   numbers      12, 1e-3, .5; pi, e
///   operators    + - * / ^ (right to left), unary + -, ( ), comparisons < <= > >=, and or not
///   functions    sqrt exp log sin cos tan asin acos atan sinh cosh tanh erf abs sign floor min
///                max heaviside where, pow(a, b), mod(a, b)
///   derivatives  u_t, u_xx, u_tx, d(e, x), d(e, x, 2), d(e, x, t), D[1,2](f)(x, y)
///   vectors      [a, b], grad(e), div(v), curl(v), laplacian(e or v), dot(v, w), norm2(v)
///   limits       1 MB of text, 200 levels of brackets and powers, derivatives of order 64, about a
///                second of work (long sums inside many brackets, high derivatives)
///   error        throws Error with line and column, what was expected, and the nearest known name
[[nodiscard]] Expr parse(std::string_view text, const Context& context,
                         const TextPlace& place = {});
/// Reads `left = right` (also ==).
[[nodiscard]] Equation parse_equation(std::string_view text, const Context& context,
                                      const TextPlace& place = {});

/// Reads a condition on points, 0 or 1: comparisons, and, or, not; `a = b` holds when |a - b| is at
/// most the tolerance.
[[nodiscard]] Expr parse_condition(std::string_view text, const Context& context, double tolerance,
                                   const TextPlace& place = {"condition", 1, 1});

/// The known word nearest to `word` by edit distance, the first one of equals, or empty when none
/// is near (1 edit up to 4 letters, 2 up to 8, then 3; swapping neighbours is one edit). Cost O(n
/// m) each.
[[nodiscard]] std::string nearest_name(std::string_view word,
                                       const std::vector<std::string>& known);

}  // namespace cauchy
