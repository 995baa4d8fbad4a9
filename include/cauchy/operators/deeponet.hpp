#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/networks/field_network.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/training/balancer.hpp>
#include <cauchy/training/stage.hpp>

namespace cauchy {

class OptionVisitor;

/// What makes numbers of the values of an input function: a network of the table of coordinate
/// networks, whose inputs are the values at the sensors, or a field network on a grid of sensors,
/// whose answer is averaged over at most 8 cells per axis and combined (DeepOnet::head).
struct BranchNetwork : std::variant<Network, FieldNetwork> {
  using variant::variant;
};
struct BranchEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  BranchNetwork options;
};
/// The tables of coordinate networks and of field networks, one behind the other.
[[nodiscard]] const std::vector<BranchEntry>& all_branch_networks();
/// Kind and options under the names that files use.
void visit_options(BranchNetwork& network, OptionVisitor& visitor);
[[nodiscard]] std::string describe(const BranchNetwork& network);

/// The equations and conditions of the problem in the loss of a DeepONet: residuals at points, with
/// derivatives of the trunk by its coordinates that are exact.
struct DeepOnetPhysics {
  double weight = 0;  ///< of equations and conditions against the data; 0: not used
  double data = 1;    ///< weight of the data; 0: physics only, no answers are needed to train
  std::size_t interior = 1000;  ///< points per equation, the same for all functions
  std::size_t boundary = 100;   ///< per condition on the boundary
  std::size_t initial = 100;    ///< per condition at a time
  /// Input functions that the equations are asked for, drawn from the problem: those of the
  /// training first. 0: those of the training.
  std::size_t samples = 0;
};
void visit_options(DeepOnetPhysics& physics, OptionVisitor& visitor);

/// A DeepONet (Lu et al. 2021): of the values u(x_1) ... u(x_m) of the inputs at sensors and a
/// point y
///   G(u)(y) = sum_{k=1}^p b_k(u(x_1), ..., u(x_m)) t_k(y) + b_0
/// for every field, b the branch, t the trunk; a time is one of the coordinates of y.
struct DeepOnet {
  BranchNetwork branch = Network(Mlp{.width = 64, .depth = 2});
  Network trunk = Mlp{.width = 64, .depth = 3};
  int width = 64;        ///< p: products per field
  bool stacked = false;  ///< p branch networks with one output each, in place of one with p
  bool bias = true;      ///< b_0
  /// Several inputs: a branch for each, b_k the product of theirs; else one that sees all values.
  bool product = false;
  /// Adds a linear map of the values at the sensors to the outputs of the branch, which then
  /// learns what is not linear.
  bool shortcut = false;
  /// A branch on a grid: width of a layer with activation between its cells and the products, which
  /// brings the cells together; 0: none, they are combined linearly.
  int head = 0;
  /// t_k are the p leading principal functions of the answers of the training, b_0 their mean
  /// (POD-DeepONet); `trunk` and `bias` then mean nothing.
  bool pod = false;
  /// Nodes per axis of an equally spaced grid of sensors, ends included; empty: where the data are.
  std::vector<int> sensors = {};
  /// Any points in their place, one after the other; a branch on a grid cannot take them.
  std::vector<double> sensor_points = {};
  /// Errors of the data in units of the truth of the sample; else in units of the field.
  bool relative = true;
  /// As FieldOperator::augment, for answers on a grid without equations in the loss.
  bool augment = true;
  DeepOnetPhysics physics = {};
  BalancerOptions balancer = FixedBalancer{};
  /// Empty: Adam with cosine decay of its rate over all epochs. Given: `epochs` means nothing.
  std::vector<Stage> stages = {};
  std::size_t epochs = 1000;  ///< passes over the input functions
  std::size_t batch = 100;  ///< functions of a step of first-order methods; others take all; 0: all
  std::size_t points = 0;   ///< points of each term in such a step, drawn anew; 0: all
  /// As FieldOperator::patience.
  std::size_t patience = 0;
  InitializeOptions initialize = {};
  std::uint64_t seed = 1;
  Precision precision = Precision::f32;
};
void visit_options(DeepOnet& method, OptionVisitor& visitor);
/// Throws Error for options that exclude each other.
void check_options(const DeepOnet& method);
/// For people: "DeepONet, branch 64 x 2 tanh, trunk 64 x 3 tanh, 64 products".
[[nodiscard]] std::string describe(const DeepOnet& method);

}  // namespace cauchy
