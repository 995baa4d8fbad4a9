#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/vector.hpp>

#include "expr/builtin.hpp"
#include "expr/lexer.hpp"

namespace cauchy::detail {

inline constexpr int max_nesting = 200;
inline constexpr int max_order = 64;
/// Operands that the constructors may look at beyond those that are typed: about a second of work.
/// Brackets around long sums and derivatives multiply terms; only they are counted.
inline constexpr std::size_t max_parse_work = 500'000;

/// A scalar, or a vector when one is set, and where its text starts.
struct ParsedValue {
  Expr scalar;
  std::optional<Vector> vector;
  Position at;
  bool is_condition = false;  ///< a comparison, or `and`, `or`, `not` of some
};

/// Bound on what a constructor looks at in this operand; small ones are paid by their own text.
inline std::size_t width(const Expr& e) {
  const auto args = e.args();
  std::size_t n = args.size();
  if (e.kind() == Kind::mul && n == 2) n += args[1].args().size();  // c*(a + b)
  if (e.kind() == Kind::pow) n += args[0].args().size();
  return n <= 8 ? 0 : n;
}

inline std::string quoted(std::string_view text) {
  return text.size() <= 40 ? fmt::format("'{}'", text) : fmt::format("'{}...'", text.substr(0, 40));
}

inline std::string described(const Token& token) {
  return token.kind == Token::Kind::end ? "the end of the text" : quoted(token.text);
}

inline std::string counted(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

inline std::string described(const ParsedValue& v) {
  return v.vector ? "a vector of " + counted(v.vector->size(), "component") : "a scalar";
}

/// Recursive descent over the tokens, one function per level of precedence:
///   or < and < not < comparison < sum < product < sign < power < operand
/// Operators and operands are in parse.cpp, comparisons and what joins them in
/// parse_conditions.cpp, functions and derivatives in parse_functions.cpp.
class Parser final {
 public:
  Parser(std::string_view text, const Context& context, const TextPlace& place)
      : lexer_(text, place), context_(context) {
    for (const std::string& name : context.space()) space_.emplace_back(Coordinate(name));
    advance();
  }

  Expr expression();
  Equation equation();
  /// An expression in which `a = b` means |a - b| <= tolerance.
  ///   error    also when it is no condition: a bare number or coordinate
  Expr condition(double tolerance);

 private:
  // --- tokens and errors -------------------------------------------------------------------------

  void advance() {
    previous_ = token_;
    token_ = lexer_.next();
  }

  [[noreturn]] void fail(Position at, std::string_view message, std::string_view hint = {}) const {
    lexer_.fail(at, message, hint);
  }

  /// Runs a constructor; its errors get the position in the text.
  template <class Make>
  auto build(Position at, Make make) const {
    try {
      return make();
    } catch (const Error& e) {
      throw Error(ErrorKind::syntax, e.message(), lexer_.place(at), e.hint());
    }
  }

  void charge(Position at, std::size_t work) {
    if (work > max_parse_work - work_) {
      lexer_.fail(at, "the expression grows too large while it is read",
                  "differentiate smaller expressions, or build it from definitions",
                  ErrorKind::unsupported);
    }
    work_ += work;
  }

  /// One level of brackets, powers or `not`; the limit keeps the recursion off the end of the
  /// stack.
  class Nested {
   public:
    explicit Nested(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > max_nesting) {
        parser_.lexer_.fail(parser_.token_.position,
                            fmt::format("nested deeper than {} levels", max_nesting), "",
                            ErrorKind::unsupported);
      }
    }
    ~Nested() { --parser_.nesting_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };

  bool starts_operand() const;
  [[noreturn]] void fail_missing_operator() const;
  void expect_end() const;
  void expect_close(std::string_view symbol, const Token& open);
  [[noreturn]] void fail_missing_operand() const;
  const Expr& scalar(const ParsedValue& v, std::string_view what) const;
  const Vector& vector(const ParsedValue& v, std::string_view what,
                       std::string_view hint = {}) const;
  Expr side();

  // --- operators and operands ---

  ParsedValue disjunction() { return logical("or", Kind::max, &Parser::conjunction); }
  ParsedValue conjunction() { return logical("and", Kind::min, &Parser::negation); }
  ParsedValue logical(std::string_view word, Kind kind, ParsedValue (Parser::*tighter)());
  ParsedValue negation();
  /// An operand of and, or, not, or a whole selection; `before` is the text of the condition before
  /// it and `word` the one between them. Numbers are never meant; in selections nothing but a
  /// condition is.
  void expect_condition(const ParsedValue& v, std::string_view text, std::string_view before = {},
                        std::string_view word = {}) const;
  /// The text from a token up to the current one.
  std::string_view since(const Token& first) const;
  bool at_comparison() const;
  ParsedValue comparison();
  ParsedValue sum_chain();
  ParsedValue product_chain();
  ParsedValue sign();
  ParsedValue power();
  ParsedValue operand();
  std::vector<ParsedValue> list(std::string_view close);
  ParsedValue name();
  std::optional<Expr> plain_name(const Token& token);
  bool is_field(std::string_view name) const;
  std::optional<Expr> suffixed_field(const Token& token) const;

  // --- functions, derivatives and unknown names ---

  Expr call(const Token& function, std::vector<int> orders);
  [[noreturn]] void fail_count(const Token& function, std::size_t expected, std::size_t got) const;
  void expect(std::string_view symbol, std::string_view where);
  Expr function_derivative();
  ParsedValue builtin(const Builtin& f, const Token& token);
  Expr scalar_function(const Builtin& f, Position at, const std::vector<ParsedValue>& values);
  void check_order(Position at, int order) const;
  void charge_derivative(Position at, const Expr& e);
  Expr derive(Position at, const Expr& e, const Expr& x);
  Expr coordinate();
  int order_of_derivative();
  Expr derivative(const Token& token);
  void require_space(Position at, std::string_view what) const;
  Vector gradient(Position at, const Expr& e);
  Expr divergence(Position at, const Vector& v);
  ParsedValue curl_of(Position at, const Vector& v);
  ParsedValue laplacian_of(Position at, const ParsedValue& v);
  Expr inner(Position at, const Vector& a, const Vector& b);
  [[noreturn]] void fail_unknown(const Token& token) const;

  Lexer lexer_;
  const Context& context_;
  Space space_;
  Token token_, previous_;
  int nesting_ = 0;
  std::size_t work_ = 0;
  std::optional<double> tolerance_;  // equations are comparisons
};

}  // namespace cauchy::detail
