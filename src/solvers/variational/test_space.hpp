#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <cauchy/engine/executor.hpp>
#include <cauchy/expr/weak_form.hpp>
#include <cauchy/geometry/mesh.hpp>
#include <cauchy/math/test_functions.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy::detail {

/// A summand of a weak form: int e D v dx, D v a derivative of the test function by at most two
/// coordinates of space (-1: none). The last of them came by parts, which leaves on the faces of
/// elements
///   -int e n_{last} (D without it) v ds
struct WeakColumn {
  Expr e;
  std::array<int, 2> by = {-1, -1};
  bool inside = true, faces = true;  ///< where it stands
};
/// The columns of a row: int source v + flux . grad v - boundary terms, with derivatives moved to
/// the test function once, or (twice) once more where fluxes are linear in them.
///   error    throws Error (unsupported) for twice and a flux that is not
[[nodiscard]] std::vector<WeakColumn> weak_columns(const WeakForm& form, const WeakRow& row,
                                                   bool twice);

/// Test functions as sums: points with the columns of the domain, and for every row of columns and
/// every test function one sum over (point, column).
struct TestSpace {
  Points points;
  std::size_t n_columns = 0, n_functions = 0;  ///< of all rows; per row
  /// Row-major rows x functions; points[i] = p * n_columns + c stands for column c at point p.
  Groups sums;
};

/// Products of functions of single axes: of a box, and of time and ranges.
///   axes     one per column of the domain
///   space    which of them the coordinates of space are
///   rows     columns of every equation
///   norm     j: sums are divided by the norm of the j-th derivative by space of the function; -1:
///            they are not
///   error    throws Error when the sums would have more than 1e8 summands
[[nodiscard]] TestSpace product_space(const std::vector<std::string>& names,
                                      const std::vector<TabulatedTests>& axes,
                                      const std::vector<std::size_t>& space,
                                      const std::vector<std::vector<WeakColumn>>& rows, int norm);

/// Hat functions of a mesh of space times functions of the other axes, time and ranges.
///   axes     those of space are not looked at
///   vanish   without the nodes of the boundary
///   order    of the Gauss rule on every cell and side, exact for degree 2 order - 1
///   error    throws Error when the mesh has no node that is wanted
[[nodiscard]] TestSpace mesh_space(const std::vector<std::string>& names, const Mesh& mesh,
                                   const std::vector<TabulatedTests>& axes,
                                   const std::vector<std::size_t>& space,
                                   const std::vector<std::vector<WeakColumn>>& rows, int norm,
                                   bool vanish, std::size_t order);

/// Throws Error (memory) for more summands than are sensible.
void require_summands(double n);
/// By what the sums of a function are divided that has these norms of values and slopes; `norm` as
/// in product_space. Constants have no slope.
[[nodiscard]] double test_size(int norm, double values, double slopes);

}  // namespace cauchy::detail
