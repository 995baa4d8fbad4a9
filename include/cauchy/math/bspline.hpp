#pragma once

#include <cauchy/math/matrix.hpp>  // MatrixView
#include <cstddef>
#include <span>
#include <vector>

namespace cauchy {

/// B-splines N_0 .. N_{size-1} of one degree over knots t_0 <= t_1 <= ... <= t_{size+degree}:
///   N_{i,0}(x) = 1 on [t_i, t_{i+1}), else 0
///   N_{i,p}(x) = (x - t_i) / (t_{i+p} - t_i) N_{i,p-1} + (t_{i+p+1} - x) / (t_{i+p+1} - t_{i+1})
///   N_{i+1,p-1}
/// with 0/0 = 0. They sum to one on the domain [lower, upper] = [t_degree, t_size]. Functions are
/// right-continuous at knots, and the domain's last interval is closed. Evaluation does not
/// allocate.
class BSplineBasis final {
 public:
  static constexpr std::size_t max_degree = 15;

  /// Error unless the knots are finite, non-decreasing, at least 2 (degree + 1) in number, with
  /// t_degree < t_size, and degree <= max_degree.
  BSplineBasis(std::span<const double> knots, std::size_t degree);

  /// n_intervals equal intervals on [a, b]; end knots repeated degree + 1 times (open, clamped), so
  /// the first and last function interpolate. Size n_intervals + degree.
  static BSplineBasis open_uniform(std::size_t n_intervals, std::size_t degree, double a, double b);

  /// n_intervals equal intervals on [a, b]; the grid goes on with the same spacing for degree more
  /// intervals on both sides (the knots of Kolmogorov-Arnold networks). Size n_intervals + degree.
  static BSplineBasis extended_uniform(std::size_t n_intervals, std::size_t degree, double a,
                                       double b);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t degree() const noexcept { return degree_; }
  [[nodiscard]] std::span<const double> knots() const noexcept {
    return std::span(padded_).subspan(degree_, size_ + degree_ + 1);
  }
  [[nodiscard]] double lower() const noexcept { return knots()[degree_]; }
  [[nodiscard]] double upper() const noexcept { return knots()[size_]; }

  /// The s with t_s <= x < t_{s+1}, or the last non-empty interval of the domain for x = upper.
  /// Functions s - degree .. s are the only ones not zero at x. Error unless lower <= x <= upper.
  /// O(log size).
  [[nodiscard]] std::size_t find_span(double x) const;

  /// The degree + 1 functions that may be non-zero at x: values[j] = N_{first + j}(x), where first
  /// is returned. Error unless lower <= x <= upper and values has degree + 1 elements. O(degree^2).
  std::size_t evaluate(double x, std::span<double> values) const;

  /// As above with derivatives: out(k, j) = k-th derivative of N_{first + j} at x, for all rows k
  /// of out (rows beyond the degree are zero); out has degree + 1 columns. O(rows * degree^2).
  std::size_t evaluate(double x, MatrixView<double> out) const;

  /// out(k, i) = k-th derivative of N_i at x for all functions i = 0 .. size - 1, at any x: beyond
  /// the domain the functions go on until their last knot and are zero after it. NaN gives NaN.
  /// Error unless out has size() columns.
  void evaluate_all(double x, MatrixView<double> out) const;

  /// Greville abscissa (t_{i+1} + ... + t_{i+degree}) / degree: sum_i greville(i) N_i(x) = x. Error
  /// for degree 0 or i >= size.
  [[nodiscard]] double greville(std::size_t i) const;

 private:
  /// Row k of the (degree + 1)-wide local table at padded span s.
  void local_row(double x, std::size_t s, std::size_t k, double* row) const noexcept;

  std::size_t degree_ = 0, size_ = 0;
  std::vector<double>
      padded_;  ///< the knots with degree more copies of the end knots on both sides
};

}  // namespace cauchy
