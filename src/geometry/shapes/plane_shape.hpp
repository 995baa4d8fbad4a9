#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <cauchy/geometry/shapes/plane.hpp>

#include "curve.hpp"
#include "plane_tree.hpp"
#include "plane_winding.hpp"

namespace cauchy::detail {

/// Takes the unit square to a shape so that equal areas stay equal.
using EqualAreaMap = std::function<Vec(double, double)>;

/// A shape of the plane given by its oriented boundary curves alone. Everything follows from them:
/// distance by the nearest curve, membership by the winding number, area by Green's theorem,
/// lengths and boundary points curve by curve.
class PlaneShape final : public Shape {
 public:
  /// Curves in any order; each names its piece. Measures of the pieces are filled in, pieces
  /// without curves dropped.
  PlaneShape(std::vector<Curve> curves, std::vector<Piece> pieces, EqualAreaMap map = {});

  double distance(const double* x) const override;
  bool contains(const double* x) const override;
  Nearest nearest(const double* x, double* foot, double* normal) const override;
  bool has_map() const noexcept override { return static_cast<bool>(data_->map); }
  void map(const double* u, double* x) const override;
  bool boundary_point(std::size_t piece, const double* u, double* x, double* normal) const override;

  [[nodiscard]] const std::vector<Curve>& curves() const { return data_->curves; }
  [[nodiscard]] const BoxTree& tree() const { return data_->tree; }
  [[nodiscard]] const EqualAreaMap& area_map() const { return data_->map; }
  /// Diameter of the box around all finite ends; 0 when there are none.
  [[nodiscard]] double scale() const { return data_->scale; }
  /// Nothing but cuts.
  [[nodiscard]] bool is_slit() const { return data_->slit_only; }
  /// Whether p lies in the closure-free inside, cuts ignored.
  [[nodiscard]] bool covers(Vec p) const;
  /// The curve nearest to p among those with the given slit flag.
  struct Near {
    double distance = std::numeric_limits<double>::infinity();
    std::size_t curve = 0;
    Curve::Foot foot;
  };
  [[nodiscard]] Near nearest_curve(Vec p, bool slit) const;

 protected:
  std::shared_ptr<Shape> clone() const override { return std::make_shared<PlaneShape>(*this); }

 private:
  struct Data {
    std::vector<Curve> curves;
    BoxTree tree;
    Winding winding;
    EqualAreaMap map;
    double scale = 0;
    bool slit_only = false;
    // Curves of each piece with the length up to their ends.
    std::vector<std::vector<std::size_t>> piece_curves;
    std::vector<std::vector<double>> piece_lengths;
  };
  [[nodiscard]] double unsigned_distance(Vec p) const;
  void set_bounds();
  void set_measure();

  std::shared_ptr<const Data> data_;
};

/// The shape as a plane shape; throws Error when it is not one.
const PlaneShape& as_plane(const Shape& shape);

/// A piece selected by its own name and by `label` if there is one.
Piece named_piece(std::string name, const std::string& label = {});

}  // namespace cauchy::detail
