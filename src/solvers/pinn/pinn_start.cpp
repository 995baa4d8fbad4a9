#include "solvers/pinn/pinn_start.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/io/npz.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/solvers/export.hpp>

namespace cauchy::detail {
namespace {

/// The problem with the values that another run has found as the first ones of its constants.
Problem with_found_constants(Problem problem, const Checkpoint& found) {
  for (Unknown& u : problem.unknowns) {
    const auto array = found.arrays.find("unknown/" + u.name);
    if (array == found.arrays.end() || array->second.values.size() != 1) continue;
    const double value = array->second.values[0];
    const double low = u.lower.value_or(-INFINITY), high = u.upper.value_or(INFINITY);
    if (!(value > low && value < high)) {
      throw Error(fmt::format("'{}' was found as {}, which is not between its bounds {} and {}",
                              u.name, value, low, high),
                  "", "widen the bounds, or start without it");
    }
    u.initial = value;
  }
  return problem;
}

/// The parameters of a network without the constants before them.
std::vector<double> network_in(const Checkpoint& found, std::size_t n) {
  const std::vector<double>& theta = found.array("model/theta").values;
  if (theta.size() < n) throw Error(ErrorKind::file, "it holds too few parameters");
  return {theta.end() - static_cast<std::ptrdiff_t>(n), theta.end()};
}

void take_over(const Checkpoint& found, const PinnAssembly& pinn, std::vector<double>& theta) {
  if (found.text("model") != "pinn") {
    throw Error(fmt::format("it holds an answer of '{}', not a network", found.text("method")), "",
                "start from a run of a pinn");
  }
  const auto shape = found.texts.find("model/shape");
  if (shape == found.texts.end() ||
      shape->second != network_shape(pinn.method.network, *pinn.graph)) {
    throw Error(fmt::format("its network is not that of this run: {}, here {}",
                            found.text("method"), pinn.describe()),
                "", "use the same network, with as many fields and coordinates");
  }
  std::size_t n_constants = 0;
  for (const ParameterBlock& b : pinn.graph->parameters()) {
    if (b.role == ParameterBlock::Role::constant) n_constants += static_cast<std::size_t>(b.size());
  }
  const std::vector<double> network = network_in(found, theta.size() - n_constants);
  std::ranges::copy(network, theta.begin() + static_cast<std::ptrdiff_t>(n_constants));
}

void take_constants(const Checkpoint& found, const PinnAssembly& pinn, std::vector<double>& theta) {
  const Lowering lower(with_found_constants(*pinn.problem, found));
  for (const Lowering::Free& free : lower.unknowns()) {
    theta[static_cast<std::size_t>(pinn.graph->find_constant(free.name))] = free.initial;
  }
}

}  // namespace

std::filesystem::path start_file(const std::string& start) {
  const std::filesystem::path path(start);
  std::error_code failure;
  const bool folder = std::filesystem::is_directory(path, failure);
  const std::filesystem::path file = folder ? path / "solution.bin" : path;
  if (!std::filesystem::exists(file, failure)) {
    throw Error(ErrorKind::file, "there is no answer to start from", file.string(),
                "name the folder of a run that has ended, its solution.bin, or an .npz file");
  }
  return file;
}

std::string network_shape(const Network& network, const Graph& graph) {
  Network options = network;
  std::string text = option_text("network", options);
  for (const ParameterBlock& b : graph.parameters()) {
    if (b.role != ParameterBlock::Role::constant) text += fmt::format("{} x {}\n", b.rows, b.cols);
  }
  return text;
}

std::vector<double> first_parameters(const PinnAssembly& pinn) {
  std::vector<double> theta =
      initial_parameters(pinn.graph->parameters(), Rng(pinn.method.seed), pinn.method.initialize);
  if (pinn.method.start.empty()) return theta;
  const std::filesystem::path file = start_file(pinn.method.start);
  const bool arrays = file.extension() == ".npz";
  Checkpoint found;
  if (arrays) {
    found.arrays = read_npz(file);
  } else {
    found = load_checkpoint(file);
  }
  try {
    if (arrays) {
      take_parameters(found.arrays, *pinn.graph, theta);
    } else {
      take_over(found, pinn, theta);
    }
    take_constants(found, pinn, theta);
  } catch (const Error& e) {
    throw e.at(file.string());
  }
  return theta;
}

}  // namespace cauchy::detail
