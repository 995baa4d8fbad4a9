#pragma once

#include <cstddef>

#include <cauchy/engine/activation.hpp>

namespace cauchy::detail {

/// C = D + b + A B with B (inner x columns) and C (rows x columns) row-major.
///   a        rows x inner: row-major with a_stride numbers from row to row, or (a_by_columns)
///            column-major with a_stride from column to column
///   d        rows x columns, may be c itself; null: zero
///   bias     one number per row; null: zero
/// Any sizes; nothing is aligned. A number is summed in the order of `inner`, whatever the sizes.
template <class T>
struct MatrixProduct {
  std::size_t rows, columns, inner;
  const T* a;
  std::size_t a_stride;
  bool a_by_columns = false;
  const T* b;
  std::size_t b_stride;
  T* c;
  std::size_t c_stride;
  const T* d = nullptr;
  std::size_t d_stride = 0;
  const T* bias = nullptr;
};

/// Complex matrices, one per mode, of complex channels; see mode_products-inl.h.
struct ModeSizes {
  std::size_t in, out, modes;
};
template <class T>
struct ModeProduct {
  std::size_t n;  ///< samples
  ModeSizes sizes;
  const T* weights;  ///< as mode_pack leaves them
};

/// Transforms of Winograd's convolution of 3 x 3 points, and their adjoints; winograd-inl.h.
enum class WinogradMatrix : unsigned char {
  input,         ///< 6 x 6 numbers of an input to 6 x 6
  input_back,    ///< its adjoint
  output,        ///< 6 x 6 products to 4 x 4 outputs
  output_back,   ///< 4 x 4 to 6 x 6
  weights,       ///< 3 x 3 to 6 x 6
  weights_back,  ///< 6 x 6 to 3 x 3
};

/// Tiles of numbers, each with channels that lie next to each other.
///   channels  a multiple of the lanes
///   add       to what is there, else it is written
template <class T>
struct WinogradTiles {
  std::size_t channels, tiles;
  const T* from;
  std::size_t from_row, from_column, from_tile;  ///< from one to the next
  T* to;
  std::size_t to_row, to_column, to_tile;
  bool add = false;
};

/// Sums of products of one instruction set; products.cpp. Arrays need no alignment and do not
/// overlap unless said.
template <class T>
struct ProductKernels {
  std::size_t lanes;
  void (*product)(const MatrixProduct<T>& p);
  /// G (rows x columns) += A B' with A (rows x inner) and B (columns x inner) row-major.
  void (*product_transposed)(std::size_t rows, std::size_t columns, std::size_t inner, const T* a,
                             std::size_t a_stride, const T* b, std::size_t b_stride, T* g,
                             std::size_t g_stride);
  /// Pieces of the modes that can be packed and summed apart.
  std::size_t (*mode_pieces)(std::size_t modes);
  /// Weights [out][in][mode][2] to the order of the products, the modes of one piece: a
  /// permutation.
  void (*mode_pack)(const ModeSizes& sizes, std::size_t piece, const double* from, T* to);
  /// y = W x; x and y: per sample [channel][2][mode].
  void (*mode_forward)(const ModeProduct<T>& p, const T* x, T* y);
  /// x_bar = conj(W)' y_bar, or added to x_bar.
  void (*mode_backward)(const ModeProduct<T>& p, const T* y_bar, bool add, T* x_bar);
  /// Keeps x and y_bar of n samples, from sample `first` of `batch` on, for mode_gradient.
  void (*mode_keep)(const ModeSizes& sizes, std::size_t n, const T* x, const T* y_bar,
                    std::size_t first, std::size_t batch, T* kept);
  /// w_bar [out][in][mode][2] = y_bar conj(x)', summed over the batch in the order of its samples,
  /// or added to w_bar; the modes of one piece.
  void (*mode_gradient)(const ModeSizes& sizes, std::size_t piece, std::size_t batch, const T* kept,
                        bool add, double* w_bar);
  void (*winograd)(WinogradMatrix matrix, const WinogradTiles<T>& tiles);  ///< null: of double
};
/// Functions of the best instruction set of this machine (or of the one that is forced for a test).
template <class T>
[[nodiscard]] const ProductKernels<T>& product_kernels();

enum class BinaryOp : unsigned char { add, subtract, multiply, divide };

/// A (rows x columns) array.
template <class T>
struct RowsOf {
  std::size_t rows, columns;
  T* numbers;
  std::size_t stride;  ///< from row to row
};

/// to[k][j] = from[j][k] + first[k] (null: 0) of rows x columns numbers, or added to `to`.
template <class T>
struct TurnedRows {
  std::size_t rows, columns;
  const T* from;
  std::size_t from_stride;
  T* to;
  std::size_t to_stride;
  const T* first = nullptr;
  bool add = false;
};

/// Complex rows C_0 ... C_m, S_1 ... S_m: the sums of an axis with cosines and sines, of which
/// c_(+-k) = C_k -+ i S_k are the modes. Imaginary parts are `im` numbers behind the real ones.
template <class T>
struct ModeRows {
  std::size_t m, length;
  T* numbers;
  std::size_t stride, im;
  bool without_last = false;  ///< mode -m counts as zero
};

/// Loops number by number and along columns, of one instruction set; elements.cpp. n: numbers, any;
/// arrays need no alignment, and do not overlap unless said.
template <class T>
struct ElementKernels {
  /// out = s(z), slope = s'(z) (null: not wanted); out may be z.
  void (*activate)(Activation a, std::size_t n, const T* z, T* out, T* slope);
  /// out = x op y; a step is 1, or 0 for one number that serves all. out may be x or y.
  void (*binary)(BinaryOp op, std::size_t n, const T* x, std::size_t x_step, const T* y,
                 std::size_t y_step, T* out);
  void (*scale)(std::size_t n, T a, const T* x, T* y);                     ///< y = a x
  void (*add)(std::size_t n, const T* x, T* y);                            ///< y += x
  void (*axpy)(std::size_t n, T a, const T* x, T* y);                      ///< y += a x
  void (*multiply_add)(std::size_t n, T a, const T* x, const T* w, T* y);  ///< y += a x w
  void (*absolute)(std::size_t n, const T* x, T* y);
  void (*absolute_backward)(std::size_t n, const T* x, const T* y_bar, T* x_bar);
  void (*soft_shrink)(std::size_t n, T lambda, const T* x, T* y);
  void (*soft_shrink_backward)(std::size_t n, T lambda, const T* x, const T* y_bar, T* x_bar);
  T (*sum)(std::size_t n, const T* x);
  T (*dot)(std::size_t n, const T* x, const T* y);
  T (*squares)(std::size_t n, T a, const T* x);  ///< sum (x - a)^2

  void (*turn)(const TurnedRows<T>& rows);

  // --- normalisation ---
  void (*center)(std::size_t n, T a, T b, const T* x, T* y);  ///< y = a (x - b)
  /// y = a (x - b - c z), or added to y
  void (*center_backward)(std::size_t n, T a, T b, T c, const T* x, const T* z, bool add, T* y);
  /// y = (x - mean) / sqrt(variance + epsilon) down the columns of x; y has its stride; factors:
  /// those of the columns.
  void (*normalize_columns)(const RowsOf<const T>& x, T epsilon, T* y, T* factors);
  void (*normalize_columns_backward)(const RowsOf<const T>& y, const T* factors, const T* y_bar,
                                     bool add, T* x_bar);

  // --- convolution: lines of n numbers, contiguous in `to`, `step` apart in `from` ---
  /// to[l n + j] = from[begins[l] + step j]
  void (*take_lines)(std::size_t lines, const std::size_t* begins, std::size_t n, std::size_t step,
                     const T* from, T* to);
  /// from[begins[l] + step j] += to[l n + j]
  void (*give_lines)(std::size_t lines, const std::size_t* begins, std::size_t n, std::size_t step,
                     const T* to, T* from);

  // --- attention: a column of scores per query ---
  /// s <- w exp(s - m) with m the maximum of the column, w one weight per row (null: 1); of each
  /// column 1 / sum(s), and m + log(sum(s)).
  void (*softmax)(const RowsOf<T>& scores, const T* w, T* inverse_sums, T* logs);
  /// s <- w exp(s - log) with the logarithms of softmax: probabilities.
  void (*softmax_again)(const RowsOf<T>& scores, const T* w, const T* logs);
  /// s_bar <- p (p_bar - sum(p p_bar)), where `p_bar` stands.
  void (*softmax_backward)(const RowsOf<const T>& p, T* p_bar);

  // --- Fourier transforms as products, see real_transform.hpp ---
  /// Of n rows x_j: even_j = x_j + x_(n-j) for j <= n / 2 (x_j where j and n - j are one), odd_j =
  /// x_j - x_(n-j) for 0 < j < n / 2; rows of even and odd are contiguous.
  void (*fold_rows)(const RowsOf<const T>& x, T* even, T* odd);
  /// x_j = even_j + odd_j, x_(n-j) = even_j - odd_j, or added to x.
  void (*unfold_rows)(const T* even, const T* odd, bool add, const RowsOf<T>& x);
  /// The same within every row.
  void (*fold_columns)(const RowsOf<const T>& x, T* even, std::size_t even_stride, T* odd,
                       std::size_t odd_stride);
  void (*unfold_columns)(const T* even, std::size_t even_stride, const T* odd,
                         std::size_t odd_stride, bool add, const RowsOf<T>& x);
  /// See ModeRows: to (or added to) the modes 0 ... m - 1, -m ... -1, each `length` numbers, and
  /// back.
  void (*join_modes)(const ModeRows<const T>& rows, bool add, T* re, T* im);
  void (*split_modes)(const T* re, const T* im, const ModeRows<T>& rows);
};
/// As product_kernels().
template <class T>
[[nodiscard]] const ElementKernels<T>& element_kernels();

}  // namespace cauchy::detail
