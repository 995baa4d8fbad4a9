#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/base/compiled_once.hpp>
#include <cauchy/networks/afno.hpp>
#include <cauchy/networks/attention_operator.hpp>
#include <cauchy/networks/cnn.hpp>
#include <cauchy/networks/fno.hpp>
#include <cauchy/networks/graph_operator.hpp>
#include <cauchy/networks/kernel_operator.hpp>
#include <cauchy/networks/low_rank_operator.hpp>
#include <cauchy/networks/multipole_operator.hpp>
#include <cauchy/networks/resnet.hpp>
#include <cauchy/networks/spherical.hpp>
#include <cauchy/networks/transformer.hpp>
#include <cauchy/networks/unet.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// A field network that is not of this library: layers on top of a value of a graph.
class FieldNetworkPlugin {
 public:
  virtual ~FieldNetworkPlugin() = default;
  /// For people: "my operator of width 40".
  [[nodiscard]] virtual std::string describe() const = 0;
  /// Adds the layers with the functions of TensorGraph alone; returns a value [n_outputs, grid].
  virtual int add(TensorGraph& graph, int input, const FieldGrid& grid, int n_outputs) const = 0;
};
struct CustomFieldNetwork {
  std::shared_ptr<const FieldNetworkPlugin> plugin;
};

/// Any network from functions to functions on a grid, chosen by the type of its options:
/// Fno{.width = 32}. Parameters do not depend on the grid: the same numbers serve every resolution.
/// Whether the answer is the same function there is another matter: kernels of points (Cnn, Resnet,
/// Unet, patches) see other lengths on other grids, operators (Fno, kernels, attention) do not.
struct FieldNetwork : std::variant<Fno,                //
                                   Cnn,                //
                                   Resnet,             //
                                   Unet,               //
                                   Afno,               //
                                   LowRankOperator,    //
                                   KernelOperator,     //
                                   GraphOperator,      //
                                   MultipoleOperator,  //
                                   AttentionOperator,  //
                                   Transformer,        //
                                   Spherical,          //
                                   CustomFieldNetwork> {
  using variant::variant;
  CAUCHY_COMPILED_ONCE(FieldNetwork)
};

/// A name that users write, and what stands behind it.
struct FieldNetworkEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  FieldNetwork options;          ///< the defaults
  bool any_grid = true;          ///< the same parameters serve every resolution
  bool cloud = false;            ///< works on clouds of points too
  bool invariant = true;         ///< the answer has a limit when the grid is refined
  bool sphere = false;           ///< lives on latitudes and longitudes alone
};
/// The field networks that files can name, the first one first choice; a CustomFieldNetwork is not
/// among them.
[[nodiscard]] const std::vector<FieldNetworkEntry>& all_field_networks();
/// The entry of these options; that of the first network for a CustomFieldNetwork.
[[nodiscard]] const FieldNetworkEntry& entry_of(const FieldNetwork& network);

/// Kind and options of the network under the names that files use.
void visit_options(FieldNetwork& network, OptionVisitor& visitor);
/// For people: "FNO of width 32, 4 layers, 12 x 12 modes".
[[nodiscard]] std::string describe(const FieldNetwork& network);
/// Adds the layers on top of a value [channels, grid]; returns a value [n_outputs, grid].
///   error    throws Error on options outside their ranges and grids that do not fit: more modes
///            than frequencies, patches that do not divide the grid
int add_field_network(TensorGraph& graph, const FieldNetwork& network, int input,
                      const FieldGrid& grid, int n_outputs);

}  // namespace cauchy
