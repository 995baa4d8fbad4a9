#pragma once

#include <map>
#include <string>
#include <vector>

#include <cauchy/engine/cpp_header.hpp>
#include <cauchy/io/array.hpp>
#include <cauchy/problem/solution.hpp>

namespace cauchy {

/// A field that networks make: it can be written down for use elsewhere.
class NetworkField : public FieldModel {
 public:
  /// Their outputs are the fields of the problem, their coordinates those of the problem.
  [[nodiscard]] virtual std::vector<TrainedNetwork> networks() const = 0;
  /// What the training has changed beside the parameters, by names that no layer has.
  [[nodiscard]] virtual std::map<std::string, Array> other_arrays() const { return {}; }
};

/// The networks of an answer, for example of a pinn.
///   error    throws Error (unsupported) naming the method when it has none
[[nodiscard]] std::vector<TrainedNetwork> networks_of(const Solution& solution);

/// An answer as a C++ header, with its unknown constants (see engine/cpp_header.hpp).
[[nodiscard]] std::string to_cpp_header(const Solution& solution, CppHeaderOptions options = {});

/// The parameters of an answer as arrays named after their blocks, "hidden0.weight" (outputs x
/// inputs), and the constants that were found, "unknown/nu". Of several networks the names begin
/// with "network/0/", "network/1/", ... Grids of a Kan that moved are "knots": a row of ends of
/// intervals for each input of each layer.
[[nodiscard]] std::map<std::string, Array> parameter_arrays(const Solution& solution);

/// Puts arrays of these names into a parameter vector: all blocks but constants, which are left.
///   error    throws Error naming the array that is missing or has another shape
void take_parameters(const std::map<std::string, Array>& arrays, const Graph& graph,
                     std::vector<double>& theta);

}  // namespace cauchy
