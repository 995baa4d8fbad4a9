#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cauchy/expr/program.hpp>

namespace cauchy::detail {

/// What one instruction does. The first three are leaves and occur only before scheduling.
enum class ProgramOp : std::uint8_t {
  constant,
  parameter,
  input,
  // one operand
  copy,  ///< of a row, or of a scalar into all points
  square_root,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  erf,
  abs,
  sign,
  floor,
  sin_cos,  ///< two results
  sum,      ///< adds a row to a sum over the points
  // two operands
  dot,  ///< adds the product of two rows to a sum
  add,
  subtract,
  multiply,
  divide,
  power,
  min,
  max,
  mod,
  less,
  less_equal,
  // three operands
  multiply_add,           ///< a*b + c
  multiply_subtract,      ///< a*b - c
  negative_multiply_add,  ///< c - a*b
  where,
};
inline constexpr std::size_t n_ops = static_cast<std::size_t>(ProgramOp::where) + 1;

/// Number of operands.
[[nodiscard]] constexpr int arity(ProgramOp op) noexcept {
  if (op <= ProgramOp::input) return 0;
  if (op <= ProgramOp::sum) return 1;
  return op <= ProgramOp::less_equal ? 2 : 3;
}

/// One value of the graph in single-assignment form: operands are indices of earlier values.
struct Value {
  ProgramOp op = ProgramOp::constant;
  int args[3] = {-1, -1, -1};
  bool scalar = false;  ///< the same at all points
  double number = 0;    ///< of a constant
  int index = 0;        ///< of a parameter, an input or a sum
};

/// Values of a whole program; every value follows its operands.
struct ValueGraph {
  std::vector<Value> values;
  std::vector<int> outputs, sums;  ///< the values of `sums` have the operation ProgramOp::sum
  std::vector<int> sum_scales;     ///< a scalar per sum, applied at the end; -1 for none
};

/// Expressions to values: sums and products to operations on two operands, powers to products,
/// divisions and roots, equal operations only once.
///   error    throws Error naming an atom that is neither an input nor a parameter
[[nodiscard]] ValueGraph lower(const ProgramSpec& spec);

/// Where an operand or a result is.
enum class OperandSpace : std::uint8_t {
  none,
  input,      ///< row of the caller
  output,     ///< row of the caller
  work,       ///< row of the workspace
  parameter,  ///< scalar of the caller
  constant,   ///< scalar of the program
  scalar,     ///< scalar computed before the points, in the workspace
};
struct Place {
  OperandSpace space = OperandSpace::none;
  std::uint32_t index = 0;
};
[[nodiscard]] constexpr bool is_scalar(Place p) noexcept {
  return p.space >= OperandSpace::parameter;
}

struct Instruction {
  ProgramOp op = ProgramOp::copy;
  std::uint8_t scalars = 0;  ///< bit i: operand i is a scalar
  Place result, second;      ///< `second` of sin_cos only; a sum has only the index of `result`
  Place args[3];
};

/// A scheduled program.
struct Code {
  std::vector<Instruction> prologue;  ///< on scalars, once per run
  std::vector<Instruction> body;      ///< on rows
  std::vector<double> constants;
  std::vector<std::uint32_t> used_inputs;
  std::vector<Place> sum_scales;  ///< OperandSpace::none: not scaled
  std::size_t n_rows = 0;         ///< rows of the workspace
  std::size_t n_scalars = 0;      ///< scalars of the workspace
};

/// Fuses multiplications with additions and sines with cosines, drops dead values, orders the rest
/// so that few rows are live, and assigns rows.
[[nodiscard]] Code schedule(ValueGraph graph);

[[nodiscard]] std::string listing(const Code& code, const ProgramSpec& spec);

/// The operation on numbers, for scalars; same conventions as evaluate_node().
template <class T>
[[nodiscard]] T apply(ProgramOp op, T a, T b, T c) noexcept;

/// Points per vector at most, and lanes of the accumulator of a sum.
inline constexpr std::size_t max_lanes = 16;

/// All that a target's code needs to run the body.
template <class T>
struct RunState {
  const Instruction* first;
  const Instruction* last;
  std::size_t n_points, chunk;  ///< the chunk is a multiple of max_lanes
  const std::uint32_t* used_inputs;
  std::size_t n_used_inputs, n_inputs, n_outputs;
  const T* const* inputs;
  T* const* outputs;
  const T* parameters;
  const T* constants;
  const T* scalars;
  T* rows;         ///< n_rows x chunk, aligned to 64 bytes
  T* tail;         ///< (n_inputs + n_outputs) x max_lanes, aligned to 64 bytes
  double* totals;  ///< n_sums x max_lanes, aligned to 64 bytes
};

/// Runs the body with the best instruction set of this machine.
void run_body(const RunState<float>& state);
void run_body(const RunState<double>& state);

}  // namespace cauchy::detail
