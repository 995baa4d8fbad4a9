#include "glyphs.hpp"

#include <agg_gsv_text.h>

#include <algorithm>
#include <array>
#include <cauchy/report/picture.hpp>

#include "base/utf8.hpp"

namespace cauchy {
namespace detail {
namespace {

// The stroke font is drawn wide; this brings its digits and letters to the widths of common
// sans-serif fonts (0.55 em for a digit).
constexpr double usual_stretch = 0.82;

struct Replacement {
  char32_t code;
  std::string_view ascii;
};

constexpr Replacement replacements[] = {
    {U'α', "alpha"},   {U'β', "beta"},    {U'γ', "gamma"},  {U'δ', "delta"},   {U'ε', "epsilon"},
    {U'ϵ', "epsilon"}, {U'ζ', "zeta"},    {U'η', "eta"},    {U'θ', "theta"},   {U'ϑ', "theta"},
    {U'ι', "iota"},    {U'κ', "kappa"},   {U'λ', "lambda"}, {U'μ', "mu"},      {U'µ', "mu"},
    {U'ν', "nu"},      {U'ξ', "xi"},      {U'ο', "o"},      {U'π', "pi"},      {U'ρ', "rho"},
    {U'σ', "sigma"},   {U'ς', "sigma"},   {U'τ', "tau"},    {U'υ', "upsilon"}, {U'φ', "phi"},
    {U'ϕ', "phi"},     {U'χ', "chi"},     {U'ψ', "psi"},    {U'ω', "omega"},   {U'Γ', "Gamma"},
    {U'Δ', "Delta"},   {U'Θ', "Theta"},   {U'Λ', "Lambda"}, {U'Ξ', "Xi"},      {U'Π', "Pi"},
    {U'Σ', "Sigma"},   {U'Υ', "Upsilon"}, {U'Φ', "Phi"},    {U'Ψ', "Psi"},     {U'Ω', "Omega"},
    {U'Α', "A"},       {U'Β', "B"},       {U'Ε', "E"},      {U'Ζ', "Z"},       {U'Η', "H"},
    {U'Ι', "I"},       {U'Κ', "K"},       {U'Μ', "M"},      {U'Ν', "N"},       {U'Ο', "O"},
    {U'Ρ', "P"},       {U'Τ', "T"},       {U'Χ', "X"},      {U'∂', "d"},       {U'∇', "grad"},
    {U'∞', "inf"},     {U'≤', "<="},      {U'≥', ">="},     {U'≠', "!="},      {U'≈', "~"},
    {U'±', "+/-"},     {U'·', "."},       {U'⋅', "."},      {U'÷', "/"},       {U'√', "sqrt"},
    {U'∫', "int"},     {U'∑', "sum"},     {U'∏', "prod"},   {U'∈', "in"},      {U'→', "->"},
    {U'←', "<-"},      {U'‐', "-"},       {U'‑', "-"},      {U'–', "-"},       {U'—', "-"},
    {U'‘', "'"},       {U'’', "'"},       {U'“', "\""},     {U'”', "\""},      {U'…', "..."},
    {U'\u00A0', " "},  {U'\u2009', " "},  {U'\u202F', " "}, {U'°', " deg"},    {U'‖', "||"},
    {U'ß', "ss"},      {U'æ', "ae"},      {U'Æ', "AE"},     {U'ø', "o"},       {U'Ø', "O"}};

// U+00C0 to U+00FF without accents; '?' where the table above speaks or nothing is near.
constexpr std::string_view latin =
    "AAAAAA?CEEEEIIIIDNOOOOO?OUUUUYT?aaaaaa?ceeeeiiiidnooooo?ouuuuyty";

constexpr std::u32string_view superscripts = U"⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ";
constexpr std::u32string_view subscripts = U"₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎";
constexpr std::string_view script_ascii = "0123456789+-=()n";

Glyph glyph(char code, double scale, double rise) {
  double stretch = usual_stretch;
  if (code == ' ') stretch = 0.55;
  if (code == '-') stretch = 0.42;  // a hyphen; the minus sign is set apart
  if (code == '+' || code == '=' || code == '<' || code == '>' || code == '~') stretch = 0.66;
  // The font's bar is broken and as short as a letter; a long l is what is meant.
  if (code == '|') return {'l', stretch / 1.35, 1.35 * scale, rise - 0.15 * scale};
  return {code, stretch, scale, rise};
}

Glyph minus(double scale, double rise) { return {'-', 0.66, scale, rise}; }

// 95 numbers: what the font moves on after each character, per unit of the height of capitals.
const std::array<double, 95>& font_advances() {
  static const std::array<double, 95> advances = [] {
    std::array<double, 95> widths{};
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const char text[] = {static_cast<char>(' ' + i), '\0'};
      agg::gsv_text font;
      font.size(1.0);
      font.start_point(0, 0);
      font.text(text);
      widths[i] = font.text_width();
    }
    return widths;
  }();
  return advances;
}

void append(std::vector<Glyph>& glyphs, char32_t code) {
  if (code == '\t' || code == '\n' || code == '\r') code = ' ';
  if (code >= 32 && code < 127) {
    glyphs.push_back(glyph(static_cast<char>(code), 1, 0));
  } else if (code == U'−') {
    glyphs.push_back(minus(1, 0));
  } else if (code == U'×') {
    glyphs.push_back({'x', 1.0, 0.85, 0.04});
  } else if (const auto up = superscripts.find(code); up != superscripts.npos) {
    glyphs.push_back(code == U'⁻' ? minus(0.7, 0.36) : glyph(script_ascii[up], 0.7, 0.36));
  } else if (const auto down = subscripts.find(code); down != subscripts.npos) {
    glyphs.push_back(code == U'₋' ? minus(0.7, -0.16) : glyph(script_ascii[down], 0.7, -0.16));
  } else if (const auto* found = std::ranges::find(replacements, code, &Replacement::code);
             found != std::end(replacements)) {
    for (const char c : found->ascii) glyphs.push_back(glyph(c, 1, 0));
  } else if (code >= 0xC0 && code <= 0xFF) {
    glyphs.push_back(glyph(latin[code - 0xC0], 1, 0));
  } else if (code >= 32) {
    glyphs.push_back(glyph('?', 1, 0));
  }
}

}  // namespace

std::vector<Glyph> to_glyphs(std::string_view text) {
  std::vector<Glyph> glyphs;
  for (const char32_t code : decode_utf8(text)) append(glyphs, code);
  return glyphs;
}

double advance(const Glyph& glyph) {
  const auto index = static_cast<std::size_t>(glyph.code - ' ');
  return font_advances()[index] * cap_height * glyph.stretch * glyph.scale;
}

}  // namespace detail

double text_width(std::string_view text, double size, bool bold) {
  double ems = 0;
  for (const detail::Glyph& glyph : detail::to_glyphs(text)) ems += detail::advance(glyph);
  return size * ems * (bold ? 1.06 : 1.0);
}

}  // namespace cauchy
