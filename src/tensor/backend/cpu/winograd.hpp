#pragma once

#include <cstddef>
#include <vector>

#include "tensor/backend/cpu/field_kernels.hpp"
#include "tensor/backend/cpu/patches.hpp"

namespace cauchy::detail {

/// Convolution with a kernel of 3 x 3 points and strides of 1 by Winograd's F(4 x 4, 3 x 3): a
/// quarter of the multiplications, in 36 products of matrices over the channels. Tiles of 4 x 4
/// outputs go through transforms and products while they are in the cache. Rounding errors are
/// some ten times those of plain sums.
template <class T>
class WinogradConvolution {
 public:
  /// Whether a convolution is of this kind, and large enough to gain.
  [[nodiscard]] static bool suits(std::size_t in, std::size_t out, const std::vector<int>& fine,
                                  const std::vector<int>& coarse,
                                  const ConvolutionOptions& options);

  WinogradConvolution(std::size_t in, const std::vector<int>& fine, std::size_t out,
                      const std::vector<int>& coarse, const ConvolutionOptions& options);

  /// Numbers of working memory, forward and backward.
  [[nodiscard]] std::size_t scratch() const noexcept;

  /// Arrays of n samples; y = b + w * x (bias null: none)
  void forward(std::size_t n, const T* w, const T* bias, const T* x, T* y, T* scratch) const;
  /// x_bar += adjoint(w) y_bar, w_bar += y_bar x'; either may be null.
  void backward(std::size_t n, const T* w, const T* x, const T* y_bar, T* x_bar, T* w_bar,
                T* scratch) const;

 private:
  static constexpr std::size_t tile = 4, patch = 6, numbers = patch * patch;

  /// Where things lie in the working memory.
  struct Room {
    T *padded, *padded_bar;  ///< planes of the channels with their border
    T *weights, *weights_bar, *kernels;
    T *input, *output;  ///< tiles: [number][tile][channel]
    T* lines;           ///< of a row of tiles: [line][point][channel]
  };
  [[nodiscard]] Room room(T* scratch) const;
  /// [number][row][column] of the matrices over the channels, rows x columns.
  void transform_weights(const T* w, bool transposed, const Room& r) const;
  void add_weights(const Room& r, T* w_bar) const;
  void take_input(const Room& r, std::size_t first, std::size_t rows) const;
  void take_output(const T* y, const Room& r, std::size_t first, std::size_t rows) const;
  void give_output(const T* bias, const Room& r, std::size_t first, std::size_t rows, T* y) const;
  void give_input(const Room& r, std::size_t first, std::size_t rows) const;
  /// body(first row of tiles, number of them)
  template <class Body>
  void for_each_block(Body body) const;

  const ProductKernels<T>& product_ = product_kernels<T>();
  const ElementKernels<T>& element_ = element_kernels<T>();
  Patches<T> patches_;
  std::size_t in_, out_, height_, width_;  ///< of the outputs
  std::size_t rows_, columns_;             ///< of tiles
  std::size_t full_in_, full_out_;         ///< filled up to full vectors
  std::size_t block_;                      ///< rows of tiles at a time
};

}  // namespace cauchy::detail
