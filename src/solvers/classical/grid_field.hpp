#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "solvers/classical/nodal_model.hpp"

namespace cauchy::detail {

/// A direction of a grid, and how values between its nodes are found.
///   local      by the polynomial through the `width` nearest nodes, any spacing
///   periodic   nodes are equally spaced, without the last one; by the polynomial through the
///              `width` nearest nodes, around the end
///   chebyshev  by the polynomial through all nodes (barycentric); any nodes that are dense at the
///              ends, such as Chebyshev-Lobatto or Gauss points
///   pieces     `width` nodes make a piece, the last one of a piece is the first one of the next;
///   by
///              the polynomial through the nodes of a piece, each dense at its ends: derivatives
///              may jump from one to the next
struct GridAxis {
  enum class Kind : std::uint8_t { local, periodic, chebyshev, pieces };
  std::string name;           ///< of the coordinate
  std::vector<double> nodes;  ///< ascending
  Kind kind = Kind::local;
  double period = 0;  ///< of a periodic one
  int width = 6;      ///< nodes of the interpolation; cut to what there is
};

/// Weights of an interpolation and its derivatives at one place.
struct NodeWeights {
  std::size_t first = 0;  ///< node; the others follow, around the end of a periodic axis
  std::size_t count = 0;
  std::vector<double> w;  ///< orders x count
};
/// Of the polynomial through all nodes, up to a derivative; nodes that are dense at the ends.
[[nodiscard]] NodeWeights polynomial_weights(const std::vector<double>& nodes, double at,
                                             int order);

/// Values of fields at the nodes of a tensor grid as a field. The axes are coordinates of the
/// problem, each once and in any order; along a coordinate without axis the field is constant.
/// Derivatives are those of the interpolation: error O(h^(width - order)) along a local axis.
/// Beyond the grid the outermost polynomial is continued.
///   error    the constructor throws Error when axes and values do not fit
///   cost     product of the widths per value; weights of equal coordinates are computed once
class GridField final : public NodalModel {
 public:
  /// values   one array per field, the last axis runs fastest
  GridField(std::string kind, std::shared_ptr<const Problem> problem, std::vector<GridAxis> axes,
            std::vector<std::string> fields, std::vector<std::vector<double>> values);

  void save(Checkpoint& checkpoint) const override;
  [[nodiscard]] static std::shared_ptr<const GridField> load(std::string kind,
                                                             std::shared_ptr<const Problem> problem,
                                                             const Checkpoint& checkpoint);
  void derivatives(std::span<const Expr> atoms, std::span<const double> points,
                   std::span<double> out) const override;

  [[nodiscard]] const std::vector<GridAxis>& axes() const noexcept { return axes_; }
  /// Values at the nodes of a field.
  [[nodiscard]] const std::vector<double>& values(const std::string& field) const;

 private:
  [[nodiscard]] NodeWeights weights_at(std::size_t axis, double at, int order) const;

  std::vector<GridAxis> axes_;
  std::vector<std::size_t> columns_;  // of the axes among the coordinates
  std::vector<std::string> fields_;
  std::vector<std::vector<double>> values_;
  std::vector<std::vector<double>> barycentric_;  // weights of Chebyshev axes
};

}  // namespace cauchy::detail
