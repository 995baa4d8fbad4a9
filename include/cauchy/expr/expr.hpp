#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cauchy {

/// What a node of an expression graph is. Subtraction, division, negation and sqrt have no kind of
/// their own: a - b = a + (-1)*b, a / b = a * b^(-1), sqrt(a) = a^0.5.
enum class Kind : std::uint8_t {
  constant,    ///< a finite number
  named,       ///< pi or e
  parameter,   ///< a scalar that is the same at all points
  coordinate,  ///< an independent variable of the domain
  symbol,      ///< a per-point input that depends on nothing (seeds of adjoints, network outputs)
  call,        ///< a data function, or a partial derivative of it, at given arguments
  field,       ///< an unknown, or a derivative of it; depends on all coordinates
  pow,
  mul,
  add,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  erf,
  abs,
  sign,
  floor,
  min,
  max,
  mod,
  less,        ///< 1 if a < b, else 0
  less_equal,  ///< 1 if a <= b, else 0
  where,       ///< where(c, a, b): a if c is not 0, else b
};

/// Derivative orders per coordinate, sorted by coordinate name, orders positive: u_ttx is {t:2,
/// x:1}.
using MultiIndex = std::vector<std::pair<std::string, int>>;

/// Sum of the orders.
[[nodiscard]] int total_order(const MultiIndex& index);

class Expr;
struct Equation;
struct Written;

/// The number pi: a double in arithmetic with numbers, the exact symbol in an expression.
struct PiConstant {
  constexpr operator double() const { return 3.14159265358979323846; }  // NOLINT
};
inline constexpr PiConstant pi{};
// Without these, pi * pi could be a number or an expression.
constexpr double operator-(PiConstant a) { return -static_cast<double>(a); }
constexpr double operator+(PiConstant a, PiConstant b) { return double{a} + double{b}; }
constexpr double operator-(PiConstant, PiConstant) { return 0; }
constexpr double operator*(PiConstant a, PiConstant b) { return double{a} * double{b}; }
constexpr double operator/(PiConstant, PiConstant) { return 1; }

namespace detail {
struct Node;
}

/// An immutable expression: a reference to a shared node of a hash-consed graph, cheap to copy.
/// Every constructor brings its result to canonical form (sums and products are flat and sorted,
/// numbers folded, like terms and equal bases collected), so that equal canonical forms are one
/// node and `same` is a pointer comparison. Thread-safe.
/// Beside its canonical form an expression remembers how it was written where derivatives of
/// expressions were taken, d(u*u/2, x) or div(a*grad(u)): see written(). This is a note that
/// changes nothing else; kind(), args(), same() and all analysis see the canonical form.
///   error    throws Error on a number that is not finite, on a literal division by zero, and on
///            graphs nested deeper than max_depth
class Expr {
 public:
  static constexpr int max_depth = 2000;

  Expr();                                                // the number 0
  Expr(double value);                                    // NOLINT: numbers are expressions
  Expr(int value) : Expr(static_cast<double>(value)) {}  // NOLINT
  Expr(PiConstant);                                      // NOLINT

  [[nodiscard]] Kind kind() const noexcept;
  /// Operands: terms of a sum, factors of a product, {base, exponent}, arguments of a function.
  [[nodiscard]] std::span<const Expr> args() const noexcept;
  /// Value of a constant or named constant; NaN for every other kind.
  [[nodiscard]] double value() const noexcept;
  /// Name of an atom or data function; empty for operations.
  [[nodiscard]] const std::string& name() const noexcept;
  /// Derivative orders of a field; empty for everything else.
  [[nodiscard]] const MultiIndex& index() const noexcept;
  /// Derivative orders of a data function, one per argument; empty for everything else.
  [[nodiscard]] std::span<const int> call_orders() const noexcept;
  /// Longest path to an atom; an atom has depth 0.
  [[nodiscard]] int depth() const noexcept;
  /// Structural hash, the same in every run and on every machine.
  [[nodiscard]] std::uint64_t hash() const noexcept;
  /// Identity of the node, valid while an Expr refers to it.
  [[nodiscard]] const void* id() const noexcept { return node_.get(); }

  /// The written form (expr/written.hpp), null where it is the canonical form.
  [[nodiscard]] const Written* written() const noexcept { return written_.get(); }

  [[nodiscard]] bool is_constant() const noexcept { return kind() == Kind::constant; }
  [[nodiscard]] bool is_constant(double v) const noexcept { return is_constant() && value() == v; }
  /// No operands and no dependence: parameter, coordinate, symbol or field.
  [[nodiscard]] bool is_atom() const noexcept;

 private:
  explicit Expr(std::shared_ptr<const detail::Node> node) noexcept : node_(std::move(node)) {}
  friend struct detail::Node;
  std::shared_ptr<const detail::Node> node_;
  std::shared_ptr<const Written> written_;
};

/// An independent variable, for example `Coordinate t("t"), x("x")`.
class Coordinate final : public Expr {
 public:
  explicit Coordinate(std::string_view name);
};

/// An unknown function of all coordinates.
class Field final : public Expr {
 public:
  explicit Field(std::string_view name);
};

/// A scalar that is known when the problem is solved, or is to be found (inverse problems).
class Parameter final : public Expr {
 public:
  explicit Parameter(std::string_view name);
};

/// A per-point input without any dependence; no derivative touches it.
class Symbol final : public Expr {
 public:
  explicit Symbol(std::string_view name);
};

/// A named function of several arguments, given by data or code: `DataFunction a("a"); a(x, y)`.
class DataFunction final {
 public:
  explicit DataFunction(std::string_view name);
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  template <class... Args>
  Expr operator()(const Args&... args) const {
    return call({Expr(args)...});
  }
  [[nodiscard]] Expr call(std::vector<Expr> args) const;

 private:
  std::string name_;
};

/// Euler's number as an exact symbol; like pi it becomes a number when a program is compiled.
[[nodiscard]] Expr e_constant();

/// The derivative of a field, u_{index}; the field itself for an empty index.
[[nodiscard]] Expr field_derivative(std::string_view field, MultiIndex index);
/// Partial derivative of a data function, orders[i] times by its i-th argument.
[[nodiscard]] Expr call_derivative(std::string_view function, std::vector<Expr> args,
                                   std::vector<int> orders);

/// Same canonical form, that is, the same node. (operator== builds an Equation.)
[[nodiscard]] inline bool same(const Expr& a, const Expr& b) noexcept { return a.id() == b.id(); }
/// Total order of canonical forms; negative, 0 or positive. Independent of addresses.
[[nodiscard]] int compare(const Expr& a, const Expr& b) noexcept;

[[nodiscard]] Expr sum(std::vector<Expr> terms);
[[nodiscard]] Expr product(std::vector<Expr> factors);

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
Expr operator+(const Expr& a);
inline Expr& operator+=(Expr& a, const Expr& b) { return a = a + b; }
inline Expr& operator-=(Expr& a, const Expr& b) { return a = a - b; }
inline Expr& operator*=(Expr& a, const Expr& b) { return a = a * b; }
inline Expr& operator/=(Expr& a, const Expr& b) { return a = a / b; }

[[nodiscard]] Expr pow(const Expr& base, const Expr& exponent);
[[nodiscard]] Expr sqrt(const Expr& a);
[[nodiscard]] Expr exp(const Expr& a);
[[nodiscard]] Expr log(const Expr& a);
[[nodiscard]] Expr sin(const Expr& a);
[[nodiscard]] Expr cos(const Expr& a);
[[nodiscard]] Expr tan(const Expr& a);
[[nodiscard]] Expr asin(const Expr& a);
[[nodiscard]] Expr acos(const Expr& a);
[[nodiscard]] Expr atan(const Expr& a);
[[nodiscard]] Expr sinh(const Expr& a);
[[nodiscard]] Expr cosh(const Expr& a);
[[nodiscard]] Expr tanh(const Expr& a);
[[nodiscard]] Expr erf(const Expr& a);
[[nodiscard]] Expr abs(const Expr& a);
/// -1, 0 or 1.
[[nodiscard]] Expr sign(const Expr& a);
/// The largest whole number that is not above a.
[[nodiscard]] Expr floor(const Expr& a);
/// The remainder a - b*floor(a/b): between 0 and b, of the sign of b.
[[nodiscard]] Expr mod(const Expr& a, const Expr& b);
[[nodiscard]] Expr min(const Expr& a, const Expr& b);
[[nodiscard]] Expr max(const Expr& a, const Expr& b);
/// 1 for a >= 0, else 0; the same node as where(a >= 0, 1, 0).
[[nodiscard]] Expr heaviside(const Expr& a);
/// a where the condition is not 0, else b. Both branches are evaluated.
[[nodiscard]] Expr where(const Expr& condition, const Expr& a, const Expr& b);

/// Comparisons are 0/1-valued expressions; `and` is min, `or` is max, `not c` is 1 - c.
Expr operator<(const Expr& a, const Expr& b);
Expr operator<=(const Expr& a, const Expr& b);
Expr operator>(const Expr& a, const Expr& b);
Expr operator>=(const Expr& a, const Expr& b);

/// left = right; the residual is left - right. The sides keep how they were written
/// (Expr::written), and printing shows that: div(a*grad(u)) = f.
struct Equation {
  Expr left, right;
  [[nodiscard]] Expr residual() const { return left - right; }
};
Equation operator==(const Expr& a, const Expr& b);

/// One unary or binary function by its kind (exp ... where); the constructor behind the names
/// above.
[[nodiscard]] Expr apply_function(Kind kind, std::span<const Expr> args);
/// Name of a function kind in text ("sin", "min", ...); empty for atoms and operators.
[[nodiscard]] std::string_view function_name(Kind kind) noexcept;

/// All distinct nodes reachable from the roots, operands before their users, in a fixed order.
[[nodiscard]] std::vector<Expr> postorder(std::span<const Expr> roots);

}  // namespace cauchy
