#include "files/run_inputs.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <cauchy/io/csv.hpp>
#include <cauchy/io/files.hpp>

#include "io/crc32c.hpp"
#include "solvers/pinn/pinn_start.hpp"

namespace cauchy::detail {
namespace {

namespace fs = std::filesystem;

/// Names inside of the folder for the triangle surfaces of the problem.
std::map<std::string, std::string> surface_names(const Problem& p) {
  std::map<std::string, std::string> names;
  for (const std::string& file : surface_files(p)) {
    const std::string ending = fs::path(file).extension().string();
    names.emplace(file, fmt::format("data/surface_{}{}", names.size() + 1, ending));
  }
  return names;
}

/// visit(table, file, name inside of the folder)
template <class Visit>
void visit_tables(Problem& p, Visit visit) {
  for (TabulatedFunction& f : p.functions) {
    visit(f.table, f.file, fmt::format("data/function_{}.csv", f.name));
  }
  for (std::size_t i = 0; i < p.observation.size(); ++i) {
    Observation& o = p.observation[i];
    visit(o.table, o.file, fmt::format("data/observation_{}.csv", i + 1));
  }
  Reference& r = p.reference;
  if (!r.table.columns.empty()) visit(r.table, r.file, "data/reference.csv");
}

/// The tables of a problem, which get names inside of the folder; `keep` holds the problem.
void add_tables(std::vector<RunInput>& inputs, Problem& problem,
                const std::shared_ptr<const void>& keep) {
  visit_tables(problem, [&](const Table& table, std::string& from, std::string name) {
    inputs.push_back({name, from.empty() ? name : from, [keep, &table] { return to_csv(table); }});
    from = std::move(name);
  });
}

}  // namespace

std::vector<RunInput> run_inputs(const ProblemFile& file) {
  std::vector<RunInput> inputs;
  // A copy with its tables under names inside of the folder; the list keeps it.
  const auto portable = std::make_shared<ProblemFile>(file);
  add_tables(inputs, portable->problem, portable);
  const std::map<std::string, std::string> surfaces = surface_names(file.problem);
  for (const auto& [from, name] : surfaces) {
    inputs.push_back({name, from, [path = from] { return read_file(path); }});
  }
  if (Pinn* pinn = trial_of(portable->method); pinn != nullptr && !pinn->start.empty()) {
    const fs::path from = start_file(pinn->start);
    const std::string name = from.extension() == ".npz" ? "data/start.npz" : "data/start.bin";
    pinn->start = name;
    inputs.push_back({name, from.string(), [from] { return read_file(from); }});
  }
  inputs.push_back(
      {"problem.toml", "", [portable, surfaces] { return to_toml(*portable, surfaces); }});
  return inputs;
}

std::vector<RunInput> run_inputs(const OperatorFile& file) {
  std::vector<RunInput> inputs;
  const auto portable = std::make_shared<OperatorFile>(file);
  const std::vector<InputFunction>& drawn = portable->problem.inputs;
  // Functions that are drawn have tables too, but those belong to one sample.
  std::erase_if(portable->problem.problem.functions, [&](const TabulatedFunction& f) {
    return std::any_of(drawn.begin(), drawn.end(),
                       [&](const InputFunction& input) { return input.name == f.name; });
  });
  add_tables(inputs, portable->problem.problem, portable);
  inputs.push_back({"problem.toml", "", [portable] { return to_toml(*portable); }});
  return inputs;
}

std::string checksum(std::string_view bytes) {
  return fmt::format("{} bytes, crc32c {:#010x}", bytes.size(), crc32c(bytes));
}

RunInputs checksums_in(const fs::path& folder, const std::vector<RunInput>& inputs) {
  RunInputs sums;
  for (const RunInput& input : inputs) {
    sums[input.name] = checksum(read_file(folder / input.name));
  }
  return sums;
}

}  // namespace cauchy::detail
