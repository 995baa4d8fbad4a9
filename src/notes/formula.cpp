#include "notes/formula.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/report/mathml.hpp>

namespace cauchy::notes {
namespace {

using Table = std::map<std::string_view, std::string_view>;

const Table& letters() {
  static const Table all = {
      {"alpha", "α"},      {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"},   {"epsilon", "ε"},
      {"varepsilon", "ε"}, {"zeta", "ζ"},   {"eta", "η"},   {"theta", "θ"},   {"kappa", "κ"},
      {"lambda", "λ"},     {"mu", "μ"},     {"nu", "ν"},    {"xi", "ξ"},      {"pi", "π"},
      {"rho", "ρ"},        {"sigma", "σ"},  {"tau", "τ"},   {"phi", "φ"},     {"varphi", "φ"},
      {"chi", "χ"},        {"psi", "ψ"},    {"omega", "ω"}, {"Gamma", "Γ"},   {"Delta", "Δ"},
      {"Theta", "Θ"},      {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Pi", "Π"},      {"Sigma", "Σ"},
      {"Phi", "Φ"},        {"Psi", "Ψ"},    {"Omega", "Ω"}, {"partial", "∂"}, {"nabla", "∇"},
      {"infty", "∞"},      {"ell", "ℓ"},    {"Re", "ℜ"},    {"Im", "ℑ"},      {"iota", "ι"},
      {"emptyset", "∅"},   {"hbar", "ℏ"}};
  return all;
}

const Table& operators() {
  static const Table all = {{"cdot", "·"},      {"times", "×"},
                            {"le", "≤"},        {"leq", "≤"},
                            {"ge", "≥"},        {"geq", "≥"},
                            {"ne", "≠"},        {"neq", "≠"},
                            {"approx", "≈"},    {"sim", "∼"},
                            {"to", "→"},        {"rightarrow", "→"},
                            {"leftarrow", "←"}, {"Rightarrow", "⇒"},
                            {"mapsto", "↦"},    {"in", "∈"},
                            {"subset", "⊂"},    {"cup", "∪"},
                            {"cap", "∩"},       {"pm", "±"},
                            {"circ", "∘"},      {"odot", "⊙"},
                            {"otimes", "⊗"},    {"oplus", "⊕"},
                            {"ast", "∗"},       {"dots", "…"},
                            {"ldots", "…"},     {"cdots", "⋯"},
                            {"propto", "∝"},    {"forall", "∀"},
                            {"exists", "∃"},    {"equiv", "≡"},
                            {"ll", "≪"},        {"gg", "≫"},
                            {"perp", "⊥"},      {"mid", "∣"},
                            {"langle", "⟨"},    {"rangle", "⟩"},
                            {"lfloor", "⌊"},    {"rfloor", "⌋"},
                            {"lceil", "⌈"},     {"rceil", "⌉"},
                            {"lVert", "‖"},     {"rVert", "‖"},
                            {"Vert", "‖"},      {"vert", "|"},
                            {"prime", "′"},     {"top", "⊤"},
                            {"setminus", "∖"},  {"leftrightarrow", "↔"},
                            {"gets", "←"},      {"colon", ":"}};
  return all;
}

const Table& large_operators() {
  static const Table all = {
      {"sum", "∑"}, {"prod", "∏"}, {"int", "∫"}, {"oint", "∮"}, {"iint", "∬"}};
  return all;
}

const Table& accents() {
  static const Table all = {{"hat", "^"},      {"tilde", "~"},   {"bar", "¯"},
                            {"dot", "˙"},      {"ddot", "¨"},    {"vec", "→"},
                            {"overline", "¯"}, {"widehat", "^"}, {"widetilde", "~"}};
  return all;
}

bool is_function(std::string_view name) {
  constexpr std::string_view all[] = {
      "sin",  "cos",  "tan",  "exp",  "log",     "ln",   "max",    "min",    "sup",    "inf",
      "lim",  "tanh", "sinh", "cosh", "det",     "arg",  "erf",    "div",    "grad",   "sign",
      "diag", "tr",   "rank", "dist", "softmax", "relu", "argmin", "argmax", "arccos", "arctan"};
  return std::ranges::find(all, name) != std::end(all);
}

/// Reads TeX from the left to the right, one element after the other.
class FormulaReader final {
 public:
  explicit FormulaReader(std::string_view tex) : tex_(tex) {}

  std::string all() {
    std::string out = row('\0');
    if (at_ < tex_.size()) fail("a bracket } that nothing opens");
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::syntax, what, fmt::format("formula '{}', column {}", tex_, at_ + 1));
  }
  void skip_space() {
    while (at_ < tex_.size() && std::isspace(static_cast<unsigned char>(tex_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= tex_.size() || tex_[at_] != c) return false;
    ++at_;
    return true;
  }

  /// Elements up to a closing bracket, which is not taken.
  std::string row(char end) {
    std::string out;
    for (skip_space(); at_ < tex_.size() && tex_[at_] != '}'; skip_space()) {
      if (end == ']' && tex_[at_] == ']') break;
      if (tex_.substr(at_).starts_with("\\right")) break;
      out += scripted();
    }
    return "<mrow>" + out + "</mrow>";
  }

  std::string scripted() {
    bool limits = false;
    const std::string base = element(limits);
    std::string below, above;
    for (;;) {
      if (below.empty() && take('_')) {
        below = argument();
      } else if (above.empty() && take('^')) {
        above = argument();
      } else if (above.empty() && take('\'')) {
        above = "<mo>′</mo>";
      } else {
        break;
      }
    }
    const std::string under = limits ? "munder" : "msub", over = limits ? "mover" : "msup";
    if (below.empty() && above.empty()) return base;
    if (above.empty()) return fmt::format("<{0}>{1}{2}</{0}>", under, base, below);
    if (below.empty()) return fmt::format("<{0}>{1}{2}</{0}>", over, base, above);
    return fmt::format("<{0}>{1}{2}{3}</{0}>", limits ? "munderover" : "msubsup", base, below,
                       above);
  }

  /// A group in braces, or one element.
  std::string argument() {
    if (take('{')) {
      std::string out = row('}');
      if (!take('}')) fail("a bracket { that is not closed");
      return out;
    }
    if (at_ >= tex_.size()) fail("something is missing at the end");
    bool ignored = false;
    return element(ignored);
  }

  std::string text_argument() {
    if (!take('{')) fail("text needs a bracket {");
    const std::size_t end = tex_.find('}', at_);
    if (end == std::string_view::npos) fail("a bracket { that is not closed");
    const std::string_view text = tex_.substr(at_, end - at_);
    at_ = end + 1;
    return escaped(text);
  }

  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return out;
  }

  std::string element(bool& limits) {
    skip_space();
    const char c = tex_[at_];
    const auto u = static_cast<unsigned char>(c);
    if (c == '{') return argument();
    if (c == '\\') return command(limits);
    if (std::isdigit(u) != 0) {
      const std::size_t first = at_;
      while (at_ < tex_.size() &&
             (std::isdigit(static_cast<unsigned char>(tex_[at_])) != 0 ||
              (tex_[at_] == '.' && at_ + 1 < tex_.size() &&
               std::isdigit(static_cast<unsigned char>(tex_[at_ + 1])) != 0))) {
        ++at_;
      }
      return fmt::format("<mn>{}</mn>", tex_.substr(first, at_ - first));
    }
    if (std::isalpha(u) != 0) {
      ++at_;
      return fmt::format("<mi>{}</mi>", c);
    }
    if (u >= 0x80) {  // a letter of UTF-8
      const std::size_t first = at_++;
      while (at_ < tex_.size() && (static_cast<unsigned char>(tex_[at_]) & 0xC0) == 0x80) ++at_;
      return fmt::format("<mi>{}</mi>", tex_.substr(first, at_ - first));
    }
    ++at_;
    if (c == '-') return "<mo>−</mo>";
    if (c == '(' || c == ')' || c == '[' || c == ']' || c == '|') {
      return fmt::format("<mo stretchy=\"false\">{}</mo>", c);
    }
    return fmt::format("<mo>{}</mo>", escaped(std::string_view(&c, 1)));
  }

  std::string command(bool& limits) {
    ++at_;
    std::size_t end = at_;
    while (end < tex_.size() && std::isalpha(static_cast<unsigned char>(tex_[end])) != 0) ++end;
    if (end == at_) return symbol_command();
    const std::string_view name = tex_.substr(at_, end - at_);
    at_ = end;
    if (const auto it = letters().find(name); it != letters().end()) {
      return fmt::format("<mi>{}</mi>", it->second);
    }
    if (const auto it = operators().find(name); it != operators().end()) {
      return fmt::format("<mo>{}</mo>", it->second);
    }
    if (const auto it = large_operators().find(name); it != large_operators().end()) {
      limits = name == "sum" || name == "prod";
      return fmt::format("<mo>{}</mo>", it->second);
    }
    if (const auto it = accents().find(name); it != accents().end()) {
      return fmt::format("<mover accent=\"true\">{}<mo>{}</mo></mover>", argument(), it->second);
    }
    if (is_function(name)) {
      limits = name == "max" || name == "min" || name == "sup" || name == "inf" || name == "lim" ||
               name.starts_with("argm");
      return fmt::format("<mi>{}</mi>", name);
    }
    if (name == "frac" || name == "tfrac" || name == "dfrac") {
      const std::string above = argument(), below = argument();
      return fmt::format("<mfrac>{}{}</mfrac>", above, below);
    }
    if (name == "sqrt") {
      if (!take('[')) return fmt::format("<msqrt>{}</msqrt>", argument());
      const std::string index = row(']');
      if (!take(']')) fail("a bracket [ that is not closed");
      return fmt::format("<mroot>{}{}</mroot>", argument(), index);
    }
    if (name == "text" || name == "mathrm" || name == "operatorname") {
      return fmt::format("<mtext>{}</mtext>", text_argument());
    }
    if (name == "mathbf" || name == "boldsymbol" || name == "bm") {
      return fmt::format("<mstyle style=\"font-weight:bold\">{}</mstyle>", argument());
    }
    if (name == "mathcal" || name == "mathbb") {
      const std::string text = text_argument();
      return name == "mathbb" ? fmt::format("<mi>{}</mi>", double_struck(text))
                              : fmt::format("<mi class=\"script\">{}</mi>", text);
    }
    if (name == "left") {
      const std::string opening = delimiter(), content = row('\0');
      if (!tex_.substr(at_).starts_with("\\right")) fail("\\left without \\right");
      at_ += 6;
      return fmt::format("<mrow>{}{}{}</mrow>", opening, content, delimiter());
    }
    if (name == "quad" || name == "qquad") {
      return fmt::format("<mspace width=\"{}em\"/>", name == "quad" ? 1 : 2);
    }
    fail(fmt::format("the command \\{} is not known", name));
  }

  static std::string double_struck(const std::string& text) {
    static const std::map<std::string, std::string> all = {{"R", "ℝ"}, {"N", "ℕ"}, {"Z", "ℤ"},
                                                           {"C", "ℂ"}, {"E", "𝔼"}, {"P", "ℙ"}};
    const auto it = all.find(text);
    return it == all.end() ? text : it->second;
  }

  std::string delimiter() {
    skip_space();
    if (at_ >= tex_.size()) fail("a delimiter is missing");
    if (tex_[at_] == '.') {
      ++at_;
      return {};
    }
    if (tex_[at_] != '\\') return fmt::format("<mo>{}</mo>", tex_[at_++]);
    bool ignored = false;
    return element(ignored);
  }

  std::string symbol_command() {
    if (at_ >= tex_.size()) fail("a \\ at the end");
    const char c = tex_[at_++];
    switch (c) {
      case ',':
      case ';':
      case ':':
        return "<mspace width=\"0.2em\"/>";
      case '!':
        return {};
      case ' ':
        return "<mspace width=\"0.3em\"/>";
      case '|':
        return "<mo>‖</mo>";
      case '{':
      case '}':
      case '%':
      case '#':
      case '&':
      case '_':
        return fmt::format("<mo>{}</mo>", escaped(std::string_view(&c, 1)));
      default:
        fail(fmt::format("the command \\{} is not known", c));
    }
  }

  std::string_view tex_;
  std::size_t at_ = 0;
};

}  // namespace

std::string formula_to_mathml(std::string_view tex) {
  return in_math(FormulaReader(tex).all(), MathStyle::display);
}

}  // namespace cauchy::notes
