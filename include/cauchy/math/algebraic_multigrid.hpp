#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <cauchy/math/iterative.hpp>
#include <cauchy/math/sparse.hpp>

namespace cauchy {

struct AlgebraicMultigridOptions {
  double strength = 0.08;  ///< |a_ij| >= strength * sqrt(a_ii a_jj) couples i and j; finer levels
  int sweeps = 1;          ///< of Gauss-Seidel before (forwards) and after (backwards)
  std::size_t coarsest = 500;  ///< unknowns that are solved directly
};

/// Multigrid for a symmetric positive definite matrix that knows nothing of a grid: smoothed
/// aggregation (Vanek, Mandel, Brezina), P = (I - omega D^-1 A) P0 with P0 constant on groups of
/// strongly coupled unknowns, coarse matrices P' A P. One cycle is a symmetric preconditioner, the
/// iteration is conjugate gradients. Rows with nothing but a diagonal stay out of the groups.
///   cost     setup about 30 products with A; memory about 3 times A; one thread
class AlgebraicMultigrid final {
 public:
  ///   error    throws Error unless a is square
  explicit AlgebraicMultigrid(const SparseMatrix& a, const AlgebraicMultigridOptions& options = {});
  ~AlgebraicMultigrid();
  AlgebraicMultigrid(AlgebraicMultigrid&&) noexcept;
  AlgebraicMultigrid& operator=(AlgebraicMultigrid&&) noexcept;

  [[nodiscard]] std::size_t levels() const noexcept;
  /// Entries of all levels over those of A.
  [[nodiscard]] double complexity() const noexcept;
  /// z = one V cycle for A z = r, from zero.
  void cycle(std::span<const double> r, std::span<double> z) const;
  /// Starts from x. A diagonal that is not positive or a coarsest matrix that is not definite is a
  /// breakdown.
  IterationResult solve(std::span<const double> b, std::span<double> x,
                        const IterationOptions& options = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cauchy
