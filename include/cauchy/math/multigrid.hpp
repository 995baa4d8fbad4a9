#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/math/iterative.hpp>

namespace cauchy {

/// How the grids are gone through: v once, w twice on every coarser grid, f once by f and once by
/// v.
enum class MultigridCycle : std::uint8_t { v, w, f };
/// An iteration around the cycles, which is then its preconditioner: conjugate gradients for
/// symmetric problems (with as many sweeps before as after), bicgstab for all others.
enum class MultigridKrylov : std::uint8_t { none, conjugate_gradients, bicgstab };

struct MultigridOptions {
  MultigridCycle cycle = MultigridCycle::v;
  int sweeps_before = 2;  ///< of Gauss-Seidel, before going to the coarser grid
  int sweeps_after = 2;   ///< in the opposite order, after coming back
  bool nested = true;     ///< BoxMultigrid: start from the answers of the coarser grids
  MultigridKrylov krylov = MultigridKrylov::none;
};

/// One direction of a box and its ends.
///   cells    n unknowns at the centres of n equal cells
///   nodes    unknowns at the nodes of a grid: a Neumann end is one of them, a Dirichlet end is
///   not;
///            of a periodic direction the last node is left out
struct BoxAxis {
  enum class End : std::uint8_t { dirichlet, neumann, periodic };
  std::size_t n = 0;  ///< unknowns
  double lower = 0, upper = 1;
  End at_lower = End::dirichlet, at_upper = End::dirichlet;  ///< both periodic, or none
  bool cells = false;  ///< unknowns at centres of cells instead of nodes
};

/// -div(a grad u) + c u on a box in one to three dimensions, second order: the balance of the cell
/// (or of the control volume of the node) divided by its volume. With no end of Dirichlet and
/// c = 0 constants are its kernel.
///   grid     the last axis runs fastest
struct BoxOperator {
  std::vector<BoxAxis> axes;
  double c = 0;  ///< not negative
  /// Empty: a = 1. Else per axis k the positive values at the faces across it, of a grid with n + 1
  /// entries along k: face i lies between the unknowns i - 1 and i.
  std::vector<std::vector<double>> a = {};

  /// Shapes, ranges.
  ///   error    throws Error
  void check() const;
  [[nodiscard]] std::size_t size() const;
  /// Coordinates of the unknowns along an axis.
  [[nodiscard]] std::vector<double> positions(std::size_t axis) const;
  /// The same operator as a matrix: the plain form, for tests and direct solvers.
  [[nodiscard]] SparseMatrix matrix() const;
  /// Moves values at an end to the right side f: of u (Dirichlet) or of the outward flux a du/dn
  /// (Neumann), one per unknown beside the end.
  void add_boundary(std::size_t axis, bool upper, std::span<const double> values,
                    std::span<double> f) const;
};

/// Geometric multigrid for a BoxOperator without a matrix: red-black Gauss-Seidel, bilinear
/// interpolation, its adjoint as restriction. Any n: an end that does not fit keeps its spacing on
/// the coarser grid. Directions of wide spacing wait until the others have become as wide.
///   jumps    of `a` are averaged (in series along, in parallel across). Beyond a factor of about
///            30 cycles alone may diverge: take krylov = conjugate_gradients, or GridMultigrid
///   cost     setup and one cycle O(n); 4 (3 + dimensions for variable a) doubles per unknown
///   threads  same bits for any number
class BoxMultigrid final {
 public:
  /// threads   must outlive this; null: the caller alone works
  ///   error    throws Error for an operator or options out of range
  explicit BoxMultigrid(BoxOperator op, const MultigridOptions& options = {},
                        Threads* threads = nullptr);
  ~BoxMultigrid();
  BoxMultigrid(BoxMultigrid&&) noexcept;
  BoxMultigrid& operator=(BoxMultigrid&&) noexcept;

  [[nodiscard]] std::size_t levels() const noexcept;
  [[nodiscard]] const BoxOperator& problem() const noexcept;

  /// Solves A u = f, starting from u. When constants are the kernel, the mean of f is taken away
  /// (weighted by the volumes) and u gets the mean 0. Not thread-safe.
  ///   residual with conjugate gradients every row counts with the volume of its cell
  IterationResult solve(std::span<const double> f, std::span<double> u,
                        const IterationOptions& options = {});
  /// out = A u.
  void apply(std::span<const double> u, std::span<double> out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Multigrid for any matrix of a grid, one unknown per node: stencils of differences with
/// conditions in rows of their own. Linear interpolation P between every second node (and the
/// last), coarse matrices P' A P, Gauss-Seidel, SparseLu on the coarsest. Rows with nothing but a
/// diagonal (Dirichlet) stay out of the corrections. Directions of weak coupling are coarsened
/// later.
///   cost     setup O(n), about 15 times the matrix as memory while it runs; plain loops
class GridMultigrid final {
 public:
  /// shape     nodes along each axis, the last runs fastest; their product is the number of rows
  /// periodic  per axis: the last node is beside the first; empty: none
  ///   error    throws Error when shapes do not fit
  GridMultigrid(SparseMatrix a, std::vector<std::size_t> shape, std::vector<bool> periodic = {},
                const MultigridOptions& options = {
                    .sweeps_before = 1, .sweeps_after = 1, .krylov = MultigridKrylov::bicgstab});
  ~GridMultigrid();
  GridMultigrid(GridMultigrid&&) noexcept;
  GridMultigrid& operator=(GridMultigrid&&) noexcept;

  [[nodiscard]] std::size_t levels() const noexcept;
  /// Starts from x. Residuals are those of rows scaled to the diagonal 1 (as they are with
  /// conjugate gradients). A zero on a diagonal or a singular coarsest matrix is a breakdown.
  IterationResult solve(std::span<const double> b, std::span<double> x,
                        const IterationOptions& options = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cauchy
