#pragma once

#include <cauchy/math/lapack.hpp>  // Factorization, MatrixView
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cauchy {

/// Radial functions phi(r). The shape eps stands before r^2, not inside of it: exp(-eps r^2).
enum class RbfKernel : std::uint8_t {
  gaussian,              ///< exp(-eps r^2)
  inverse_quadratic,     ///< 1 / (1 + eps r^2)
  multiquadric,          ///< sqrt(1 + eps r^2)
  inverse_multiquadric,  ///< 1 / sqrt(1 + eps r^2)
  thin_plate,            ///< r^2 log r, 0 at r = 0; no shape
  cubic,                 ///< r^3; no shape
};

/// A name that users write, and what stands behind it.
struct RbfKernelEntry {
  std::string_view name, formula;
  RbfKernel kernel;
  int smoothness;  ///< continuous derivatives at the centre; any_order: all
  int least_tail;  ///< degree of the tail that makes interpolation unique; -1: none is needed
  static constexpr int any_order = 1'000'000;
};
[[nodiscard]] const std::vector<RbfKernelEntry>& all_rbf_kernels();
[[nodiscard]] const RbfKernelEntry& entry_of(RbfKernel kernel);

/// out[m] = d^m phi / ds^m as a function of s = r^2, m = 0 ... out.size() - 1. At s = 0 what is
/// infinite counts as 0: it only occurs together with powers of the distance that are smaller.
void rbf_radial_derivatives(RbfKernel kernel, double eps, double s, std::span<double> out);

/// Radial functions phi(|x - c_k|) of points c_k, followed by the monomials of the tail: those of
/// total degree at most `tail` in (x - m) / w, with middle m and half width w of the centres' box.
///   memory   the centres
class RbfBasis final {
 public:
  /// centres  row-major n x dimension
  ///   error    throws Error unless eps is positive, numbers are finite and rows are whole
  RbfBasis(RbfKernel kernel, double eps, std::vector<double> centres, std::size_t dimension,
           int tail = -1);

  [[nodiscard]] std::size_t size() const noexcept { return n_centres() + monomials_.size(); }
  [[nodiscard]] std::size_t n_centres() const noexcept { return centres_.size() / dimension_; }
  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
  [[nodiscard]] RbfKernel kernel() const noexcept { return kernel_; }
  [[nodiscard]] double eps() const noexcept { return eps_; }
  [[nodiscard]] int tail() const noexcept { return tail_; }
  [[nodiscard]] const std::vector<double>& centres() const noexcept { return centres_; }

  /// out[a](i, k) = derivative of function k at point i, orders[a][j] times by coordinate j. By
  /// closed formulas of any order; NaN at the centre itself beyond the smoothness of the kernel.
  ///   points   row-major n x dimension
  ///   cost     about 10 ns per function and point, and 1 to 5 for each of its derivatives
  ///   error    throws Error when shapes do not fit
  void derivatives(std::span<const double> points, std::span<const std::vector<int>> orders,
                   std::span<const MatrixView<double>> out) const;
  /// out(i, a) = sum_k coefficients[a][k] times the same: derivatives of sums.
  void derivatives_of_sums(std::span<const std::span<const double>> coefficients,
                           std::span<const double> points, std::span<const std::vector<int>> orders,
                           MatrixView<double> out) const;

 private:
  RbfKernel kernel_;
  double eps_;
  std::size_t dimension_;
  int tail_;
  std::vector<double> centres_, by_axis_;  // rows, and the same by columns
  std::vector<double> middle_, width_;
  std::vector<std::vector<int>> monomials_;
};

/// Mean distance of points (row-major n x dimension) to their nearest neighbours; 0 for one point.
/// O(n^2).
[[nodiscard]] double mean_spacing(std::span<const double> points, std::size_t dimension);

struct RbfOptions {
  RbfKernel kernel = RbfKernel::multiquadric;
  double eps = 0;  ///< 0: 1 / (0.815 d)^2 with the mean distance d to the nearest neighbour (Hardy)
  int tail = -2;   ///< degree of the polynomial; -1: none, -2: as the kernel needs
};

/// s(x) = sum_k a_k phi(|x - x_k|) + p(x) through values at points.
struct RbfInterpolant {
  RbfBasis basis;
  std::vector<double> coefficients;
  Factorization status = Factorization::ok;
  double condition = 0;  ///< of the symmetric system, by its eigenvalues; infinite when singular
  std::size_t rank = 0;  ///< of the same to rounding; coefficients.size() when it is regular

  [[nodiscard]] double operator()(std::span<const double> x) const;
  /// A derivative, one order per coordinate.
  [[nodiscard]] double derivative(std::span<const double> x, const std::vector<int>& orders) const;
};
/// The interpolant of values at points, row-major n x dimension. With a tail p_1 ... p_q the system
/// is [Phi P; P' 0] with the side conditions sum_k a_k p_j(x_k) = 0; it is solved by QR with column
/// pivoting, so that flat kernels, whose system is singular to rounding, give their least-squares
/// answer of smallest norm.
///   cost     O(n^3)
///   error    throws Error when shapes do not fit; a singular system (equal points) is seen in rank
[[nodiscard]] RbfInterpolant interpolate_rbf(std::span<const double> points, std::size_t dimension,
                                             std::span<const double> values,
                                             const RbfOptions& options = {});

}  // namespace cauchy
