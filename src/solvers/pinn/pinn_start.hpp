#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "solvers/pinn/pinn_assembly.hpp"

namespace cauchy::detail {

/// The file that a run starts from: Pinn::start (a solution.bin, or parameters as .npz), or
/// solution.bin in that folder.
[[nodiscard]] std::filesystem::path start_file(const std::string& start);

/// What two networks must agree in for the parameters of one to serve the other: their options and
/// the sizes of their blocks, as text.
[[nodiscard]] std::string network_shape(const Network& network, const Graph& graph);

/// The first parameters of a run: random ones, or (Pinn::start) the network of another run and its
/// values of the unknown constants that this problem has too.
///   error    throws Error with the path: no answer there, one of another method, another network,
///            a constant outside of its bounds
[[nodiscard]] std::vector<double> first_parameters(const PinnAssembly& pinn);

}  // namespace cauchy::detail
