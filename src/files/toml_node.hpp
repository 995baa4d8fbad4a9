#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/parse.hpp>  // TextPlace

namespace cauchy::detail {

struct FileRules;

/// A text that nodes come from: a file, or one override.
struct TomlSource {
  std::string name;                       ///< in messages
  std::filesystem::path folder;           ///< files that are named in the text lie here
  std::filesystem::path relative;         ///< the same folder, seen from the one of the main file
  bool is_override = false;               ///< its name says it all: no lines and columns
  std::shared_ptr<FileRules> rules = {};  ///< for the files that it names
};
using TomlSourcePtr = std::shared_ptr<const TomlSource>;

/// Where a node stands.
struct TomlPlace {
  TomlSourcePtr source;
  int line = 1, column = 1;
  [[nodiscard]] std::string str() const;  ///< "burgers.toml:7:1"
};

/// A value of a TOML text that knows where it was written. Tables keep the order of the text.
struct TomlNode {
  enum class Kind : std::uint8_t { table, array, string, integer, real, boolean, date };
  Kind kind = Kind::table;
  std::string name;      ///< its key; "fields[0]" in an array; empty for the root
  TomlPlace key, place;  ///< of the key and of the value
  std::string text;
  TomlPlace text_place;  ///< of the first character of a string, behind its quotes
  std::int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  std::vector<TomlNode> items;  ///< of an array or a table
  bool is_new = false;          ///< an override made it: the text has no such key

  [[nodiscard]] const TomlNode* find(std::string_view name) const;
  [[nodiscard]] TomlNode* find(std::string_view name);
  void erase(std::string_view name);
  /// For the parsers of expressions and regions.
  [[nodiscard]] TextPlace text_start() const;
};

/// "a string", "a whole number", ...: what a node is, for messages.
[[nodiscard]] std::string_view described(TomlNode::Kind kind) noexcept;

// Limits of a text, so that absurd ones are answered at once and no recursion leaves the stack.
inline constexpr std::size_t max_toml_bytes = std::size_t{16} << 20;  ///< with all it includes
inline constexpr std::size_t max_toml_depth = 100;  ///< tables and arrays in one another
inline constexpr std::size_t max_table_keys = 20'000;
inline constexpr std::size_t max_include_depth = 50;

/// Throws Error where keys and brackets are nested deeper than max_toml_depth.
void check_depth(std::string_view text, const TomlSourcePtr& source);

/// Reads a text. Throws Error "name:line:column: what".
[[nodiscard]] TomlNode parse_toml(std::string_view text, const TomlSourcePtr& source);

/// Reads a text with everything it includes, then applies the overrides.
///   include    tables are merged key by key, everything else is replaced
///   override   "a.b[0].c = value"; a value that is not TOML is a string
///   error      throws Error at the include or the override
[[nodiscard]] TomlNode load_toml(std::string_view text, const std::string& name,
                                 const std::filesystem::path& folder,
                                 const std::filesystem::path& file,
                                 const std::vector<std::string>& overrides);

/// Whether a file, or the problem.toml of a run folder, can be read and has this table.
[[nodiscard]] bool has_table(const std::filesystem::path& file, std::string_view table);

/// Throws Error at a node.
[[noreturn]] void fail_at(const TomlNode& node, std::string_view message,
                          std::string_view hint = {});

/// Runs something for a node; an Error without a place in its text gets the place of the node.
template <class Run>
auto at_node(const TomlNode& node, Run run) {
  try {
    return run();
  } catch (const Error& e) {
    const TomlSource& source = *node.place.source;
    const bool placed = e.place().starts_with(source.name + ":") && !source.is_override;
    throw e.at(placed ? e.place() : node.place.str());
  }
}

}  // namespace cauchy::detail
