#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/tensor/executor.hpp>  // TensorTerm

#include "operators/field_map.hpp"
#include "operators/operator_samples.hpp"
#include "operators/physics_values.hpp"

namespace cauchy::detail {

/// Name of the inputs that equations have for themselves, [channels of the network, grid].
inline constexpr const char* physics_input = "physics/in";
/// The same functions as the equations have them, where those of the network are means around the
/// nodes (InputFunction::mean).
inline constexpr const char* physics_input_values = "physics/values";

/// The equations of a problem as parts of a loss: where they hold and how they are measured.
struct PhysicsTerms {
  FieldGrid grid;           ///< of space
  bool own_inputs = false;  ///< not those of the data: another grid, more functions, or values
  bool values = false;      ///< some inputs of the network are means around the nodes
  bool root = true;         ///< root mean squares in place of mean squares
  /// Size of every residual by its name; 1 for one that is missing.
  std::map<std::string, double> sizes = {};
  /// What the answer is made to have on the boundary (boundary_values); none: it is asked for it.
  std::optional<std::vector<double>> boundary = {};
  /// The energy in place of all residuals, with this sign (energy_sign); 0: not. It needs
  /// `boundary`.
  int energy = 0;
};
/// What a method asks for: grid, inputs, power; not yet the sizes.
///   error    throws Error for a grid that does not fit the data, and for a roll-out that would
///   need
///            frames on another one
[[nodiscard]] PhysicsTerms physics_terms(const FieldMap& map, const FieldOperator& method,
                                         const OperatorProblem& problem);

/// Sizes: root mean square of the largest summand of every equation and condition, over the truth
/// of some items. The same norm as that of the residual.
[[nodiscard]] std::map<std::string, double> physics_sizes(const FieldMap& map,
                                                          const FieldOperator& method,
                                                          const OperatorProblem& problem,
                                                          const OperatorSamples& samples,
                                                          const std::shared_ptr<Threads>& pool);

/// Input functions of a problem on a grid by their numbers, [number, channels of the map, grid]:
/// the functions that data of the problem have, and others. The first number is that of the first
/// sample of the data.
///   values   at the nodes; else what channels of data hold
///   error    throws Error when the data were not drawn from this problem
[[nodiscard]] std::vector<double> physics_inputs(const FieldMap& map,
                                                 const OperatorProblem& problem,
                                                 const DataSet& data, const FieldGrid& grid,
                                                 std::span<const std::uint64_t> numbers,
                                                 bool values, Threads& pool);

/// An answer of a map in a graph: the value, and its derivatives where they are exact.
struct MapAnswer {
  int value = -1;  ///< as FieldMap::add
  /// By index [outputs of the network, its grid], in the units of the problem; empty: none.
  std::function<int(const MultiIndex& index)> derivative = {};
};
/// The map with what its equations need.
///   error    throws Error (unsupported) for exact derivatives of anything but an FNO
[[nodiscard]] MapAnswer add_answer(TensorGraph& graph, const FieldMap& map, int in,
                                   const FieldGrid& space, const std::vector<double>& times,
                                   GridDerivative derivative);

/// Adds a term for every equation and condition to a graph.
///   times    of the outputs of the answer; of a roll-out its steps
///   error    throws Error as add_residuals
[[nodiscard]] std::vector<TensorTerm> add_physics(TensorGraph& graph, const FieldMap& map,
                                                  const PhysicsLoss& options,
                                                  const OperatorProblem& problem,
                                                  const PhysicsTerms& terms, int in,
                                                  const MapAnswer& answer,
                                                  const std::vector<double>& times);

}  // namespace cauchy::detail
