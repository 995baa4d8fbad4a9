#pragma once

#include <cstddef>
#include <vector>

#include <cauchy/base/function_ref.hpp>

namespace cauchy::detail {

/// Equal-area map for a surface that is given over the unit square with an area element: takes
/// uniform u to points (s, t) whose density is proportional to the area element w(s, t).
///   method   s from the marginal of w, t from its conditional law given s, both by inverting
///            tabulated distribution functions: cubic Hermite between the table points (so the map
///            is continuous and smooth), cubic across the rows; integrals by Gauss-Legendre with 4
///            points in each cell
///   size     n x n cells, n doubled from 32 to 256 until density_error() < 1e-7; a smooth w that
///            varies by a factor of 3 needs n = 64 or 128
///   memory   2 (n + 1)^2 doubles, at most 1 MB; a constant w takes no table
class SurfaceTable final {
 public:
  using Density = FunctionRef<double(double, double)>;
  /// w must be positive; a few zeros are fine.
  explicit SurfaceTable(Density w);

  /// Integral of w over the unit square; relative error below 1e-10 when density_error() < 1e-6.
  [[nodiscard]] double total() const noexcept { return total_; }
  /// Largest relative difference between the density of the map and w seen at 512 points.
  [[nodiscard]] double density_error() const noexcept { return error_; }

  /// w is constant: map() is the identity.
  [[nodiscard]] bool is_constant() const noexcept { return n_ == 0; }

  void map(const double* u, double* st) const;

 private:
  void build(Density w, std::size_t n);
  [[nodiscard]] double measure_error(Density w) const;

  /// Rows of the table that stand for s, with their weights.
  struct Rows {
    std::size_t first = 0, count = 0;
    double weight[4] = {};
  };
  [[nodiscard]] Rows rows_at(double s) const;
  [[nodiscard]] double blend(const std::vector<double>& table, const Rows& rows,
                             std::size_t column) const;

  std::size_t n_ = 0;                       // 0: w is constant
  double total_ = 0, error_ = 0;
  bool smooth_ = true;                      // else linear across the rows
  std::vector<double> marginal_, slope_;    // distribution function of s and its derivative
  std::vector<double> integral_, density_;  // row i, column j: of w(s_i, .) up to t_j, w(s_i, t_j)
};

}  // namespace cauchy::detail
