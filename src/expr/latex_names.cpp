#include "expr/latex_names.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace cauchy::detail {
namespace {

constexpr std::array greek{
    "alpha", "beta",  "gamma",      "delta",    "epsilon",  "zeta",   "eta",      "theta",
    "iota",  "kappa", "lambda",     "mu",       "nu",       "xi",     "pi",       "rho",
    "sigma", "tau",   "upsilon",    "phi",      "chi",      "psi",    "omega",    "Gamma",
    "Delta", "Theta", "Lambda",     "Xi",       "Pi",       "Sigma",  "Upsilon",  "Phi",
    "Psi",   "Omega", "varepsilon", "vartheta", "varkappa", "varrho", "varsigma", "varphi"};

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

/// Text that TeX takes literally.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\backslash ";
        break;
      case '^':
      case '~':
        out += fmt::format("\\{}{{}}", c);
        break;
      case '{':
      case '}':
      case '_':
      case '#':
      case '$':
      case '%':
      case '&':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  }
  return out;
}

/// A name without subscripts: x, 12, \nu, \mathrm{abc}.
std::string word(std::string_view name) {
  for (const char* letter : greek) {
    if (name == letter) return fmt::format("\\{}", name);
  }
  bool number = true;
  for (const char c : name) number = number && is_decimal_digit(c);
  const std::string text = escaped(name);
  return number || text.size() == 1 ? text : fmt::format("\\mathrm{{{}}}", text);
}

}  // namespace

LatexName split_name(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('_', start), name.size());
    if (end == start) return {fmt::format("\\mathrm{{{}}}", escaped(name)), ""};
    parts.push_back(name.substr(start, end - start));
    start = end + 1;
  }
  std::string_view base = parts.front();
  while (is_decimal_digit(base.back()) && !is_decimal_digit(base.front())) base.remove_suffix(1);
  LatexName result{word(base), word(parts.front().substr(base.size()))};
  if (base.size() == parts.front().size()) result.subscript.clear();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    result.subscript += (result.subscript.empty() ? "" : ",") + word(parts[i]);
  }
  return result;
}

std::string script(const std::string& text) {
  return text.size() == 1 ? text : fmt::format("{{{}}}", text);
}

std::string name_text(std::string_view name) {
  const auto [base, subscript] = split_name(name);
  return subscript.empty() ? base : fmt::format("{}_{}", base, script(subscript));
}

}  // namespace cauchy::detail
