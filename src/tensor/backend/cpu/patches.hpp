#pragma once

#include <cstddef>
#include <vector>

#include "tensor/backend/cpu/field_kernels.hpp"
#include "tensor/border.hpp"

namespace cauchy::detail {

/// The numbers that a convolution sees: a fine grid with its border, and for every point of a
/// coarse grid and every number of the kernel one of its points,
///   fine point = stride p + k - padding.
/// Lines are those of the coarse grid along the last axis; columns of a matrix of patches are
/// coarse points, rows are (channel, kernel number).
template <class T>
class Patches {
 public:
  Patches(const std::vector<int>& fine, const std::vector<int>& coarse,
          const ConvolutionOptions& options);

  [[nodiscard]] std::size_t kernel() const noexcept { return offsets_.size(); }
  [[nodiscard]] std::size_t lines() const noexcept { return begins_.size(); }
  [[nodiscard]] std::size_t line() const noexcept { return line_; }  ///< points
  /// A patch is the point itself.
  [[nodiscard]] bool trivial() const noexcept { return trivial_; }

  /// Numbers of a channel with its border; 0: it has none.
  [[nodiscard]] std::size_t padded() const noexcept { return in_place_ ? 0 : padded_; }
  /// The channels with their border: x itself, or copied to `room`.
  const T* pad(std::size_t channels, const T* x, T* room) const;
  /// The adjoint: adds what lies in `room` to x.
  void unpad(std::size_t channels, const T* room, T* x) const;

  /// The matrix of patches of some lines, (channels * kernel) x (lines * line), and its adjoint,
  /// which adds to the channels with their border.
  void take(std::size_t channels, std::size_t first, std::size_t lines, const T* padded,
            T* patches) const;
  void give(std::size_t channels, std::size_t first, std::size_t lines, const T* patches,
            T* padded) const;

 private:
  const ElementKernels<T>& element_ = element_kernels<T>();
  std::vector<std::size_t> begins_;   ///< of a line, for kernel number 0
  std::vector<std::size_t> offsets_;  ///< of kernel numbers
  std::size_t line_, step_;
  std::size_t fine_, padded_;  ///< points
  bool trivial_, in_place_;
  // Lines of the padded grid: where they begin in the fine one, -1: zeros; and the nodes of the
  // last axis before and behind the stretch that is copied as it is.
  std::vector<std::ptrdiff_t> sources_;
  std::vector<std::ptrdiff_t> before_, behind_;
  std::size_t copied_;
};

}  // namespace cauchy::detail
