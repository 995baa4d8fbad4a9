#include "report/mathml_names.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <cauchy/report/mathml.hpp>

#include "report/html_text.hpp"

namespace cauchy {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 40> greek{{
    {"alpha", "α"},    {"beta", "β"},     {"gamma", "γ"},  {"delta", "δ"},    {"epsilon", "ϵ"},
    {"zeta", "ζ"},     {"eta", "η"},      {"theta", "θ"},  {"iota", "ι"},     {"kappa", "κ"},
    {"lambda", "λ"},   {"mu", "μ"},       {"nu", "ν"},     {"xi", "ξ"},       {"pi", "π"},
    {"rho", "ρ"},      {"sigma", "σ"},    {"tau", "τ"},    {"upsilon", "υ"},  {"phi", "ϕ"},
    {"chi", "χ"},      {"psi", "ψ"},      {"omega", "ω"},  {"Gamma", "Γ"},    {"Delta", "Δ"},
    {"Theta", "Θ"},    {"Lambda", "Λ"},   {"Xi", "Ξ"},     {"Pi", "Π"},       {"Sigma", "Σ"},
    {"Upsilon", "Υ"},  {"Phi", "Φ"},      {"Psi", "Ψ"},    {"Omega", "Ω"},    {"varepsilon", "ε"},
    {"vartheta", "ϑ"}, {"varkappa", "ϰ"}, {"varrho", "ϱ"}, {"varsigma", "ς"}, {"varphi", "φ"},
}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The Greek letter of a word, or the word.
std::string_view letter(std::string_view word) {
  for (const auto& [name, text] : greek) {
    if (word == name) return text;
  }
  return word;
}

/// A name without subscripts.
std::string word(std::string_view name) {
  if (name.empty()) return {};
  const bool number = std::all_of(name.begin(), name.end(), is_digit);
  return fmt::format("<{0}>{1}</{0}>", number ? "mn" : "mi", detail::html_escaped(letter(name)));
}

/// rho0 -> rho, 0; the parts between underscores; empty when two of these stand side by side.
std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('_', start), name.size());
    if (end == start) return {};
    parts.push_back(name.substr(start, end - start));
    start = end + 1;
  }
  std::string_view base = parts.front();
  while (is_digit(base.back()) && !is_digit(base.front())) base.remove_suffix(1);
  if (base.size() < parts.front().size()) {
    const std::string_view digits = parts.front().substr(base.size());
    parts.front() = base;
    parts.insert(parts.begin() + 1, digits);
  }
  return parts;
}

}  // namespace

namespace detail {

MathmlName split_mathml_name(std::string_view name) {
  const std::vector<std::string_view> parts = parts_of(name);
  if (parts.empty()) return {word(name), ""};
  MathmlName result{word(parts.front()), ""};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (i > 1) result.subscript += "<mo>,</mo>";
    result.subscript += word(parts[i]);
  }
  return result;
}

}  // namespace detail

std::string name_to_mathml(std::string_view name) {
  const auto [base, subscript] = detail::split_mathml_name(name);
  if (subscript.empty()) return base;
  return fmt::format("<msub>{}<mrow>{}</mrow></msub>", base, subscript);
}

std::string greek_name(std::string_view name) {
  std::string out;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('_', start), name.size());
    if (start > 0) out += '_';
    std::string_view base = name.substr(start, end - start);
    while (!base.empty() && is_digit(base.back())) base.remove_suffix(1);
    out += letter(base);
    out += name.substr(start + base.size(), end - start - base.size());
    start = end + 1;
  }
  return out;
}

}  // namespace cauchy
