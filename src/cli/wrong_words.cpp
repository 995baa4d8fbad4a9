#include "cli/wrong_words.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/expr/parse.hpp>  // nearest_name

namespace cauchy::cli {
namespace {

bool is_option(const std::string& word) {
  const bool digit = word.size() > 1 && ((word[1] >= '0' && word[1] <= '9') || word[1] == '.');
  return word.size() > 1 && word[0] == '-' && !digit;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(c->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Error unknown_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> known = command_names(app);
  const std::string near = nearest_name(word, known);
  return Error("there is no such command", word,
               near.empty() ? fmt::format("commands are: {}", fmt::join(known, ", "))
                            : fmt::format("did you mean '{}'?", near));
}

Error unknown_option(const CLI::App& app, const std::string& word) {
  const std::string near = nearest_name(word, option_names(app));
  const bool main = app.get_parent() == nullptr;
  return Error(main ? "there is no such option before the command"
                    : fmt::format("{} has no such option", app.get_name()),
               word,
               !near.empty() ? fmt::format("did you mean '{}'?", near)
               : main        ? std::string("write it behind the command, or see `cauchy --help`")
                             : fmt::format("see `cauchy {} --help`", app.get_name()));
}

/// Options of one command in their order, each with its value if it has one.
class Walk final {
 public:
  Walk(const CLI::App& command, std::span<const std::string> words)
      : command_(command), words_(words) {}

  std::optional<Error> find() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!is_option(words_[i])) {
        plain_.push_back(words_[i]);
        continue;
      }
      if (auto error = option(i)) return error;
    }
    return positionals();
  }

 private:
  std::optional<Error> option(std::size_t& i) {
    const std::string& word = words_[i];
    const auto equal = word.find('=');
    const std::string name = word.substr(0, equal);
    const CLI::Option* o = command_.get_option_no_throw(name);
    if (o == nullptr) return unknown_option(command_, name);
    const bool takes = o->get_items_expected_max() > 0;
    if (!takes && equal != std::string::npos) {
      return Error("it takes no value", name, fmt::format("write {} alone", name));
    }
    const bool many = o->get_items_expected_max() > 1;
    if (takes && !many && ++count_[o] > 1) {
      return Error("it is given twice", name, "give it once");
    }
    if (!takes || equal != std::string::npos) return std::nullopt;
    if (i + 1 == words_.size() || is_option(words_[i + 1])) {
      return Error(
          "its value is missing", name,
          fmt::format("write a value behind it, see `cauchy {} --help`", command_.get_name()));
    }
    ++i;
    return std::nullopt;
  }

  std::optional<Error> positionals() {
    const std::string call = "cauchy " + command_.get_name();
    std::size_t most = 0;
    for (const CLI::Option* o : command_.get_options()) {
      if (!o->get_positional()) continue;
      most += static_cast<std::size_t>(o->get_items_expected_max());
      if (o->get_required() && plain_.empty()) {
        return Error(fmt::format("{} is missing", o->get_name(true)), command_.get_name(),
                     fmt::format("write {} {}, see `{} --help`", call, o->get_name(true), call));
      }
    }
    if (plain_.size() <= most) return std::nullopt;
    return Error(fmt::format("'{}' is one word too many", plain_[most]), command_.get_name(),
                 fmt::format("put what belongs together in quotes, see `{} --help`", call));
  }

  const CLI::App& command_;
  std::span<const std::string> words_;
  std::vector<std::string> plain_;
  std::map<const CLI::Option*, int> count_;
};

}  // namespace

Error wrong_words(const CLI::App& app, std::span<const std::string> words) {
  const std::vector<std::string> commands = command_names(app);
  if (words.empty()) {
    return Error("no command is given", "command",
                 fmt::format("write cauchy COMMAND, one of: {}", fmt::join(commands, ", ")));
  }
  const std::string& first = words.front();
  if (is_option(first)) {
    // In front of the command stand --help and --version only.
    return unknown_option(app, first.substr(0, first.find('=')));
  }
  if (std::find(commands.begin(), commands.end(), first) == commands.end()) {
    return unknown_command(app, first);
  }
  if (auto error = Walk(*app.get_subcommand(first), words.subspan(1)).find()) return *error;
  return Error("these words cannot be read", first, fmt::format("see `cauchy {} --help`", first));
}

}  // namespace cauchy::cli
