#include "cli/operator_options.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "cli/problem_library.hpp"

namespace cauchy::cli {

namespace fs = std::filesystem;

OperatorFile read_operator(const std::string& file, const CommonOptions& o) {
  fs::path path = problem_path(file, LibraryKind::operators);
  if (fs::is_directory(path)) {
    path /= "problem.toml";
    if (!fs::exists(path)) {
      throw Error("the folder holds no problem.toml", file, "name a problem file or a run folder");
    }
  }
  OperatorFile read = read_operator_file(path, o.settings);
  std::visit([&](auto& m) { apply_training_options(o, m.stages, m.seed, m.precision); },
             read.method);
  return read;
}

namespace {

/// Leaves the outputs that a simulator has, in its order; nothing where one of them is missing.
void keep_outputs(DataSet& data, const std::vector<std::string>& names) {
  std::vector<std::size_t> from;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(data.outputs, name);
    if (found == data.outputs.end()) return;
    from.push_back(static_cast<std::size_t>(found - data.outputs.begin()));
  }
  if (data.outputs == names) return;
  const std::size_t points = data.grid.n_points(), width = data.outputs.size() * points;
  std::vector<double> kept;
  kept.reserve(data.size() * names.size() * points);
  for (std::size_t s = 0; s < data.size(); ++s) {
    for (const std::size_t c : from) {
      const auto at = data.out.begin() + static_cast<std::ptrdiff_t>(s * width + c * points);
      kept.insert(kept.end(), at, at + static_cast<std::ptrdiff_t>(points));
    }
  }
  data.out = std::move(kept);
  data.outputs = names;
}

}  // namespace

void adopt_names(DataSet& data, const OperatorProblem& problem) {
  if (problem.source) return keep_outputs(data, problem.source->outputs());
  const std::vector<std::string>& outputs =
      problem.outputs.empty() ? problem.problem.fields : problem.outputs;
  if (!data.name.empty() || data.inputs.size() != problem.inputs.size() ||
      data.outputs.size() != outputs.size()) {
    return;
  }
  for (std::size_t i = 0; i < data.inputs.size(); ++i) data.inputs[i] = problem.inputs[i].name;
  data.outputs = outputs;
}

std::optional<DataSet> kept_test_samples(const LoadedOperator& run, const std::string& folder) {
  const fs::path kept = fs::path(folder) / "data.h5";
  const DataSplit& split = run.split;
  if (split.test == 0 || !fs::exists(kept)) return std::nullopt;
  const DataSet data = read_data_set(kept);
  const std::size_t first = split.train + split.validation;
  return data.part(first - unlabelled(run.file.problem, run.file.method, data), split.test);
}

std::vector<int> parse_sizes(const std::string& text) {
  constexpr int least = 4, most = 1 << 16;
  std::vector<int> sizes;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('x', at), text.size());
    int n = 0;
    const auto read = std::from_chars(text.data() + at, text.data() + end, n);
    if (read.ec != std::errc() || read.ptr != text.data() + end || n < least || n > most) {
      throw Error(fmt::format("'{}' is no grid", text), "--grid",
                  fmt::format("write numbers of nodes from {} to {}: 256 or 256x128", least, most));
    }
    sizes.push_back(n);
    at = end + 1;
  }
  return sizes;
}

std::vector<int> parse_sizes(const std::string& text, std::size_t axes) {
  std::vector<int> sizes = parse_sizes(text);
  if (sizes.size() == 1) sizes.assign(axes, sizes[0]);
  if (sizes.size() == axes) return sizes;
  throw Error(fmt::format("'{}' has {} axes, the problem has {}", text, sizes.size(), axes),
              "--grid", "give one number for all axes, or one for each");
}

}  // namespace cauchy::cli
