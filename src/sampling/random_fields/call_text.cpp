#include "sampling/random_fields/call_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>

namespace cauchy::detail {
namespace {

std::string shown(const Token& token) {
  return token.kind == Token::Kind::end ? "the end of the text" : fmt::format("'{}'", token.text);
}

std::size_t offset_in(std::string_view part, std::string_view text) {
  return static_cast<std::size_t>(part.data() - text.data());
}

/// "did you mean 'x'?", or all of them.
std::string hint_of(std::string_view word, std::string_view what,
                    const std::vector<std::string>& known) {
  const std::string near = nearest_name(word, known);
  return near.empty() ? fmt::format("{} are: {}", what, fmt::join(known, ", "))
                      : fmt::format("did you mean '{}'?", near);
}

/// Gives an aggregate the values of a call.
class CallVisitor final : public OptionVisitor {
 public:
  explicit CallVisitor(const CallText& call) : call_(call) {}

  void number(std::string_view key, double& value, NumberRange range) override {
    if (const auto* a = find(key)) value = number_in(*a, a->value, a->value_at, range);
  }
  void flag(std::string_view key, bool& value) override {
    const auto* a = find(key);
    if (a == nullptr) return;
    if (a->value != "true" && a->value != "false") {
      fail(a->value_at, fmt::format("'{}' must be true or false, got {}", key, a->value));
    }
    value = a->value == "true";
  }
  void numbers(std::string_view key, std::vector<double>& values, NumberRange range) override {
    const auto* a = find(key);
    if (a == nullptr) return;
    values.clear();
    if (!a->value.starts_with('[')) {
      values.push_back(number_in(*a, a->value, a->value_at, range));
      return;
    }
    Lexer lexer(a->value, call_.place_in_text(a->value_at));
    Token token = lexer.next();  // the bracket
    while (!token.is("]")) {
      token = lexer.next();
      const Token first = token;
      for (int depth = 0; depth > 0 || !(token.is(",") || token.is("]")); token = lexer.next()) {
        if (token.kind == Token::Kind::end) fail(a->value_at, "the list has no end", "write ']'");
        if (token.is("(") || token.is("[")) ++depth;
        if (token.is(")") || token.is("]")) --depth;
      }
      const std::size_t from = offset_in(first.text, a->value);
      values.push_back(number_in(*a, a->value.substr(from, offset_in(token.text, a->value) - from),
                                 first.position, range));
    }
    token = lexer.next();
    if (token.kind != Token::Kind::end) {
      fail(token.position, fmt::format("unexpected {} behind the list", shown(token)));
    }
  }
  void text(std::string_view key, std::string& value) override {
    if (const auto* a = find(key)) value = std::string(a->value);
  }
  void equations(std::string_view key, std::vector<std::string>&) override { refuse(key); }
  void seed(std::string_view key, std::uint64_t& value) override { whole(key, value, 0, ~0ull); }
  [[nodiscard]] bool gives(std::string_view key) const override {
    return std::any_of(call_.arguments().begin(), call_.arguments().end(),
                       [&](const auto& a) { return a.key == key; });
  }

  void refuse_unknown_keys() const {
    for (const CallText::Argument& a : call_.arguments()) {
      if (std::find(keys_.begin(), keys_.end(), a.key) != keys_.end()) continue;
      fail(a.key_at, fmt::format("'{}' has no option '{}'", call_.name(), a.key),
           hint_of(a.key, "options", keys_));
    }
  }

 protected:
  void whole(std::string_view key, std::uint64_t& value, std::uint64_t least,
             std::uint64_t most) override {
    const auto* a = find(key);
    if (a == nullptr) return;
    const double number = number_in(*a, a->value, a->value_at, NumberRange::any);
    const bool fits = number == std::floor(number) && number >= static_cast<double>(least) &&
                      number <= static_cast<double>(most) && number < 0x1p63;
    if (!fits) {
      fail(a->value_at, fmt::format("'{}' must be a whole number from {} to {}, got {}", key, least,
                                    most, number_to_string(number)));
    }
    value = static_cast<std::uint64_t>(number);
  }
  std::optional<std::size_t> choose(std::string_view key, const Choice& choice) override {
    const auto* a = find(key);
    if (a == nullptr) return std::nullopt;
    const auto found = std::find(choice.names.begin(), choice.names.end(), a->value);
    if (found == choice.names.end()) {
      fail(a->value_at, fmt::format("there is no {} '{}'", choice.what, a->value),
           hint_of(a->value, "words", {choice.names.begin(), choice.names.end()}));
    }
    return static_cast<std::size_t>(found - choice.names.begin());
  }
  void visit_section(std::string_view key, const Part&, SectionStyle) override { refuse(key); }
  void visit_list(std::string_view key, std::size_t, Resize, Item) override { refuse(key); }

 private:
  [[noreturn]] void fail(Position at, std::string_view message, std::string_view hint = {}) const {
    throw Error(ErrorKind::syntax, message, call_.place_of(at), hint);
  }
  const CallText::Argument* find(std::string_view key) {
    keys_.emplace_back(key);
    for (const CallText::Argument& a : call_.arguments()) {
      if (a.key == key) return &a;
    }
    return nullptr;
  }
  void refuse(std::string_view key) {
    if (const auto* a = find(key)) fail(a->key_at, fmt::format("'{}' has no form in a call", key));
  }
  double number_in(const CallText::Argument& a, std::string_view text, Position at,
                   NumberRange range) const {
    const double value = evaluate(parse(text, {}, call_.place_in_text(at)));
    if (!std::isfinite(value) || !in_range(value, range)) {
      fail(at, fmt::format("'{}' must be {}, got {}", a.key,
                           std::isfinite(value) ? described(range) : "finite",
                           number_to_string(value)));
    }
    return value;
  }

  const CallText& call_;
  std::vector<std::string> keys_;
};

}  // namespace

CallText::CallText(std::string_view text, const TextPlace& place) : source_(place.name) {
  Lexer lexer(text, place);
  const Token name = lexer.next();
  if (name.kind != Token::Kind::name) {
    lexer.fail(name.position, fmt::format("expected a name, got {}", shown(name)),
               "write for example grf(alpha = 2, tau = 3)");
  }
  name_ = name.text;
  name_at_ = name.position;
  Token token = lexer.next();
  if (token.kind == Token::Kind::end) return;
  if (!token.is("(")) {
    lexer.fail(token.position,
               fmt::format("expected '(' behind '{}', got {}", name_, shown(token)));
  }
  token = lexer.next();
  while (!token.is(")")) {
    const Token key = token;
    token = lexer.next();
    if (key.kind != Token::Kind::name || !token.is("=")) {
      lexer.fail(key.position, fmt::format("expected an option, got {}", shown(key)),
                 "write key = value");
    }
    const auto same = [&](const Argument& a) { return a.key == key.text; };
    if (std::any_of(arguments_.begin(), arguments_.end(), same)) {
      lexer.fail(key.position, fmt::format("'{}' is given twice", key.text), "remove one of them");
    }
    const Token first = token = lexer.next();
    for (int depth = 0; depth > 0 || !(token.is(",") || token.is(")")); token = lexer.next()) {
      if (token.kind == Token::Kind::end) {
        lexer.fail(token.position, "the bracket has no end", "write ')'");
      }
      if (token.is("(") || token.is("[")) ++depth;
      if (token.is(")") || token.is("]")) --depth;
    }
    const std::size_t from = offset_in(first.text, text);
    std::string_view value = text.substr(from, offset_in(token.text, text) - from);
    while (!value.empty() && std::isspace(static_cast<unsigned char>(value.back()))) {
      value.remove_suffix(1);
    }
    if (value.empty()) {
      lexer.fail(first.position, fmt::format("'{}' has no value", key.text));
    }
    arguments_.push_back({key.text, value, key.position, first.position});
    if (token.is(",")) token = lexer.next();
  }
  token = lexer.next();
  if (token.kind != Token::Kind::end) {
    lexer.fail(token.position, fmt::format("unexpected {} behind the bracket", shown(token)));
  }
}

std::string CallText::place_of(Position at) const {
  return fmt::format("{}:{}:{}", source_, at.line, at.column);
}

TextPlace CallText::place_in_text(Position at) const { return {source_, at.line, at.column}; }

void CallText::read(const OptionVisitor::Part& options) const {
  CallVisitor visitor(*this);
  options.visit(visitor);
  visitor.refuse_unknown_keys();
}

}  // namespace cauchy::detail
