#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/dynamics/ode_layer.hpp>
#include <cauchy/training/stage.hpp>

namespace cauchy {

/// Where trajectories start.
///   data     at their first row; hidden fields at 0 (an augmented ODE)
///   trained  at numbers that are learnt, for every trajectory its own; the first row is the guess
///   affine   at A x + b, x the first row, with A and b that are learnt for all together
enum class StartRule : std::uint8_t { data, trained, affine };
/// What is compared with the data: the fields themselves, or C y + d of all states, hidden ones
/// included, with C and d that are learnt.
enum class ReadOut : std::uint8_t { states, affine };
/// How gradients go through the integration: OdeLayer::pull, OdeLayer::pull_continuous.
enum class FlowGradient : std::uint8_t { discrete, continuous };

/// What takes up a row: a gated recurrent unit (Cho and others 2014), or a cell of long short-term
/// memory (Hochreiter, Schmidhuber 1997), whose memory c stays as it is between rows.
enum class RowCell : std::uint8_t { gru, lstm };

/// Trajectories of y' = F(t, y; theta) are fitted to what was seen, in the mean square; columns in
/// units of their standard deviation.
struct NeuralOde {
  Network network = Mlp{.width = 32, .depth = 2};  ///< where the problem has a network
  FlowOptions flow = {};
  FlowGradient gradient = FlowGradient::discrete;
  StartRule start = StartRule::data;
  ReadOut read_out = ReadOut::states;
  /// Rows of a piece of a trajectory that is integrated at once, for each stage; the last number
  /// serves all further stages; 0: whole trajectories. Pieces start at the data.
  std::vector<std::size_t> windows = {};
  std::size_t batch = 0;  ///< pieces of a step of first-order methods; 0: all
  /// Empty: Adam, then L-BFGS.
  std::vector<Stage> stages = {};
  std::uint64_t seed = 1;
};

/// Dynamics of states that nobody has seen (Rubanova and others 2019): an ODE-RNN goes over the
/// rows from the last to the first and ends in a distribution of z at the first time; z' = g(z)
/// is integrated from there and read out by a network. Times may be irregular, values missing. The
/// fields have no equations.
struct LatentOde {
  int latent = 4;                                  ///< states of z
  int units = 16;                                  ///< states of the encoder
  RowCell cell = RowCell::gru;                     ///< of the encoder
  Network network = Mlp{.width = 32, .depth = 1};  ///< of both fields and of the read-out
  FlowOptions flow = {.relative = 1e-4, .absolute = 1e-5};
  /// Weight of the divergence of the starts from the normal distribution, against the sum of the
  /// squares of the errors in units of their columns.
  double kl = 1e-2;
  /// Empty: Adam.
  std::vector<Stage> stages = {};
  std::uint64_t seed = 1;
};

/// An ODE-RNN (Rubanova and others 2019): h' = f(h) between rows, h <- cell(h, row) at each; a row
/// is answered from those before it, the first one from itself. Behind the last row the field alone
/// goes on. Times may be irregular, values missing. The fields have no equations.
struct OdeRnn {
  int units = 16;  ///< states of h
  RowCell cell = RowCell::gru;
  Network network = Mlp{.width = 32, .depth = 1};  ///< of the field and of the read-out
  FlowOptions flow = {.relative = 1e-4, .absolute = 1e-5};
  /// Share of the rows that are not shown in a step of the training, drawn anew, so that it learns
  /// to go on alone; the first one is always shown.
  double drop = 0;
  /// Empty: Adam.
  std::vector<Stage> stages = {};
  std::uint64_t seed = 1;
};

/// Any method that learns dynamics.
using DynamicsMethod = std::variant<NeuralOde, LatentOde, OdeRnn>;
struct DynamicsMethodEntry {
  std::string_view name;         ///< "neural_ode"
  std::string_view description;  ///< one phrase
  DynamicsMethod options;
};
[[nodiscard]] const std::vector<DynamicsMethodEntry>& all_dynamics_methods();
[[nodiscard]] const DynamicsMethodEntry& entry_of(const DynamicsMethod& method);
/// Kind and options under the names that files use: [train].
void visit_options(DynamicsMethod& method, OptionVisitor& visitor);
/// Throws Error for options that exclude each other.
void check_options(const DynamicsMethod& method);
/// Stages and seed of any of them.
[[nodiscard]] std::vector<Stage>& stages_of(DynamicsMethod& method);
[[nodiscard]] std::uint64_t& seed_of(DynamicsMethod& method);

}  // namespace cauchy
