#include "cli/check_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/files/dynamics_file.hpp>

#include "cli/json.hpp"
#include "cli/plain_text.hpp"

namespace cauchy::cli {
namespace {

namespace fs = std::filesystem;

std::size_t rows_of(const TrajectoryData& data) {
  std::size_t n = 0;
  for (const Trajectory& t : data.trajectories) n += t.times.size();
  return n;
}

/// What the answer is measured by, in words.
std::string measured_by(const DynamicsFile& file) {
  const DynamicsProblem& p = file.problem;
  if (p.reference) return fmt::format("{} rows of {}", rows_of(*p.reference), file.reference_file);
  std::vector<std::string> parts;
  if (std::isfinite(p.train_until)) {
    parts.push_back(fmt::format("rows behind {} = {:.6g}", p.field.time, p.train_until));
  }
  if (p.test == 1) parts.emplace_back("the last trajectory");
  if (p.test > 1) parts.push_back(fmt::format("the last {} trajectories", p.test));
  return parts.empty() ? "nothing: give train_until, test or a reference"
                       : fmt::format("{}", fmt::join(parts, ", "));
}

std::string learner_text(const DynamicsFile& file) {
  const DynamicsMethodEntry& entry = entry_of(file.method);
  const auto* ode = std::get_if<NeuralOde>(&file.method);
  if (ode == nullptr) return fmt::format("{}: {}", entry.name, entry.description);
  VectorFieldSpec field = file.problem.field;
  if (field.unknown) field.unknown->network = ode->network;
  return fmt::format("{}: {}, {}", entry.name, describe(field), to_string(ode->flow.scheme));
}

}  // namespace

void check_dynamics(const std::string& word, const CommonOptions& o, Console& console) {
  fs::path path = word;
  if (fs::is_directory(path)) path /= "problem.toml";
  const DynamicsFile file = read_dynamics_file(path, o.settings);
  const DynamicsProblem& p = file.problem;
  try {
    check(p);
    check_options(file.method);
  } catch (const Error& e) {
    throw in_file(e, file);
  }
  std::vector<std::string> equations, unknowns;
  for (std::size_t i = 0; i < p.field.slopes.size(); ++i) {
    equations.push_back(
        fmt::format("{}_{} = {}", p.field.states[i], p.field.time, to_string(p.field.slopes[i])));
  }
  for (const FieldConstant& c : p.field.constants) unknowns.push_back(c.name);
  const std::size_t n = p.data.trajectories.size(), rows = rows_of(p.data);
  const std::string test = measured_by(file), learner = learner_text(file);
  if (o.json) {
    return print_json(console.out, {{"problem", p.name},
                                    {"fields", p.field.states},
                                    {"columns", p.data.columns},
                                    {"trajectories", n},
                                    {"rows", rows},
                                    {"equations", equations},
                                    {"unknowns", unknowns},
                                    {"test", test},
                                    {"method", learner}});
  }
  std::ostream& out = console.out;
  fmt::print(out, "{}{}{}\n", plain_text(p.name), p.title.empty() ? "" : ": ", plain_text(p.title));
  std::vector<std::string> hidden;
  for (const std::string& state : p.field.states) {
    const auto& seen = p.data.columns;
    if (std::find(seen.begin(), seen.end(), state) == seen.end()) hidden.push_back(state);
  }
  fmt::print(out, "fields       {}\n",
             plain_text(fmt::format("{}", fmt::join(p.field.states, ", "))));
  if (!hidden.empty()) {
    fmt::print(out, "hidden       {}\n", plain_text(fmt::format("{}", fmt::join(hidden, ", "))));
  }
  for (const std::string& e : equations) fmt::print(out, "equation     {}\n", plain_text(e));
  if (!unknowns.empty()) {
    fmt::print(out, "unknown      {}\n", plain_text(fmt::format("{}", fmt::join(unknowns, ", "))));
  }
  fmt::print(out, "data         {}: {} {}, {} rows\n", plain_text(file.file), n,
             n == 1 ? "trajectory" : "trajectories", rows);
  fmt::print(out, "test         {}\n", plain_text(test));
  fmt::print(out, "method       {}\n", plain_text(learner));
}

}  // namespace cauchy::cli
