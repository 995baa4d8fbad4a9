#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/sampling/random_field.hpp>

#include "files/problem_file_reader.hpp"

namespace cauchy::detail {
namespace {

/// Most samples that a data set may have; far beyond what fits into memory.
constexpr std::uint64_t most_samples = 100'000'000;
constexpr std::uint64_t most_grid_nodes = 1 << 16;

TomlSection operator_section(const TomlNode& root) {
  return {
      *root.find("operator"),
      "[operator]",
      {"inputs", "outputs", "times", "grid", "refine", "samples", "validation", "test", "seed"}};
}

const TomlNode& inputs_node(const TomlNode& table) {
  const TomlNode* const inputs = table.find("inputs");
  const char* const example = "inputs = { a = { field = \"grf(alpha = 2, tau = 3)\" } }";
  if (inputs == nullptr) {
    throw Error(ErrorKind::syntax, "missing key 'inputs' in [operator]", table.place.str(),
                example);
  }
  expect_table(*inputs, example);
  if (inputs->items.empty()) fail_at(*inputs, "the operator has no input functions", example);
  return *inputs;
}

}  // namespace

void ProblemReader::read_inputs() {
  if (operator_ == nullptr) return;
  const TomlSection s = operator_section(root_);
  if (p_.domain->space() == nullptr) {
    fail_at(*root_.find("domain"), "an operator problem needs a space", "space = { x = [0, 1] }");
  }
  const std::vector<std::string>& space = p_.domain->space()->coordinates();
  for (const TomlNode& n : inputs_node(s.node()).items) {
    const TomlSection in(n, fmt::format("input '{}'", n.name),
                         {"field", "map", "arguments", "mean"});
    InputFunction input;
    input.name = n.name;
    const TomlNode& field = in.need("field", "field = \"grf(alpha = 2, tau = 3)\"");
    input.field = as_text(field);
    at_node(field, [&] { (void)parse_random_field(input.field, field.text_start()); });
    if (const TomlNode* a = in.find("arguments")) {
      input.arguments = as_texts(*a);
      if (a->items.empty())
        fail_at(*a, "a function needs at least 1 argument", "arguments = [\"x\"]");
      for (const TomlNode& x : a->items) {
        if (std::find(space.begin(), space.end(), x.text) != space.end()) continue;
        fail_at(x, fmt::format("unknown coordinate '{}'", x.text),
                hint_for(x.text, space, "coordinates of space"));
      }
    }
    if (std::any_of(p_.functions.begin(), p_.functions.end(),
                    [&](const TabulatedFunction& f) { return f.name == n.name; })) {
      throw Error(ErrorKind::syntax, fmt::format("name '{}' is declared already", n.name),
                  n.key.str(), "every name has one meaning");
    }
    if (const TomlNode* m = in.find("map")) {
      Context names = numbers_;
      at_names([&] {
        for (const std::string& x : input.arguments.empty() ? space : input.arguments) {
          names.add_space(x);
        }
      });
      if (names.declares("g")) {
        fail_at(*m, "'g' is the random number of a map, and a name of the problem as well",
                "rename the latter");
      }
      names.add_definition("g", Symbol("g"));
      input.map = expression(*m, names);
    }
    if (const TomlNode* m = in.find("mean")) {
      input.mean = number(*m);
      if (!(input.mean >= 0 && std::isfinite(input.mean))) {
        fail_at(*m, fmt::format("a width must be positive, got {}", input.mean), "mean = 1/64");
      }
    }
    declare(n.name, n);
    operator_->inputs.push_back(std::move(input));
  }
  // Names are known from here on; what stands behind them is drawn when all is read.
  operator_->problem.domain = p_.domain;
  operator_->problem.functions = p_.functions;
  declare_inputs(*operator_);
  p_.functions = operator_->problem.functions;
}

void ProblemReader::read_operator(const Method& method) {
  if (operator_ == nullptr) return;
  OperatorProblem& op = *operator_;
  const TomlSection s = operator_section(root_);
  op.outputs = p_.fields;
  if (const TomlNode* n = s.find("outputs")) {
    op.outputs = as_texts(*n);
    if (op.outputs.empty()) fail_at(*n, "the operator has no outputs", "outputs = [\"u\"]");
    for (const TomlNode& f : n->items) {
      if (std::find(p_.fields.begin(), p_.fields.end(), f.text) != p_.fields.end()) continue;
      fail_at(f, fmt::format("unknown field '{}'", f.text), hint_for(f.text, p_.fields, "fields"));
    }
  }
  if (const TomlNode* n = s.find("times")) read_times(*n);
  const std::size_t d = p_.domain->space()->dimension();
  const TomlNode& grid = s.need("grid", "grid = [64, 64]: nodes along the axes of space");
  if (grid.kind == TomlNode::Kind::array) {
    for (const TomlNode& n : grid.items) {
      op.grid.push_back(static_cast<int>(as_count(n, 4, most_grid_nodes)));
    }
  } else {
    op.grid.assign(d, static_cast<int>(as_count(grid, 4, most_grid_nodes)));
  }
  s.count("refine", op.refine, 0, 64);
  s.count("samples", op.samples, 1, most_samples);
  s.count("validation", op.validation, 0, most_samples);
  s.count("test", op.test, 0, most_samples);
  if (const TomlNode* n = s.find("seed")) op.seed = as_seed(*n);
  op.method = method;
  op.problem = p_;
  const auto place = [&](const std::string& name, const TomlNode* n) {
    if (n != nullptr) file_.places[name] = n->place.str();
  };
  place("operator", &s.node());
  for (const TomlNode& n : s.node().items) place(fmt::format("[operator.{}]", n.name), &n);
  for (const TomlNode& n : inputs_node(s.node()).items)
    place(fmt::format("input '{}'", n.name), &n);
  try {
    check(op);
    op.problem = sample_problem(op, 0);
  } catch (const Error& e) {
    throw placed(e, file_.places);
  }
}

void ProblemReader::read_times(const TomlNode& node) {
  std::vector<double>& times = operator_->times;
  if (node.kind == TomlNode::Kind::array) {
    for (const TomlNode& n : node.items) times.push_back(number(n));
    if (times.empty()) fail_at(node, "there are no times", "leave the key out: the end alone");
    return;
  }
  if (node.kind != TomlNode::Kind::table) {
    times = {number(node)};
    return;
  }
  const TomlSection s(node, "times", {"from", "to", "n"});
  const double from = number(s.need("from", "times = { from = 0.1, to = 1, n = 10 }"));
  const double to = number(s.need("to", "times = { from = 0.1, to = 1, n = 10 }"));
  const TomlNode& count = s.need("n", "times = { from = 0.1, to = 1, n = 10 }");
  const std::uint64_t n = as_count(count, 1, 100'000);
  if (n > 1 && !(from < to)) fail_at(node, "'from' must be below 'to'");
  for (std::uint64_t i = 0; i < n; ++i) {
    const double share = n == 1 ? 1 : static_cast<double>(i) / static_cast<double>(n - 1);
    times.push_back(from + share * (to - from));
  }
}

}  // namespace cauchy::detail
