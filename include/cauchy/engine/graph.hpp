#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/basis.hpp>
#include <cauchy/engine/parameters.hpp>
#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// The primitive operations. Each acts on jets: all components of all points at once.
enum class OpCode : std::uint8_t {
  coordinates,   ///< the coordinates themselves, one row each
  input,         ///< rows given from outside for every point; they do not depend on the coordinates
  affine,        ///< W x + b, W perhaps block-diagonal
  fixed_affine,  ///< W x + b with numbers that are never trained
  activation,    ///< s(x), row by row
  scale,         ///< rows times trainable numbers: one for all rows, or one per row
  shift,         ///< rows plus trainable numbers: one for all rows, or one per row
  add,
  subtract,
  multiply,
  divide,
  concatenate,
  slice,
  repeat,      ///< rows several times: each in succession, or all of them
  row_sum,     ///< sums of groups of rows that follow one another
  unit_rows,   ///< row r over |v_r|, for the row v_r of the weight that it is the product with
  basis,       ///< every row becomes basis.size() rows: phi_0(x), phi_1(x), ...
  expression,  ///< expressions of the coordinates and parameters, one row each
};
[[nodiscard]] std::string_view to_string(OpCode code) noexcept;

/// One operation; its result is the value with the same number.
struct Operation {
  OpCode code;
  std::vector<int> inputs = {};  ///< values
  int rows = 0;
  Activation activation = Activation::identity;
  std::ptrdiff_t weights = -1;  ///< affine, unit_rows: rows x inputs of a block, row-major; scale,
                                ///< shift: 1 or rows numbers
  std::ptrdiff_t bias = -1;  ///< affine: rows numbers; -1: none
  int n_weights = 0;
  int begin = 0;  ///< slice: first row; input: first among the rows of all inputs
  /// repeat: row r is row (r / group) % n of the n rows of its input; row_sum: rows per sum;
  /// affine: number of diagonal blocks of W, which are stored one below the other.
  int group = 1;
  /// fixed_affine: W, rows x inputs, row-major, then b.
  std::shared_ptr<const std::vector<double>> fixed = nullptr;
  std::shared_ptr<const Basis> basis = nullptr;
  std::vector<Expr> expressions = {};
};

/// A network (or several) as a list of primitive operations on values, built once.
///   Graph g({"t", "x"});
///   int h = g.activation(g.affine(g.coordinates(), 20), Activation::tanh);
///   g.output("u", g.affine(h, 1));
/// Building functions return the number of the new value and throw Error on shapes that do not fit.
class Graph final {
 public:
  explicit Graph(std::vector<std::string> coordinates);

  /// All coordinates, in order, one row each.
  int coordinates();
  /// Rows that the caller gives for every point, or for many points together, with each evaluation;
  /// he gets their adjoints back. Derivatives by the coordinates are zero.
  int input(std::string_view name, int rows);
  int affine(int x, int rows, bool bias = true, std::string_view name = "layer");
  /// The map of an earlier affine value once more: the same weights and bias.
  int shared_affine(int x, int affine);
  /// Block-diagonal W: group g of the rows of x, which are cut into `groups` equal parts, gives
  /// group g of the `rows` rows of the result.
  int grouped_affine(int x, int groups, int rows, bool bias = true,
                     std::string_view name = "layer");
  /// W x + b with numbers that are no parameters: weights row-major, rows x rows(x); bias one per
  /// row, or none.
  int fixed_affine(int x, std::vector<double> weights, std::vector<double> bias = {});
  /// diag(exp(s)) V x + b with trainable s, V, b. At the start s is normal with this mean and
  /// standard deviation, and V such that the product is the weight of a plain layer.
  int factorized_affine(int x, int rows, double mean, double spread,
                        std::string_view name = "layer");
  /// g_r v_r / |v_r| x + b_r in row r with trainable g, V, b (weight normalisation). At the start
  /// g_r = |v_r|: a plain layer.
  int normalized_affine(int x, int rows, std::string_view name = "layer");
  int activation(int x, Activation a);
  /// s(a x) with a trainable number a for all rows (adaptive slope).
  int activation_with_slope(int x, Activation a, double initial_slope = 1);
  /// a sin(x) + b cos(x) with trainable a and b.
  int wavelet(int x, double a = 1, double b = 1);
  /// Rows times one trainable number, or times one number per row.
  int scale(int x, double initial, bool per_row = false, std::string_view name = "scale");
  /// Rows times the trainable numbers of an earlier scale, which both of them train.
  int same_scale(int x, int scaled);
  /// Rows plus one trainable number, or plus one number per row.
  int shift(int x, double initial, bool per_row = false, std::string_view name = "shift");
  /// Operands have the same number of rows, or one of them has a single row that serves all.
  int add(int x, int y);
  int subtract(int x, int y);
  int multiply(int x, int y);
  int divide(int x, int y);
  int concatenate(std::span<const int> values);
  int slice(int x, int begin, int rows);
  /// Every row `times` times in succession: a a b b.
  int repeat_rows(int x, int times);
  /// All rows `times` times: a b a b.
  int tile(int x, int times);
  /// One row: the sum of all rows.
  int row_sum(int x);
  /// Sums of rows 0 ... group - 1, group ... 2 group - 1, and so on; group divides the rows.
  int row_sum(int x, int group);
  /// (x - mean) / sqrt(variance + epsilon) over the rows of a point, then a trainable scale and
  /// shift per row, at the start 1 and 0.
  int layer_norm(int x, double epsilon = 1e-5);
  int basis(int x, std::shared_ptr<const Basis> basis);
  /// The parameters that were added last start normal with this deviation around their initial
  /// value (weights: around 0), whatever the initialisation says of the others.
  void start_normal(double deviation);
  /// Expressions of coordinates and parameters; parameters are unknown constants of this graph or
  /// are given numbers when the plan is made.
  int expression(std::vector<Expr> rows);
  int number(double value) { return expression({Expr(value)}); }
  /// The value `result` as a function of the value `input` before it, at x, which has as many rows
  /// as `input`: the same operations with the same parameters.
  int again(int result, int input, int x);

  /// Weights and biases of an affine value start uniform in these bounds, where users name no
  /// initialisation.
  void start_uniform(int value, double weight_bound, double bias_bound);
  /// Weights of an affine value, numbers of a scale or shift: their first values, whatever
  /// initialisation is asked for.
  void start_at(int value, std::vector<double> numbers);

  /// An unknown constant of the problem; it is trained together with the network.
  void constant(std::string_view name, double initial);
  /// Row `row` of a value is the field of this name.
  void output(std::string_view field, int value, int row = 0);

  struct Output {
    std::string field;
    int value, row;
  };
  /// Rows [begin, begin + rows) among the rows of all inputs.
  struct Input {
    std::string name;
    int begin, rows;
  };
  [[nodiscard]] const std::vector<std::string>& coordinate_names() const noexcept {
    return coordinates_;
  }
  [[nodiscard]] const std::vector<Operation>& ops() const noexcept { return ops_; }
  [[nodiscard]] const std::vector<Input>& inputs() const noexcept { return inputs_; }
  /// Rows of all inputs together.
  [[nodiscard]] int n_input_rows() const noexcept {
    return inputs_.empty() ? 0 : inputs_.back().begin + inputs_.back().rows;
  }
  [[nodiscard]] const std::vector<Output>& outputs() const noexcept { return outputs_; }
  [[nodiscard]] const std::vector<ParameterBlock>& parameters() const noexcept { return blocks_; }
  /// Length of the flat parameter vector.
  [[nodiscard]] std::size_t n_parameters() const noexcept { return n_parameters_; }
  [[nodiscard]] int rows(int value) const;
  /// Offset of an unknown constant in the parameter vector, or -1.
  [[nodiscard]] std::ptrdiff_t find_constant(std::string_view name) const noexcept;

 private:
  /// Of every value: whether a weight comes before it, and the block of the weight that it is the
  /// (scaled, shifted) result of, or -1.
  struct Origin {
    bool after_weight = false;
    int weight = -1;
  };

  int push(Operation op);
  int trainable(OpCode code, int x, double initial, bool per_row, std::string_view name);
  int binary(OpCode code, int x, int y);
  int repeat(int x, int times, bool each);
  Origin origin(const Operation& op);
  std::ptrdiff_t add_block(ParameterBlock block);
  void require_value(int x, std::string_view where) const;
  /// The block that begins at an offset, by its number.
  [[nodiscard]] std::size_t block_at(std::ptrdiff_t offset) const noexcept;
  /// The block of the weights of a value.
  ParameterBlock& weights_of(int value, std::string_view where);

  std::vector<std::string> coordinates_;
  std::vector<Operation> ops_;
  std::vector<Origin> origins_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<ParameterBlock> blocks_;
  std::size_t n_parameters_ = 0;
};

}  // namespace cauchy
