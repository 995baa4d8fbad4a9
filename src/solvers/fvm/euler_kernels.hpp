#pragma once

#include <cstddef>

namespace cauchy::detail {

/// SIMD loops over rows of cells for the compressible Euler equations in two dimensions. Conserved
/// rows are rho, m_x, m_y, E; rows of states are rho, u, v, p and, where there are six, E and the
/// speed of sound. In fluxes "u" is along the normal: callers swap. n may be any number.
struct EulerKernels {
  void (*states)(std::size_t n, double gamma, const double* const* q, double* const* six);
  /// Rusanov's flux between rows of six.
  void (*flux_of_six)(std::size_t n, const double* const* left, const double* const* right,
                      double* const* flux);
  /// The same between rows of four.
  void (*flux_of_four)(std::size_t n, double gamma, const double* const* left,
                       const double* const* right, double* const* flux);
  /// Half a step ahead with central differences, and from there to the four faces of the cells:
  /// to[0..3] lower x, [4..7] upper x, [8..11] lower y, [12..15] upper y. The rows of w are read
  /// from -1 to n.
  ///   cx, cy   dt / (2 dx), dt / (2 dy)
  void (*predict)(std::size_t n, double gamma, double cx, double cy, const double* const* w_before,
                  const double* const* w, const double* const* w_after, double* const* to);
  /// out = q - cx (x_high - x_low) - cy (y[i + 1] - y[i]).
  void (*update)(std::size_t n, double cx, double cy, const double* const* q,
                 const double* const* x_low, const double* const* x_high, const double* const* y,
                 double* const* out);
  /// max (|u| + a) / dx + (|v| + a) / dy; NaN where density or pressure is not positive.
  double (*rate)(std::size_t n, double gamma, double per_x, double per_y, const double* const* q);
};
/// For the current target (base/cpu.hpp).
[[nodiscard]] EulerKernels euler_kernels();

}  // namespace cauchy::detail
