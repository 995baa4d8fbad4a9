#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/engine/activation.hpp>
#include <cauchy/engine/parameters.hpp>
#include <cauchy/expr/expr.hpp>
#include <cauchy/tensor/shape.hpp>

namespace cauchy {

/// The primitive operations on arrays [channel, n1, ..., nd] of one sample. No operation mixes
/// samples.
enum class TensorOp : std::uint8_t {
  input,        ///< given with every sample
  constant,     ///< the same numbers for every sample
  linear,       ///< W x + b (+ another value) over the channels of every point, perhaps activated
  activation,   ///< s(x), number by number
  function,     ///< x^2, |x|
  soft_shrink,  ///< sign(x) max(|x| - lambda, 0)
  scale,        ///< times trainable numbers: n_weights is 1, the channels, or the size
  shift,        ///< plus trainable numbers
  add,
  subtract,
  multiply,
  divide,
  concatenate,     ///< channels one after the other
  pick,            ///< every number is one of the input, or 0: reshape, crop, pad, patch, roll
  along,           ///< a fixed matrix along one axis
  sparse,          ///< a fixed sparse matrix over the points
  reduce,          ///< weighted sum over the points
  spectrum,        ///< Fourier coefficients of kept modes
  from_spectrum,   ///< the real function with these coefficients
  mode_linear,     ///< one complex matrix per mode
  mode_scale,      ///< complex numbers times trainable ones, per channel and mode
  complex_linear,  ///< one complex matrix for all modes, perhaps block-diagonal
  convolution,
  transposed_convolution,
  max_pool,
  normalize,      ///< to mean 0 and variance 1
  attention,      ///< softmax(q k / sqrt(d)) v
  matrix_vector,  ///< a matrix per point times a vector per point
  dropout,
  expression,  ///< expressions of values, point by point
};
[[nodiscard]] std::string_view to_string(TensorOp op) noexcept;

/// Functions of one number that are no activations (which have exp and sqrt).
enum class ElementFunction : std::uint8_t { square, absolute };
/// What normalize() takes mean and variance over.
enum class NormalizeOver : std::uint8_t {
  points,    ///< of each channel (instance)
  group,     ///< of the channels of a group and all points
  channels,  ///< of each point (layer)
};
/// What lies outside of a grid.
enum class Border : std::uint8_t { zero, periodic, reflect };

/// A sparse matrix over points, row by row: row i has entries offsets[i] ... offsets[i + 1].
struct PointMatrix {
  std::size_t columns = 0;
  std::vector<std::size_t> offsets;
  std::vector<std::size_t> points;
  std::vector<double> weights;
  [[nodiscard]] std::size_t rows() const noexcept {
    return offsets.empty() ? 0 : offsets.size() - 1;
  }
};

struct ConvolutionOptions {
  std::vector<int> kernel;        ///< per axis
  std::vector<int> stride = {};   ///< per axis; empty: all 1
  std::vector<int> padding = {};  ///< on both sides, per axis; empty: (kernel - 1) / 2
  Border border = Border::zero;
  bool bias = true;
  std::string name = "convolution";
};

/// One operation; its result is the value with the same number.
///   weights  linear [out][in]; convolution [out][in][kernel]; transposed_convolution, those of the
///            convolution that it is the adjoint of, [in][out][kernel]; mode_linear
///            [out][in][mode][2]; mode_scale [channel][mode][2]; complex_linear [out][in / groups]
///            [2], bias [out][2]; complex channel c is the pair of channels 2 c and 2 c + 1
struct TensorOperation {
  TensorOp code;
  std::vector<int> inputs = {};
  TensorShape shape = {};
  Activation activation = Activation::identity;  ///< linear, activation
  ElementFunction function = ElementFunction::square;
  std::ptrdiff_t weights = -1, bias = -1;  ///< offsets of parameters; -1: none
  std::size_t n_weights = 0;
  int groups = 1;     ///< complex_linear, normalize, attention (heads)
  double number = 0;  ///< soft_shrink: lambda; dropout: rate; normalize: epsilon
  int axis = 0;       ///< along
  NormalizeOver over = NormalizeOver::points;
  ConvolutionOptions convolution = {};                         ///< also max_pool
  std::shared_ptr<const std::vector<double>> fixed = nullptr;  ///< constant, along (row-major),
                                                               ///< reduce, attention (key weights)
  std::shared_ptr<const std::vector<std::ptrdiff_t>> picks = nullptr;  ///< -1: zero
  std::shared_ptr<const PointMatrix> matrix = nullptr;
  std::vector<std::string> names = {};  ///< expression: of the channels of the inputs, in order
  std::vector<Expr> expressions = {};
};

/// A network on grids as a list of operations on values, built once.
///   TensorGraph g;
///   int a = g.input("a", {1, {64, 64}});
///   int v = g.linear(a, 32, Activation::gelu);
///   g.output("u", g.linear(v, 1));
/// Building functions return the number of the new value and throw Error on shapes that do not fit.
/// Parameters depend on channels and modes alone where the grid is not named: the same numbers
/// serve every grid.
class TensorGraph final {
 public:
  int input(std::string_view name, TensorShape shape);
  int constant(TensorShape shape, std::vector<double> numbers);

  // --- channels ---
  /// s(W x + b + plus); plus: a value with the shape of the result, -1: none. One operation, so
  /// that a layer of a network reads and writes its arrays once.
  int linear(int x, int channels, Activation activation = Activation::identity, bool bias = true,
             std::string_view name = "linear", int plus = -1);
  int activation(int x, Activation activation);
  int function(int x, ElementFunction function);
  int soft_shrink(int x, double lambda);
  /// Times one trainable number per channel, or a single one.
  int scale(int x, double initial, std::string_view name = "scale", bool single = false);
  /// Plus one trainable number per channel, or per number of x (a position embedding).
  int shift(int x, double initial, bool everywhere = false, std::string_view name = "shift");
  /// Operands have one shape; or one of them has a single channel, or no grid, and serves all.
  int add(int x, int y);
  int subtract(int x, int y);
  int multiply(int x, int y);
  int divide(int x, int y);
  /// Channels one after the other; one grid.
  int concatenate(std::span<const int> values);
  int slice(int x, int begin, int channels);
  /// M v in every point: x has rows * n channels (row-major), y has n.
  int matrix_vector(int x, int y, int rows);
  /// Zero with this probability, else divided by 1 - rate; only in gradients, see
  /// TensorExecutor::set_step.
  int dropout(int x, double rate);
  /// (x - mean) / sqrt(variance + epsilon), without trainable numbers.
  int normalize(int x, NormalizeOver over, int groups = 1, double epsilon = 1e-5);

  // --- points ---
  /// Number i of the result is number picks[i] of x, or 0 for -1.
  int pick(int x, TensorShape shape, std::vector<std::ptrdiff_t> picks);
  /// The same numbers in another shape.
  int reshape(int x, TensorShape shape);
  /// Axes in another order; 0 is the channels, 1 the first axis of the grid: transpose(x, {1, 0,
  /// 2}) makes the first axis the channels.
  int transpose(int x, std::vector<int> axes);
  /// A value without grid at every point of a grid.
  int repeat(int x, std::vector<int> grid);
  /// Moved along the axes, points that leave on one side enter on the other: y[i] = x[i - by].
  int roll(int x, std::vector<int> by);
  /// More points before and behind along every axis.
  int pad(int x, std::vector<int> before, std::vector<int> behind, Border border = Border::zero);
  int crop(int x, std::vector<int> begin, std::vector<int> size);
  /// [C, n1, ...] to [C p1 p2 ..., n1 / p1, ...], and back; channel c p1 p2 + i of the result is
  /// point i (row-major) of the patches of channel c.
  int patch(int x, std::vector<int> sizes);
  int unpatch(int x, std::vector<int> sizes);
  /// y[..., i, ...] = sum_j M[i][j] x[..., j, ...], M row-major rows x length of the axis.
  int along(int x, int axis, int rows, std::vector<double> matrix);
  /// Rows become the points of the result, which has `grid`. The rows of K such grids, one behind
  /// the other, become K channels for each of x.
  int sparse(int x, std::shared_ptr<const PointMatrix> matrix, std::vector<int> grid);
  /// Linear interpolation to another grid with the same corners (or, periodic, the same circle).
  int interpolate(int x, std::vector<int> grid, Border border = Border::reflect);
  /// sum_p w_p x_p for every channel, no grid left; empty weights: the mean.
  int reduce(int x, std::vector<double> weights = {});
  /// Kernel over the axes: y_o[p] = b_o + sum_{i, k} W[o][i][k] x_i[stride p + k - padding].
  int convolution(int x, int channels, ConvolutionOptions options);
  /// The adjoint of the convolution of these options that leads from `channels` to x's, plus a
  /// bias; the grid is stride times that of x, hence 1 <= kernel - 2 padding <= stride along every
  /// axis.
  int transposed_convolution(int x, int channels, ConvolutionOptions options);
  /// Over boxes of kernel points, which divide the grid.
  int max_pool(int x, std::vector<int> kernel);
  int mean_pool(int x, std::vector<int> kernel);

  // --- Fourier ---
  /// Coefficients c_k = 1/N sum_j x_j exp(-2 pi i k j / n) of real functions for the kept modes:
  /// along the last axis k = 0 ... m - 1, along the others 0 ... m - 1, -m ... -1. The result has
  /// two channels for each, real and imaginary part, and the grid {2 m1, ..., m_d}. All modes: m_d
  /// = n_d / 2 + 1 and m = (n + 1) / 2 along the others, where -m is the highest frequency of an
  /// even axis, and m - 1 a second time of an odd one. 1 to 3 axes.
  int spectrum(int x, std::vector<int> modes);
  /// The inverse on a grid: real part of the sum over all modes, those with k_d > 0 (and below
  /// n_d / 2) twice, those that stand twice once (the second one is ignored). What cannot belong to
  /// a real function is ignored.
  int from_spectrum(int x, std::vector<int> grid);
  /// Complex channels (pairs): one complex matrix per mode, parameters [out][in][mode][2].
  int mode_linear(int x, int channels, std::string_view name = "modes");
  /// Complex channels times one trainable complex number per channel and mode.
  int mode_scale(int x, std::string_view name = "modes");
  /// One complex matrix for all modes with `groups` diagonal blocks; bias complex.
  int complex_linear(int x, int channels, int groups = 1, bool bias = true,
                     std::string_view name = "complex");

  // --- attention ---
  /// out[p] = sum_s w_s exp(q_p k_s / sqrt(d)) v_s / sum_s w_s exp(q_p k_s / sqrt(d)) in each of
  /// the heads, which share the channels; w: quadrature weights of the keys, empty: all 1.
  int attention(int q, int k, int v, int heads = 1, std::vector<double> weights = {});

  /// Expressions of the channels of values with one grid, under these names, point by point. A name
  /// stands for every atom (coordinate, field, derivative, symbol) that prints so: "u", "u_x".
  /// Other atoms must be parameters and get their numbers from `known` of the executor.
  int expression(std::span<const int> values, std::vector<std::string> names,
                 std::vector<Expr> expressions);

  void output(std::string_view name, int value);

  // --- parameters ---
  /// From here on building functions take the blocks of parameters from number `first` on, in
  /// order, in place of new ones, until stop_reuse(): a network that is applied twice.
  ///   error    a block of another size or kind; stop_reuse() while nothing is reused
  void reuse(std::size_t first);
  void stop_reuse();
  /// The value `result` as a function of the value `input` before it, at x, which has the shape of
  /// `input`: the same operations with the same parameters.
  int again(int result, int input, int x);
  /// The parameters that were added last start normal with this deviation around their initial
  /// value (weights: around 0), whatever the initialisation says of the others.
  void start_normal(double deviation);
  /// Weights and biases of a value start uniform in these bounds, where users name no
  /// initialisation.
  void start_uniform(int value, double weight_bound, double bias_bound = 0);
  /// First values of the weights of a value, whatever initialisation is asked for.
  void start_at(int value, std::vector<double> numbers);
  /// The same for its biases.
  void start_bias_at(int value, std::vector<double> numbers);

  struct Output {
    std::string name;
    int value;
  };
  struct Input {
    std::string name;
    int value;
  };
  [[nodiscard]] const std::vector<TensorOperation>& ops() const noexcept { return ops_; }
  [[nodiscard]] const TensorShape& shape(int value) const;
  [[nodiscard]] const std::vector<Input>& inputs() const noexcept { return inputs_; }
  [[nodiscard]] const std::vector<Output>& outputs() const noexcept { return outputs_; }
  [[nodiscard]] const std::vector<ParameterBlock>& parameters() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t n_parameters() const noexcept { return n_parameters_; }
  /// Operations of one sample, forward: products and sums.
  [[nodiscard]] double flops() const;
  /// Of one operation.
  [[nodiscard]] double flops(int value) const;

 private:
  /// Which weight a value comes from, when nothing but scales and shifts lies between.
  struct Origin {
    int weight = -1;  ///< number of its block
    bool after_weight = false;
  };

  int push(TensorOperation op);
  int binary(TensorOp code, int x, int y);
  int trainable(TensorOp code, int x, std::size_t n, double initial, std::string_view name);
  int matrix_over_points(int x, PointMatrix matrix, std::vector<int> grid);
  Origin origin(const TensorOperation& op);
  std::ptrdiff_t add_block(ParameterBlock block);
  std::ptrdiff_t add_weights(std::string_view name, std::string_view where, std::size_t rows,
                             std::size_t cols, double spread = 0, int groups = 1);
  std::ptrdiff_t add_bias(std::string_view name, int rows);
  ParameterBlock& block_at(std::ptrdiff_t offset);
  ParameterBlock& weights_of(int value, std::string_view where);
  void require_value(int x, std::string_view where) const;

  std::vector<TensorOperation> ops_;
  std::vector<Origin> origins_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<ParameterBlock> blocks_;
  std::size_t n_parameters_ = 0;
  std::ptrdiff_t reused_ = -1;  ///< the next block that is reused; -1: none
};

}  // namespace cauchy
