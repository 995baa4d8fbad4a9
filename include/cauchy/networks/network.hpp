#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/base/compiled_once.hpp>
#include <cauchy/engine/graph.hpp>
#include <cauchy/networks/dgm.hpp>
#include <cauchy/networks/elm.hpp>
#include <cauchy/networks/experts.hpp>
#include <cauchy/networks/fourier_network.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/kan.hpp>
#include <cauchy/networks/lstm.hpp>
#include <cauchy/networks/mlp.hpp>
#include <cauchy/networks/modified_mlp.hpp>
#include <cauchy/networks/multiplicative_filter.hpp>
#include <cauchy/networks/pinnsformer.hpp>
#include <cauchy/networks/piratenet.hpp>
#include <cauchy/networks/rbf.hpp>
#include <cauchy/networks/residual_mlp.hpp>
#include <cauchy/networks/separable.hpp>
#include <cauchy/networks/siren.hpp>
#include <cauchy/networks/windows.hpp>

namespace cauchy {

class OptionVisitor;

/// A coordinate network that is not of this library: layers on top of a value of a graph.
class NetworkPlugin {
 public:
  virtual ~NetworkPlugin() = default;
  /// For people: "ridge functions, 40".
  [[nodiscard]] virtual std::string describe() const = 0;
  /// Adds the layers with the functions of Graph alone; returns the value with one row per output.
  virtual int add(Graph& graph, int input, int n_outputs) const = 0;
};
struct CustomNetwork {
  std::shared_ptr<const NetworkPlugin> plugin;
};

/// Any coordinate network, chosen by the type of its options: Mlp{.width = 64}. A type of its own,
/// so that networks of networks can hold a NetworkList.
struct Network : std::variant<Mlp,                   //
                              ModifiedMlp,           //
                              Piratenet,             //
                              ResidualMlp,           //
                              Dgm,                   //
                              Rbf,                   //
                              FourierNetwork,        //
                              ModifiedFourier,       //
                              HighwayFourier,        //
                              MultiplicativeFilter,  //
                              Siren,                 //
                              Elm,                   //
                              Separable,             //
                              Experts,               //
                              Pinnsformer,           //
                              Lstm,                  //
                              Kan,                   //
                              FastKan,               //
                              ChebyshevKan,          //
                              JacobiKan,             //
                              Windows,               //
                              CustomNetwork> {
  using variant::variant;
  CAUCHY_COMPILED_ONCE(Network)
};

/// A name that users write, and what stands behind it.
struct NetworkEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  Network options;               ///< the defaults
};
/// The networks that files can name, simplest first; a CustomNetwork is not among them.
[[nodiscard]] const std::vector<NetworkEntry>& all_networks();
/// The entry of these options; that of the first network for a CustomNetwork.
[[nodiscard]] const NetworkEntry& entry_of(const Network& network);

/// Kind and options of the network under the names that files use.
void visit_options(Network& network, OptionVisitor& visitor);
/// initialization, siren_w0, biases.
void visit_options(InitializeOptions& options, OptionVisitor& visitor);

/// For people: "20 x 5 tanh".
[[nodiscard]] std::string describe(const Network& network);
/// Adds the layers on top of a value; returns the value with one row per output.
///   error    throws Error on options outside their ranges
int add_network(Graph& graph, const Network& network, int input, int n_outputs);
/// The whole network from the coordinates to the fields.
[[nodiscard]] Graph make_network(const Network& network, std::vector<std::string> coordinates,
                                 std::span<const std::string> fields);

}  // namespace cauchy
