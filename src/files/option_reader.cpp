#include "files/option_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>

#include "files/toml_section.hpp"

namespace cauchy::detail {
namespace {

/// The keys that a visit meets. `wanted` is chosen where other options depend on a choice, so that
/// the keys of each plug-in can be asked for.
class KeyCollector final : public OptionVisitor {
 public:
  explicit KeyCollector(std::optional<std::size_t> wanted = {}) : wanted_(wanted) {}

  void number(std::string_view key, double&, NumberRange) override { add(key); }
  void flag(std::string_view key, bool&) override { add(key); }
  void numbers(std::string_view key, std::vector<double>&, NumberRange) override { add(key); }
  void text(std::string_view key, std::string&) override { add(key); }
  void equations(std::string_view key, std::vector<std::string>&) override { add(key); }
  void seed(std::string_view key, std::uint64_t&) override { add(key); }

  std::vector<std::string> keys;
  std::string plugin_key, plugin_what;  ///< of the choice that others depend on
  std::vector<std::string> plugins;     ///< its names
  std::size_t now = 0;                  ///< the one that stands there
  bool needed = false;

 protected:
  void whole(std::string_view key, std::uint64_t&, std::uint64_t, std::uint64_t) override {
    add(key);
  }
  std::optional<std::size_t> choose(std::string_view key, const Choice& choice) override {
    add(key);
    if (!choice.plugin) return std::nullopt;
    plugin_key = key;
    plugin_what = choice.what;
    plugins.assign(choice.names.begin(), choice.names.end());
    now = choice.now;
    needed = choice.needed;
    return wanted_;
  }
  void visit_section(std::string_view key, const Part&, SectionStyle) override { add(key); }
  void visit_list(std::string_view key, std::size_t, Resize, Item) override {
    add(key);
    add(std::string(key) + "s");
  }

 private:
  void add(std::string_view key) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.emplace_back(key);
  }
  std::optional<std::size_t> wanted_;
};

/// The number of the name that a node gives.
template <class Names>
std::size_t chosen_name(const TomlNode& node, std::string_view what, const Names& names) {
  Words<std::size_t> words;
  for (const auto& name : names) words.emplace_back(name, words.size());
  return as_word(node, what, words);
}

/// One equation, a list of them, or { x = [0.25, 0.5] }.
std::vector<std::string> equations_in(const TomlNode& node) {
  if (node.kind == TomlNode::Kind::string) return {node.text};
  if (node.kind != TomlNode::Kind::table) return as_texts(node);
  std::vector<std::string> values;
  for (const TomlNode& item : node.items) {
    const bool list = item.kind == TomlNode::Kind::array;
    for (const double v : list ? as_numbers(item) : std::vector<double>{as_number(item)}) {
      values.push_back(fmt::format("{} = {}", item.name, number_to_string(v)));
    }
  }
  return values;
}

class OptionReader final : public OptionVisitor {
 public:
  OptionReader(const TomlSection& section, std::string title)
      : s_(section), title_(std::move(title)) {}

  void number(std::string_view key, double& value, NumberRange range) override {
    s_.read(key, value);
    const TomlNode* node = s_.find(key);
    if (node != nullptr && !in_range(value, range)) {
      fail_at(*node, fmt::format("'{}' must be {}, got {}", key, described(range), value));
    }
  }
  void flag(std::string_view key, bool& value) override { s_.read(key, value); }
  void numbers(std::string_view key, std::vector<double>& values, NumberRange range) override {
    const TomlNode* node = s_.find(key);
    if (node == nullptr) return;
    values = as_numbers(*node);
    for (const double value : values) {
      if (in_range(value, range)) continue;
      fail_at(*node, fmt::format("every '{}' must be {}, got {}", key, described(range), value));
    }
  }
  void text(std::string_view key, std::string& value) override { s_.read(key, value); }
  void equations(std::string_view key, std::vector<std::string>& values) override {
    if (const TomlNode* node = s_.find(key)) values = equations_in(*node);
  }
  void seed(std::string_view key, std::uint64_t& value) override {
    if (const TomlNode* n = s_.find(key)) value = as_seed(*n);
  }
  void check(FunctionRef<void()> body) override { at_node(s_.node(), body); }
  [[nodiscard]] bool gives(std::string_view key) const override { return s_.find(key) != nullptr; }

 protected:
  void whole(std::string_view key, std::uint64_t& value, std::uint64_t least,
             std::uint64_t most) override {
    s_.count(key, value, least, most);
  }
  std::optional<std::size_t> choose(std::string_view key, const Choice& choice) override {
    const TomlNode* node = s_.find(key);
    if (node == nullptr) return std::nullopt;
    return chosen_name(*node, choice.what, choice.names);
  }
  void visit_section(std::string_view key, const Part& part, SectionStyle style) override {
    const TomlNode* node = s_.find(key);
    if (node == nullptr) return;
    const bool block = style == SectionStyle::block;
    read_options(*node, block ? below(key, "[{}.{}]") : std::string(key), part);
  }
  void visit_list(std::string_view key, std::size_t, Resize resize, Item item) override {
    const TomlNode *one = s_.find(key), *all = s_.find(std::string(key) + "s");
    if (one != nullptr && all != nullptr) {
      throw Error(fmt::format("give '{0}' or '{0}s', not both", key), all->key.str(),
                  "remove one of them");
    }
    if (one == nullptr && all == nullptr) return;
    const std::vector<const TomlNode*> tables = as_tables(one != nullptr ? one : all);
    resize(tables.size());
    for (std::size_t i = 0; i < tables.size(); ++i) {
      item(i, [&](const Part& part) { read_options(*tables[i], below(key, "[[{}.{}]]"), part); });
    }
  }

 private:
  /// The title of a table inside of this one, "[method]": "[method.network]".
  [[nodiscard]] std::string below(std::string_view key, std::string_view form) const {
    return fmt::format(fmt::runtime(form), title_.substr(1, title_.size() - 2), key);
  }
  const TomlSection& s_;
  std::string title_;
};

/// Keys of all plug-ins, those of the present one first.
std::vector<std::string> all_keys(const OptionVisitor::Part& part, const KeyCollector& present) {
  std::vector<std::string> keys = present.keys;
  for (std::size_t i = 0; i < present.plugins.size(); ++i) {
    KeyCollector other(i);
    part.visit_copy(other);
    for (const std::string& key : other.keys) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

}  // namespace

std::vector<std::string> option_keys(const OptionVisitor::Part& part) {
  KeyCollector present;
  part.visit_copy(present);
  return present.keys;
}

void read_options(const TomlNode& node, const std::string& title, const OptionVisitor::Part& part) {
  KeyCollector present;
  part.visit_copy(present);
  const TomlSection section(node, title, all_keys(part, present));
  if (!present.plugin_key.empty()) {
    const TomlNode* name = section.find(present.plugin_key);
    if (name == nullptr && present.needed) {
      (void)section.need(present.plugin_key, fmt::format("{} = \"{}\"", present.plugin_key,
                                                         fmt::join(present.plugins, "\", \"")));
    }
    const std::size_t chosen =
        name == nullptr ? present.now : chosen_name(*name, present.plugin_what, present.plugins);
    KeyCollector mine(chosen);
    part.visit_copy(mine);
    for (const TomlNode& key : node.items) {
      if (std::find(mine.keys.begin(), mine.keys.end(), key.name) != mine.keys.end()) continue;
      throw Error(ErrorKind::syntax,
                  fmt::format("'{}' has no meaning for {} '{}'", key.name, present.plugin_what,
                              present.plugins[chosen]),
                  key.key.str(),
                  name == nullptr ? fmt::format("remove it, or name the {} by '{}'",
                                                present.plugin_what, present.plugin_key)
                                  : "remove it");
    }
  }
  OptionReader reader(section, title);
  part.visit(reader);
}

}  // namespace cauchy::detail
