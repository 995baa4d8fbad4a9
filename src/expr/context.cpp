#include <algorithm>
#include <cctype>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/parse.hpp>

#include "expr/builtin.hpp"

namespace cauchy {
namespace detail {

SuffixReading read_suffix(std::string_view suffix, const std::vector<std::string>& coordinates) {
  // ways[i]: how the first i characters split; last[i]: the name that ends there.
  std::vector<int> ways(suffix.size() + 1, 0);
  std::vector<const std::string*> last(suffix.size() + 1, nullptr);
  ways[0] = 1;
  for (std::size_t end = 1; end <= suffix.size(); ++end) {
    for (const std::string& name : coordinates) {
      if (!suffix.substr(0, end).ends_with(name) || ways[end - name.size()] == 0) continue;
      ways[end] = std::min(2, ways[end] + ways[end - name.size()]);
      last[end] = &name;
    }
  }
  SuffixReading reading{suffix.empty() ? 0 : ways.back(), {}};
  if (reading.count != 1) return reading;
  std::map<std::string, int> orders;
  for (std::size_t end = suffix.size(); end > 0; end -= last[end]->size()) ++orders[*last[end]];
  reading.index.assign(orders.begin(), orders.end());
  return reading;
}

std::string reserved_for(std::string_view name) {
  if (name == "pi") return "the number pi";
  if (name == "e") return "Euler's number";
  if (name == "inf" || name == "nan") return "what is no number";
  if (name == "d") return "derivatives, d(u, x)";
  if (is_word_operator(name)) return fmt::format("the operator {}", name);
  return find_builtin(name) != nullptr ? fmt::format("the function {}", name) : "";
}

}  // namespace detail

namespace {

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// Edit distance where swapping two neighbours is one step; stops counting above `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t gap = a.size() < b.size() ? b.size() - a.size() : a.size() - b.size();
  if (gap > limit) return limit + 1;
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        next[j] = std::min(next[j], before[j - 2] + 1);
      }
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& known) {
  std::size_t best = word.size() <= 4 ? 1 : word.size() <= 8 ? 2 : 3;
  std::string nearest;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate, best);
    if (distance < best || (distance == best && nearest.empty())) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

void Context::declare(std::string_view name) {
  const std::string place = fmt::format("name '{}'", name);
  if (!is_identifier(name)) {
    throw Error("not an identifier", place,
                "a name starts with a letter, then letters, digits and '_'");
  }
  if (const std::string use = detail::reserved_for(name); !use.empty()) {
    throw Error("reserved for " + use, place,
                "choose another name (reserved words: docs/format.md, Names)");
  }
  if (declares(name)) throw Error("declared already", place, "every name has one meaning");
}

Context& Context::add_space(std::string_view name) {
  declare(name);
  values_.emplace(name, Coordinate(name));
  space_.emplace_back(name);
  coordinates_.emplace_back(name);
  return *this;
}

Context& Context::add_time(std::string_view name) {
  declare(name);
  values_.emplace(name, Coordinate(name));
  coordinates_.emplace_back(name);
  return *this;
}

Context& Context::add_field(std::string_view name) {
  declare(name);
  values_.emplace(name, Field(name));
  fields_.emplace_back(name);
  return *this;
}

Context& Context::add_parameter(std::string_view name) {
  declare(name);
  values_.emplace(name, Parameter(name));
  parameters_.emplace_back(name);
  return *this;
}

Context& Context::add_function(std::string_view name, int arity) {
  declare(name);
  if (arity < 1) {
    throw Error(fmt::format("a function needs at least 1 argument, got {}", arity),
                fmt::format("name '{}'", name));
  }
  functions_.emplace(name, arity);
  return *this;
}

Context& Context::add_function(std::string_view name, const std::vector<Expr>& usual) {
  add_function(name, static_cast<int>(usual.size()));
  values_.emplace(name, DataFunction(name).call(usual));
  return *this;
}

Context& Context::add_definition(std::string_view name, const Expr& value) {
  declare(name);
  values_.emplace(name, value);
  return *this;
}

bool Context::declares(std::string_view name) const noexcept {
  return values_.contains(name) || functions_.contains(name);
}

const Expr* Context::find(std::string_view name) const noexcept {
  const auto it = values_.find(name);
  return it == values_.end() ? nullptr : &it->second;
}

int Context::arity(std::string_view function) const noexcept {
  const auto it = functions_.find(function);
  return it == functions_.end() ? 0 : it->second;
}

std::vector<std::string> Context::names() const {
  std::vector<std::string> all;
  for (const auto& [name, value] : values_) all.push_back(name);
  for (const auto& [name, arity] : functions_) {
    if (!values_.contains(name)) all.push_back(name);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace cauchy
