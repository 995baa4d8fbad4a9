#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <cauchy/math/fft.hpp>

#include "tensor/backend/cpu/field_kernels.hpp"
#include "tensor/modes.hpp"

namespace cauchy::detail {

/// Transforms of real functions on a grid of 1 to 3 axes to kept modes and back; w_k depends on the
/// frequency along the last axis:
///   to_modes   c_k = w_k sum_j x_j exp(-2 pi i k j / n)
///   to_points  x_j = sum_k w_k Re(c_k exp(2 pi i k j / n))
/// either of which is the adjoint of the other. By matrix products, axis by axis, where few modes
/// are kept: real sums with cosines and sines, to which point j and n - j contribute together, and
/// from which mode k and -k come together (a quarter of the complex work). By a fast transform of
/// all modes where that is cheaper.
template <class T>
class RealTransform {
 public:
  /// backward: w of from_spectrum, which leaves out what an odd axis has twice; else w = 1 /
  /// points.
  RealTransform(std::vector<AxisModes> axes, bool backward);

  [[nodiscard]] std::size_t points() const noexcept { return points_; }
  [[nodiscard]] std::size_t modes() const noexcept { return modes_; }
  /// Numbers of working memory.
  [[nodiscard]] std::size_t scratch() const noexcept { return scratch_; }

  /// Channels one after the other: x has points() numbers each, c the real and then the imaginary
  /// parts, modes() each. The result is written, or added to.
  void to_modes(std::size_t channels, const T* x, bool add, T* c, T* scratch) const;
  void to_points(std::size_t channels, const T* c, bool add, T* x, T* scratch) const;

  // --- the two halves of to_points: all axes but the last, then lines along the last axis ---
  // In between lie rows[line][channel][row_size()], which are row_size() numbers for the points of
  // a line: x = rows line_table(), n of the last axis columns. Not of fast transforms.

  [[nodiscard]] bool in_halves() const noexcept { return !fft_; }
  [[nodiscard]] std::size_t lines() const noexcept { return points_ / last_.n; }
  [[nodiscard]] std::size_t line() const noexcept { return last_.n; }  ///< points of one
  [[nodiscard]] std::size_t row_size() const noexcept { return 2 * last_.m; }
  [[nodiscard]] std::size_t rows_scratch(std::size_t channels) const;
  void to_rows(std::size_t channels, const T* c, T* rows, T* scratch) const;
  /// The adjoint: c is written, or added to.
  void from_rows(std::size_t channels, const T* rows, bool add, T* c, T* scratch) const;
  /// row_size() x line() numbers, and the same by columns.
  [[nodiscard]] std::vector<T> line_table() const;
  [[nodiscard]] std::vector<T> line_columns() const;

 private:
  /// Of an axis with n points: rows of cosines (k = 0 ... m) against the even part of a function,
  /// points 0 ... n / 2, and of sines (k = 1 ... m) against the odd part.
  struct Axis {
    std::size_t n, m, evens, odds;
    std::vector<T> cosines, sines;
    bool without_last;
    [[nodiscard]] std::size_t rows() const noexcept { return 2 * m + 1; }
  };
  /// Of the last axis: modes 0 ... m - 1, with their weights; sines of the imaginary part. Columns
  /// of the tables are filled up with zeros to full vectors, so that no product has a rest.
  struct LastAxis {
    std::size_t n, m, evens, odds, even_stride, odd_stride;
    std::size_t full_m, full_evens, full_odds;
    std::vector<T> cosines, sines;          ///< modes x full points
    std::vector<T> cosine_rows, sine_rows;  ///< points x full modes
  };
  /// Sums of the last axis, per row: 2 full_m numbers, the imaginary parts behind the real ones.
  struct LastSums {
    std::size_t stride, im;
  };

  void make_axes(bool backward);
  void make_fft(bool backward);
  void sum_axis(const Axis& axis, std::size_t columns, const T* x, T* out, T* work) const;
  void spread_axis(const Axis& axis, std::size_t columns, const T* rows, bool add, T* x,
                   T* work) const;
  void sum_last(std::size_t rows, const T* x, T* z, T* work) const;
  void spread_last(std::size_t rows, const T* z, LastSums at, bool add, T* x, T* work) const;
  void fast_to_modes(const T* x, bool add, T* c, T* scratch) const;
  void fast_to_points(const T* c, bool add, T* x, T* scratch) const;
  template <class Body>
  void for_each_line(Body body) const;
  [[nodiscard]] std::size_t block_of(const Axis& axis, std::size_t columns) const;

  const ProductKernels<T>& product_ = product_kernels<T>();
  const ElementKernels<T>& element_ = element_kernels<T>();
  std::vector<AxisModes> grid_;
  std::vector<Axis> axes_;  ///< all but the last
  LastAxis last_;
  std::optional<RealFft<T>> fft_;
  std::vector<T> fft_weights_;  ///< of the modes along the last axis, both ways
  bool backward_;
  std::size_t points_ = 1, modes_ = 1, scratch_ = 0;
  std::size_t group_ = 1;  ///< channels at a time
  std::size_t rows_ = 1;   ///< of the last axis, per channel
  std::size_t area_ = 0;   ///< numbers of an intermediate array
};

}  // namespace cauchy::detail
