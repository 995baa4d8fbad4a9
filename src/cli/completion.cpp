#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "cli/command.hpp"
#include "cli/option_checks.hpp"
#include "cli/options.hpp"
#include "cli/problem_library.hpp"

namespace cauchy::cli {
namespace {

/// An option as a shell sees it.
struct Word {
  std::string name, about;
  bool takes_value;
  std::vector<std::string> choices;
};

/// The choices that CLI11 shows in the description of a validator: "{f64,f32}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  std::vector<std::string> list;
  const std::string type = option.get_type_name();
  const auto open = type.find('{'), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return list;
  std::string word;
  for (const char c : type.substr(open + 1, close - open)) {
    if (c == ',' || c == '}') {
      list.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  return list;
}

struct Command {
  std::string name, about;
  std::vector<Word> options;
  std::vector<std::string> choices;   ///< of the first word behind the command; empty: a file
  std::vector<std::string> problems;  ///< names that may stand in place of files
};

/// Whether a name means itself in every shell: files of a library may be called anything.
bool means_itself(const std::string& name) {
  return !name.empty() && name[0] != '-' && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
  });
}

std::vector<Command> commands_of(const CLI::App& app) {
  std::vector<Command> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    Command c{sub->get_name(), sub->get_description(), {}, {}, {}};
    for (const CLI::Option* option : sub->get_options()) {
      if (option->get_positional()) {
        if (c.choices.empty()) c.choices = choices_of(*option);
        if (takes_problems(*option) || takes_operators(*option)) {
          const auto kind =
              takes_problems(*option) ? LibraryKind::problems : LibraryKind::operators;
          for (const auto& file : library_files(kind)) {
            const std::string name = file.stem().string();
            if (means_itself(name)) c.problems.push_back(name);
          }
        }
        continue;
      }
      for (const std::string& name : option->get_lnames()) {
        c.options.push_back({"--" + name, option->get_description(),
                             option->get_items_expected_max() > 0, choices_of(*option)});
      }
    }
    commands.push_back(std::move(c));
  }
  return commands;
}

std::string joined(const std::vector<Word>& words) {
  std::string text;
  for (const Word& w : words) text += (text.empty() ? "" : " ") + w.name;
  return text;
}

void print_bash(const std::vector<Command>& commands, std::ostream& out) {
  std::string names;
  for (const Command& c : commands) names += c.name + " ";
  out << "# Completion of cauchy for bash: source <(cauchy completion bash)\n"
         "_cauchy() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command=${COMP_WORDS[1]} options= choices= problems=\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      << "    COMPREPLY=($(compgen -W \"" << names << "--help --version\" -- \"$word\"))\n"
      << "    return\n"
         "  fi\n"
         "  case $command in\n";
  for (const Command& c : commands) {
    fmt::print(out, "    {}) options=\"{}\" choices=\"{}\" problems=\"{}\" ;;\n", c.name,
               joined(c.options), fmt::join(c.choices, " "), fmt::join(c.problems, " "));
  }
  out << "  esac\n"
         "  case $command:$previous in\n";
  for (const Command& c : commands) {
    for (const Word& w : c.options) {
      if (w.choices.empty()) continue;
      fmt::print(out, "    {}:{}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                 c.name, w.name, fmt::join(w.choices, " "));
    }
  }
  out << "  esac\n"
         "  case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
         "    *) if [ -n \"$choices\" ]; then\n"
         "         COMPREPLY=($(compgen -W \"$choices\" -- \"$word\"))\n"
         "       else\n"
         "         COMPREPLY=($(compgen -f -- \"$word\") $(compgen -W \"$problems\" -- "
         "\"$word\"))\n"
         "       fi ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _cauchy cauchy\n";
}

/// Text between single quotes of a shell, without what _arguments gives a meaning.
std::string quoted(const std::string& text, bool brackets) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else if (brackets && (c == '[' || c == ']' || c == ':')) {
      result += std::string("\\") + c;
    } else {
      result += c;
    }
  }
  return result;
}

void print_zsh(const std::vector<Command>& commands, std::ostream& out) {
  out << "#compdef cauchy\n"
         "# Completion of cauchy for zsh: save as _cauchy in a folder of $fpath\n"
         "_cauchy() {\n"
         "  local -a commands\n"
         "  commands=(\n";
  for (const Command& c : commands) {
    fmt::print(out, "    '{}:{}'\n", c.name, quoted(c.about, true));
  }
  out << "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n";
  for (const Command& c : commands) {
    fmt::print(out, "    {})\n      _arguments \\\n", c.name);
    for (const Word& w : c.options) {
      std::string action;
      if (w.takes_value) {
        action = w.choices.empty() ? ":value:_files"
                                   : fmt::format(":value:({})", fmt::join(w.choices, " "));
      }
      fmt::print(out, "        '*{}[{}]{}' \\\n", w.name, quoted(w.about, true), action);
    }
    std::string action =
        c.choices.empty() ? "_files" : fmt::format("({})", fmt::join(c.choices, " "));
    if (!c.problems.empty()) {
      action = fmt::format("{{_alternative \"files:file:_files\" \"names:problem:({})\"}}",
                           fmt::join(c.problems, " "));
    }
    fmt::print(out, "        '*:argument:{}'\n      ;;\n", action);
  }
  out << "  esac\n"
         "}\n"
         "compdef _cauchy cauchy\n";
}

void print_fish(const std::vector<Command>& commands, std::ostream& out) {
  out << "# Completion of cauchy for fish: cauchy completion fish | source\n";
  for (const Command& c : commands) {
    fmt::print(out, "complete -c cauchy -f -n __fish_use_subcommand -a {} -d '{}'\n", c.name,
               quoted(c.about, false));
    if (!c.choices.empty()) {
      fmt::print(out, "complete -c cauchy -f -n '__fish_seen_subcommand_from {}' -a '{}'\n", c.name,
                 fmt::join(c.choices, " "));
    }
    if (!c.problems.empty()) {
      fmt::print(out, "complete -c cauchy -n '__fish_seen_subcommand_from {}' -a '{}'\n", c.name,
                 fmt::join(c.problems, " "));
    }
    for (const Word& w : c.options) {
      const std::string value = !w.takes_value ? ""
                                : w.choices.empty()
                                    ? " -r -F"
                                    : fmt::format(" -x -a '{}'", fmt::join(w.choices, " "));
      fmt::print(out, "complete -c cauchy -n '__fish_seen_subcommand_from {}' -l {} -d '{}'{}\n",
                 c.name, w.name.substr(2), quoted(w.about, false), value);
    }
  }
}

}  // namespace

void add_completion(CLI::App& app, Console& console) {
  CLI::App* command =
      app.add_subcommand("completion", "Print a script that completes commands in a shell");
  auto shell = std::make_shared<std::string>();
  one_of(command->add_option("shell", *shell, "bash, zsh or fish")->required(),
         {"bash", "zsh", "fish"});
  command->callback([&app, &console, shell] {
    const std::vector<Command> commands = commands_of(app);
    if (*shell == "bash") print_bash(commands, console.out);
    if (*shell == "zsh") print_zsh(commands, console.out);
    if (*shell == "fish") print_fish(commands, console.out);
  });
}

}  // namespace cauchy::cli
