#pragma once

#include <string>
#include <string_view>

#include <cauchy/base/options.hpp>

namespace cauchy {

/// The shortest TOML number that reads back as the same double.
[[nodiscard]] std::string toml_number(double value);

/// A string between quotes; several lines when it has line breaks.
[[nodiscard]] std::string toml_text(const std::string& text);

/// All options of an aggregate as TOML text, in the order in which it is visited:
///   key = value              lines of the aggregate itself
///   [path.key]               its sections, [[path.key]] the items of its lists
/// The same options give the same text.
[[nodiscard]] std::string option_text(std::string_view path, const OptionVisitor::Part& part);
template <class T>
[[nodiscard]] std::string option_text(std::string_view path, T options) {
  return option_text(path, OptionVisitor::Part(options));
}

}  // namespace cauchy
