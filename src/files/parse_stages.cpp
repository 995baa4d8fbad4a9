#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/files/problem_file.hpp>

#include "files/option_reader.hpp"
#include "files/problem_file_method.hpp"
#include "files/toml_section.hpp"

namespace cauchy {
namespace {

bool is_key(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789.") == std::string::npos &&
         text.front() != '.' && text.back() != '.' && text.find("..") == std::string::npos;
}

/// A number and true or false as they are, everything else as a text in quotes.
std::string toml_value(const std::string& value) {
  if (value == "true" || value == "false") return value;
  const char* const end = value.data() + value.size();
  std::int64_t whole = 0;
  if (const auto r = std::from_chars(value.data(), end, whole);
      r.ec == std::errc() && r.ptr == end) {
    return fmt::format("{}", whole);
  }
  double number = 0;
  const auto r = std::from_chars(value.data(), end, number);
  if (r.ec != std::errc() || r.ptr != end || !std::isfinite(number)) return toml_text(value);
  return toml_number(number);
}

}  // namespace

std::vector<Stage> parse_stages(std::string_view text, const std::string& name) {
  // "adam 1000, ssbroyden 20000 max_seconds=300" becomes an array of tables, so that names, numbers
  // and messages are those of a file.
  std::string toml = "stages = [";
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::vector<std::string> words;
    for (std::size_t i = at; i < comma;) {
      const std::size_t first = text.find_first_not_of(" \t", i);
      if (first == std::string_view::npos || first >= comma) break;
      i = std::min(text.find_first_of(" \t,", first), comma);
      words.emplace_back(text.substr(first, i - first));
    }
    if (words.empty()) {
      throw Error("an optimizer is missing", name, "write it like \"adam 1000, ssbroyden 20000\"");
    }
    toml += fmt::format("{{ optimizer = {}", toml_text(words[0]));
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t equal = words[i].find('=');
      if (equal == std::string::npos) {
        if (i > 1 || words[i].find_first_not_of("0123456789_") != std::string::npos) {
          throw Error(fmt::format("'{}' is neither a number of steps nor key=value", words[i]),
                      name, "write it like \"adam 1000 learning_rate=2e-3, ssbroyden 20000\"");
        }
        toml += ", steps = " + words[i];
        continue;
      }
      const std::string key = words[i].substr(0, equal), value = words[i].substr(equal + 1);
      if (!is_key(key) || value.empty()) {
        throw Error(fmt::format("'{}' is not key=value", words[i]), name,
                    "write it like \"adam 1000 learning_rate=2e-3\", without spaces around '='");
      }
      toml += fmt::format(", {} = {}", key, toml_value(value));
    }
    toml += " },";
    at = comma + 1;
  }
  auto source = std::make_shared<detail::TomlSource>();
  source->name = name;
  source->is_override = true;
  std::vector<Stage> stages;
  const detail::TomlNode root = detail::parse_toml(toml + "]", source);
  for (const auto* node : detail::as_tables(root.find("stages"))) {
    detail::read_options(*node, "[[method.stage]]", stages.emplace_back());
  }
  return stages;
}

}  // namespace cauchy
