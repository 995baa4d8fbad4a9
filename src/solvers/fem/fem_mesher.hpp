#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/geometry/shape.hpp>
#include <cauchy/problem/weak_problem.hpp>

#include "solvers/fem/fem_space.hpp"

namespace cauchy::detail {

/// Where functions of space in a problem jump, and where parts of the boundary end.
struct FemInterfaces {
  std::vector<std::vector<double>> planes;  ///< per coordinate: x_k = c inside the bounds
  std::vector<Expr> levels;                 ///< level = 0, of several coordinates
  std::vector<std::vector<double>> ends;    ///< per coordinate: of parts of the boundary
};
/// From comparisons in the weak form (where(x < 0.5, a, b)) and surfaces of conditions. What moves
/// with time or depends on fields is left out.
[[nodiscard]] FemInterfaces find_interfaces(const Problem& problem, const WeakProblem& weak,
                                            const Shape& shape);

/// Meshes for a problem: boxes by structured ones with grid lines where coefficients jump and parts
/// of the boundary end; all others, and boxes with oblique or curved interfaces, by make_mesh,
/// whose sides follow them.
class FemMesher final {
 public:
  ///   error    throws Error (unsupported) when the region is not bounded
  FemMesher(const Problem& problem, const WeakProblem& weak, ShapePtr shape);

  [[nodiscard]] bool box() const noexcept { return box_; }
  [[nodiscard]] const Bounds& bounds() const noexcept { return shape_->bounds(); }
  /// n cells along the longest side.
  [[nodiscard]] std::shared_ptr<const FemMesh> mesh(int n) const;
  /// Curved interfaces that meshes follow.
  [[nodiscard]] const std::vector<Expr>& levels() const noexcept { return interfaces_.levels; }
  /// Jumps that no mesh of this kind follows, one sentence each.
  [[nodiscard]] const std::vector<std::string>& remarks() const noexcept { return remarks_; }

 private:
  [[nodiscard]] Mesh structured(double size) const;
  void name_sides(Mesh& mesh) const;

  ShapePtr shape_;
  std::vector<std::string> names_;
  FemInterfaces interfaces_;
  bool box_ = false;
  double longest_ = 0;
  std::vector<std::string> remarks_;
};

}  // namespace cauchy::detail
