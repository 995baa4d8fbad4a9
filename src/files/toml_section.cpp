#include "files/toml_section.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/parse.hpp>  // nearest_name

namespace cauchy::detail {
namespace {

using Kind = TomlNode::Kind;

void expect(const TomlNode& node, bool fits, std::string_view wanted, std::string_view hint = {}) {
  if (fits) return;
  fail_at(node, fmt::format("'{}' must be {}, got {}", node.name, wanted, described(node.kind)),
          hint);
}

}  // namespace

const std::string& as_text(const TomlNode& node) {
  expect(node, node.kind == Kind::string, "a string");
  return node.text;
}

bool as_flag(const TomlNode& node) {
  expect(node, node.kind == Kind::boolean, "true or false");
  return node.boolean;
}

double as_number(const TomlNode& node) {
  expect(node, node.kind == Kind::integer || node.kind == Kind::real, "a number");
  const double value = node.kind == Kind::integer ? static_cast<double>(node.integer) : node.real;
  if (!std::isfinite(value)) {
    fail_at(node, fmt::format("'{}' must be a finite number, got {}", node.name, value));
  }
  return value;
}

std::uint64_t as_count(const TomlNode& node, std::uint64_t least, std::uint64_t most) {
  // 1e4 is how people write ten thousand.
  const bool whole = node.kind == Kind::real && std::floor(node.real) == node.real &&
                     std::abs(node.real) <= 9007199254740992.0;
  expect(node, node.kind == Kind::integer || node.kind == Kind::real, "a whole number");
  if (node.kind == Kind::real && !whole) {
    fail_at(node, fmt::format("'{}' must be a whole number, got {}", node.name, node.real));
  }
  const std::int64_t value = whole ? static_cast<std::int64_t>(node.real) : node.integer;
  if (value < 0 || static_cast<std::uint64_t>(value) < least) {
    fail_at(node, fmt::format("'{}' must be at least {}, got {}", node.name, least, value));
  }
  if (static_cast<std::uint64_t>(value) > most) {
    fail_at(node, fmt::format("'{}' must be at most {}, got {}", node.name, most, value));
  }
  return static_cast<std::uint64_t>(value);
}

std::uint64_t as_seed(const TomlNode& node) {
  if (node.kind == Kind::string) {
    std::uint64_t value = 0;
    const char* const end = node.text.data() + node.text.size();
    const auto result = std::from_chars(node.text.data(), end, value);
    if (result.ec == std::errc() && result.ptr == end) return value;
  }
  return as_count(node);
}

std::vector<std::string> as_texts(const TomlNode& node) {
  expect(node, node.kind == Kind::array, "an array of strings");
  std::vector<std::string> texts;
  for (const TomlNode& item : node.items) texts.push_back(as_text(item));
  return texts;
}

std::vector<double> as_numbers(const TomlNode& node) {
  expect(node, node.kind == Kind::array, "a list of numbers");
  std::vector<double> numbers;
  for (const TomlNode& item : node.items) numbers.push_back(as_number(item));
  return numbers;
}

void expect_table(const TomlNode& node, std::string_view example) {
  expect(node, node.kind == Kind::table, "a table", example);
}

std::vector<const TomlNode*> as_tables(const TomlNode* node) {
  if (node == nullptr) return {};
  if (node->kind == Kind::table) {
    fail_at(*node, fmt::format("'{}' must be an array of tables, got a table", node->name),
            fmt::format("write [[{}]] with two brackets", node->name));
  }
  expect(*node, node->kind == Kind::array, "an array of tables");
  std::vector<const TomlNode*> tables;
  for (const TomlNode& item : node->items) {
    expect_table(item);
    tables.push_back(&item);
  }
  return tables;
}

namespace {

/// Words of other libraries and of papers, and what they are called here.
constexpr std::pair<std::string_view, std::string_view> synonyms[] = {
    {"lr", "learning_rate"},
    {"rate", "learning_rate"},
    {"eta", "learning_rate"},
    {"epochs", "steps"},
    {"epoch", "steps"},
    {"iterations", "steps"},
    {"iters", "steps"},
    {"max_iter", "steps"},
    {"maxiter", "steps"},
    {"niter", "steps"},
    {"neurons", "width"},
    {"hidden", "width"},
    {"units", "width"},
    {"hidden_size", "width"},
    {"layers", "depth"},
    {"n_layers", "depth"},
    {"hidden_layers", "depth"},
    {"act", "activation"},
    {"init", "initialization"},
    {"ic", "condition"},
    {"bc", "condition"},
    {"ics", "condition"},
    {"bcs", "condition"},
    {"boundary_condition", "condition"},
    {"initial_condition", "condition"},
    {"boundary_conditions", "condition"},
    {"initial_conditions", "condition"},
    {"eq", "equation"},
    {"pde", "equation"},
    {"ode", "equation"},
    {"eqn", "equation"},
    {"expr", "form"},
    {"expression", "form"},
    {"formula", "form"},
    {"residual", "form"},
    {"variables", "fields"},
    {"outputs", "fields"},
    {"constants", "parameters"},
    {"params", "parameters"},
    {"geometry", "domain"},
    {"data", "observation"},
    {"measurements", "observation"},
    {"noise", "sigma"},
    {"std", "sigma"},
    {"solution", "reference"},
    {"exact_solution", "reference"},
    {"solver", "method"},
    {"training", "method"},
    {"collocation", "interior"},
    {"n_interior", "interior"},
    {"n_boundary", "boundary"},
    {"n_initial", "initial"},
    {"batch_size", "batch"},
    {"resample", "redraw"},
    {"dtype", "precision"},
    {"random_seed", "seed"},
    {"type", "kind"},
    {"location", "where"},
    {"on", "where"},
    {"at", "where"},
    {"min", "lower"},
    {"max", "upper"},
    {"guess", "initial"},
    {"start", "initial"},
    {"optim", "optimizer"},
    {"sgd", "gradient_descent"},
    {"gd", "gradient_descent"},
    {"l-bfgs", "lbfgs"},
    {"l_bfgs", "lbfgs"},
    {"lm", "levenberg_marquardt"},
    {"swish", "silu"},
    {"sine", "sin"},
    {"logistic", "sigmoid"},
    {"xavier", "glorot_normal"},
    {"kaiming", "he_normal"},
    {"random", "uniform"},
    {"lhs", "latin_hypercube"},
    {"double", "f64"},
    {"float64", "f64"},
    {"float", "f32"},
    {"float32", "f32"},
    {"single", "f32"},
    {"mean", "risk"},
    {"mse", "risk"},
    {"spline", "cubic"},
};

std::string synonym_of(std::string_view name, const std::vector<std::string>& known) {
  for (const auto& [word, key] : synonyms) {
    if (word == name && std::find(known.begin(), known.end(), key) != known.end()) {
      return std::string(key);
    }
  }
  return {};
}

}  // namespace

std::string hint_for(std::string_view name, const std::vector<std::string>& known,
                     std::string_view what) {
  const std::string meant = synonym_of(name, known);
  if (!meant.empty()) return fmt::format("here it is called '{}'", meant);
  // One letter is as near as any other.
  const std::string near = name.size() > 1 ? nearest_name(name, known) : "";
  if (!near.empty()) return fmt::format("did you mean '{}'?", near);
  if (known.empty()) return fmt::format("there are no {}", what);
  return fmt::format("{} are: {}", what, fmt::join(known, ", "));
}

TomlSection::TomlSection(const TomlNode& node, std::string title, std::vector<std::string> known)
    : node_(node), title_(std::move(title)) {
  expect_table(node);
  for (const TomlNode& item : node.items) {
    if (std::find(known.begin(), known.end(), item.name) != known.end()) continue;
    throw Error(fmt::format("unknown key '{}'{}", item.name,
                            title_.empty() ? "" : fmt::format(" in {}", title_)),
                item.key.str(), hint_for(item.name, known, "keys"));
  }
}

const TomlNode& TomlSection::need(std::string_view key, std::string_view hint) const {
  if (const TomlNode* n = find(key)) return *n;
  fail_at(
      node_,
      fmt::format("missing key '{}'{}", key, title_.empty() ? "" : fmt::format(" in {}", title_)),
      hint);
}

void TomlSection::read(std::string_view key, std::string& value) const {
  if (const TomlNode* n = find(key)) value = as_text(*n);
}
void TomlSection::read(std::string_view key, bool& value) const {
  if (const TomlNode* n = find(key)) value = as_flag(*n);
}
void TomlSection::read(std::string_view key, double& value) const {
  if (const TomlNode* n = find(key)) value = as_number(*n);
}

}  // namespace cauchy::detail
