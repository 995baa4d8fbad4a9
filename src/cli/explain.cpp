#include "cli/explain.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/plain_text.hpp"

namespace cauchy::cli {
namespace {

/// Lines of a comment, broken between words; all but the first are indented.
std::string comment_of(const std::string& text) {
  constexpr std::size_t width = 98;
  std::string rest = plain_text(text), out;
  std::string start = "# ";
  while (start.size() + rest.size() > width) {
    const std::size_t at = rest.rfind(' ', width - start.size());
    if (at == std::string::npos || at == 0) break;  // one long word
    out += start + rest.substr(0, at) + "\n";
    rest.erase(0, at + 1);
    start = "#   ";
  }
  return out + start + rest + "\n";
}

}  // namespace

Explained explain(const ProblemFile& file, const PreparedMethod& prepared, const MethodCost& cost) {
  Explained made;
  made.method = file.method;
  if (auto expanded = prepared.expanded()) {
    made.recipe = name_of(file.method);
    made.why = std::move(expanded->why);
    made.method = expanded->pinn;
  }
  const auto training = training_settings(made.method);
  if (training && training->stages.empty() && cost.training) {
    training->stages = cost.training->stages;
  }
  return made;
}

std::string explained_text(const Explained& e, const std::string& problem) {
  std::string out;
  if (!e.recipe.empty()) {
    out += comment_of(fmt::format("what '{}' stands for with the problem '{}'", e.recipe, problem));
  }
  for (const std::string& sentence : e.why) out += comment_of("- " + sentence);
  return out + method_text(e.method);
}

std::string method_line(const Explained& e, const MethodCost& cost) {
  std::string line = e.recipe.empty() ? cost.method : fmt::format("{}: {}", e.recipe, cost.method);
  if (!cost.training) return line;
  for (const Stage& s : cost.training->stages) {
    line += fmt::format(", {} {}", entry_of(s.method).name, s.steps);
  }
  Method method = e.method;
  if (const auto settings = training_settings(method)) {
    line += fmt::format(", {}", to_string(settings->precision));
  }
  return line;
}

}  // namespace cauchy::cli
