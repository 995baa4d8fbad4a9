// Comparisons, and, or, not: what is 0 or 1, and what is no condition.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "expr/parser.hpp"

namespace cauchy::detail {

namespace {

/// Whether an expression is 0 or 1 everywhere by its form.
bool is_truth(const Expr& e) {
  if (e.kind() == Kind::less || e.kind() == Kind::less_equal || e.kind() == Kind::symbol)
    return true;
  if (e.kind() == Kind::min || e.kind() == Kind::max) {
    return std::all_of(e.args().begin(), e.args().end(), is_truth);
  }
  if (e.kind() != Kind::add) return false;
  const Expr contrary = 1 - e;  // not
  return contrary.kind() != Kind::add && is_truth(contrary);
}

/// "y = " of "x < 1 and y = 0": the left side of the last comparison, up to and with its sign.
std::string_view comparison_start(std::string_view text) {
  for (const std::string_view word : {" and ", " or ", "not ", "("}) {
    const auto at = text.rfind(word);
    if (at != std::string_view::npos) text.remove_prefix(at + word.size());
  }
  const auto sign = text.find_last_of("<>=");
  return sign == std::string_view::npos ? "" : text.substr(0, sign + 1);
}

}  // namespace

Expr Parser::condition(double tolerance) {
  tolerance_ = tolerance;
  if (token_.kind == Token::Kind::end) {
    fail(token_.position, "the condition is empty", "write a comparison such as x > 0");
  }
  const Token first = token_;
  const ParsedValue v = disjunction();
  const Expr e = scalar(v, "a condition");
  expect_end();
  expect_condition(v, since(first));
  return e;
}

std::string_view Parser::since(const Token& first) const {
  const char* const end = previous_.text.data() + previous_.text.size();
  return {first.text.data(), static_cast<std::size_t>(end - first.text.data())};
}

void Parser::expect_condition(const ParsedValue& v, std::string_view text, std::string_view before,
                              std::string_view word) const {
  if (v.is_condition || v.vector || is_truth(v.scalar)) return;
  const bool number = v.scalar.is_constant();
  if (!number && !tolerance_) return;
  const std::string_view start = comparison_start(before);
  const auto& names = context_.space().empty() ? context_.coordinates() : context_.space();
  const std::string name = names.empty() ? "x" : names.front();
  const std::string hint = !number ? fmt::format("compare it with something: \"{} > 0\"", text)
                           : start.empty()
                               ? fmt::format("write a comparison such as \"{} = {}\"", name, text)
                               : fmt::format("write \"{} {} {} {}\"", before, word, start, text);
  fail(v.at, fmt::format("{} is no condition", quoted(text)), hint);
}

ParsedValue Parser::logical(std::string_view word, Kind kind, ParsedValue (Parser::*tighter)()) {
  const Token first = token_;
  ParsedValue left = (this->*tighter)();
  while (token_.is_word(word)) {
    const Position at = token_.position;
    const std::string_view before = since(first);
    advance();
    const Token second = token_;
    const ParsedValue right = (this->*tighter)();
    const std::array args{scalar(left, quoted(word)), scalar(right, quoted(word))};
    expect_condition(left, before);
    expect_condition(right, since(second), before, word);
    charge(at, 1);
    left.scalar = build(at, [&] { return apply_function(kind, args); });
    left.is_condition = true;
  }
  return left;
}

ParsedValue Parser::negation() {
  if (!token_.is_word("not")) return comparison();
  const Nested nested(*this);
  const Position at = token_.position;
  advance();
  const Token first = token_;
  const ParsedValue v = negation();
  const Expr& operand = scalar(v, "'not'");
  expect_condition(v, since(first));
  charge(at, width(operand));
  return {build(at, [&] { return Expr(1) - operand; }), {}, at, true};
}

bool Parser::at_comparison() const {
  return token_.is("<") || token_.is("<=") || token_.is(">") || token_.is(">=") ||
         (tolerance_ && (token_.is("=") || token_.is("==")));
}

ParsedValue Parser::comparison() {
  ParsedValue left = sum_chain();
  if (!at_comparison()) return left;
  const Token symbol = token_;
  advance();
  const ParsedValue right = sum_chain();
  const Expr& a = scalar(left, "a comparison");
  const Expr& b = scalar(right, "a comparison");
  if (at_comparison()) {
    fail(token_.position, "comparisons do not chain", "write a < b and b < c");
  }
  if (symbol.text.front() == '=') {
    charge(symbol.position, width(a) + width(b));
    return {
        build(symbol.position, [&] { return abs(a - b) <= Expr(*tolerance_); }), {}, left.at, true};
  }
  const bool swapped = symbol.text.front() == '>';
  const Kind kind = symbol.text.size() == 2 ? Kind::less_equal : Kind::less;
  const std::array args{swapped ? b : a, swapped ? a : b};
  return {build(symbol.position, [&] { return apply_function(kind, args); }), {}, left.at, true};
}

}  // namespace cauchy::detail
