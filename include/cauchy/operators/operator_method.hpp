#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/networks/field_network.hpp>
#include <cauchy/operators/deeponet.hpp>
#include <cauchy/operators/ensemble.hpp>
#include <cauchy/training/stage.hpp>

namespace cauchy {

class OptionVisitor;

/// How far an answer v is from the truth u on a grid, sample by sample; the mean over samples
/// counts. Integrals by the weights of the grid (FieldGrid::weights).
///   relative_l2  |v - u| / |u|; several fields: the root mean square of theirs, so that units do
///                not matter; a field that is zero everywhere is measured by the root mean square
///                of that field over all samples
///   relative_h1  the same with first differences along the axes in both norms
///   mean_square  mean of the squares, outputs in units of their normalisation; those of a roll-out
///                by increments in units of the increments
///   sphere       the same on a grid of latitude and longitude, points by their area
///   crps         of an ensemble on such a grid (Ensemble)
enum class OperatorLoss : std::uint8_t { relative_l2, relative_h1, mean_square, sphere, crps };
[[nodiscard]] std::string_view to_string(OperatorLoss loss) noexcept;

/// What is taken off inputs and outputs before and put back behind the network; found from the
/// training samples, kept with the model.
///   channel  mean and standard deviation of each channel
///   point    the same of each number; belongs to one grid, interpolated on others
enum class Normalization : std::uint8_t { none, channel, point };
[[nodiscard]] std::string_view to_string(Normalization normalization) noexcept;

/// Derivatives of a network's answer on its grid, for the equations of the problem.
///   difference_3 ...  of 3, 5, 7 points: orders 2, 4, 6 of first and second derivatives; of 3
///                     points the one that bears coefficients with jumps
///   fourier           of the Fourier series through the nodes; where an axis is not periodic, of
///                     what is left when a polynomial has taken up its ends
///   exact             of an FNO: of the function that it is, by the chain rule
/// Along times that are channels of the answer: differences, of 5 points for the last two.
enum class GridDerivative : std::uint8_t {
  difference_3,
  difference_5,
  difference_7,
  fourier,
  exact
};
[[nodiscard]] std::string_view to_string(GridDerivative derivative) noexcept;
/// The equations and conditions of the problem in the loss (PINO). Each is a term of its own, the
/// mean square of its residual in units of its largest summand; its root beside a relative error.
struct PhysicsLoss {
  double weight = 0;  ///< of the equations against the data; 0: not used
  GridDerivative derivative = GridDerivative::difference_3;
  std::vector<int> grid = {};  ///< where the equations hold; empty: that of the data
  double data = 1;             ///< weight of the data; 0: physics only
  /// Nodes at the ends of axes that are not periodic where equations are not asked.
  int margin = 1;
  /// Frequencies k of the residual of an equation count by about k^(-2 s) in its square; 0: all the
  /// same. -1: so that a residual counts as much as the error behind it, s the order of the
  /// equation in space, half of it where it has a derivative by time.
  double smoothing = -1;
  /// Input functions that the equations are asked for, drawn from the problem: those of the data
  /// first, then others without answers. 0: those of the data.
  std::size_t samples = 0;
};
void visit_options(PhysicsLoss& physics, OptionVisitor& visitor);

/// A field network that is trained on pairs of functions.
struct FieldOperator {
  FieldNetwork network = Fno{};
  /// Empty: Adam with cosine decay of its rate over all epochs. Given: `epochs` means nothing.
  std::vector<Stage> stages = {};
  std::size_t epochs = 100;  ///< passes over the training samples
  std::size_t batch = 20;    ///< samples of a step of first-order methods; others take all; 0: all
  OperatorLoss loss = OperatorLoss::relative_l2;
  Normalization normalization = Normalization::channel;
  PhysicsLoss physics = {};
  /// Epochs in a row without a lower validation error after which the training ends; 0: never. The
  /// parameters of the lowest one are kept in any case.
  std::size_t patience = 0;
  /// Outputs at several times are channels of one answer, or, if so asked, values along one more
  /// axis of the grid: the operator then answers for any number of times.
  bool time_axis = false;
  // Roll-out: the network maps the last `history` frames to the next one, again and again.
  int history = 0;           ///< 0: no roll-out
  int unroll = 1;            ///< steps that the loss goes through
  bool pushforward = false;  ///< the gradient goes through the last of them alone
  /// The next frame is the last one plus the answer of the network in units of the increments
  /// (their mean and deviation over the training samples); else in units of the frames.
  bool increments = false;
  Ensemble ensemble = {};  ///< of loss = crps; means nothing to others
  /// Symmetries that the equations have (flips, exchange of axes, shifts along periodic ones):
  /// every sample is met in all of them.
  bool augment = true;
  double noise =
      0;  ///< standard deviation of noise on the inputs of the training, in units of theirs
  std::uint64_t seed = 1;  ///< of parameters, order of samples and noise
  Precision precision = Precision::f32;
  /// The file model.bin of a run with the same network: its parameters are the first ones, and its
  /// normalisation is kept. Empty: random ones.
  std::string start = {};
};

/// Any method that learns an operator.
using OperatorMethod = std::variant<FieldOperator, DeepOnet>;
struct OperatorMethodEntry {
  std::string_view name;         ///< "field_network"
  std::string_view description;  ///< one phrase
  OperatorMethod options;
};
[[nodiscard]] const std::vector<OperatorMethodEntry>& all_operator_methods();
[[nodiscard]] const OperatorMethodEntry& entry_of(const OperatorMethod& method);
/// Kind and options under the names that files use: [train].
void visit_options(OperatorMethod& method, OptionVisitor& visitor);
/// For people: "FNO of width 32, 4 layers, 12 x 12 modes".
[[nodiscard]] std::string describe(const OperatorMethod& method);
/// Throws Error for options that exclude each other.
void check_options(const OperatorMethod& method);
/// Seed and precision of a method, and its stages, which are empty where it has a recipe.
[[nodiscard]] std::uint64_t seed_of(const OperatorMethod& method);
[[nodiscard]] Precision precision_of(const OperatorMethod& method);
/// Whether answers for the training are not needed: the equations alone are learnt from.
[[nodiscard]] bool is_physics_only(const OperatorMethod& method);

}  // namespace cauchy
