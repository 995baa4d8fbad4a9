#include "cli/option_checks.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>  // same_name
#include <cauchy/expr/parse.hpp>    // nearest_name

namespace cauchy::cli {
namespace {

/// The number that is all of a text.
template <class T>
bool read_number(const std::string& text, T& value) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace

CLI::Option* whole_number(CLI::Option* option, std::uint64_t least, std::uint64_t most) {
  const auto check = [=, name = option->get_name()](const std::string& text) {
    std::uint64_t value = 0;
    if (read_number(text, value) && value >= least && value <= most) return std::string();
    const std::string range = most == UINT64_MAX ? fmt::format("from {} on", least)
                                                 : fmt::format("from {} to {}", least, most);
    throw Error(fmt::format("'{}' is no whole number {}", text, range), name,
                fmt::format("write {} {}", name, std::max<std::uint64_t>(least, 1)));
  };
  return option->check(check);
}

CLI::Option* positive_number(CLI::Option* option, double most) {
  const auto check = [=, name = option->get_name()](const std::string& text) {
    double value = NAN;
    const bool number = read_number(text, value);
    if (number && value > 0 && value <= most) return std::string();
    throw Error(number && value > most ? fmt::format("'{}' is above {}", text, most)
                                       : fmt::format("'{}' is no positive number", text),
                name, fmt::format("write it like {} {}", name, most < 1e300 ? most : 0.5));
  };
  return option->check(check);
}

CLI::Option* not_empty(CLI::Option* option, std::string_view example) {
  const auto check = [name = option->get_name(), example](const std::string& text) {
    if (text.find_first_not_of(" \t") != std::string::npos) return std::string();
    const bool positional = !name.starts_with('-');
    throw Error("its value is empty", name,
                fmt::format("write it like {}{}{}", positional ? "" : name, positional ? "" : " ",
                            example));
  };
  return option->check(check);
}

CLI::Option* one_of(CLI::Option* option, std::vector<std::string> names) {
  const std::string list = fmt::format("{{{}}}", fmt::join(names, ","));
  const auto choose = [all = std::move(names), name = option->get_name()](const std::string& text) {
    for (const std::string& known : all) {
      if (same_name(known, text)) return known;
    }
    const std::string near = nearest_name(text, all);
    throw Error(fmt::format("there is no '{}'", text), name,
                near.empty() ? fmt::format("choose one of: {}", fmt::join(all, ", "))
                             : fmt::format("did you mean '{}'?", near));
  };
  return option->transform(choose, list);
}

}  // namespace cauchy::cli
