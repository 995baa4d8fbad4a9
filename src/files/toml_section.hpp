#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cauchy/base/options.hpp>  // Words

#include "files/toml_node.hpp"

namespace cauchy::detail {

// Values of one kind. Each throws Error at the node: "'width' must be a whole number, got a
// string".
[[nodiscard]] const std::string& as_text(const TomlNode& node);
[[nodiscard]] bool as_flag(const TomlNode& node);
/// A finite number.
[[nodiscard]] double as_number(const TomlNode& node);
/// A whole number in [least, most].
[[nodiscard]] std::uint64_t as_count(const TomlNode& node, std::uint64_t least = 0,
                                     std::uint64_t most = UINT64_MAX);
/// A whole number of 64 bits; those above 2^63 - 1, which TOML does not know, in quotes.
[[nodiscard]] std::uint64_t as_seed(const TomlNode& node);
[[nodiscard]] std::vector<std::string> as_texts(const TomlNode& node);
[[nodiscard]] std::vector<double> as_numbers(const TomlNode& node);
void expect_table(const TomlNode& node, std::string_view example = {});
/// Whole arrays of tables: [[equation]] ...
[[nodiscard]] std::vector<const TomlNode*> as_tables(const TomlNode* node);

/// The hint for a name that is not known: the nearest one, else all of them.
[[nodiscard]] std::string hint_for(std::string_view name, const std::vector<std::string>& known,
                                   std::string_view what);

template <class T>
T as_word(const TomlNode& node, std::string_view what, const Words<T>& words) {
  const std::string& text = as_text(node);
  std::vector<std::string> known;
  for (const auto& [word, value] : words) {
    if (same_name(word, text)) return value;
    known.emplace_back(word);
  }
  fail_at(node, "unknown " + std::string(what) + " '" + text + "'",
          hint_for(text, known, std::string(what) + "s"));
}

template <class T>
std::string_view word_of(T value, const Words<T>& words) {
  for (const auto& [word, v] : words) {
    if (v == value) return word;
  }
  return "unknown";
}

/// A table with a fixed set of keys; the constructor throws Error for any other key.
///   title   of the table in messages: "[domain]"
class TomlSection final {
 public:
  TomlSection(const TomlNode& node, std::string title, std::vector<std::string> known);

  [[nodiscard]] const TomlNode& node() const noexcept { return node_; }
  [[nodiscard]] const TomlNode* find(std::string_view key) const { return node_.find(key); }
  /// Throws Error "missing key 'form' in [[equation]]; hint".
  [[nodiscard]] const TomlNode& need(std::string_view key, std::string_view hint = {}) const;

  /// The value of a key, or what stood there before.
  void read(std::string_view key, std::string& value) const;
  void read(std::string_view key, bool& value) const;
  void read(std::string_view key, double& value) const;
  template <class T>
  void count(std::string_view key, T& value, std::uint64_t least, std::uint64_t most) const {
    if (const TomlNode* n = find(key)) value = static_cast<T>(as_count(*n, least, most));
  }

 private:
  const TomlNode& node_;
  std::string title_;
};

}  // namespace cauchy::detail
