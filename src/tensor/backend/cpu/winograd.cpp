#include "tensor/backend/cpu/winograd.hpp"

#include <algorithm>

namespace cauchy::detail {
namespace {

/// Between neighbouring ones of the 36 numbers of tiles and matrices: all of them are read and
/// written together, and a power of two apart they would fill few sets of a cache.
template <class T>
constexpr std::size_t gap = 64 / sizeof(T);

}  // namespace

template <class T>
bool WinogradConvolution<T>::suits(std::size_t in, std::size_t out, const std::vector<int>& fine,
                                   const std::vector<int>& coarse, const ConvolutionOptions& o) {
  constexpr std::size_t fewest_channels = 16, fewest_tiles = 16;
  if (product_kernels<T>().winograd == nullptr || coarse.size() != 2) return false;
  const std::vector<int> three(2, 3), one(2, 1);
  const std::size_t points = TensorShape{1, coarse}.points();
  // Without a border the patches lie in the input itself, and its planes end with the last one.
  const bool bordered = o.padding == one && fine == coarse;
  return o.kernel == three && o.stride == one && bordered && in >= fewest_channels &&
         out >= fewest_channels && points >= fewest_tiles * tile * tile;
}

template <class T>
WinogradConvolution<T>::WinogradConvolution(std::size_t in, const std::vector<int>& fine,
                                            std::size_t out, const std::vector<int>& coarse,
                                            const ConvolutionOptions& options)
    : patches_(fine, coarse, options),
      in_(in),
      out_(out),
      height_(static_cast<std::size_t>(coarse[0])),
      width_(static_cast<std::size_t>(coarse[1])),
      rows_((height_ + tile - 1) / tile),
      columns_((width_ + tile - 1) / tile) {
  const std::size_t L = product_.lanes;
  full_in_ = (in + L - 1) / L * L;
  full_out_ = (out + L - 1) / L * L;
  constexpr std::size_t tiles = 32;  // of a block: rows of the products
  block_ = std::min(rows_, std::max<std::size_t>(1, tiles / columns_));
}

template <class T>
typename WinogradConvolution<T>::Room WinogradConvolution<T>::room(T* scratch) const {
  const std::size_t most = std::max(full_in_, full_out_), tiles = block_ * columns_;
  const std::size_t matrices = std::max(in_ * full_out_, out_ * full_in_) + gap<T>;
  Room r{};
  const auto take = [&](std::size_t n) {
    T* at = scratch;
    scratch += n;
    return at;
  };
  r.padded = take(in_ * patches_.padded());
  r.padded_bar = take(in_ * patches_.padded());
  r.weights = take(numbers * matrices);
  r.weights_bar = take(numbers * matrices);
  r.kernels = take(9 * matrices);
  r.input = take(numbers * (tiles * full_in_ + gap<T>));
  r.output = take(numbers * (tiles * full_out_ + gap<T>));
  r.lines = take(patch * (tile * columns_ + 2) * most);
  return r;
}

template <class T>
std::size_t WinogradConvolution<T>::scratch() const noexcept {
  const Room r = room(nullptr);
  const std::size_t most = std::max(full_in_, full_out_);
  return static_cast<std::size_t>(r.lines - r.padded) + patch * (tile * columns_ + 2) * most;
}

template <class T>
template <class Body>
void WinogradConvolution<T>::for_each_block(Body body) const {
  for (std::size_t first = 0; first < rows_; first += block_) {
    body(first, std::min(block_, rows_ - first));
  }
}

// --- weights ------------------------------------------------------------------------------------

template <class T>
void WinogradConvolution<T>::transform_weights(const T* w, bool transposed, const Room& r) const {
  const std::size_t rows = transposed ? in_ : out_, columns = transposed ? out_ : in_;
  const std::size_t full = transposed ? full_out_ : full_in_, step = rows * full + gap<T>;
  for (std::size_t row = 0; row < rows; ++row) {  // kernels lie as [out][in][3 x 3]
    element_.turn({columns, 9, w + 9 * (transposed ? row : row * in_), transposed ? 9 * in_ : 9,
                   r.kernels + row * full, step});
  }
  product_.winograd(WinogradMatrix::weights, {.channels = full,
                                              .tiles = rows,
                                              .from = r.kernels,
                                              .from_row = 3 * step,
                                              .from_column = step,
                                              .from_tile = full,
                                              .to = r.weights,
                                              .to_row = patch * step,
                                              .to_column = step,
                                              .to_tile = full});
}

template <class T>
void WinogradConvolution<T>::add_weights(const Room& r, T* w_bar) const {
  const std::size_t step = out_ * full_in_ + gap<T>;
  product_.winograd(WinogradMatrix::weights_back, {.channels = full_in_,
                                                   .tiles = out_,
                                                   .from = r.weights_bar,
                                                   .from_row = patch * step,
                                                   .from_column = step,
                                                   .from_tile = full_in_,
                                                   .to = r.kernels,
                                                   .to_row = 3 * step,
                                                   .to_column = step,
                                                   .to_tile = full_in_});
  for (std::size_t o = 0; o < out_; ++o) {
    element_.turn({9, in_, r.kernels + o * full_in_, step, w_bar + 9 * o * in_, 9, nullptr, true});
  }
}

// --- tiles --------------------------------------------------------------------------------------

/// Tiles of the inputs of some rows of tiles.
template <class T>
void WinogradConvolution<T>::take_input(const Room& r, std::size_t first, std::size_t rows) const {
  const std::size_t line = width_ + 2, points = tile * columns_ + 2;
  const std::size_t step = rows * columns_ * full_in_ + gap<T>;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < patch; ++k) {
      const std::size_t y = tile * (first + row) + k;
      T* to = r.lines + k * points * full_in_;
      const std::size_t known = y < height_ + 2 ? line : 0;
      element_.turn({in_, known, r.padded + y * line, patches_.padded(), to, full_in_});
      std::fill(to + known * full_in_, to + points * full_in_, T(0));
    }
    product_.winograd(WinogradMatrix::input, {.channels = full_in_,
                                              .tiles = columns_,
                                              .from = r.lines,
                                              .from_row = points * full_in_,
                                              .from_column = full_in_,
                                              .from_tile = tile * full_in_,
                                              .to = r.input + row * columns_ * full_in_,
                                              .to_row = patch * step,
                                              .to_column = step,
                                              .to_tile = full_in_});
  }
}

/// The adjoint: adds tiles to the planes with their border.
template <class T>
void WinogradConvolution<T>::give_input(const Room& r, std::size_t first, std::size_t rows) const {
  const std::size_t line = width_ + 2, points = tile * columns_ + 2;
  const std::size_t step = rows * columns_ * full_in_ + gap<T>;
  for (std::size_t row = 0; row < rows; ++row) {
    std::fill_n(r.lines, patch * points * full_in_, T(0));
    product_.winograd(WinogradMatrix::input_back, {.channels = full_in_,
                                                   .tiles = columns_,
                                                   .from = r.input + row * columns_ * full_in_,
                                                   .from_row = patch * step,
                                                   .from_column = step,
                                                   .from_tile = full_in_,
                                                   .to = r.lines,
                                                   .to_row = points * full_in_,
                                                   .to_column = full_in_,
                                                   .to_tile = tile * full_in_,
                                                   .add = true});
    for (std::size_t k = 0; k < patch; ++k) {
      const std::size_t y = tile * (first + row) + k;
      if (y >= height_ + 2) break;
      element_.turn({line, in_, r.lines + k * points * full_in_, full_in_, r.padded_bar + y * line,
                     patches_.padded(), nullptr, true});
    }
  }
}

/// Tiles of the adjoints of the outputs; 0 outside of the grid.
template <class T>
void WinogradConvolution<T>::take_output(const T* y_bar, const Room& r, std::size_t first,
                                         std::size_t rows) const {
  const std::size_t points = tile * columns_, step = rows * columns_ * full_out_ + gap<T>;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < tile; ++k) {
      const std::size_t y = tile * (first + row) + k;
      T* to = r.lines + k * points * full_out_;
      const std::size_t known = y < height_ ? width_ : 0;
      element_.turn({out_, known, y_bar + y * width_, height_ * width_, to, full_out_});
      std::fill(to + known * full_out_, to + points * full_out_, T(0));
    }
    product_.winograd(WinogradMatrix::output_back, {.channels = full_out_,
                                                    .tiles = columns_,
                                                    .from = r.lines,
                                                    .from_row = points * full_out_,
                                                    .from_column = full_out_,
                                                    .from_tile = tile * full_out_,
                                                    .to = r.output + row * columns_ * full_out_,
                                                    .to_row = patch * step,
                                                    .to_column = step,
                                                    .to_tile = full_out_});
  }
}

template <class T>
void WinogradConvolution<T>::give_output(const T* bias, const Room& r, std::size_t first,
                                         std::size_t rows, T* y_all) const {
  const std::size_t points = tile * columns_, step = rows * columns_ * full_out_ + gap<T>;
  for (std::size_t row = 0; row < rows; ++row) {
    product_.winograd(WinogradMatrix::output, {.channels = full_out_,
                                               .tiles = columns_,
                                               .from = r.output + row * columns_ * full_out_,
                                               .from_row = patch * step,
                                               .from_column = step,
                                               .from_tile = full_out_,
                                               .to = r.lines,
                                               .to_row = points * full_out_,
                                               .to_column = full_out_,
                                               .to_tile = tile * full_out_});
    for (std::size_t k = 0; k < tile; ++k) {
      const std::size_t y = tile * (first + row) + k;
      if (y >= height_) break;
      element_.turn({width_, out_, r.lines + k * points * full_out_, full_out_, y_all + y * width_,
                     height_ * width_, bias});
    }
  }
}

// --- both ways ----------------------------------------------------------------------------------

template <class T>
void WinogradConvolution<T>::forward(std::size_t n, const T* w, const T* bias, const T* x, T* y,
                                     T* scratch) const {
  const Room r = room(scratch);
  const std::size_t points = height_ * width_;
  transform_weights(w, true, r);
  for (std::size_t s = 0; s < n; ++s) {
    (void)patches_.pad(in_, x + s * in_ * points, r.padded);
    for_each_block([&](std::size_t first, std::size_t rows) {
      const std::size_t tiles = rows * columns_;
      const std::size_t input = tiles * full_in_ + gap<T>, output = tiles * full_out_ + gap<T>;
      take_input(r, first, rows);
      for (std::size_t k = 0; k < numbers; ++k) {
        product_.product({.rows = tiles,
                          .columns = full_out_,
                          .inner = in_,
                          .a = r.input + k * input,
                          .a_stride = full_in_,
                          .b = r.weights + k * (in_ * full_out_ + gap<T>),
                          .b_stride = full_out_,
                          .c = r.output + k * output,
                          .c_stride = full_out_});
      }
      give_output(bias, r, first, rows, y + s * out_ * points);
    });
  }
}

template <class T>
void WinogradConvolution<T>::backward(std::size_t n, const T* w, const T* x, const T* y_bar,
                                      T* x_bar, T* w_bar, T* scratch) const {
  const Room r = room(scratch);
  const std::size_t points = height_ * width_;
  if (x_bar != nullptr) transform_weights(w, false, r);
  if (w_bar != nullptr) std::fill_n(r.weights_bar, numbers * (out_ * full_in_ + gap<T>), T(0));
  for (std::size_t s = 0; s < n; ++s) {
    if (w_bar != nullptr) (void)patches_.pad(in_, x + s * in_ * points, r.padded);
    if (x_bar != nullptr) std::fill_n(r.padded_bar, in_ * patches_.padded(), T(0));
    for_each_block([&](std::size_t first, std::size_t rows) {
      const std::size_t tiles = rows * columns_;
      const std::size_t input = tiles * full_in_ + gap<T>, output = tiles * full_out_ + gap<T>;
      take_output(y_bar + s * out_ * points, r, first, rows);
      if (w_bar != nullptr) {
        take_input(r, first, rows);
        for (std::size_t k = 0; k < numbers; ++k) {
          T* g = r.weights_bar + k * (out_ * full_in_ + gap<T>);
          product_.product({.rows = out_,
                            .columns = full_in_,
                            .inner = tiles,
                            .a = r.output + k * output,
                            .a_stride = full_out_,
                            .a_by_columns = true,
                            .b = r.input + k * input,
                            .b_stride = full_in_,
                            .c = g,
                            .c_stride = full_in_,
                            .d = g,
                            .d_stride = full_in_});
        }
      }
      if (x_bar == nullptr) return;
      for (std::size_t k = 0; k < numbers; ++k) {
        product_.product({.rows = tiles,
                          .columns = full_in_,
                          .inner = out_,
                          .a = r.output + k * output,
                          .a_stride = full_out_,
                          .b = r.weights + k * (out_ * full_in_ + gap<T>),
                          .b_stride = full_in_,
                          .c = r.input + k * input,
                          .c_stride = full_in_});
      }
      give_input(r, first, rows);
    });
    if (x_bar != nullptr) patches_.unpad(in_, r.padded_bar, x_bar + s * in_ * points);
  }
  if (w_bar != nullptr) add_weights(r, w_bar);
}

template class WinogradConvolution<float>;
template class WinogradConvolution<double>;

}  // namespace cauchy::detail
