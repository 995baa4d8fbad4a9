// Recursive descent over the tokens of lexer.hpp, one function per level of precedence:
//   or < and < not < comparison < sum < product < sign < power < operand
#include <cauchy/expr/parse.hpp>

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>

#include "expr/builtin.hpp"
#include "expr/lexer.hpp"
#include "expr/node.hpp"

namespace cauchy {
namespace {

using detail::Builtin;
using detail::Lexer;
using detail::Position;
using detail::Token;

constexpr int max_nesting = 200;
constexpr int max_order = 64;
/// Operands that the constructors may look at beyond those that are typed: about a second of work.
/// Brackets around long sums and derivatives multiply terms; only they are counted.
constexpr std::size_t max_work = 500'000;

/// A scalar, or a vector when one is set, and where its text starts.
struct Value {
  Expr scalar;
  std::optional<Vector> vector;
  Position at;
};

/// Bound on what a constructor looks at in this operand; small ones are paid by their own text.
std::size_t width(const Expr& e) {
  const auto args = e.args();
  std::size_t n = args.size();
  if (e.kind() == Kind::mul && n == 2) n += args[1].args().size();  // c*(a + b)
  if (e.kind() == Kind::pow) n += args[0].args().size();
  return n <= 8 ? 0 : n;
}

std::string quoted(std::string_view text) {
  return text.size() <= 40 ? fmt::format("'{}'", text) : fmt::format("'{}...'", text.substr(0, 40));
}

std::string described(const Token& token) {
  return token.kind == Token::Kind::end ? "the end of the text" : quoted(token.text);
}

std::string counted(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string described(const Value& v) {
  return v.vector ? "a vector of " + counted(v.vector->size(), "component") : "a scalar";
}

class Parser final {
 public:
  Parser(std::string_view text, const Context& context, const TextPlace& place)
      : lexer_(text, place), context_(context) {
    for (const std::string& name : context.space()) space_.emplace_back(Coordinate(name));
    advance();
  }

  Expr expression() {
    if (token_.kind == Token::Kind::end) fail(token_.position, "the expression is empty");
    const Expr e = scalar(disjunction(), "an expression");
    if (token_.is("=") || token_.is("==")) {
      fail(token_.position, fmt::format("{} in an expression", quoted(token_.text)),
           "an equation cannot stand here; comparisons are < <= > >=");
    }
    expect_end();
    return e;
  }

  Equation equation() {
    if (token_.kind == Token::Kind::end) fail(token_.position, "the equation is empty");
    const Expr left = side();
    if (token_.kind == Token::Kind::end) {
      fail(token_.position, "an equation needs '='", "write left = right");
    }
    if (!token_.is("=") && !token_.is("==")) expect_end();
    advance();
    const Expr right = side();
    if (token_.is("=") || token_.is("==")) {
      fail(token_.position, fmt::format("a second {} in one equation", quoted(token_.text)));
    }
    expect_end();
    return {left, right};
  }

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
      throw Error(e.message(), lexer_.place(at), e.hint());
    }
  }

  void charge(Position at, std::size_t work) {
    if (work > max_work - work_) {
      fail(at, "the expression grows too large while it is read",
           "differentiate smaller expressions, or build it from definitions");
    }
    work_ += work;
  }

  /// One level of brackets, powers or `not`; the limit keeps the recursion off the end of the
  /// stack.
  class Nested {
   public:
    explicit Nested(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > max_nesting) {
        parser_.fail(parser_.token_.position,
                     fmt::format("nested deeper than {} levels", max_nesting));
      }
    }
    ~Nested() { --parser_.nesting_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };

  bool starts_operand() const {
    return token_.kind == Token::Kind::number || token_.is("(") || token_.is("[") ||
           (token_.kind == Token::Kind::name && !token_.is_word("and") && !token_.is_word("or"));
  }

  [[noreturn]] void fail_missing_operator() const {
    fail(token_.position, fmt::format("expected an operator before {}", described(token_)),
         "write '*' for a product");
  }

  void expect_end() const {
    if (token_.kind == Token::Kind::end) return;
    if (starts_operand()) fail_missing_operator();
    if (token_.is(")") || token_.is("]")) {
      fail(token_.position, fmt::format("{} without an opening bracket", described(token_)));
    }
    fail(token_.position, fmt::format("unexpected {}", described(token_)));
  }

  void expect_close(std::string_view symbol, const Token& open) {
    if (token_.is(symbol)) return advance();
    if (starts_operand()) fail_missing_operator();
    if (token_.is("=") || token_.is("==")) {
      fail(token_.position, fmt::format("{} inside brackets", quoted(token_.text)),
           "comparisons are < <= > >=");
    }
    fail(token_.position,
         fmt::format("expected '{}' for the '{}' at {}:{}, got {}", symbol, open.text,
                     open.position.line, open.position.column, described(token_)));
  }

  [[noreturn]] void fail_missing_operand() const {
    const bool power = previous_.is("*") && token_.is("*");
    const bool first = previous_.text.empty();
    fail(token_.position,
         fmt::format("expected an operand{}{}, got {}", first ? "" : " after ",
                     first ? "" : quoted(previous_.text), described(token_)),
         power ? "write '^' for a power" : "");
  }

  const Expr& scalar(const Value& v, std::string_view what) const {
    if (v.vector) {
      fail(v.at, fmt::format("{} needs a scalar, got {}", what, described(v)),
           "use its components, dot(v, w) or norm2(v)");
    }
    return v.scalar;
  }

  const Vector& vector(const Value& v, std::string_view what, std::string_view hint = {}) const {
    if (!v.vector) fail(v.at, fmt::format("{} needs a vector, got a scalar", what), hint);
    return *v.vector;
  }

  Expr side() {
    const Value v = disjunction();
    if (v.vector) {
      fail(v.at, fmt::format("an equation needs a scalar on each side, got {}", described(v)),
           "write one equation for each component");
    }
    return v.scalar;
  }

  // --- operators ---------------------------------------------------------------------------------

  Value disjunction() { return logical("or", Kind::max, &Parser::conjunction); }
  Value conjunction() { return logical("and", Kind::min, &Parser::negation); }

  Value logical(std::string_view word, Kind kind, Value (Parser::*tighter)()) {
    Value left = (this->*tighter)();
    while (token_.is_word(word)) {
      const Position at = token_.position;
      advance();
      const Value right = (this->*tighter)();
      const std::array args{scalar(left, quoted(word)), scalar(right, quoted(word))};
      charge(at, 1);
      left.scalar = build(at, [&] { return apply_function(kind, args); });
    }
    return left;
  }

  Value negation() {
    if (!token_.is_word("not")) return comparison();
    const Nested nested(*this);
    const Position at = token_.position;
    advance();
    const Value v = negation();
    const Expr& condition = scalar(v, "'not'");
    charge(at, width(condition));
    return {build(at, [&] { return Expr(1) - condition; }), {}, at};
  }

  bool at_comparison() const {
    return token_.is("<") || token_.is("<=") || token_.is(">") || token_.is(">=");
  }

  Value comparison() {
    Value left = sum_chain();
    if (!at_comparison()) return left;
    const Token symbol = token_;
    advance();
    const Value right = sum_chain();
    const Expr& a = scalar(left, "a comparison");
    const Expr& b = scalar(right, "a comparison");
    if (at_comparison()) {
      fail(token_.position, "comparisons do not chain", "write a < b and b < c");
    }
    const bool swapped = symbol.text.front() == '>';
    const Kind kind = symbol.text.size() == 2 ? Kind::less_equal : Kind::less;
    const std::array args{swapped ? b : a, swapped ? a : b};
    return {build(symbol.position, [&] { return apply_function(kind, args); }), {}, left.at};
  }

  Value sum_chain() {
    Value first = product_chain();
    if (!token_.is("+") && !token_.is("-")) return first;
    const Position at = token_.position;
    const std::size_t n = first.vector ? first.vector->size() : 1;
    std::vector<std::vector<Expr>> terms(n);  // one list for each component
    const auto take = [&](const Value& v, bool minus, Position here) {
      for (std::size_t i = 0; i < n; ++i) {
        const Expr& e = v.vector ? (*v.vector)[i] : v.scalar;
        charge(here, width(e));
        terms[i].push_back(minus ? build(here, [&] { return -e; }) : e);
      }
    };
    take(first, false, first.at);
    while (token_.is("+") || token_.is("-")) {
      const Token symbol = token_;
      advance();
      const Value next = product_chain();
      if (next.vector.has_value() != first.vector.has_value() ||
          (next.vector && next.vector->size() != n)) {
        fail(symbol.position,
             fmt::format("cannot {} {} and {}", symbol.is("+") ? "add" : "subtract",
                         described(first), described(next)));
      }
      take(next, symbol.is("-"), symbol.position);
    }
    if (!first.vector) return {build(at, [&] { return sum(std::move(terms[0])); }), {}, first.at};
    std::vector<Expr> components;
    for (auto& list : terms) components.push_back(build(at, [&] { return sum(std::move(list)); }));
    return {{}, Vector(std::move(components)), first.at};
  }

  /// Numbers of a chain are multiplied and divided from left to right, so that 7/5 is 1.4.
  Value product_chain() {
    Value first = sign();
    if (!token_.is("*") && !token_.is("/")) return first;
    const Position at = token_.position;
    double coefficient = 1;
    std::vector<Expr> factors{Expr(1)};
    std::optional<Vector> direction;
    const auto take = [&](const Value& v, bool divide, Position here) {
      if (v.vector && divide) fail(here, "cannot divide by a vector");
      if (v.vector && direction) {
        fail(here, "cannot multiply two vectors", "write dot(v, w) for the inner product");
      }
      if (v.vector) {
        direction = v.vector;
        return;
      }
      charge(here, width(v.scalar));
      const auto [c, rest] = detail::split_coefficient(v.scalar);
      if (divide && c == 0) fail(here, "division by zero", "the divisor is the number 0");
      coefficient = divide ? coefficient / c : coefficient * c;
      factors.push_back(divide ? build(here, [&r = rest] { return pow(r, Expr(-1)); }) : rest);
    };
    take(first, false, first.at);
    while (token_.is("*") || token_.is("/")) {
      const Token symbol = token_;
      advance();
      take(sign(), symbol.is("/"), symbol.position);
    }
    const Expr scale = build(at, [&] {
      factors.front() = Expr(coefficient);
      return product(std::move(factors));
    });
    if (!direction) return {scale, {}, first.at};
    for (const Expr& e : direction->components()) charge(at, width(scale) + width(e));
    return {{}, build(at, [&] { return scale * *direction; }), first.at};
  }

  Value sign() {
    const Position at = token_.position;
    bool minus = false;
    while (token_.is("+") || token_.is("-")) {
      minus = minus != token_.is("-");
      advance();
    }
    Value v = power();
    if (!minus) return v;
    v.at = at;
    if (!v.vector) {
      charge(at, width(v.scalar));
      v.scalar = build(at, [&] { return -v.scalar; });
      return v;
    }
    for (const Expr& e : v.vector->components()) charge(at, width(e));
    v.vector = build(at, [&] { return -*v.vector; });
    return v;
  }

  Value power() {
    Value base = operand();
    if (!token_.is("^")) return base;
    const Nested nested(*this);
    const Position at = token_.position;
    advance();
    const Value exponent = sign();
    const Expr& a = scalar(base, "a power");
    const Expr& b = scalar(exponent, "an exponent");
    charge(at, width(a) + width(b));
    return {build(at, [&] { return pow(a, b); }), {}, base.at};
  }

  // --- operands ----------------------------------------------------------------------------------

  Value operand() {
    const Token token = token_;
    if (token.kind == Token::Kind::number) {
      advance();
      if (token_.glued &&
          (token_.kind == Token::Kind::name || token_.kind == Token::Kind::number)) {
        fail(token_.position, fmt::format("expected an operator before {}", described(token_)),
             token_.kind == Token::Kind::name ? "write '*' for a product, 1e-3 for an exponent"
                                              : "");
      }
      return {Expr(token.value), {}, token.position};
    }
    if (token.is("(")) {
      const Nested nested(*this);
      advance();
      Value inner = disjunction();
      expect_close(")", token);
      inner.at = token.position;
      return inner;
    }
    if (token.is("[")) {
      std::vector<Expr> components;
      for (const Value& v : list("]")) components.push_back(scalar(v, "a component"));
      if (components.empty()) fail(token.position, "a vector needs at least one component");
      return {{}, Vector(std::move(components)), token.position};
    }
    if (!starts_operand() || token.is_word("not")) fail_missing_operand();
    return name();
  }

  /// Values between brackets; the opening one is the current token.
  std::vector<Value> list(std::string_view close) {
    const Nested nested(*this);
    const Token open = token_;
    advance();
    std::vector<Value> values;
    if (token_.is(close)) {
      advance();
      return values;
    }
    values.push_back(disjunction());
    while (token_.is(",")) {
      advance();
      values.push_back(disjunction());
    }
    expect_close(close, open);
    return values;
  }

  Value name() {
    const Token token = token_;
    advance();
    if (token.text == "D" && token_.is("[")) return {function_derivative(), {}, token.position};
    if (const int arity = context_.arity(token.text); arity > 0) {
      if (!token_.is("(")) {
        fail(token.position, fmt::format("function {} needs {} in brackets", quoted(token.text),
                                         counted(static_cast<std::size_t>(arity), "argument")));
      }
      return {call(token, {}), {}, token.position};
    }
    if (const std::optional<Expr> e = plain_name(token)) {
      if (token_.is("(")) {
        fail(token_.position, fmt::format("{} is not a function", quoted(token.text)),
             e->kind() == Kind::field ? "a field stands without arguments"
                                      : "write '*' for a product");
      }
      return {*e, {}, token.position};
    }
    const Builtin* f = detail::find_builtin(token.text);
    if (f == nullptr) fail_unknown(token);
    if (!token_.is("(")) {
      fail(token.position,
           fmt::format("function {} needs arguments in brackets", quoted(token.text)));
    }
    return builtin(*f, token);
  }

  std::optional<Expr> plain_name(const Token& token) {
    if (const Expr* e = context_.find(token.text)) return *e;
    if (auto e = suffixed_field(token)) return e;
    if (token.text == "pi") return Expr(pi);
    if (token.text == "e") return e_constant();
    return std::nullopt;
  }

  bool is_field(std::string_view name) const {
    const auto& fields = context_.fields();
    return std::find(fields.begin(), fields.end(), name) != fields.end();
  }

  /// u_xxt: the longest field before a '_' whose remainder is made of names of coordinates.
  std::optional<Expr> suffixed_field(const Token& token) const {
    const std::string_view text = token.text;
    for (std::size_t cut = text.rfind('_'); cut != std::string_view::npos && cut > 0;
         cut = text.rfind('_', cut - 1)) {
      const std::string_view field = text.substr(0, cut);
      if (!is_field(field)) continue;
      auto reading = detail::read_suffix(text.substr(cut + 1), context_.coordinates());
      if (reading.count == 0) continue;
      if (reading.count > 1) {
        fail(token.position, fmt::format("derivative {} is ambiguous", quoted(text)),
             fmt::format("write d({}, ...)", field));
      }
      check_order(token.position, total_order(reading.index));
      return field_derivative(field, std::move(reading.index));
    }
    return std::nullopt;
  }

  // --- functions ---------------------------------------------------------------------------------

  /// A declared function at its arguments; the opening bracket is the current token.
  Expr call(const Token& function, std::vector<int> orders) {
    const std::vector<Value> values = list(")");
    const auto arity = static_cast<std::size_t>(context_.arity(function.text));
    if (values.size() != arity) fail_count(function, arity, values.size());
    std::vector<Expr> args;
    for (const Value& v : values) args.push_back(scalar(v, quoted(function.text)));
    orders.resize(arity, 0);
    return build(function.position, [&] {
      return call_derivative(function.text, std::move(args), std::move(orders));
    });
  }

  [[noreturn]] void fail_count(const Token& function, std::size_t expected, std::size_t got) const {
    fail(function.position, fmt::format("{} takes {}, got {}", quoted(function.text),
                                        counted(expected, "argument"), got));
  }

  void expect(std::string_view symbol, std::string_view where) {
    if (!token_.is(symbol)) {
      fail(token_.position,
           fmt::format("expected '{}' {}, got {}", symbol, where, described(token_)),
           "a derivative of a function is written D[1,2](f)(x, y)");
    }
    advance();
  }

  /// D[1,2](f)(x, y) after the D: derivatives by the first and the second argument.
  Expr function_derivative() {
    std::vector<Token> positions;
    do {
      advance();
      positions.push_back(token_);
      if (token_.kind != Token::Kind::number) {
        fail(token_.position,
             fmt::format("expected the position of an argument, got {}", described(token_)),
             "a derivative of a function is written D[1,2](f)(x, y)");
      }
      advance();
    } while (token_.is(","));
    expect("]", "after the positions");
    expect("(", "before the function");
    const Token function = token_;
    const int arity = token_.kind == Token::Kind::name ? context_.arity(token_.text) : 0;
    if (arity == 0) {
      fail(function.position, fmt::format("{} is not a declared function", described(function)));
    }
    advance();
    expect(")", "after the function");
    if (!token_.is("(")) expect("(", "before the arguments");
    check_order(positions.front().position, static_cast<int>(positions.size()));
    std::vector<int> orders(static_cast<std::size_t>(arity), 0);
    for (const Token& p : positions) {
      if (!(p.value >= 1 && p.value <= arity) || p.value != static_cast<int>(p.value)) {
        fail(p.position,
             fmt::format("argument {} of {} does not exist", p.text, quoted(function.text)),
             fmt::format("it has {}", counted(orders.size(), "argument")));
      }
      ++orders[static_cast<std::size_t>(p.value) - 1];
    }
    return call(function, std::move(orders));
  }

  Value builtin(const Builtin& f, const Token& token) {
    const Position at = token.position;
    if (f.form == Builtin::Form::d) return {derivative(token), {}, at};
    const std::vector<Value> values = list(")");
    if (values.size() != f.arity) fail_count(token, f.arity, values.size());
    const Value& v = values[0];
    switch (f.form) {
      case Builtin::Form::grad:
        return {{}, gradient(at, scalar(v, "grad")), at};
      case Builtin::Form::div:
        return {divergence(at, vector(v, "div", "the gradient is grad(u)")), {}, at};
      case Builtin::Form::curl:
        return curl_of(at, vector(v, "curl"));
      case Builtin::Form::laplacian:
        return laplacian_of(at, v);
      case Builtin::Form::dot: {
        const Vector& a = vector(v, "dot", "write '*' for the product of scalars");
        const Vector& b = vector(values[1], "dot");
        return {inner(at, a, b), {}, at};
      }
      case Builtin::Form::norm2:
        return {inner(at, vector(v, "norm2"), *v.vector), {}, at};
      default:
        return {scalar_function(f, at, values), {}, at};
    }
  }

  Expr scalar_function(const Builtin& f, Position at, const std::vector<Value>& values) {
    std::vector<Expr> args;
    for (const Value& v : values) {
      args.push_back(scalar(v, f.name));
      charge(at, width(args.back()));
    }
    return build(at, [&] {
      switch (f.form) {
        case Builtin::Form::sqrt:
          return sqrt(args[0]);
        case Builtin::Form::pow:
          return pow(args[0], args[1]);
        case Builtin::Form::heaviside:
          return heaviside(args[0]);
        default:
          return apply_function(f.kind, args);
      }
    });
  }

  // --- derivatives -------------------------------------------------------------------------------

  void check_order(Position at, int order) const {
    if (order > max_order) {
      fail(at, fmt::format("derivative of order {} is too high, at most {}", order, max_order));
    }
  }

  /// To be called before each derivative of e: counts its work, and the order that it reaches.
  void charge_derivative(Position at, const Expr& e) {
    std::size_t work = 0;
    for (const Expr& node : postorder(std::array{e})) {
      const std::size_t n = node.args().size();
      work += node.kind() == Kind::mul ? n * n : 1 + n;
      int order = node.kind() == Kind::field ? total_order(node.index()) : 0;
      for (const int k : node.call_orders()) order += k;
      check_order(at, order + 1);
    }
    charge(at, work);
  }

  Expr derive(Position at, const Expr& e, const Expr& x) {
    charge_derivative(at, e);
    return build(at, [&] { return d(e, x); });
  }

  Expr coordinate() {
    const Token token = token_;
    const Expr* x = token.kind == Token::Kind::name ? context_.find(token.text) : nullptr;
    if (x == nullptr || x->kind() != Kind::coordinate) {
      const std::string near = token.kind == Token::Kind::name && x == nullptr
                                   ? nearest_name(token.text, context_.coordinates())
                                   : "";
      fail(token.position, fmt::format("cannot differentiate by {}", described(token)),
           context_.coordinates().empty() ? "no coordinate is declared"
           : near.empty()
               ? fmt::format("coordinates are: {}", fmt::join(context_.coordinates(), ", "))
               : fmt::format("did you mean '{}'?", near));
    }
    advance();
    return *x;
  }

  int order_of_derivative() {
    const Token token = token_;
    advance();
    if (!(token.value >= 1 && token.value <= 1e9) || token.value != static_cast<int>(token.value)) {
      fail(token.position,
           fmt::format("order of a derivative must be a positive integer, got {}", token.text));
    }
    check_order(token.position, static_cast<int>(token.value));
    return static_cast<int>(token.value);
  }

  /// d(e, x), d(e, x, 2, t); the opening bracket is the current token.
  Expr derivative(const Token& token) {
    const Nested nested(*this);
    const Token open = token_;
    advance();
    if (token_.is(")"))
      fail(token.position, "'d' takes an expression and coordinates, got nothing");
    const Value v = disjunction();
    Expr e = scalar(v, "d");
    if (token_.is(")")) {
      fail(token.position, "'d' needs a coordinate to differentiate by", "write d(u, x)");
    }
    // A list of coordinates, each with an optional order after it.
    std::vector<std::pair<Expr, int>> steps;
    while (token_.is(",")) {
      advance();
      if (token_.kind == Token::Kind::number && !steps.empty() && steps.back().second == 0) {
        steps.back().second = order_of_derivative();
      } else {
        steps.emplace_back(coordinate(), 0);  // 0: none written
      }
    }
    expect_close(")", open);
    int total = 0;
    for (const auto& [x, order] : steps) check_order(token.position, total += std::max(order, 1));
    for (const auto& [x, order] : steps) {
      for (int i = 0; i < std::max(order, 1); ++i) e = derive(token.position, e, x);
    }
    return e;
  }

  void require_space(Position at, std::string_view what) const {
    if (space_.empty())
      fail(at, fmt::format("{} needs a space coordinate, none is declared", what));
  }

  Vector gradient(Position at, const Expr& e) {
    require_space(at, "grad");
    std::vector<Expr> components;
    for (const Expr& x : space_) components.push_back(derive(at, e, x));
    return Vector(std::move(components));
  }

  Expr divergence(Position at, const Vector& v) {
    require_space(at, "div");
    for (const Expr& e : v.components()) charge_derivative(at, e);
    return build(at, [&] { return div(v, space_); });
  }

  Value curl_of(Position at, const Vector& v) {
    require_space(at, "curl");
    for (const Expr& e : v.components()) {
      charge_derivative(at, e);
      charge_derivative(at, e);
    }
    if (v.size() == 2) return {build(at, [&] { return curl2(v, space_); }), {}, at};
    return {{}, build(at, [&] { return curl(v, space_); }), at};
  }

  Value laplacian_of(Position at, const Value& v) {
    require_space(at, "laplacian");
    if (!v.vector) return {divergence(at, gradient(at, v.scalar)), {}, at};
    std::vector<Expr> components;
    for (const Expr& e : v.vector->components()) {
      components.push_back(divergence(at, gradient(at, e)));
    }
    return {{}, Vector(std::move(components)), at};
  }

  Expr inner(Position at, const Vector& a, const Vector& b) {
    for (const Expr& e : a.components()) charge(at, width(e));
    for (const Expr& e : b.components()) charge(at, width(e));
    return build(at, [&] { return dot(a, b); });
  }

  // --- names that are not known
  // --------------------------------------------------------------------

  [[noreturn]] void fail_unknown(const Token& token) const {
    const bool function = token_.is("(");
    std::vector<std::string> known;
    for (const std::string& name : context_.names()) {
      if ((context_.arity(name) > 0) == function) known.push_back(name);
    }
    std::vector<std::string> candidates;  // unknowns first: they win when several are as near
    if (!function) candidates = context_.fields();
    candidates.insert(candidates.end(), known.begin(), known.end());
    if (function) {
      for (const Builtin& f : detail::builtins) candidates.emplace_back(f.name);
    }
    const std::string near = nearest_name(token.text, candidates);
    const std::string_view what = function ? "function" : "name";
    std::string hint;
    if (!near.empty()) {
      hint = fmt::format("did you mean '{}'?", near);
    } else if (const auto cut = token.text.rfind('_');
               cut != std::string_view::npos && is_field(token.text.substr(0, cut))) {
      hint = fmt::format("coordinates are: {}", fmt::join(context_.coordinates(), ", "));
    } else if (!known.empty()) {
      const bool many = known.size() > 20;
      if (many) known.resize(20);
      hint = fmt::format("known {}s are: {}{}", what, fmt::join(known, ", "), many ? ", ..." : "");
    } else {
      hint = fmt::format("no {} is declared", what);
    }
    fail(token.position, fmt::format("unknown {} {}", what, quoted(token.text)), hint);
  }

  Lexer lexer_;
  const Context& context_;
  Space space_;
  Token token_, previous_;
  int nesting_ = 0;
  std::size_t work_ = 0;
};

}  // namespace

Expr parse(std::string_view text, const Context& context, const TextPlace& place) {
  return Parser(text, context, place).expression();
}

Equation parse_equation(std::string_view text, const Context& context, const TextPlace& place) {
  return Parser(text, context, place).equation();
}

}  // namespace cauchy
