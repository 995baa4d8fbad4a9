#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/files/problem_file.hpp>

#include "files/option_reader.hpp"
#include "files/problem_file_method.hpp"
#include "files/toml_section.hpp"

namespace cauchy {

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
      const bool plain = !value.empty() && (value == "true" || value == "false" ||
                                            value.find_first_of("0123456789+-.") == 0);
      toml += fmt::format(", {} = {}", key, plain ? value : toml_text(value));
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
