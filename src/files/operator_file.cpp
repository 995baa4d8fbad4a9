#include <cauchy/files/operator_file.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/io/files.hpp>

#include "files/file_rules.hpp"
#include "files/option_reader.hpp"
#include "files/problem_file_method.hpp"
#include "files/problem_file_reader.hpp"
#include "files/simulator_file.hpp"

namespace cauchy {
namespace {

OperatorFile operator_file_of(const detail::TomlNode& root) {
  OperatorFile file;
  // The settings of learning need nothing of the problem; a slip there shows at once.
  const detail::TomlNode* const train = root.find("train");
  if (train != nullptr) detail::read_options(*train, "[train]", file.method);
  if (root.find("simulator") != nullptr) {
    detail::read_simulated(root, file);
  } else {
    file.places = detail::ProblemReader(root, &file.problem).read().places;
  }
  if (train != nullptr) {
    file.places["train"] = train->place.str();
    for (const detail::TomlNode& n : train->items) {
      file.places[fmt::format("train.{}", n.name)] = n.place.str();
    }
  }
  return file;
}

std::string operator_text(const OperatorProblem& op) {
  const Context context = op.problem.context();
  std::string out = "\n[operator]\n";
  const auto line = [&](std::string_view key, const std::string& value) {
    out += fmt::format("{} = {}\n", key, value);
  };
  line("outputs", detail::toml_texts(op.outputs.empty() ? op.problem.fields : op.outputs));
  if (!op.times.empty()) {
    std::vector<std::string> times;
    for (const double t : op.times) times.push_back(toml_number(t));
    line("times", fmt::format("[{}]", fmt::join(times, ", ")));
  }
  line("grid", fmt::format("[{}]", fmt::join(op.grid, ", ")));
  line("refine", fmt::format("{}", op.refine));
  line("samples", fmt::format("{}", op.samples));
  line("validation", fmt::format("{}", op.validation));
  line("test", fmt::format("{}", op.test));
  // TOML knows whole numbers up to 2^63 - 1.
  line("seed", op.seed > INT64_MAX ? fmt::format("\"{}\"", op.seed) : fmt::format("{}", op.seed));
  for (const InputFunction& input : op.inputs) {
    out += fmt::format("\n[operator.inputs.{}]\n", input.name);
    line("field", toml_text(input.field));
    line("map", detail::toml_expr(input.map, &context));
    if (!input.arguments.empty()) line("arguments", detail::toml_texts(input.arguments));
    if (input.mean > 0) line("mean", toml_number(input.mean));
  }
  return out;
}

}  // namespace

bool has_operator(const std::filesystem::path& file) { return detail::has_table(file, "operator"); }

OperatorFile read_operator_file(const std::filesystem::path& file,
                                const std::vector<std::string>& overrides) {
  const std::string text = read_file(file, detail::max_toml_bytes);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const detail::TomlNode root = detail::load_toml(text, file.string(), folder, file, overrides);
  return detail::reading_tree(root, [&] { return operator_file_of(root); });
}

OperatorFile parse_operator_file(std::string_view text, const std::string& name,
                                 const std::filesystem::path& folder,
                                 const std::vector<std::string>& overrides) {
  const detail::TomlNode root = detail::load_toml(text, name, folder, {}, overrides);
  return detail::reading_tree(root, [&] { return operator_file_of(root); });
}

Error in_file(const Error& error, const OperatorFile& file) {
  return detail::placed(error, file.places);
}

std::string to_toml(const OperatorFile& file) {
  if (file.simulator) {
    return detail::simulated_text(file) + "\n[train]\n" + option_text("train", file.method);
  }
  std::vector<std::string> inputs;
  for (const InputFunction& input : file.problem.inputs) inputs.push_back(input.name);
  return detail::problem_text(file.problem.problem, {}, inputs) + operator_text(file.problem) +
         "\n" + method_text(file.problem.method) + "\n[train]\n" +
         option_text("train", file.method);
}

}  // namespace cauchy
