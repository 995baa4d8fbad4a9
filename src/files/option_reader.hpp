#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/options.hpp>

#include "files/toml_node.hpp"

namespace cauchy::detail {

/// Reads the options of an aggregate from a table. Strict: a key that no visit meets is an Error
/// with the nearest known one; a key that only another choice of a plug-in knows says so.
///   title   of the table in messages: "[method]"
void read_options(const TomlNode& node, const std::string& title, const OptionVisitor::Part& part);
template <class T>
void read_options(const TomlNode& node, const std::string& title, T& options) {
  read_options(node, title, OptionVisitor::Part(options));
}

/// The keys that an aggregate takes.
[[nodiscard]] std::vector<std::string> option_keys(const OptionVisitor::Part& part);
template <class T>
[[nodiscard]] std::vector<std::string> option_keys(T& options) {
  return option_keys(OptionVisitor::Part(options));
}

}  // namespace cauchy::detail
