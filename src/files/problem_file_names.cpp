#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>

#include "files/file_rules.hpp"
#include "files/problem_file_reader.hpp"
#include "problem/circle.hpp"
#include "problem/grid_table.hpp"

namespace cauchy::detail {
namespace {

Values values_of(const ParameterValues& numbers) {
  Values values;
  for (const auto& [name, value] : numbers) values.set(Parameter(name), value);
  return values;
}

/// What stands between the first pair of single quotes.
std::string quoted_part(const std::string& text) {
  const auto open = text.find('\'');
  if (open == std::string::npos) return {};
  const auto close = text.find('\'', open + 1);
  return close == std::string::npos ? "" : text.substr(open + 1, close - open - 1);
}

}  // namespace

// --- values ---

Expr ProblemReader::expression(const TomlNode& node, const Context& context) {
  if (node.kind == TomlNode::Kind::string) {
    return at_node(node, [&] { return parse(node.text, context, node.text_start()); });
  }
  if (node.kind != TomlNode::Kind::integer && node.kind != TomlNode::Kind::real) {
    fail_at(node, fmt::format("'{}' must be a number or a string with an expression, got {}",
                              node.name, described(node.kind)));
  }
  return as_number(node);
}

double ProblemReader::number(const TomlNode& node) const {
  const Expr e = expression(node, numbers_);
  const double value = at_node(node, [&] { return evaluate(e, values_of(values_)); });
  if (!std::isfinite(value)) {
    fail_at(node, fmt::format("'{}' must be a finite number, got {}", node.name, value));
  }
  return value;
}

void ProblemReader::number(const TomlSection& section, std::string_view key, double& value) const {
  if (const TomlNode* n = section.find(key)) value = number(*n);
}

void ProblemReader::weight(const TomlSection& section, double& value) const {
  number(section, "weight", value);
  if (value < 0) {
    fail_at(*section.find("weight"), fmt::format("'weight' must not be negative, got {}", value));
  }
}

void ProblemReader::weight(const TomlSection& section, Expr& value) const {
  const TomlNode* n = section.find("weight");
  if (n == nullptr) return;
  value = expression(*n, names_of_problem_);
  double number = 1;
  if (value.is_constant()) weight(section, number);  // others are looked at by check()
}

std::vector<const TomlNode*> ProblemReader::ends(const TomlNode& node) const {
  if (node.kind != TomlNode::Kind::array || node.items.size() != 2) {
    fail_at(node,
            fmt::format("'{}' must be an array of two numbers, got {}", node.name,
                        node.kind == TomlNode::Kind::array ? fmt::format("{}", node.items.size())
                                                           : std::string(described(node.kind))),
            fmt::format("{} = [0, 1]", node.name));
  }
  return {&node.items[0], &node.items[1]};
}

ProblemReader::File ProblemReader::read_data(const TomlSection& section) const {
  const TomlNode& node = section.need("file", "file = \"data.csv\"");
  const TomlSource& source = *node.place.source;
  std::string name = as_text(node);
  TableOptions options;
  // "data.h5:/run1" is a group of a file.
  const auto colon = name.find(":/");
  if (colon != std::string::npos &&
      (name.substr(0, colon).ends_with(".h5") || name.substr(0, colon).ends_with(".hdf5"))) {
    options.group = name.substr(colon + 1);
    name.erase(colon);
  }
  if (const TomlNode* n = section.find("columns")) options.columns = as_texts(*n);
  const std::filesystem::path path = named_file(node, name);
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) {
    fail_at(node, fmt::format("file '{}' not found", name),
            fmt::format("it is looked for in {}", source.folder.string()));
  }
  File file;
  file.name = (source.relative / as_text(node)).lexically_normal().generic_string();
  try {
    file.table = read_table(path, options);
  } catch (const Error& e) {
    if (lies_outside(source, path) && std::filesystem::is_regular_file(path, ec)) {
      throw about_file(node, path, e);
    }
    // The place inside the data is the one to go to, if there is one.
    const bool placed = e.place().starts_with(path.string() + ":");
    throw Error(e.kind(), placed ? e.message() : fmt::format("{}: {}", name, e.message()),
                placed ? e.place() : node.place.str(), e.hint());
  }
  return file;
}

TableInterpolation ProblemReader::interpolation(const TomlSection& section) {
  const TomlNode* n = section.find("interpolation");
  if (n == nullptr) return TableInterpolation::cubic;
  return as_word(*n, "interpolation", interpolation_words());
}

void ProblemReader::need_column(const TomlNode& node, const Table& table,
                                const std::string& column) {
  const auto& all = table.columns;
  if (std::find(all.begin(), all.end(), column) != all.end()) return;
  fail_at(node, fmt::format("there is no column '{}' in the file", column),
          fmt::format("columns are: {}", fmt::join(all, ", ")));
}

// --- names ---

void ProblemReader::declare(const std::string& name, const TomlNode& node) { names_[name] = &node; }

void ProblemReader::fail_name(const Error& error, const TomlNode* node) const {
  const std::string name = quoted_part(error.place());
  const auto it = names_.find(name);
  if (node == nullptr && it != names_.end()) node = it->second;
  if (node == nullptr) throw error;
  throw Error(ErrorKind::syntax, fmt::format("name '{}' is {}", name, error.message()),
              node->key.str(), error.hint());
}

void ProblemReader::add_parameter(Context& names, const TomlNode& node) const {
  try {
    names.add_parameter(node.name);
  } catch (const Error& e) {
    fail_name(e, &node);
  }
}

Context ProblemReader::context() const {
  return at_names([&] { return p_.context(); });
}

void ProblemReader::read_header(const TomlSection& root) {
  const std::string file = std::filesystem::path(root.node().place.source->name).stem().string();
  if (!file.empty()) p_.name = file;
  root.read("name", p_.name);
  if (const TomlNode* n = root.find("name"); n != nullptr && p_.name.empty()) {
    fail_at(*n, "'name' is empty", "give it a word, or leave the key out");
  }
  root.read("title", p_.title);
  root.read("source", p_.source);
  root.read("notes", p_.notes);
  const TomlNode& fields = root.need("fields", "fields = [\"u\"]");
  p_.fields = as_texts(fields);
  if (p_.fields.empty()) fail_at(fields, "the problem has no fields", "fields = [\"u\"]");
  if (const TomlNode* n = root.find("coefficients")) {
    expect_table(*n, "coefficients = { k = [\"x\"] }");
    for (const TomlNode& c : n->items) p_.coefficients.push_back({c.name, as_texts(c)});
  }
  if (const TomlNode* n = root.find("loss")) {
    p_.convention = as_word(*n, "loss",
                            Words<LossConvention>{{"risk", LossConvention::risk},
                                                  {"integral", LossConvention::integral}});
  }
}

void ProblemReader::read_parameters(const TomlNode* node) {
  if (node == nullptr) return;
  expect_table(*node);
  // Names that a parameter might be written with by mistake, to say so.
  std::map<std::string, std::pair<std::string, const TomlNode*>> others;
  if (const TomlNode* n = root_.find("unknown")) {
    for (const TomlNode& u : n->items) others[u.name] = {"an unknown", &u};
  }
  if (const TomlNode* d = root_.find("domain"); d != nullptr) {
    if (const TomlNode* n = d->find("ranges")) {
      for (const TomlNode& r : n->items) others[r.name] = {"a range", &r};
    }
  }
  Context all;
  for (const TomlNode& n : node->items) {
    add_parameter(all, n);
    declare(n.name, n);
  }
  numbers_ = all;
  for (const auto& [name, other] : others) {
    if (!all.declares(name)) add_parameter(all, *other.second);
  }
  for (const TomlNode& n : node->items) {
    const Expr value = expression(n, all);
    const Expr roots[] = {value};
    for (const Expr& e : postorder(roots)) {
      if (e.kind() != Kind::parameter || numbers_.declares(e.name())) continue;
      fail_at(n,
              fmt::format("parameter '{}' depends on '{}', which is {}", n.name, e.name(),
                          others[e.name()].first),
              "write it under [definitions]");
    }
    p_.parameters.push_back({n.name, value});
  }
  try {
    values_ = p_.values();
  } catch (const Error& e) {
    const TomlNode* at = node->find(quoted_part(e.place()));
    throw e.at((at != nullptr ? at : node)->place.str());
  }
}

void ProblemReader::read_sizes(const TomlNode* node) {
  if (node == nullptr) return;
  expect_table(*node, "sizes = { u = 0.3 }");
  const std::vector<std::string> fields = p_.all_fields();
  for (const TomlNode& n : node->items) {
    if (std::find(fields.begin(), fields.end(), n.name) == fields.end()) {
      throw Error(fmt::format("unknown field '{}'", n.name), n.key.str(),
                  hint_for(n.name, fields, "fields"));
    }
    const double size = number(n);
    if (!(size > 0)) {
      fail_at(n, fmt::format("the size of '{}' must be positive, got {}", n.name, size));
    }
    p_.sizes[n.name] = size;
  }
}

void ProblemReader::read_unknowns(const TomlNode* node) {
  if (node == nullptr) return;
  expect_table(*node);
  for (const TomlNode& n : node->items) {
    Unknown u;
    u.name = n.name;
    if (n.kind == TomlNode::Kind::table) {
      const TomlSection s(n, fmt::format("unknown '{}'", n.name),
                          {"initial", "lower", "upper", "truth"});
      u.initial = number(s.need("initial", "the value to start from"));
      const auto read = [&](std::string_view key, std::optional<double>& value) {
        if (const TomlNode* v = s.find(key)) value = number(*v);
      };
      read("lower", u.lower);
      read("upper", u.upper);
      read("truth", u.truth);
    } else {
      u.initial = number(n);
    }
    declare(n.name, n);
    p_.unknowns.push_back(std::move(u));
  }
}

void ProblemReader::read_functions(const TomlNode* node) {
  if (node == nullptr) return;
  expect_table(*node);
  for (const TomlNode& n : node->items) {
    const TomlSection s(n, fmt::format("function '{}'", n.name),
                        {"file", "arguments", "column", "columns", "interpolation"});
    TabulatedFunction f;
    f.name = n.name;
    const TomlNode& arguments = s.need("arguments", "arguments = [\"x\"]");
    f.arguments = as_texts(arguments);
    if (f.arguments.empty()) {
      fail_at(arguments, "a function needs at least 1 argument", "arguments = [\"x\"]");
    }
    f.column = n.name;
    s.read("column", f.column);
    f.interpolation = interpolation(s);
    File file = read_data(s);
    for (const TomlNode& a : arguments.items) need_column(a, file.table, a.text);
    const TomlNode* column = s.find("column");
    need_column(column != nullptr ? *column : n, file.table, f.column);
    f.file = std::move(file.name);
    f.table = std::move(file.table);
    at_node(*s.find("file"),
            [&] { (void)GridTable(f.table, f.arguments, f.column, f.interpolation); });
    declare(n.name, n);
    p_.functions.push_back(std::move(f));
  }
}

void ProblemReader::read_definitions(const TomlNode* node) {
  if (node == nullptr) return;
  expect_table(*node);
  Context known = context();
  for (const TomlNode& n : node->items) {
    // Each may use those before it.
    try {
      p_.definitions.push_back({n.name, expression(n, known)});
    } catch (const Error&) {
      expect_order(*node, n);
      throw;
    }
    declare(n.name, n);
    if (known.declares(n.name)) {
      known = context();  // u_n and the like give way; another name is taken
    } else {
      at_names([&] { known.add_definition(n.name, p_.definitions.back().value); });
    }
  }
}

void ProblemReader::expect_order(const TomlNode& node, const TomlNode& first) const {
  Context all = context();
  NameGraph graph;
  for (const TomlNode& n : node.items) {
    if (!all.declares(n.name)) at_node(n, [&] { all.add_parameter(n.name); });
  }
  for (const TomlNode& n : node.items) {
    try {
      const Expr roots[] = {expression(n, all)};
      for (const Expr& e : atoms(roots, Kind::parameter)) {
        if (node.find(e.name()) != nullptr) graph[n.name].push_back(e.name());
      }
    } catch (const Error&) {
      if (&n == &first) return;  // another mistake, which is known already
    }
  }
  const std::vector<std::string> circle = circle_in(graph);
  if (!circle.empty()) {
    fail_at(*node.find(circle.front()),
            fmt::format("definitions are circular: {}", fmt::join(circle, " -> ")),
            "write one of them without the others");
  }
  for (const std::string& name : graph[first.name]) {
    if (context().declares(name)) continue;
    fail_at(first,
            fmt::format("definition '{}' uses '{}', which stands below it", first.name, name),
            fmt::format("move '{}' above '{}'", name, first.name));
  }
}

}  // namespace cauchy::detail
