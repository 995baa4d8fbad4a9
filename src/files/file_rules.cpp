#include "files/file_rules.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <cauchy/files/file_sandbox.hpp>

namespace cauchy {
namespace detail {
namespace {

namespace fs = std::filesystem;

thread_local std::shared_ptr<FileRules> current_rules;

fs::path canonical_path(const fs::path& path) {
  std::error_code failure;
  const fs::path found = fs::weakly_canonical(fs::absolute(path), failure);
  return failure ? fs::absolute(path).lexically_normal() : found;
}

Error unquoted(const Error& error, std::string_view place) {
  return {error.kind(),
          "what stands here cannot be used; it lies outside of the folder of the problem file, so "
          "that nothing of it is quoted",
          place, "copy the file into the folder to see what is wrong with it"};
}

}  // namespace

std::shared_ptr<FileRules> rules_for(const fs::path& folder) {
  auto rules = current_rules ? current_rules : std::make_shared<FileRules>();
  if (rules->root.empty()) rules->root = canonical_path(folder.empty() ? "." : folder);
  return rules;
}

bool lies_outside(const TomlSource& source, const fs::path& path) {
  if (source.is_override || !source.rules) return false;
  const FileRules& rules = *source.rules;
  const fs::path whole = canonical_path(path);
  // A trailing separator gives an empty last part.
  const auto last = rules.root.has_filename() ? rules.root.end() : std::prev(rules.root.end());
  return std::mismatch(rules.root.begin(), last, whole.begin(), whole.end()).first != last;
}

fs::path named_file(const TomlNode& node, const std::string& name) {
  const TomlSource& source = *node.place.source;
  fs::path path = source.folder / name;
  if (!lies_outside(source, path)) return path;
  FileRules& rules = *source.rules;
  if (rules.refuse) {
    fail_at(node, fmt::format("the file '{}' lies outside of the folder of the problem file", name),
            "copy it into the folder, or leave out --sandbox");
  }
  if (std::ranges::find(rules.outside, name) == rules.outside.end()) rules.outside.push_back(name);
  return path;
}

Error about_file(const TomlNode& node, const fs::path& path, const Error& error) {
  std::error_code failure;
  const bool hidden = lies_outside(*node.place.source, path) && fs::is_regular_file(path, failure);
  return hidden ? unquoted(error, node.place.str()) : error;
}

Error about_text(const TomlNode& root, const Error& error) {
  const bool hidden = std::ranges::any_of(
      root.place.source->rules->texts,
      [&](const std::string& name) { return error.place().starts_with(name + ":"); });
  return hidden ? unquoted(error, error.place()) : error;
}

}  // namespace detail

FileSandbox::FileSandbox(bool refuse)
    : rules_(std::make_shared<detail::FileRules>()),
      before_(std::exchange(detail::current_rules, rules_)) {
  rules_->refuse = refuse;
}
FileSandbox::~FileSandbox() { detail::current_rules = before_; }

const std::vector<std::string>& FileSandbox::outside() const noexcept { return rules_->outside; }

}  // namespace cauchy
