#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/geometry/make_mesh.hpp>

#include "geometry/shapes/curve.hpp"

namespace cauchy::detail {

/// A curve that sides of cells must follow.
struct PlaneWall {
  Curve curve;
  int from = 0, to = 0;                   ///< corners
  int left = -1, right = -1;              ///< parts on both sides; -1: outside
  int left_piece = -1, right_piece = -1;  ///< pieces of the boundary seen from there; -1: none
  int level = -1;                         ///< of MeshOptions::interfaces; the curve is a chord then
  std::shared_ptr<const MeshSurface> surface = {};  ///< where points of a chord belong

  [[nodiscard]] Vec point(double t) const;
  /// Nodes on it are doubled.
  [[nodiscard]] bool is_slit() const { return left == right && level < 0; }
};

/// Points within a tolerance of each other are one corner.
class CornerList final {
 public:
  explicit CornerList(double tolerance) : tolerance_(tolerance) {}

  int number(Vec p);
  [[nodiscard]] double tolerance() const { return tolerance_; }
  std::vector<Vec> points;

 private:
  double tolerance_;
  std::map<std::pair<double, double>, std::vector<int>> grid_;
};

struct PlaneWalls {
  std::vector<Vec> corners;
  std::vector<PlaneWall> walls;
  double scale = 0;

  [[nodiscard]] PlaneBox box() const;
};

/// The boundary of a shape of the plane and the boundaries between its parts, each curve once, cut
/// where others end on it. Part k of the list is 1 + k, the rest is 0.
[[nodiscard]] PlaneWalls plane_walls(const ShapePtr& shape, std::span<const MeshPart> parts);

/// The same walls, cut where a corner lies on one between its ends.
[[nodiscard]] std::vector<PlaneWall> cut_walls(const std::vector<PlaneWall>& walls,
                                               const CornerList& corners);

}  // namespace cauchy::detail
