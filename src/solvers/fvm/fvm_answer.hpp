#pragma once

#include "solvers/classical/grid_field.hpp"
#include "solvers/fvm/fvm_operator.hpp"

namespace cauchy::detail {

/// Collects the fields at some times on a tensor grid: centres of boxes and the ends of the sides,
/// or a rectangular grid over triangles, whose cells are linear by their slopes.
class FvmAnswer final {
 public:
  FvmAnswer(const BalanceLaw& law, const FvmMesh& mesh);
  /// Nodes of one time.
  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
  void store(double t, const Rows& q, FvmOperator& balance);
  /// False when a value is not finite.
  [[nodiscard]] bool finite() const noexcept { return finite_; }
  /// width    nodes of the interpolation along each direction (GridAxis)
  [[nodiscard]] std::shared_ptr<const GridField> field(std::shared_ptr<const Problem> problem,
                                                       int width);

 private:
  struct Place {
    std::size_t cell;
    double from[2];
  };
  void place_on_triangles();

  const BalanceLaw* law_;
  const FvmMesh* mesh_;
  std::size_t nodes_ = 0;
  bool finite_ = true;
  std::vector<GridAxis> axes_;  // of space
  std::vector<double> times_;
  std::vector<std::vector<std::size_t>> sources_;  // boxes: cells (or ghosts) that a node averages
  std::vector<Place> places_;                      // triangles
  Rows values_, w_, face_, slopes_;
};

}  // namespace cauchy::detail
