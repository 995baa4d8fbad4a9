#include "files/simulator_file.hpp"

#include <fmt/format.h>

#include <cauchy/io/option_text.hpp>

#include "files/option_reader.hpp"
#include "files/problem_file_reader.hpp"  // placed
#include "files/toml_section.hpp"

namespace cauchy::detail {
namespace {

constexpr std::uint64_t most_simulated = 100'000'000;

/// Where the parts of a simulator stand, under the names that its errors have.
void add_places(const TomlNode& node, std::map<std::string, std::string>& places) {
  places["[applications"] = node.place.str();
  for (const TomlNode& n : node.items) {
    places[n.name] = n.place.str();
    if (n.kind == TomlNode::Kind::table) {
      for (const TomlNode& inner : n.items) places.emplace(inner.name, inner.place.str());
    }
    if (n.name != "well" && n.name != "wells") continue;
    places["wells"] = n.place.str();
    for (std::size_t i = 0; i < n.items.size(); ++i) {
      const TomlNode* name = n.items[i].find("name");
      const std::string called =
          name != nullptr && !name->text.empty() ? name->text : fmt::format("W{}", i + 1);
      places[fmt::format("well '{}'", called)] = n.items[i].place.str();
    }
  }
}

}  // namespace

void read_simulated(const TomlNode& root_node, OperatorFile& file) {
  const TomlSection root(root_node, "",
                         {"include", "name", "title", "source", "notes", "tolerance", "simulator",
                          "operator", "train"});
  Problem& p = file.problem.problem;
  p.name = as_text(root.need("name", "name = \"reservoir\""));
  root.read("title", p.title);
  root.read("source", p.source);
  root.read("notes", p.notes);
  if (const TomlNode* n = root.find("tolerance")) {
    p.tolerance = as_number(*n);
    if (!(*p.tolerance > 0)) {
      fail_at(*n, fmt::format("'tolerance' must be positive, got {}", *p.tolerance));
    }
  }
  const TomlNode& simulator = root.need("simulator");
  expect_table(simulator, "[simulator] with kind = \"reservoir\"");
  file.simulator.emplace();
  read_options(simulator, "[simulator]", *file.simulator);
  const TomlNode& table = root.need("operator", "[operator] with samples");
  const TomlSection s(table, "[operator]", {"samples", "validation", "test", "seed"});
  OperatorProblem& op = file.problem;
  s.count("samples", op.samples, 1, most_simulated);
  s.count("validation", op.validation, 0, most_simulated);
  s.count("test", op.test, 0, most_simulated);
  if (const TomlNode* n = s.find("seed")) op.seed = as_seed(*n);
  file.places["operator"] = table.place.str();
  file.places["simulator"] = simulator.place.str();
  add_places(simulator, file.places);
  try {
    op.source = make_source(*file.simulator);
    check(op);
  } catch (const Error& e) {
    if (const auto at = file.places.find(e.place()); at != file.places.end())
      throw e.at(at->second);
    throw e.at(simulator.place.str());
  }
}

std::string simulated_text(const OperatorFile& file) {
  const Problem& p = file.problem.problem;
  const OperatorProblem& op = file.problem;
  std::string out = fmt::format("name = {}\n", toml_text(p.name));
  const auto line = [&](std::string_view key, const std::string& text) {
    if (!text.empty()) out += fmt::format("{} = {}\n", key, toml_text(text));
  };
  line("title", p.title);
  line("source", p.source);
  line("notes", p.notes);
  if (p.tolerance) out += fmt::format("tolerance = {}\n", toml_number(*p.tolerance));
  out += fmt::format("\n[operator]\nsamples = {}\nvalidation = {}\ntest = {}\n", op.samples,
                     op.validation, op.test);
  // TOML knows whole numbers up to 2^63 - 1.
  out += op.seed > INT64_MAX ? fmt::format("seed = \"{}\"\n", op.seed)
                             : fmt::format("seed = {}\n", op.seed);
  return out + "\n[simulator]\n" + option_text("simulator", *file.simulator);
}

}  // namespace cauchy::detail
