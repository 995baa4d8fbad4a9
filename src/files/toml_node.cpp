#include "files/toml_node.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cauchy/base/error.hpp>

#include "files/toml_mistake.hpp"

namespace cauchy::detail {
namespace {

/// Turns the tree of the TOML library into ours.
class Importer final {
 public:
  Importer(std::string_view text, const TomlSourcePtr& source) : source_(source) {
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      lines_.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  TomlNode node(const toml::node& from, std::string name, const toml::source_position& key) const {
    TomlNode n;
    n.name = std::move(name);
    n.place = place(from.source().begin);
    n.key = key ? place(key) : n.place;
    if (const auto* table = from.as_table()) {
      if (table->size() > max_table_keys) {
        fail_at(n, fmt::format("a table of {} keys, at most {} are read", table->size(),
                               max_table_keys));
      }
      for (auto&& [k, v] : *table)
        n.items.push_back(node(v, std::string(k.str()), k.source().begin));
      // The library sorts by name; the order of the text is the one people mean.
      std::stable_sort(n.items.begin(), n.items.end(), [](const TomlNode& a, const TomlNode& b) {
        return std::pair(a.key.line, a.key.column) < std::pair(b.key.line, b.key.column);
      });
    } else if (const auto* array = from.as_array()) {
      n.kind = TomlNode::Kind::array;
      for (std::size_t i = 0; i < array->size(); ++i)
        n.items.push_back(node((*array)[i], fmt::format("{}[{}]", n.name, i), {}));
    } else if (const auto* text = from.as_string()) {
      n.kind = TomlNode::Kind::string;
      n.text = text->get();
      if (n.text.find('\0') != std::string::npos) {
        fail_at(n, "the string has a zero character", "remove it");
      }
      n.text_place = behind_quotes(n.place);
    } else if (const auto* integer = from.as_integer()) {
      n.kind = TomlNode::Kind::integer;
      n.integer = integer->get();
    } else if (const auto* real = from.as_floating_point()) {
      n.kind = TomlNode::Kind::real;
      n.real = real->get();
    } else if (const auto* boolean = from.as_boolean()) {
      n.kind = TomlNode::Kind::boolean;
      n.boolean = boolean->get();
    } else {
      n.kind = TomlNode::Kind::date;
    }
    return n;
  }

 private:
  TomlPlace place(const toml::source_position& at) const {
    return {source_, std::max(1, static_cast<int>(at.line)),
            std::max(1, static_cast<int>(at.column))};
  }

  /// The text from a place to the end of its line; columns count characters, not bytes.
  std::string_view rest_of_line(const TomlPlace& at) const {
    const auto line = static_cast<std::size_t>(at.line) - 1;
    if (line >= lines_.size()) return {};
    std::string_view text = lines_[line];
    for (int i = 1; i < at.column && !text.empty(); ++i) {
      do {
        text.remove_prefix(1);
      } while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0) == 0x80);
    }
    return text;
  }

  TomlPlace behind_quotes(TomlPlace at) const {
    std::string_view text = rest_of_line(at);
    const bool three = text.starts_with("\"\"\"") || text.starts_with("'''");
    at.column += three ? 3 : 1;
    if (!three) return at;
    text.remove_prefix(3);
    // A line break directly behind the quotes is not part of the string.
    if (text.empty() || text == "\r") {
      ++at.line;
      at.column = 1;
    }
    return at;
  }

  const TomlSourcePtr& source_;
  std::vector<std::string_view> lines_;
};

}  // namespace

std::string TomlPlace::str() const {
  return source->is_override ? source->name : fmt::format("{}:{}:{}", source->name, line, column);
}

const TomlNode* TomlNode::find(std::string_view key_name) const {
  if (kind != Kind::table) return nullptr;
  for (const TomlNode& n : items) {
    if (n.name == key_name) return &n;
  }
  return nullptr;
}

TomlNode* TomlNode::find(std::string_view key_name) {
  return const_cast<TomlNode*>(std::as_const(*this).find(key_name));
}

void TomlNode::erase(std::string_view key_name) {
  if (kind == Kind::table) std::erase_if(items, [&](const auto& n) { return n.name == key_name; });
}

TextPlace TomlNode::text_start() const {
  return {text_place.source->name, text_place.line, text_place.column};
}

std::string_view described(TomlNode::Kind kind) noexcept {
  switch (kind) {
    case TomlNode::Kind::table:
      return "a table";
    case TomlNode::Kind::array:
      return "an array";
    case TomlNode::Kind::string:
      return "a string";
    case TomlNode::Kind::integer:
      return "a whole number";
    case TomlNode::Kind::real:
      return "a number";
    case TomlNode::Kind::boolean:
      return "true or false";
    case TomlNode::Kind::date:
      return "a date";
  }
  return "something else";
}

TomlNode parse_toml(std::string_view text, const TomlSourcePtr& source) {
  check_depth(text, source);
  try {
    const toml::table table = toml::parse(text, std::string_view(source->name));
    TomlNode root = Importer(text, source).node(table, "", {});
    root.place = root.key = {source, 1, 1};
    return root;
  } catch (const toml::parse_error& e) {
    const TomlMistake mistake = toml_mistake(text, static_cast<int>(e.source().begin.line),
                                             static_cast<int>(e.source().begin.column));
    const TomlPlace at{source, std::max(1, mistake.line), std::max(1, mistake.column)};
    throw Error(ErrorKind::syntax, mistake.message, at.str(), mistake.hint);
  }
}

void fail_at(const TomlNode& node, std::string_view message, std::string_view hint) {
  throw Error(ErrorKind::syntax, message, node.place.str(), hint);
}

}  // namespace cauchy::detail
