#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/expr/expr.hpp>
#include <cauchy/networks/network.hpp>

namespace cauchy {

/// A number of the equations that is to be found.
struct FieldConstant {
  std::string name;
  double initial = 1;
};

/// The part of a vector field that is learnt: outputs = network(inputs).
struct FieldUnknown {
  Network network = Mlp{.width = 50, .depth = 1};
  /// Expressions of states and time; empty: the states.
  std::vector<Expr> inputs = {};
  /// What Symbol(name) stands for in the slopes; empty: one per state, which is its slope.
  std::vector<std::string> outputs = {};
  /// The network sees (input - shift) / scale and gives outputs in units of output_scale; empty:
  /// 0 and 1.
  std::vector<double> input_shift = {}, input_scale = {}, output_scale = {};
};

/// What happens to a trajectory where an expression becomes zero: states jump, and it goes on.
struct FieldEvent {
  /// Of states, time and parameters; the event is where its sign changes.
  Expr when;
  int direction = 0;  ///< -1: only from positive to negative, 1: only the other way, 0: both
  /// New values of states, of the same; others stay. Empty: the time alone is noted.
  std::map<std::string, Expr> then = {};
};

/// The right side of y' = F(t, y): known terms as expressions, unknown ones as a network of the
/// state, or both (a universal differential equation).
///   VectorFieldSpec f{.states = {"x", "y"}, .slopes = {a * x - Symbol("n"), Symbol("n") - y}, ...}
struct VectorFieldSpec {
  std::vector<std::string> states;
  std::string time = "t";
  /// One per state, of Field(state), Coordinate(time), Parameter(constant) and Symbol(output).
  /// Empty: the outputs of the network.
  std::vector<Expr> slopes = {};
  std::vector<FieldConstant> constants = {};
  std::map<std::string, double> known = {};  ///< numbers of the other parameters
  std::optional<FieldUnknown> unknown = {};
  std::vector<FieldEvent> events = {};
};

/// Throws Error, naming what does not fit: no states, a number of slopes or outputs that is not
/// that of the states, outputs that no slope uses, a name that nothing stands for, events of what
/// is no state.
void check(const VectorFieldSpec& field);
/// What the numbers of theta are: those of the network, then the constants.
[[nodiscard]] std::vector<ParameterBlock> parameters_of(const VectorFieldSpec& field);
/// For people: "3 states, 2 of them by formula, network 32 x 2 tanh".
[[nodiscard]] std::string describe(const VectorFieldSpec& field);

}  // namespace cauchy
