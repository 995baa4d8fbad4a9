#include <cauchy/solvers/export.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

/// Weights are matrices, one number per row a list, one number by itself a list of one.
std::vector<std::size_t> shape_of(const ParameterBlock& block) {
  if (block.role == ParameterBlock::Role::weight) {
    return {static_cast<std::size_t>(block.rows), static_cast<std::size_t>(block.cols)};
  }
  return {static_cast<std::size_t>(block.size())};
}

const NetworkField& field_of(const Solution& solution) {
  const auto* field = dynamic_cast<const NetworkField*>(solution.model.get());
  if (field == nullptr) {
    throw Error(ErrorKind::unsupported,
                fmt::format("an answer of '{}' has no network", solution.method), "export",
                "solve with a pinn, or write values with `cauchy predict`");
  }
  return *field;
}

}  // namespace

std::vector<TrainedNetwork> networks_of(const Solution& solution) {
  return field_of(solution).networks();
}

std::string to_cpp_header(const Solution& solution, CppHeaderOptions options) {
  options.constants.insert(solution.unknowns.begin(), solution.unknowns.end());
  return to_cpp_header(networks_of(solution), options);
}

std::map<std::string, Array> parameter_arrays(const Solution& solution) {
  std::map<std::string, Array> arrays = field_of(solution).other_arrays();
  for (const auto& [name, value] : solution.unknowns) {
    arrays["unknown/" + name] = Array::list({value});
  }
  std::vector<TrainedNetwork> networks = networks_of(solution);
  // Pieces of a domain share a graph and its parameters.
  const auto last = std::unique(networks.begin(), networks.end(),
                                [](const auto& a, const auto& b) { return a.graph == b.graph; });
  networks.erase(last, networks.end());
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const std::string prefix = networks.size() > 1 ? fmt::format("network/{}/", i) : "";
    for (const ParameterBlock& b : networks[i].graph->parameters()) {
      if (b.role == ParameterBlock::Role::constant) continue;
      const auto first = networks[i].theta.begin() + b.offset;
      arrays[prefix + b.name] = {shape_of(b), {first, first + b.size()}};
    }
  }
  return arrays;
}

void take_parameters(const std::map<std::string, Array>& arrays, const Graph& graph,
                     std::vector<double>& theta) {
  for (const ParameterBlock& b : graph.parameters()) {
    if (b.role == ParameterBlock::Role::constant) continue;
    const auto array = arrays.find(b.name);
    if (array == arrays.end()) {
      std::vector<std::string> names;
      for (const auto& [name, values] : arrays) names.push_back(name);
      throw Error(ErrorKind::not_found,
                  fmt::format("there is no array '{}'; it has: {}", b.name, fmt::join(names, ", ")),
                  "", "use the network that the file was written from");
    }
    if (array->second.shape != shape_of(b)) {
      throw Error(fmt::format("the array '{}' is {}, the network has {}", b.name,
                              fmt::join(array->second.shape, " x "), fmt::join(shape_of(b), " x ")),
                  "", "use the network that the file was written from");
    }
    std::copy(array->second.values.begin(), array->second.values.end(), theta.begin() + b.offset);
  }
}

}  // namespace cauchy
