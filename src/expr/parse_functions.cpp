#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/expr/derivative.hpp>

#include "expr/parser.hpp"

namespace cauchy::detail {

/// A declared function at its arguments; the opening bracket is the current token.
Expr Parser::call(const Token& function, std::vector<int> orders) {
  const std::vector<ParsedValue> values = list(")");
  const auto arity = static_cast<std::size_t>(context_.arity(function.text));
  if (values.size() != arity) fail_count(function, arity, values.size());
  std::vector<Expr> args;
  for (const ParsedValue& v : values) args.push_back(scalar(v, quoted(function.text)));
  orders.resize(arity, 0);
  return build(function.position,
               [&] { return call_derivative(function.text, std::move(args), std::move(orders)); });
}

void Parser::fail_count(const Token& function, std::size_t expected, std::size_t got) const {
  fail(function.position, fmt::format("{} takes {}, got {}", quoted(function.text),
                                      counted(expected, "argument"), got));
}

void Parser::expect(std::string_view symbol, std::string_view where) {
  if (!token_.is(symbol)) {
    fail(token_.position, fmt::format("expected '{}' {}, got {}", symbol, where, described(token_)),
         "a derivative of a function is written D[1,2](f)(x, y)");
  }
  advance();
}

/// D[1,2](f)(x, y) after the D: derivatives by the first and the second argument.
Expr Parser::function_derivative() {
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

ParsedValue Parser::builtin(const Builtin& f, const Token& token) {
  const Position at = token.position;
  if (f.form == Builtin::Form::d) return {derivative(token), {}, at};
  const std::vector<ParsedValue> values = list(")");
  if (values.size() != f.arity) fail_count(token, f.arity, values.size());
  const ParsedValue& v = values[0];
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

Expr Parser::scalar_function(const Builtin& f, Position at,
                             const std::vector<ParsedValue>& values) {
  std::vector<Expr> args;
  for (const ParsedValue& v : values) {
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

void Parser::check_order(Position at, int order) const {
  if (order > max_order) {
    fail(at, fmt::format("derivative of order {} is too high, at most {}", order, max_order));
  }
}

/// To be called before each derivative of e: counts its work, and the order that it reaches.
void Parser::charge_derivative(Position at, const Expr& e) {
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

Expr Parser::derive(Position at, const Expr& e, const Expr& x) {
  charge_derivative(at, e);
  return build(at, [&] { return d(e, x); });
}

Expr Parser::coordinate() {
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

int Parser::order_of_derivative() {
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
Expr Parser::derivative(const Token& token) {
  const Nested nested(*this);
  const Token open = token_;
  advance();
  if (token_.is(")")) fail(token.position, "'d' takes an expression and coordinates, got nothing");
  const ParsedValue v = disjunction();
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

void Parser::require_space(Position at, std::string_view what) const {
  if (space_.empty()) fail(at, fmt::format("{} needs a space coordinate, none is declared", what));
}

Vector Parser::gradient(Position at, const Expr& e) {
  require_space(at, "grad");
  std::vector<Expr> components;
  for (const Expr& x : space_) components.push_back(derive(at, e, x));
  return Vector(std::move(components));
}

Expr Parser::divergence(Position at, const Vector& v) {
  require_space(at, "div");
  for (const Expr& e : v.components()) charge_derivative(at, e);
  return build(at, [&] { return div(v, space_); });
}

ParsedValue Parser::curl_of(Position at, const Vector& v) {
  require_space(at, "curl");
  for (const Expr& e : v.components()) {
    charge_derivative(at, e);
    charge_derivative(at, e);
  }
  if (v.size() == 2) return {build(at, [&] { return curl2(v, space_); }), {}, at};
  return {{}, build(at, [&] { return curl(v, space_); }), at};
}

ParsedValue Parser::laplacian_of(Position at, const ParsedValue& v) {
  require_space(at, "laplacian");
  if (!v.vector) return {divergence(at, gradient(at, v.scalar)), {}, at};
  std::vector<Expr> components;
  for (const Expr& e : v.vector->components()) {
    components.push_back(divergence(at, gradient(at, e)));
  }
  return {{}, Vector(std::move(components)), at};
}

Expr Parser::inner(Position at, const Vector& a, const Vector& b) {
  for (const Expr& e : a.components()) charge(at, width(e));
  for (const Expr& e : b.components()) charge(at, width(e));
  return build(at, [&] { return dot(a, b); });
}

void Parser::fail_unknown(const Token& token) const {
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

}  // namespace cauchy::detail
