#pragma once

#include <cstdint>
#include <string_view>

namespace cauchy {

/// Where the step of a least-squares method is computed, for m residuals and n parameters.
///   parameter    (J'J + mu I) d = -J'r, n x n
///   sample       d = -J' w,  (J J' + mu I) w = r, m x m: the same step, cheaper when m < n
///   matrix_free  conjugate gradients on min |J d + r|^2 + mu |d|^2 (CGLS) with products J v and
///                J' w; nothing larger than a vector is stored
///   automatic    parameter when n <= m, else sample
enum class StepSpace { automatic, parameter, sample, matrix_free };

/// How the dense equations are solved.
///   cholesky   of J'J + mu I or J J' + mu I, with one step of refinement on J itself; goes over to
///              qr where the matrix is not positive definite to rounding
///   qr         of J, then of [R; sqrt(mu) I]: does not square the condition number; two to four
///              times the work of cholesky
///   automatic  cholesky while mu >= 1e-13 max_j |J_j|^2, where both agree to many digits; else qr
enum class StepSolver { automatic, cholesky, qr };

/// The name of the enumerator, "matrix_free"; "unknown" for a value outside the enumeration.
[[nodiscard]] std::string_view to_string(StepSpace space) noexcept;
[[nodiscard]] std::string_view to_string(StepSolver solver) noexcept;

/// The linear problem min |J d + r|^2 + mu |d|^2 inside one step.
///   memory   doubles: m n for J, and at most
///              parameter  2 n^2
///              sample     2 m^2
struct StepEquations {
  StepSpace space = StepSpace::automatic;
  StepSolver solver = StepSolver::automatic;
  /// Most iterations of CGLS in one step, positive. They end sooner at a gradient of the linear
  /// problem below eta |J'r|, with eta of Eisenstat and Walker (1996, choice 2).
  std::uint64_t max_cg = 200;
  /// Most memory for the dense equations: Error before they are stored. 0: half of
  /// what the process may have.
  std::uint64_t max_bytes = 0;
};

}  // namespace cauchy
