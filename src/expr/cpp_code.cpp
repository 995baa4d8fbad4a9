#include <cauchy/expr/cpp_code.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>

#include "base/utf8.hpp"

namespace cauchy {
namespace {

constexpr std::array cpp_keywords{
    "alignas",   "alignof",  "and",      "and_eq",   "asm",      "auto",     "bitand",    "bitor",
    "bool",      "break",    "case",     "catch",    "char",     "class",    "compl",     "concept",
    "const",     "continue", "decltype", "default",  "delete",   "do",       "double",    "else",
    "enum",      "explicit", "export",   "extern",   "false",    "float",    "for",       "friend",
    "goto",      "if",       "inline",   "int",      "long",     "mutable",  "namespace", "new",
    "noexcept",  "not",      "not_eq",   "nullptr",  "operator", "or",       "or_eq",     "private",
    "protected", "public",   "register", "requires", "return",   "short",    "signed",    "sizeof",
    "static",    "std",      "struct",   "switch",   "template", "this",     "throw",     "true",
    "try",       "typedef",  "typeid",   "typename", "union",    "unsigned", "using",     "virtual",
    "void",      "volatile", "while",    "xor",      "xor_eq"};

std::string power_code(const std::string& base, const Expr& exponent, const std::string& text) {
  if (exponent.is_constant(0.5)) return fmt::format("std::sqrt({})", base);
  if (exponent.is_constant(-0.5)) return fmt::format("1.0 / std::sqrt({})", base);
  if (exponent.is_constant(-1)) return fmt::format("1.0 / {}", base);
  if (exponent.is_constant(2)) return fmt::format("{0} * {0}", base);
  return fmt::format("std::pow({}, {})", base, text);
}

std::string node_code(const Expr& e, const std::vector<std::string>& x) {
  switch (e.kind()) {
    case Kind::add:
      return fmt::format("{}", fmt::join(x, " + "));
    case Kind::mul:
      return fmt::format("{}", fmt::join(x, " * "));
    case Kind::pow:
      return power_code(x[0], e.args()[1], x[1]);
    case Kind::abs:
      return fmt::format("std::fabs({})", x[0]);
    case Kind::sign:
    case Kind::mod:
      return fmt::format("{}_of({})", function_name(e.kind()), fmt::join(x, ", "));
    case Kind::min:
      return fmt::format("{0} < {1} ? {0} : {1}", x[0], x[1]);
    case Kind::max:
      return fmt::format("{0} > {1} ? {0} : {1}", x[0], x[1]);
    case Kind::less:
      return fmt::format("{} < {} ? 1.0 : 0.0", x[0], x[1]);
    case Kind::less_equal:
      return fmt::format("{} <= {} ? 1.0 : 0.0", x[0], x[1]);
    case Kind::where:
      return fmt::format("{} != 0.0 ? {} : {}", x[0], x[1], x[2]);
    default:  // functions that the standard library has under the same name
      return fmt::format("std::{}({})", function_name(e.kind()), fmt::join(x, ", "));
  }
}

}  // namespace

std::string cpp_number(double value) {
  if (!std::isfinite(value)) {
    throw Error(fmt::format("{} cannot be written as a number", value), "[expr.cpp_code]");
  }
  std::string text = number_to_string(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text[0] == '-' ? "(" + text + ")" : text;
}

std::string cpp_identifier(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) text = "_" + text;
  const bool keyword =
      std::find(cpp_keywords.begin(), cpp_keywords.end(), text) != cpp_keywords.end();
  return keyword ? text + "_" : text;
}

std::string cpp_comment(std::string_view text) {
  // Line separators, marks of direction and of byte order are no control characters of ASCII.
  const auto unseen = [](char32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
  };
  std::string line;
  char32_t last = 0;
  for (const char32_t c : detail::decode_utf8(text)) {
    // "??/" is a backslash to older compilers, and a backslash at the end joins lines.
    const bool pair =
        (c == U'?' && last == U'?') || (c == U'/' && last == U'*') || (c == U'*' && last == U'/');
    if (pair) line += ' ';
    detail::append_utf8(line, unseen(c) ? U' ' : c == U'\\' ? U'|' : c);
    last = c;
  }
  return line;
}

std::string cpp_statements(std::span<const Expr> outputs, const CppNames& names) {
  std::string text;
  std::unordered_map<const void*, std::string> code;
  std::size_t n = 0;
  for (const Expr& e : postorder(outputs)) {
    if (e.kind() == Kind::constant || e.kind() == Kind::named) {
      code[e.id()] = cpp_number(e.value());
    } else if (e.kind() < Kind::pow) {
      code[e.id()] = names.atom(e);
    } else {
      std::vector<std::string> x;
      for (const Expr& a : e.args()) x.push_back(code.at(a.id()));
      const std::string name = fmt::format("e{}", n++);
      text += fmt::format("{}const double {} = {};\n", names.indent, name, node_code(e, x));
      code[e.id()] = name;
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    text += fmt::format("{}{} = {};\n", names.indent, names.output(i), code.at(outputs[i].id()));
  }
  return text;
}

std::string_view cpp_helpers() noexcept {
  return R"(inline double sign_of(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }
inline double mod_of(double a, double b) {
  const double r = a - b * std::floor(a / b);
  return r * b < 0 ? r + b : r;
}
)";
}

}  // namespace cauchy
