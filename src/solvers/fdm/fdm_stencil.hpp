#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <cauchy/math/matrix.hpp>

#include "solvers/fdm/fdm_grid.hpp"

namespace cauchy::detail {

/// A derivative at a point as a weighted sum of values at nodes.
using Stencil = std::vector<std::pair<int, double>>;

/// Stencils of many points.
struct StencilSet {
  std::vector<std::size_t> begin = {0};
  std::vector<int> node;
  std::vector<double> weight;
  void add(const Stencil& stencil);
  [[nodiscard]] std::size_t size() const noexcept { return begin.size() - 1; }
};

/// Weights of derivatives at a point from values at scattered ones: exact for polynomials of total
/// degree `degree`, and of all such weights those of the least norm, nearer points first.
///   points   row-major n x d, in units of the spacing, relative to the point
///   orders   one row of d numbers per derivative
///   returns  derivatives x n; empty when the points do not determine the polynomial
[[nodiscard]] Matrix scattered_weights(std::size_t d, std::span<const double> points,
                                       const std::vector<std::vector<int>>& orders, int degree);

/// Stencils on a grid.
class FdmStencils final {
 public:
  ///   ghost    whether a field has a value at a ghost of a box that a condition determines
  using HasValue = std::function<bool(int node, std::size_t field)>;
  FdmStencils(const FdmGrid& grid, int accuracy, HasValue has_value);

  /// At a node of a box or an interior node of a region: central differences, at sides of boxes
  /// one-sided ones of the same accuracy.
  ///   orders   by axis
  ///   lean     along this axis: -1 or 1: backward or forward differences of second order (of
  ///            first, where the grid ends); 0: none
  [[nodiscard]] Stencil at_node(int node, const std::vector<int>& orders, std::size_t field,
                                std::size_t axis = 0, int lean = 0) const;
  /// Half way between a node and its neighbour along an axis; orders up to 1.
  [[nodiscard]] Stencil at_face(int node, std::size_t axis, int side,
                                const std::vector<int>& orders) const;
  /// Anywhere in the closed region.
  ///   normal   outward normal of the boundary where the point lies on it, else 0
  ///   anchor   a ghost that must be among the nodes; -1: none
  ///   degree   of the polynomial
  [[nodiscard]] std::vector<Stencil> at_point(const GridPoint& x, const GridPoint& normal,
                                              const std::vector<std::vector<int>>& orders,
                                              int degree, int anchor = -1, int without = -1) const;
  /// Offsets of the nodes that derivatives need around an interior node.
  [[nodiscard]] static std::vector<GridPlace> offsets(
      const std::vector<std::vector<int>>& derivatives);

 private:
  struct Line {  // nodes along one axis
    int first = 0;
    std::vector<double> w;
  };
  [[nodiscard]] Line line(int node, std::size_t axis, int order, std::size_t field, bool mixed,
                          int lean) const;
  [[nodiscard]] std::vector<Stencil> block(const GridPoint& from, const GridPoint& x,
                                           const GridPoint& normal, double clear,
                                           const std::vector<std::vector<int>>& orders,
                                           const GridPlace& first, int width) const;

  const FdmGrid& grid_;
  int accuracy_;
  HasValue has_value_;
};

}  // namespace cauchy::detail
