#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// Points of a box that is scaled to sides of 1, with quadrature weights that add up to 1: what
/// operators on points see of a grid, so that units of the coordinates do not matter.
struct PointSet {
  std::vector<bool> periodic;     ///< per axis
  std::vector<double> positions;  ///< row-major n x axes
  std::vector<double> weights;

  [[nodiscard]] std::size_t axes() const noexcept { return periodic.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return weights.size(); }
  [[nodiscard]] std::span<const double> at(std::size_t i) const {
    return std::span(positions).subspan(i * axes(), axes());
  }
  /// Squared distance, the short way round along periodic axes.
  [[nodiscard]] double distance2(std::span<const double> a, std::span<const double> b) const;
};

///   error    throws Error at `place` for boxes without extent, coordinates that are not finite,
///            weights of a cloud that are negative, not as many as points, or add up to 0
[[nodiscard]] PointSet points_of(const FieldGrid& grid, std::string_view place);
/// Centres and weights of the patches of a grid.
[[nodiscard]] PointSet patches_of(const FieldGrid& grid, const std::vector<int>& patch,
                                  std::string_view place);

/// Some of the points, evenly spread: every next one is the farthest from those before, the first
/// one near a place that the seed chooses. The first m of a longer choice are the choice of m.
///   cost     O(n m)
[[nodiscard]] std::vector<std::size_t> farthest_first(const PointSet& points, std::size_t m,
                                                      std::uint64_t seed);
/// These points of the set; each has the weight of all the points that are nearest to it.
[[nodiscard]] PointSet chosen_points(const PointSet& points, std::span<const std::size_t> chosen);

/// The matrix that takes one point for each row.
[[nodiscard]] std::shared_ptr<const PointMatrix> taking(std::size_t columns,
                                                        std::vector<std::size_t> points);
/// The value [C, n_points] at some of its points, [C, m].
int at_points(TensorGraph& graph, int x, std::span<const std::size_t> chosen);

/// What networks see of positions, a constant [F, sizes].
///   harmonics 0   x along an axis with ends, cos 2 pi x and sin 2 pi x along a periodic one
///   harmonics p   for k = 1 ... p cos and sin of 2 pi k x along a periodic axis; of pi k x, and x,
///                 along the others
int add_positions(TensorGraph& graph, const PointSet& points, int harmonics,
                  std::vector<int> sizes);

}  // namespace cauchy::detail
