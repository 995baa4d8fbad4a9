#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/region.hpp>

#include "geometry/region_node.hpp"

namespace cauchy {
namespace {

const std::vector<std::string> methods{"translated", "rotated", "scaled", "named", "tagged", "in"};

/// One argument between brackets: its text and where it starts.
struct Argument {
  std::string_view text;
  std::size_t offset = 0;
  std::size_t ring = 0;  // semicolons before it
};

/// Recursive descent over characters:
///   union   = meet { ("|" | "-") meet }
///   meet    = postfix { "&" postfix }
///   postfix = primary { "." method "(" arguments ")" }
///   primary = "(" union ")" | name "(" arguments ")"
/// Numbers inside arguments are read by the expression parser.
class RegionParser final {
 public:
  RegionParser(std::string_view text, const Context& context, const TextPlace& place)
      : text_(text), context_(context), place_(place), counted_(place) {
    if (text.size() > 1u << 20) fail(0, "the text is longer than 1 MB");
  }

  Region read() {
    skip();
    if (at_ == text_.size()) fail(at_, "the region is empty", "write for example disk((0, 0), 1)");
    Region region = unite();
    skip();
    if (at_ < text_.size()) {
      fail(at_, fmt::format("unexpected '{}'", text_.substr(at_, 1)),
           "regions are put together with |, & and -");
    }
    return region;
  }

 private:
  [[noreturn]] void fail(std::size_t offset, std::string_view message,
                         std::string_view hint = {}) const {
    const TextPlace p = place_at(offset);
    throw Error(ErrorKind::syntax, message, fmt::format("{}:{}:{}", p.name, p.line, p.column),
                hint);
  }

  TextPlace place_at(std::size_t offset) const {
    // Goes on from the last place: texts are read from left to right.
    const bool onward = offset >= counted_to_;
    TextPlace p = onward ? counted_ : place_;
    for (std::size_t i = onward ? counted_to_ : 0; i < offset && i < text_.size(); ++i) {
      if (text_[i] == '\n') {
        ++p.line;
        p.column = 1;
      } else if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) {
        ++p.column;
      }
    }
    counted_to_ = std::min(offset, text_.size());
    counted_ = p;
    return p;
  }

  /// Runs a constructor; its errors get the position in the text.
  template <class Make>
  Region build(std::size_t offset, Make make) const {
    try {
      return make();
    } catch (const Error& e) {
      if (e.place().starts_with(place_.name + ":")) throw;  // it has a position already
      const TextPlace p = place_at(offset);
      const bool is_file = !e.place().empty() && e.place().front() != '[';
      throw Error(is_file ? e.kind() : ErrorKind::syntax,
                  is_file ? fmt::format("{}: {}", e.place(), e.message()) : e.message(),
                  fmt::format("{}:{}:{}", p.name, p.line, p.column), e.hint());
    }
  }

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool eat(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip();
    const std::size_t first = at_;
    const auto is_letter = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    return text_.substr(first, at_ - first);
  }

  Region unite() {
    if (++depth_ > 100) fail(at_, "nested deeper than 100 levels");
    Region left = meet();
    while (true) {
      skip();
      const std::size_t here = at_;
      if (eat('|')) {
        const Region right = meet();
        left = build(here, [&] { return left | right; });
      } else if (eat('-')) {
        const Region right = meet();
        left = build(here, [&] { return left - right; });
      } else {
        --depth_;
        return left;
      }
    }
  }

  Region meet() {
    Region left = postfix();
    while (true) {
      skip();
      const std::size_t here = at_;
      if (!eat('&')) return left;
      const Region right = postfix();
      left = build(here, [&] { return left & right; });
    }
  }

  Region postfix() {
    Region region = primary();
    while (eat('.')) {
      skip();
      const std::size_t here = at_;
      const std::string method(word());
      if (std::find(methods.begin(), methods.end(), method) == methods.end()) {
        const std::string near = nearest_name(method, methods);
        fail(here, fmt::format("unknown method '{}'", method),
             near.empty() ? fmt::format("methods are: {}", fmt::join(methods, ", "))
                          : fmt::format("did you mean '{}'?", near));
      }
      const std::vector<Argument> args = arguments(method);
      region = build(here, [&] { return apply(region, method, args, here); });
    }
    return region;
  }

  Region primary() {
    skip();
    const std::size_t here = at_;
    if (eat('(')) {
      const Region region = unite();
      if (!eat(')')) fail(at_, "expected ')'");
      return region;
    }
    const std::string name(word());
    if (name.empty()) {
      fail(here, here == text_.size()
                     ? "the text ends where a region is expected"
                     : fmt::format("expected a region, got '{}'", text_.substr(here, 1)));
    }
    const auto names = primitive_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string near = nearest_name(name, names);
      fail(here, fmt::format("unknown region '{}'", name),
           near.empty() ? fmt::format("regions are: {}", fmt::join(names, ", "))
                        : fmt::format("did you mean '{}'?", near));
    }
    const std::vector<Argument> args = arguments(name);
    if (name == "surface" || name == "mesh") {
      return build(here, [&] { return from_file(name, args, here); });
    }
    std::vector<Expr> numbers;
    std::vector<std::size_t> rings;
    for (const Argument& a : args) {
      rings.resize(a.ring + 1);
      const std::vector<Expr> point = numbers_of(a);
      // Vertices count, not numbers; half a vertex shows as a total that does not fit.
      rings.back() += point.size();
      numbers.insert(numbers.end(), point.begin(), point.end());
    }
    const bool has_rings = name == "polygon";
    if (!has_rings && rings.size() > 1) {
      fail(here, fmt::format("';' in {}", name), "only polygons have holes");
    }
    for (std::size_t& n : rings) n /= 2;
    if (!has_rings) rings.clear();
    return build(here, [&] {
      return detail::RegionNode::wrap(
          detail::make_primitive(name, std::move(numbers), std::move(rings)));
    });
  }

  Region from_file(std::string_view name, const std::vector<Argument>& args,
                   std::size_t here) const {
    std::string_view file = args.size() == 1 ? args[0].text : std::string_view{};
    if (file.size() < 3 || (file.front() != '"' && file.front() != '\'') ||
        file.back() != file.front()) {
      fail(here, fmt::format("{} needs one file name in quotes", name),
           name == "mesh" ? "mesh(\"part.msh\")" : "surface(\"part.stl\")");
    }
    const std::string path(file.substr(1, file.size() - 2));
    return detail::RegionNode::wrap(name == "mesh" ? detail::make_mesh_node(path)
                                                   : detail::make_surface(path));
  }

  /// The arguments between the brackets that follow; commas inside brackets and quotes do not
  /// count.
  std::vector<Argument> arguments(const std::string& of) {
    if (!eat('(')) fail(at_, fmt::format("'{}' needs arguments in brackets", of));
    const std::size_t open = at_ - 1;
    std::vector<Argument> args;
    std::size_t first = at_, ring = 0;
    int level = 0;
    char quote = 0;
    const auto take = [&](std::size_t end) {
      std::size_t a = first, b = end;
      while (a < b && std::isspace(static_cast<unsigned char>(text_[a]))) ++a;
      while (b > a && std::isspace(static_cast<unsigned char>(text_[b - 1]))) --b;
      if (a == b) fail(a, fmt::format("an argument of '{}' is missing", of));
      args.push_back({text_.substr(a, b - a), a, ring});
      first = end + 1;
    };
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '(' || c == '[') {
        ++level;
      } else if ((c == ')' || c == ']') && level > 0) {
        --level;
      } else if (level == 0 && (c == ',' || c == ';')) {
        take(at_);
        if (c == ';') ++ring;
      } else if (level == 0 && c == ')') {
        take(at_);
        ++at_;
        return args;
      }
    }
    fail(open, "this '(' is never closed", "add ')'");
  }

  /// The numbers of an argument: one expression, or several between ( ) or [ ].
  std::vector<Expr> numbers_of(const Argument& a) const {
    const bool bracket = a.text.front() == '(' || a.text.front() == '[';
    std::vector<Argument> parts;
    if (bracket && closes_at_end(a.text)) {
      int level = 0;
      std::size_t first = 1;
      for (std::size_t i = 1; i < a.text.size(); ++i) {
        const char c = a.text[i];
        const bool last = i + 1 == a.text.size();
        if (!last && (c == '(' || c == '[')) ++level;
        if (!last && (c == ')' || c == ']')) --level;
        if (last || (level == 0 && c == ',')) {
          parts.push_back({a.text.substr(first, i - first), a.offset + first, 0});
          first = i + 1;
        }
      }
    } else {
      parts.push_back(a);
    }
    std::vector<Expr> numbers;
    for (const Argument& p : parts) {
      numbers.push_back(parse(p.text, context_, place_at(p.offset)));
    }
    return numbers;
  }

  /// Whether the first bracket is closed by the last character.
  static bool closes_at_end(std::string_view text) {
    int level = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '(' || text[i] == '[') ++level;
      if (text[i] == ')' || text[i] == ']') --level;
      if (level == 0) return i + 1 == text.size();
    }
    return false;
  }

  Region apply(const Region& region, const std::string& method, const std::vector<Argument>& args,
               std::size_t here) const {
    const auto need = [&](std::size_t least, std::size_t most, const char* how) {
      if (args.size() < least || args.size() > most) {
        fail(
            here,
            fmt::format("'{}' got {} argument{}", method, args.size(), args.size() == 1 ? "" : "s"),
            how);
      }
    };
    if (method == "named") {
      need(1, 1, "named(label)");
      return region.named(args[0].text);
    }
    if (method == "tagged") {
      need(2, 2, "tagged(label, condition)");
      return region.tagged(args[0].text, args[1].text, place_at(args[1].offset));
    }
    if (method == "in") {
      std::vector<Coordinate> coordinates;
      for (const Argument& a : args) coordinates.emplace_back(a.text);
      return region.in(coordinates);
    }
    std::vector<std::vector<Expr>> points;
    std::vector<Expr> flat;
    for (const Argument& a : args) {
      points.push_back(numbers_of(a));
      flat.insert(flat.end(), points.back().begin(), points.back().end());
    }
    const std::vector<Expr> none;
    if (method == "translated") return region.translated(flat);
    if (method == "scaled") {
      need(1, 2, "scaled(factor) or scaled((fx, fy), center)");
      const std::vector<Expr>& center = points.size() == 2 ? points[1] : none;
      return points[0].size() == 1 ? region.scaled(points[0][0], center)
                                   : region.scaled(points[0], center);
    }
    if (region.dimension() == 3) {
      need(2, 3, "rotated((ax, ay, az), angle) or with a center behind");
      if (points[1].size() != 1) fail(here, "the angle of a rotation is one number");
      return region.rotated(points[0], points[1][0], points.size() == 3 ? points[2] : none);
    }
    need(1, 2, "rotated(angle) or rotated(angle, center)");
    if (points[0].size() != 1) fail(here, "the angle of a rotation is one number");
    return region.rotated(points[0][0], points.size() == 2 ? points[1] : none);
  }

  std::string_view text_;
  const Context& context_;
  TextPlace place_;
  mutable TextPlace counted_;  // of the character counted_to_
  mutable std::size_t counted_to_ = 0;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Region parse_region(std::string_view text, const Context& parameters, const TextPlace& place) {
  return RegionParser(text, parameters, place).read();
}

}  // namespace cauchy
