#include <cauchy/expr/parse.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "expr/node.hpp"
#include "expr/parser.hpp"
#include "expr/written_form.hpp"

namespace cauchy {
namespace detail {

Expr Parser::expression() {
  if (token_.kind == Token::Kind::end) {
    fail(token_.position, "the expression is empty", "write a number or a formula");
  }
  const Expr e = scalar(disjunction(), "an expression");
  if (token_.is("=") || token_.is("==")) {
    fail(token_.position, fmt::format("{} in an expression", quoted(token_.text)),
         "an equation cannot stand here; comparisons are < <= > >=");
  }
  expect_end();
  return e;
}

Equation Parser::equation() {
  if (token_.kind == Token::Kind::end) {
    fail(token_.position, "the equation is empty", "write left = right");
  }
  const Expr left = side();
  if (token_.kind == Token::Kind::end) {
    fail(token_.position, "an equation needs '='", "write left = right");
  }
  if (!token_.is("=") && !token_.is("==")) expect_end();
  advance();
  const Expr right = side();
  if (token_.is("=") || token_.is("==")) {
    fail(token_.position, fmt::format("a second {} in one equation", quoted(token_.text)),
         "write two equations");
  }
  expect_end();
  return {left, right};
}

// --- errors ---

bool Parser::starts_operand() const {
  return token_.kind == Token::Kind::number || token_.is("(") || token_.is("[") ||
         (token_.kind == Token::Kind::name && !token_.is_word("and") && !token_.is_word("or"));
}

void Parser::fail_missing_operator() const {
  fail(token_.position, fmt::format("expected an operator before {}", described(token_)),
       "write '*' for a product");
}

void Parser::expect_end() const {
  if (token_.kind == Token::Kind::end) return;
  if (starts_operand()) fail_missing_operator();
  if (token_.is(")") || token_.is("]")) {
    fail(token_.position, fmt::format("{} without an opening bracket", described(token_)),
         "remove it");
  }
  fail(token_.position, fmt::format("unexpected {}", described(token_)), "remove it");
}

void Parser::expect_close(std::string_view symbol, const Token& open) {
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

void Parser::fail_missing_operand() const {
  const bool power = previous_.is("*") && token_.is("*");
  const bool first = previous_.text.empty();
  fail(token_.position,
       fmt::format("expected an operand{}{}, got {}", first ? "" : " after ",
                   first ? "" : quoted(previous_.text), described(token_)),
       power ? "write '^' for a power" : "");
}

const Expr& Parser::scalar(const ParsedValue& v, std::string_view what) const {
  if (v.vector) {
    fail(v.at, fmt::format("{} needs a scalar, got {}", what, described(v)),
         "use its components, dot(v, w) or norm2(v)");
  }
  return v.scalar;
}

const Vector& Parser::vector(const ParsedValue& v, std::string_view what,
                             std::string_view hint) const {
  if (!v.vector) fail(v.at, fmt::format("{} needs a vector, got a scalar", what), hint);
  return *v.vector;
}

Expr Parser::side() {
  const ParsedValue v = disjunction();
  if (v.vector) {
    fail(v.at, fmt::format("an equation needs a scalar on each side, got {}", described(v)),
         "write one equation for each component");
  }
  return v.scalar;
}

// --- operators and operands ---

ParsedValue Parser::sum_chain() {
  ParsedValue first = product_chain();
  if (!token_.is("+") && !token_.is("-")) return first;
  const Position at = token_.position;
  const std::size_t n = first.vector ? first.vector->size() : 1;
  std::vector<std::vector<Expr>> terms(n);  // one list for each component
  const auto take = [&](const ParsedValue& v, bool minus, Position here) {
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
    const ParsedValue next = product_chain();
    if (next.vector.has_value() != first.vector.has_value() ||
        (next.vector && next.vector->size() != n)) {
      fail(symbol.position, fmt::format("cannot {} {} and {}", symbol.is("+") ? "add" : "subtract",
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
ParsedValue Parser::product_chain() {
  ParsedValue first = sign();
  if (!token_.is("*") && !token_.is("/")) return first;
  const Position at = token_.position;
  std::vector<Expr> operands;
  std::vector<bool> divides;
  std::optional<Vector> direction;
  const auto take = [&](const ParsedValue& v, bool divide, Position here) {
    if (v.vector && divide) fail(here, "cannot divide by a vector", "use its components");
    if (v.vector && direction) {
      fail(here, "cannot multiply two vectors", "write dot(v, w) for the inner product");
    }
    if (v.vector) {
      direction = v.vector;
      return;
    }
    charge(here, width(v.scalar));
    if (divide && v.scalar.is_constant(0)) {
      fail(here, "division by zero", "the divisor is the number 0");
    }
    operands.push_back(v.scalar);
    divides.push_back(divide);
  };
  take(first, false, first.at);
  while (token_.is("*") || token_.is("/")) {
    const Token symbol = token_;
    advance();
    take(sign(), symbol.is("/"), symbol.position);
  }
  const Expr scale = build(at, [&] {
    if (!detail::any_written(operands)) return detail::chain_product(operands, divides);
    const Expr value = detail::chain_product(detail::all_plain(operands), divides);
    return detail::written_product(value, operands, divides);
  });
  if (!direction) return {scale, {}, first.at};
  for (const Expr& e : direction->components()) charge(at, width(scale) + width(e));
  return {{}, build(at, [&] { return scale * *direction; }), first.at};
}

ParsedValue Parser::sign() {
  const Position at = token_.position;
  bool minus = false;
  while (token_.is("+") || token_.is("-")) {
    minus = minus != token_.is("-");
    advance();
  }
  ParsedValue v = power();
  if (!minus) return v;
  v.at = at;
  v.is_condition = false;
  if (!v.vector) {
    charge(at, width(v.scalar));
    v.scalar = build(at, [&] { return -v.scalar; });
    return v;
  }
  for (const Expr& e : v.vector->components()) charge(at, width(e));
  v.vector = build(at, [&] { return -*v.vector; });
  return v;
}

ParsedValue Parser::power() {
  ParsedValue base = operand();
  if (!token_.is("^")) return base;
  const Nested nested(*this);
  const Position at = token_.position;
  advance();
  const ParsedValue exponent = sign();
  const Expr& a = scalar(base, "a power");
  const Expr& b = scalar(exponent, "an exponent");
  charge(at, width(a) + width(b));
  return {build(at, [&] { return pow(a, b); }), {}, base.at};
}

ParsedValue Parser::operand() {
  const Token token = token_;
  if (token.kind == Token::Kind::number) {
    advance();
    if (token_.glued && (token_.kind == Token::Kind::name || token_.kind == Token::Kind::number)) {
      fail(token_.position, fmt::format("expected an operator before {}", described(token_)),
           token_.kind == Token::Kind::name ? "write '*' for a product, 1e-3 for an exponent" : "");
    }
    return {Expr(token.value), {}, token.position};
  }
  if (token.is("(")) {
    const Nested nested(*this);
    advance();
    ParsedValue inner = disjunction();
    expect_close(")", token);
    inner.at = token.position;
    return inner;
  }
  if (token.is("[")) {
    std::vector<Expr> components;
    for (const ParsedValue& v : list("]")) components.push_back(scalar(v, "a component"));
    if (components.empty()) fail(token.position, "a vector needs at least one component");
    return {{}, Vector(std::move(components)), token.position};
  }
  if (!starts_operand() || token.is_word("not")) fail_missing_operand();
  return name();
}

/// Values between brackets; the opening one is the current token.
std::vector<ParsedValue> Parser::list(std::string_view close) {
  const Nested nested(*this);
  const Token open = token_;
  advance();
  std::vector<ParsedValue> values;
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

ParsedValue Parser::name() {
  const Token token = token_;
  advance();
  if (token.text == "D" && token_.is("[")) return {function_derivative(), {}, token.position};
  if (const int arity = context_.arity(token.text); arity > 0) {
    const Expr* usual = context_.find(token.text);
    if (!token_.is("(") && usual != nullptr) return {*usual, {}, token.position};
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

std::optional<Expr> Parser::plain_name(const Token& token) {
  if (const Expr* e = context_.find(token.text)) return *e;
  if (auto e = suffixed_field(token)) return e;
  if (token.text == "pi") return Expr(pi);
  if (token.text == "e") return e_constant();
  return std::nullopt;
}

bool Parser::is_field(std::string_view name) const {
  const auto& fields = context_.fields();
  return std::find(fields.begin(), fields.end(), name) != fields.end();
}

/// u_xxt: the longest field before a '_' whose remainder is made of names of coordinates.
std::optional<Expr> Parser::suffixed_field(const Token& token) const {
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

}  // namespace detail

Expr parse(std::string_view text, const Context& context, const TextPlace& place) {
  return detail::Parser(text, context, place).expression();
}

Expr parse_condition(std::string_view text, const Context& context, double tolerance,
                     const TextPlace& place) {
  return detail::Parser(text, context, place).condition(tolerance);
}

Equation parse_equation(std::string_view text, const Context& context, const TextPlace& place) {
  return detail::Parser(text, context, place).equation();
}

}  // namespace cauchy
