#include "cli/check_operator.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/operators/learn.hpp>

#include "cli/gpu_rate.hpp"
#include "cli/json.hpp"
#include "cli/operator_options.hpp"
#include "cli/plain_text.hpp"
#include "cli/problem_library.hpp"
#include "cli/text_table.hpp"

namespace cauchy::cli {

namespace fs = std::filesystem;

namespace {

constexpr double shown_days = 0.1;  // what a GPU does in less is not worth a line

}  // namespace

bool names_operator(const std::string& word) {
  std::error_code failure;
  for (const fs::path& path : {fs::path(word), fs::path(word + ".toml")}) {
    if (fs::exists(path, failure)) return has_operator(path);
  }
  const auto knows = [&](LibraryKind kind) {
    const std::vector<fs::path> all = library_files(kind);
    return std::any_of(all.begin(), all.end(),
                       [&](const fs::path& file) { return file.stem() == word; });
  };
  return knows(LibraryKind::operators) && !knows(LibraryKind::problems);
}

void check_operator(const std::string& word, const CommonOptions& o, Console& console) {
  const OperatorFile file = read_operator(word, o);
  const OperatorProblem& p = file.problem;
  try {
    check_fits(p, file.method);
  } catch (const Error& e) {
    throw in_file(e, file);
  }
  const std::vector<std::string> warnings = cautions(p, file.method);
  const std::optional<OperatorCost> cost = cost_of(p, file.method);
  std::vector<std::string> outputs = p.outputs.empty() ? p.problem.fields : p.outputs;
  if (p.source) outputs = p.source->outputs();
  const Context context = p.problem.context();
  std::vector<std::string> equations;
  for (const ProblemEquation& e : p.problem.equation) {
    equations.push_back(to_string(e.form, &context));
  }
  if (o.json) {
    Json inputs = Json::array();
    for (const InputFunction& in : p.inputs) {
      inputs.push_back({{"name", in.name},
                        {"field", in.field},
                        {"map", to_string(in.map, &context)},
                        {"arguments", in.arguments}});
    }
    Json json = {
        {"problem", p.problem.name},
        {"inputs", inputs},
        {"outputs", outputs},
        {"times", p.times},
        {"grid", grid_of(p).sizes()},
        {"samples", {{"train", p.samples}, {"validation", p.validation}, {"test", p.test}}},
        {"equations", equations},
        {"method", describe(file.method)},
        {"warnings", warnings}};
    if (p.source) json["simulator"] = p.source->describe();
    if (cost) {
      json["cost"] = {{"parameters", cost->parameters},
                      {"flops_per_sample", cost->flops},
                      {"batch", cost->batch},
                      {"bytes", cost->bytes},
                      {"steps", cost->steps},
                      {"flops_of_training", cost->training},
                      {"gpu_days", cost->training / gpu_flops / 86400}};
    }
    return print_json(console.out, json);
  }
  std::ostream& out = console.out;
  fmt::print(out, "{}{}{}\n", plain_text(p.problem.name), p.problem.title.empty() ? "" : ": ",
             plain_text(p.problem.title));
  for (const InputFunction& in : p.inputs) {
    const std::string map = to_string(in.map, &context);
    fmt::print(out, "input        {}: {}{}\n", in.name, plain_text(in.field),
               map == "g" ? "" : ", " + map);
  }
  if (p.source) {
    fmt::print(out, "simulator    {}: {}\n", p.source->kind(), plain_text(p.source->describe()));
    fmt::print(out, "inputs       {}\n", fmt::join(p.source->inputs(), ", "));
    fmt::print(out, "outputs      {}\n",
               outputs.size() > 6
                   ? fmt::format("{} ... {} ({})", outputs.front(), outputs.back(), outputs.size())
                   : fmt::format("{}", fmt::join(outputs, ", ")));
  } else {
    fmt::print(out, "outputs      {}{}\n", fmt::join(outputs, ", "),
               p.times.empty() ? "" : fmt::format(" at {} times", p.times.size()));
  }
  for (const std::string& e : equations) fmt::print(out, "equation     {}\n", plain_text(e));
  fmt::print(out, "samples      {} for training, {} for validation, {} for the test\n", p.samples,
             p.validation, p.test);
  fmt::print(out, "grid         {}\n", to_string(grid_of(p)));
  fmt::print(out, "method       {}\n", plain_text(describe(file.method)));
  if (cost) {
    fmt::print(
        out, "cost         {} parameters, {:.3g} Gflop forward per sample, {} for a batch of {}\n",
        grouped(cost->parameters), cost->flops * 1e-9,
        bytes_to_string(static_cast<double>(cost->bytes)), cost->batch);
    if (const double days = cost->training / gpu_flops / 86400; days >= shown_days) {
      fmt::print(out, "training     {} steps, {:.3g} Pflop, {:.3g} days of a GPU at {:g} Tflop/s\n",
                 grouped(static_cast<std::size_t>(cost->steps)), cost->training * 1e-15, days,
                 gpu_flops * 1e-12);
    }
  }
  for (const std::string& w : warnings) fmt::print(out, "warning      {}\n", plain_text(w));
}

}  // namespace cauchy::cli
