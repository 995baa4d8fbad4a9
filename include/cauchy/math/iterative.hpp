#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/math/sparse.hpp>

namespace cauchy {

/// How an iteration for A x = b ended.
///   diverged   the residual is not finite or has grown by 1e10: x is of no use
///   breakdown  a zero on the diagonal, or a division by zero in a Krylov method; x is the last
///              iterate
enum class IterationStatus : std::uint8_t {
  converged,
  max_iterations,
  diverged,
  breakdown,
  stopped
};
/// Name of the status: "converged", ...
[[nodiscard]] const char* to_string(IterationStatus status) noexcept;

/// When to end: |b - A x| <= tolerance * |b| in the Euclidean norm.
struct IterationOptions {
  double tolerance = 1e-10;
  std::size_t max_iterations = 10'000;
  std::function<bool()> stop = {};  ///< asked before every iteration; true ends it
};

struct IterationResult {
  IterationStatus status = IterationStatus::max_iterations;
  std::size_t iterations = 0;
  /// |b - A x| / |b| at the start and after every iteration; Krylov methods give the recursive one.
  std::vector<double> residuals = {};
  double relaxation = 0;  ///< of SOR: the last one

  [[nodiscard]] bool converged() const noexcept { return status == IterationStatus::converged; }
  [[nodiscard]] double residual() const noexcept {
    return residuals.empty() ? 0 : residuals.back();
  }
};

// Every function starts from x and overwrites it. Shapes that do not fit and options out of range
// throw Error; numerical failure is a status. For b = 0 the answer is x = 0. One thread.

/// x <- x + damping D^-1 (b - A x), D the diagonal of A. Converges for damping = 1 when A is
/// (irreducibly) diagonally dominant, for symmetric positive definite A when damping < 2 / largest
/// eigenvalue of D^-1 A.
IterationResult jacobi(const SparseMatrix& a, std::span<const double> b, std::span<double> x,
                       const IterationOptions& options = {}, double damping = 1);

/// Successive over-relaxation in ascending order of the unknowns: x_i <- x_i + relaxation r_i /
/// a_ii with the newest values. Symmetric positive definite A: converges for 0 < relaxation < 2.
///   relaxation 0  found on the way from the observed rate: the one of Young for
///                 consistently ordered matrices, 2 / (1 + sqrt(1 - rho^2)), rho the spectral
///                 radius of Jacobi's method
IterationResult sor(const SparseMatrix& a, std::span<const double> b, std::span<double> x,
                    const IterationOptions& options = {}, double relaxation = 0);
/// sor() with relaxation 1.
IterationResult gauss_seidel(const SparseMatrix& a, std::span<const double> b, std::span<double> x,
                             const IterationOptions& options = {});

/// y = M x.
using LinearMap = FunctionRef<void(std::span<const double> x, std::span<double> y)>;
///   jacobi   M = D
///   ssor     M = (D + L) D^-1 (D + U): one forward and one backward sweep
enum class Preconditioner : std::uint8_t { none, jacobi, ssor };

/// Conjugate gradients for symmetric positive definite A; a direction of no positive curvature is a
/// breakdown.
IterationResult conjugate_gradients(const SparseMatrix& a, std::span<const double> b,
                                    std::span<double> x, const IterationOptions& options = {},
                                    Preconditioner preconditioner = Preconditioner::ssor);
/// The same without matrices: `a` multiplies by A, `inverse` by an approximate inverse that is
/// symmetric positive definite.
IterationResult conjugate_gradients(LinearMap a, LinearMap inverse, std::span<const double> b,
                                    std::span<double> x, const IterationOptions& options = {});

/// Stabilised bi-conjugate gradients (van der Vorst) for any square A, preconditioned from the
/// right. An iteration has two products.
IterationResult bicgstab(const SparseMatrix& a, std::span<const double> b, std::span<double> x,
                         const IterationOptions& options = {},
                         Preconditioner preconditioner = Preconditioner::ssor);
IterationResult bicgstab(LinearMap a, LinearMap inverse, std::span<const double> b,
                         std::span<double> x, const IterationOptions& options = {});

}  // namespace cauchy
