#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>

#include "files/file_rules.hpp"
#include "files/toml_node.hpp"

namespace cauchy::detail {
namespace {

namespace fs = std::filesystem;

/// A name has one meaning, and the last text decides: what it calls a parameter, a range or an
/// unknown was something else before. Space and region take each other's place likewise.
void give_way(TomlNode& root, const std::vector<std::string>& path, const TomlSourcePtr& source) {
  const auto drop = [&](TomlNode* table, std::string_view key) {
    const TomlNode* old = table != nullptr ? table->find(key) : nullptr;
    // Twice in the same text is a mistake that is left to be found.
    if (old != nullptr && old->key.source != source) table->erase(key);
  };
  TomlNode* const domain = root.find("domain");
  TomlNode* const ranges = domain != nullptr ? domain->find("ranges") : nullptr;
  const bool is_range = path.size() == 3 && path[0] == "domain" && path[1] == "ranges";
  const bool is_unknown = path.size() == 2 && path[0] == "unknown";
  const bool is_parameter = path.size() == 2 && path[0] == "parameters";
  if (is_range || is_unknown) drop(root.find("parameters"), path.back());
  if (is_range || is_parameter) drop(root.find("unknown"), path.back());
  if (is_unknown || is_parameter) drop(ranges, path.back());
  if (path.size() == 2 && path[0] == "domain" && path[1] == "space") {
    drop(domain, "region");
    drop(domain, "mesh");
    drop(domain, "coordinates");
  }
  if (path.size() == 2 && path[0] == "domain" && (path[1] == "region" || path[1] == "mesh")) {
    drop(domain, "space");
    drop(domain, path[1] == "region" ? "mesh" : "region");
  }
}

/// give_way for a node and everything in it.
void give_way_to(TomlNode& root, const TomlNode& node, std::vector<std::string> path) {
  give_way(root, path, node.key.source);
  if (node.kind != TomlNode::Kind::table) return;
  for (const TomlNode& item : node.items) {
    path.push_back(item.name);
    give_way_to(root, item, path);
    path.pop_back();
  }
}

/// Puts the keys of `from` over those of `into`.
void merge(TomlNode& root, TomlNode& into, TomlNode from, const std::vector<std::string>& path) {
  into.place = from.place;
  for (TomlNode& item : from.items) {
    std::vector<std::string> here = path;
    here.push_back(item.name);
    TomlNode* old = into.find(item.name);
    // One reference replaces another; halves of two make no sense.
    const bool tables = old != nullptr && old->kind == TomlNode::Kind::table &&
                        item.kind == TomlNode::Kind::table && item.name != "reference";
    // The coordinates of a space are one thing: a square does not become a cube.
    const bool whole =
        path == std::vector<std::string>{"domain"} && (item.name == "space" || item.name == "time");
    if (tables && !whole) {
      merge(root, *old, std::move(item), here);
      continue;
    }
    give_way_to(root, item, here);
    old = into.find(item.name);
    if (old != nullptr) {
      *old = std::move(item);
    } else {
      into.items.push_back(std::move(item));
    }
  }
}

/// Reads a text and what it includes. A file is read once, however often it is included.
class Loader final {
 public:
  /// `file` is empty for a text without one.
  explicit Loader(const fs::path& file) {
    std::error_code ec;
    if (!file.empty()) trail_.push_back(fs::weakly_canonical(file, ec));
  }

  TomlNode load(std::string_view text, const TomlSourcePtr& source) {
    bytes_ += text.size();
    if (bytes_ > max_toml_bytes)
      throw Error(ErrorKind::syntax, too_long(), source->name, "put data into tables beside it");
    TomlNode root = parse_toml(text, source);
    const TomlNode* include = root.find("include");
    if (include == nullptr) return root;
    std::optional<TomlNode> base;
    const auto add = [&](TomlNode next) {
      if (base) {
        merge(*base, *base, std::move(next), {});
      } else {
        base = std::move(next);
      }
    };
    if (include->kind == TomlNode::Kind::array) {
      for (const TomlNode& item : include->items) add(load_include(item));
    } else {
      add(load_include(*include));
    }
    root.erase("include");
    add(std::move(root));
    return std::move(*base);
  }

 private:
  static std::string too_long() {
    return fmt::format("the problem is longer than {} MB with all that it includes",
                       max_toml_bytes >> 20);
  }

  TomlNode load_include(const TomlNode& node) {
    if (node.kind != TomlNode::Kind::string) {
      fail_at(node,
              fmt::format("'include' must be a string or an array of strings, got {}",
                          described(node.kind)),
              "include = \"base.toml\"");
    }
    const TomlSource& from = *node.place.source;
    const fs::path file = named_file(node, node.text);
    std::error_code ec;
    if (!fs::exists(file, ec)) {
      fail_at(node, fmt::format("file '{}' not found", node.text),
              fmt::format("it is looked for in {}", from.folder.string()));
    }
    const fs::path canonical = fs::weakly_canonical(file, ec);
    if (const auto first = std::find(trail_.begin(), trail_.end(), canonical);
        first != trail_.end()) {
      std::string circle;
      for (auto it = first; it != trail_.end(); ++it) circle += it->filename().string() + " -> ";
      fail_at(node,
              fmt::format("includes are circular: {}{}", circle, canonical.filename().string()),
              "remove one of them");
    }
    if (trail_.size() > max_include_depth) {
      fail_at(node, fmt::format("includes are nested deeper than {} levels", max_include_depth),
              "put them into one file");
    }
    auto source = std::make_shared<TomlSource>();
    // The name as it would be typed next to the main file.
    const fs::path parent = fs::path(node.text).parent_path();
    source->name = (fs::path(from.name).parent_path() / node.text).lexically_normal().string();
    source->folder = from.folder / parent;
    source->relative = (from.relative / parent).lexically_normal();
    source->rules = from.rules;
    if (lies_outside(from, file)) from.rules->texts.push_back(source->name);
    const auto known = loaded_.find({canonical, source->name});
    if (known != loaded_.end()) return known->second;
    const std::string text = at_node(node, [&] { return read_file(file, max_toml_bytes); });
    trail_.push_back(canonical);
    TomlNode root = reading(node, file, [&] { return load(text, source); });
    trail_.pop_back();
    loaded_[{canonical, source->name}] = root;
    return root;
  }

  std::vector<fs::path> trail_;  // files on the way from the main one, to see circles
  std::map<std::pair<fs::path, std::string>, TomlNode> loaded_;  // by path and name in messages
  std::size_t bytes_ = 0;
};

// --- overrides ---

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The value behind '=': TOML when it is, else a string.
TomlNode override_value(std::string_view text, const TomlSourcePtr& source) {
  if (text.find('\n') == std::string_view::npos) {
    try {
      TomlNode root = parse_toml(fmt::format("value = {}", text), source);
      if (root.items.size() == 1) return std::move(root.items.front());
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::syntax) throw;
      // Not TOML: an expression or a word without quotes.
    }
  }
  TomlNode node;
  node.kind = TomlNode::Kind::string;
  node.text = text;
  node.place = node.key = node.text_place = {source, 1, 1};
  return node;
}

struct Step {
  std::string name;
  std::vector<std::size_t> indices;
};

/// "condition[0].weight" as steps.
std::vector<Step> steps_of(std::string_view path, const TomlNode& at) {
  std::vector<Step> steps;
  while (true) {
    const auto dot = std::min(path.find('.'), path.size());
    std::string_view part = trimmed(path.substr(0, dot));
    Step step;
    while (part.ends_with(']')) {
      const auto open = part.rfind('[');
      std::size_t index = 0;
      const std::string_view digits =
          open == std::string_view::npos ? "" : part.substr(open + 1, part.size() - open - 2);
      const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), index);
      if (digits.empty() || result.ec != std::errc() || result.ptr != digits.data() + digits.size())
        fail_at(at, fmt::format("'{}' has no whole number between its brackets", part),
                "write it like condition[0].weight=10");
      step.indices.insert(step.indices.begin(), index);
      part = part.substr(0, open);
    }
    if (part.empty()) {
      fail_at(at, "a name is missing in the key", "write it like method.network.width=64");
    }
    step.name = part;
    steps.push_back(std::move(step));
    if (steps.size() > max_toml_depth) {
      fail_at(at, fmt::format("the key has more than {} parts", max_toml_depth));
    }
    if (dot == path.size()) return steps;
    path.remove_prefix(dot + 1);
  }
}

void apply_override(TomlNode& root, const std::string& text, const TomlSource& main) {
  auto source = std::make_shared<TomlSource>(main);
  constexpr std::size_t shown = 100;  // characters of it in messages
  source->name = "--set " + (text.size() > shown ? text.substr(0, shown) + "..." : text);
  source->is_override = true;
  TomlNode here;
  here.place = here.key = {source, 1, 1};
  const auto equal = text.find('=');
  if (equal == std::string::npos) {
    fail_at(here, "there is no '='", "write it like method.network.width=64");
  }
  const std::vector<Step> steps = steps_of(std::string_view(text).substr(0, equal), here);
  TomlNode value = override_value(trimmed(std::string_view(text).substr(equal + 1)), source);

  if (steps[0].name == "include") {
    fail_at(here, "'include' is read before anything is set", "write it in the file");
  }
  std::vector<std::string> path;
  for (const Step& s : steps) path.push_back(s.name);
  give_way_to(root, value, path);
  TomlNode* node = &root;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (node->kind != TomlNode::Kind::table) {
      fail_at(here, fmt::format("'{}' is {}, it has no keys", node->name, described(node->kind)),
              node->kind == TomlNode::Kind::array ? fmt::format("name an entry: {}[0]", node->name)
                                                  : std::string("give the whole key a value"));
    }
    TomlNode* next = node->find(steps[i].name);
    if (next == nullptr && steps[i].indices.empty()) {
      TomlNode table;
      table.name = steps[i].name;
      table.place = table.key = here.place;
      table.is_new = true;
      node->items.push_back(std::move(table));
      next = &node->items.back();
    }
    for (const std::size_t index : steps[i].indices) {
      if (next == nullptr) {
        fail_at(here, fmt::format("there is no '{}'", steps[i].name), "write it in the file");
      }
      if (next->kind != TomlNode::Kind::array) {
        fail_at(here, fmt::format("'{}' is not an array", steps[i].name), "leave out the brackets");
      }
      if (index >= next->items.size()) {
        fail_at(here,
                fmt::format("'{}' has {} entr{}, there is no [{}]", next->name, next->items.size(),
                            next->items.size() == 1 ? "y" : "ies", index),
                "the first one is [0]");
      }
      next = &next->items[index];
    }
    node = next;
  }
  value.name = node->name;
  value.is_new = node->is_new;
  *node = std::move(value);
}

}  // namespace

TomlNode load_toml(std::string_view text, const std::string& name, const fs::path& folder,
                   const fs::path& file, const std::vector<std::string>& overrides) {
  auto source = std::make_shared<TomlSource>();
  source->name = name;
  source->folder = folder;
  source->rules = rules_for(folder);
  TomlNode root = Loader(file).load(text, source);
  for (const std::string& o : overrides) apply_override(root, o, *source);
  return root;
}

bool has_table(const std::filesystem::path& file, std::string_view table) {
  std::filesystem::path path = file;
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) path /= "problem.toml";
  if (!std::filesystem::is_regular_file(path, failure)) return false;
  try {
    const std::string text = read_file(path, max_toml_bytes);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    return load_toml(text, path.string(), folder, path, {}).find(table) != nullptr;
  } catch (const Error&) {
    return false;  // what is wrong with it is said by who reads it
  }
}

}  // namespace cauchy::detail
