#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "plane_shape.hpp"

namespace cauchy::detail {

/// The curves of two shapes cut where they meet.
///   vertices  points closer than the tolerance are one vertex; original ends keep their place
///   parts     consecutive vertices on a curve; parts that shrink to a vertex are left out
class Arrangement final {
 public:
  static constexpr std::size_t infinity = static_cast<std::size_t>(-1);

  struct Part {
    double ta = 0, tb = 0;
    std::size_t from = infinity, to = infinity;  ///< vertices
  };

  Arrangement(const PlaneShape& a, const PlaneShape& b, double tolerance);

  /// Parts of a curve of the first (second = false) or the second shape, in order.
  [[nodiscard]] const std::vector<Part>& parts(bool second, std::size_t curve) const {
    return parts_[second ? 1 : 0][curve];
  }
  /// The curve between two vertices of it.
  [[nodiscard]] Curve cut(const Curve& curve, const Part& part) const;
  [[nodiscard]] std::size_t n_vertices() const { return vertices_.size(); }

 private:
  struct Stop {
    double t = 0;
    std::size_t vertex = infinity;
  };
  std::size_t vertex(Vec p);
  void add_ends(const std::vector<Curve>& curves, std::vector<std::vector<Stop>>& stops);
  void cut_all(const std::vector<Curve>& curves, std::vector<std::vector<Stop>>& stops,
               std::vector<std::vector<Part>>& parts) const;

  double tolerance_ = 0;
  std::vector<Vec> vertices_;
  std::map<std::pair<double, double>, std::vector<std::size_t>> cells_;  // grid of the tolerance
  std::vector<std::vector<Part>> parts_[2];
};

}  // namespace cauchy::detail
