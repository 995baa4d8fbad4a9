#include "cli/refine_sample.hpp"

#include <filesystem>
#include <string>

#include <fmt/ostream.h>

#include <cauchy/operators/refine.hpp>

#include "cli/json.hpp"
#include "cli/text_table.hpp"
#include "files/record_json.hpp"

namespace cauchy::cli {
namespace {

/// Nodes of a grid on which a network is trained for one sample, at most.
constexpr std::size_t most_nodes = 40'000;

bool drawn_from(const OperatorProblem& problem, const DataSet& data) {
  const auto seed = data.notes.find("seed");
  return !problem.inputs.empty() && seed != data.notes.end() &&
         seed->second == fmt::format("{}", problem.seed);
}

/// That of the solver that made the data; empty: that of the data.
std::vector<int> solver_grid(const OperatorProblem& problem, const DataSet& data) {
  const auto note = data.notes.find("refine");
  if (note == data.notes.end() || problem.problem.domain->time() != nullptr) return {};
  int refine = std::atoi(note->second.c_str());
  const auto sizes = [&] {
    std::vector<int> made;
    for (const FieldGrid::Axis& a : data.grid.axes) {
      made.push_back(a.periodic ? a.n * refine : (a.n - 1) * refine + 1);
    }
    return made;
  };
  while (refine > 1 && data.grid.resized(sizes()).n_points() > most_nodes) refine /= 2;
  return refine > 1 ? sizes() : std::vector<int>();
}

}  // namespace

void refine_sample(const LoadedOperator& run, const std::string& folder, const DataSet& data,
                   std::size_t sample, std::uint64_t number, std::uint64_t steps, bool residual,
                   const RunOptions& options, bool json, Console& console) {
  RefineOptions how;
  how.steps = steps;
  how.energy = !residual;
  const auto* field = std::get_if<FieldOperator>(&run.file.method);
  if (field != nullptr && field->physics.weight > 0) how.physics = field->physics;
  how.physics.grid.clear();
  if (drawn_from(run.file.problem, data)) {
    how.number = number;
    how.physics.grid = solver_grid(run.file.problem, data);
  }
  const Refinement r = refine(*run.model, run.file.problem, data, sample, how, options);
  DataSet kept = data.part(sample, 1);
  if (kept.outputs.empty()) kept.outputs = run.model->outputs();
  kept.out = r.after;
  kept.notes["refined"] = fmt::format("{} steps on the equations", r.training.steps);
  const std::filesystem::path file = std::filesystem::path(folder) / "refined.h5";
  write_data_set(file, kept);
  const bool known = !r.error_after.empty();
  const double before = known ? r.error_before.relative_l2[0] : 0;
  const double after = known ? r.error_after.relative_l2[0] : 0;
  console.exit_code = !known || after < before ? 0 : 1;
  if (json) {
    Json made = {{"sample", sample},
                 {"steps", r.training.steps},
                 {"minimised", r.energy ? "energy" : "residual"},
                 {"exact_boundary", r.exact_boundary},
                 {"residual_before", r.residual_before},
                 {"residual_after", r.residual_after}};
    if (known) {
      made["error_before"] = before;
      made["error_after"] = after;
    }
    made["answer"] = file.string();
    made[detail::times_section] = detail::times_json(r.seconds);
    return print_json(console.out, made);
  }
  fmt::print(console.out, "sample {}, refined by {} steps on the equations ({:.1f} s)\n", sample,
             grouped(r.training.steps), r.seconds);
  std::vector<std::vector<std::string>> table{
      {"", "before", "after"},
      {"residual", short_number(r.residual_before), short_number(r.residual_after)}};
  if (known) table.push_back({"relative L2 error", short_number(before), short_number(after)});
  print_table(console.out, table, 2);
  fmt::print(console.out, "  minimised: the {}{}\n", r.energy ? "energy" : "residual",
             r.exact_boundary ? "; the values on the boundary are exact" : "");
  fmt::print(console.out, "  answer {}\n", file.string());
}

}  // namespace cauchy::cli
