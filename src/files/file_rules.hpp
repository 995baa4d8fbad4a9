#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "files/toml_node.hpp"

namespace cauchy::detail {

/// What the texts of one problem may name; see FileSandbox.
struct FileRules {
  std::filesystem::path root = {};  ///< canonical folder of the first text; empty: none yet
  bool refuse = false;
  std::vector<std::string> outside = {};
  std::vector<std::string> texts =
      {};  ///< names in messages of the texts outside that are included
};

/// Those of the FileSandbox of this thread, or new ones; the first folder becomes the root.
[[nodiscard]] std::shared_ptr<FileRules> rules_for(const std::filesystem::path& folder);

/// Whether a path that a text names lies outside of the folder of the first one. What stands on the
/// command line may name anything.
[[nodiscard]] bool lies_outside(const TomlSource& source, const std::filesystem::path& path);

/// The path of a file that a node names, beside its text: told where it lies outside.
///   error    throws Error at the node in a sandbox
[[nodiscard]] std::filesystem::path named_file(const TomlNode& node, const std::string& name);

/// An Error about what is read from a path, with nothing quoted if that lies outside and has been
/// read: why something is no regular file is said.
[[nodiscard]] Error about_file(const TomlNode& node, const std::filesystem::path& path,
                               const Error& error);

/// An Error about what stands in texts, with nothing quoted of those outside.
[[nodiscard]] Error about_text(const TomlNode& root, const Error& error);

/// Reads what a tree says.
template <class Read>
auto reading_tree(const TomlNode& root, Read read) {
  try {
    return read();
  } catch (const Error& e) {
    throw about_text(root, e);
  }
}

/// Reads a path that a node names.
template <class Read>
auto reading(const TomlNode& node, const std::filesystem::path& path, Read read) {
  try {
    return read();
  } catch (const Error& e) {
    throw about_file(node, path, e);
  }
}

}  // namespace cauchy::detail
